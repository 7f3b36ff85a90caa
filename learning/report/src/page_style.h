// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace simulacra::learning {

extern const std::string_view kPageStyle;  ///< page.css

}  // namespace simulacra::learning
