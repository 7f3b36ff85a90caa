// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra::tools {

struct Size {
  int width = 0, height = 0;
};

/// "1024x768"; throws UsageError naming the option, what was given and what is expected.
Size parse_size(const std::string& option, const std::string& text);

/// Checks of options, to be used with check(). All say what was given and what is expected.
CLI::Validator whole_number(std::uint64_t lo, std::uint64_t hi);
CLI::Validator number(double lo, double hi);
CLI::Validator a_name();   ///< anything but an empty text

/// Throws UsageError naming the option when nothing can be written at `path`: its folder, or the nearest one above it that
/// exists, is no folder or takes no files. Leaves nothing behind.
void check_can_write(const std::string& option, const std::filesystem::path& path);

/// The same of an HTML page, which has other files beside it that are called after it: its name must end in .html. An empty name
/// asks for no page.
void check_can_write_page(const std::string& option, const std::string& page);

/// Prints each warning as one line on stderr; with `strict`, any warning is a UsageError instead.
void report_warnings(const Diagnostics& diagnostics, bool strict);

/// By name, or by index from 0; throws UsageError listing the scene's cameras.
const CameraDescription& find_camera(const SceneDescription& scene, const std::string& name_or_index);

}  // namespace simulacra::tools
