// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "render/config/config.h"

namespace simulacra::config {

/// The node in words for a message: "'7'", "a list of 3", "a group", "empty".
std::string shown(const Node& node);
/// Throws UsageError "where: 'key' is …; expected …".
[[noreturn]] void wrong_value(const Node& node, std::string_view key, std::string_view expected);
std::uint64_t as_unsigned(const Node& node, std::string_view key);

}  // namespace simulacra::config
