// SPDX-License-Identifier: Apache-2.0
#include "tools/program/options.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "render/base/error.h"
#include "render/base/log.h"

namespace simulacra::tools {
namespace {

template <typename T>
bool parse_all(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Size parse_size(const std::string& option, const std::string& text) {
  const std::size_t x = text.find('x');
  Size size;
  if (x == std::string::npos || !parse_all(std::string_view(text).substr(0, x), size.width) ||
      !parse_all(std::string_view(text).substr(x + 1), size.height) || size.width < 1 || size.height < 1 ||
      size.width > 32768 || size.height > 32768)
    fail_usage("{}: '{}' is no size; expected WIDTHxHEIGHT in pixels, 1 to 32768 each, like 1024x768", option, text);
  return size;
}

CLI::Validator whole_number(std::uint64_t lo, std::uint64_t hi) {
  const std::string range = fmt::format("{} to {}", lo, hi);
  const auto check = [=](std::string& text) {
    std::uint64_t value = 0;
    if (parse_all(text, value) && value >= lo && value <= hi) return std::string();
    return fmt::format("'{}' is no whole number from {}", text, range);
  };
  return {check, range, "whole number"};
}

CLI::Validator number(double lo, double hi) {
  const std::string range = fmt::format("{} to {}", lo, hi);
  const auto check = [=](std::string& text) {
    double value = 0;
    if (parse_all(text, value) && value >= lo && value <= hi) return std::string();
    return fmt::format("'{}' is no number from {}", text, range);
  };
  return {check, range, "number"};
}

CLI::Validator a_name() {
  const auto check = [](std::string& text) { return text.empty() ? std::string("is empty; expected a name") : std::string(); };
  return {check, "", "name"};
}

void check_can_write(const std::string& option, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path folder = fs::is_directory(path, ignored) ? path : path.parent_path();
  while (!folder.empty() && !fs::exists(fs::status(folder, ignored)) && folder != folder.parent_path())
    folder = folder.parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, ignored))
    fail_usage("{}: '{}': '{}' is a file, expected a folder", option, path.string(), folder.string());
  std::string probe = (folder / ".simulacra-XXXXXX").string();
  if (::mkdtemp(probe.data()) == nullptr)
    fail_usage("{}: '{}': nothing can be written in '{}': {}", option, path.string(), folder.string(), std::strerror(errno));
  ::rmdir(probe.c_str());
}

void check_can_write_page(const std::string& option, const std::string& page) {
  if (page.empty()) return;
  if (std::filesystem::path(page).extension() != ".html") fail_usage("{}: '{}': expected the name of a page that ends in .html", option, page);
  if (std::filesystem::is_directory(page)) fail_usage("{}: '{}' is a folder", option, page);
  check_can_write(option, page);
}

void report_warnings(const Diagnostics& diagnostics, bool strict) {
  const auto& warnings = diagnostics.warnings();
  if (strict && !warnings.empty())
    fail_usage("{}: {}: {} ({} in all; refused by --strict)", warnings[0].file, warnings[0].culprit, warnings[0].text,
               warnings.size() == 1 ? "1 warning" : fmt::format("{} warnings", warnings.size()));
  for (const ImportWarning& w : warnings) log_warning("{}: {}: {}", w.file, w.culprit, w.text);
}

const CameraDescription& find_camera(const SceneDescription& scene, const std::string& name_or_index) {
  for (const CameraDescription& c : scene.cameras)
    if (c.name == name_or_index) return c;
  int index = 0;
  if (parse_all(name_or_index, index) && index >= 0 && index < static_cast<int>(scene.cameras.size()))
    return scene.cameras[static_cast<std::size_t>(index)];
  std::string known;
  for (std::size_t i = 0; i < scene.cameras.size(); ++i)
    known += fmt::format("{}{} ('{}')", i == 0 ? "" : ", ", i, scene.cameras[i].name);
  if (known.empty()) fail_usage("--camera: '{}': {} has no camera", name_or_index, scene.source.string());
  fail_usage("--camera: '{}': {} has no such camera; there are {}", name_or_index, scene.source.string(), known);
}

}  // namespace simulacra::tools
