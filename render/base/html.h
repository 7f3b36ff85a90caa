// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace simulacra {

/// Text between tags or in double quotes of HTML: & < " are written as entities.
std::string html_escaped(std::string_view text);

}  // namespace simulacra
