// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace simulacra::sim2real {

extern const std::string_view kRefinementStyle;

}  // namespace simulacra::sim2real
