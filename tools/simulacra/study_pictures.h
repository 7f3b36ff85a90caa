// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim2real/preference/config.h"

namespace simulacra::tools {

/// The pictures of every condition as PNG, the middle of each, all of one size, so that neither names, formats nor sizes tell where they
/// come from. Throws UsageError where a folder is empty, a picture cannot be read, or gray stands beside color.
std::vector<preference::Item> picture_items(const preference::StudyConfig& config);

}  // namespace simulacra::tools
