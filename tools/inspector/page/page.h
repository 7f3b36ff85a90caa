// SPDX-License-Identifier: Apache-2.0
// The inspector's page: HTML, style and ES modules, inside the program.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace simulacra::inspector {

struct PageFile {
  std::string_view name;   ///< "main.js"
  std::string_view text;
};
std::span<const PageFile> page_files();
/// Empty when there is none of that name.
std::string_view page_file(std::string_view name);
/// By the name's extension: "text/javascript; charset=utf-8" and the like.
std::string_view media_type(std::string_view name);

/// index.html, with the modules and the index asked for at once rather than one after the other.
std::string index_page();

/// The whole page as one HTML text with style and script inside, for places that cannot load modules (file://). Modules may
/// import names from each other and export functions, constants and classes, each on a line of its own.
std::string page_in_one_file();

/// The same modules as one classic script. Throws Error naming the module and what it does beyond that.
std::string linked_script(std::span<const PageFile> files, std::string_view first);

}  // namespace simulacra::inspector
