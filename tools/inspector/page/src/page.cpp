// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/page/page.h"

#include <set>
#include <vector>

#include "render/base/error.h"

namespace simulacra::inspector {
namespace {

std::string_view find(std::span<const PageFile> files, std::string_view name) {
  for (const PageFile& file : files)
    if (file.name == name) return file.text;
  return {};
}

/// "colors.js" -> "m_colors": the constant that holds a module's exports.
std::string holder_of(std::string_view module) { return "m_" + std::string(module.substr(0, module.find('.'))); }

/// "{ a, b as c }" of an import as the pattern of a destructuring: "{ a, b: c }".
std::string pattern_of(std::string names) {
  for (std::size_t at; (at = names.find(" as ")) != std::string::npos;) names.replace(at, 4, ": ");
  return names;
}

class Linker {
 public:
  explicit Linker(std::span<const PageFile> files) : files_(files) {}

  void add(std::string_view module) {
    if (done_.contains(module)) return;
    if (!open_.insert(module).second) fail("{}: imports itself, by way of other modules", module);
    std::string_view text = find(files_, module);
    if (text.empty()) fail("{}: no such module", module);
    std::string body, exports;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      body += line_of(module, text.substr(0, end), exports);
      text.remove_prefix(end);
    }
    script_ += "const " + holder_of(module) + " = (() => {\n" + body + "\nreturn {" + exports + "};\n})();\n";
    done_.insert(module);
  }
  std::string take() { return "\"use strict\";\n(() => {\n" + std::move(script_) + "})();\n"; }

 private:
  std::string line_of(std::string_view module, std::string_view line, std::string& exports) {
    if (line.starts_with("import ")) return import_of(module, line);
    if (!line.starts_with("export ")) return std::string(line);
    line.remove_prefix(7);
    std::string_view rest = line;
    for (const std::string_view word : {"async function ", "function ", "const ", "class "})
      if (rest.starts_with(word)) {
        rest.remove_prefix(word.size());
        exports += std::string(rest.substr(0, rest.find_first_of(" (={;"))) + ", ";
        return std::string(line);
      }
    fail("{}: '{}' exports neither a function, a constant nor a class", module, line);
  }

  std::string import_of(std::string_view module, std::string_view line) {
    const std::size_t open = line.find('{'), close = line.find('}'), from = line.find(" from \"./");
    if (open == std::string_view::npos || close == std::string_view::npos || from == std::string_view::npos)
      fail("{}: '{}' is no import of names from a module beside it, on one line", module, line.substr(0, line.find('\n')));
    const std::string_view source = line.substr(from + 9, line.find('"', from + 9) - from - 9);
    add(source);
    return "const " + pattern_of(std::string(line.substr(open, close - open + 1))) + " = " + holder_of(source) + ";\n";
  }

  std::span<const PageFile> files_;
  std::set<std::string_view> open_, done_;
  std::string script_;
};

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  SIM_CHECK(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

}  // namespace

std::string_view page_file(std::string_view name) { return find(page_files(), name); }

std::string_view media_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

std::string index_page() {
  std::string early;
  for (const PageFile& file : page_files())
    if (file.name.ends_with(".js")) early += "<link rel=\"modulepreload\" href=\"page/" + std::string(file.name) + "\">\n";
  early += "<link rel=\"preload\" as=\"fetch\" crossorigin=\"anonymous\" href=\"api/index\">\n";
  return replaced(std::string(page_file("index.html")), "</head>", early + "</head>");
}

std::string linked_script(std::span<const PageFile> files, std::string_view first) {
  Linker linker(files);
  linker.add(first);
  return linker.take();
}

std::string page_in_one_file() {
  std::string html(page_file("index.html"));
  html = replaced(std::move(html), "<link rel=\"stylesheet\" href=\"page/style.css\">", "<style>" + std::string(page_file("style.css")) + "</style>");
  return replaced(std::move(html), "<script type=\"module\" src=\"page/main.js\"></script>",
                  "<script>" + linked_script(page_files(), "main.js") + "</script>");
}

}  // namespace simulacra::inspector
