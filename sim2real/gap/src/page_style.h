// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace simulacra::gap {

extern const std::string_view kPageStyle;

}  // namespace simulacra::gap
