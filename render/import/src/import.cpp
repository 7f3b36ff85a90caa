// SPDX-License-Identifier: Apache-2.0
#include "render/import/import.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>
#include <string_view>

#include "render/base/error.h"
#include "render/import/src/import_own_frame.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

enum class Format { gltf, obj, mitsuba, yaml, unknown };

constexpr std::string_view kReadable = "glTF (.gltf, .glb), OBJ (.obj), Mitsuba XML (.xml), scene YAML (.yaml, .yml)";

Format format_of_extension(const fs::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".gltf" || extension == ".glb") return Format::gltf;
  if (extension == ".obj") return Format::obj;
  if (extension == ".xml") return Format::mitsuba;
  if (extension == ".yaml" || extension == ".yml") return Format::yaml;
  return Format::unknown;
}

/// What the first bytes tell, for files without a telling extension.
Format format_of_content(const fs::path& file) {
  std::string head(4096, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  if (head.starts_with("glTF")) return Format::gltf;
  const std::size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string::npos) return Format::unknown;
  const std::string_view text = std::string_view(head).substr(first);
  if (text.front() == '{' && text.find("\"asset\"") != std::string_view::npos) return Format::gltf;
  if (text.front() == '<' && text.find("<scene") != std::string_view::npos) return Format::mitsuba;
  for (const std::string_view word : {"mtllib ", "v ", "o ", "g "})
    if (text.starts_with(word) || text.find(std::string("\n").append(word)) != std::string_view::npos) return Format::obj;
  return Format::unknown;
}

SceneDescription import_as(Format format, const fs::path& file, Diagnostics& diagnostics) {
  switch (format) {
    case Format::gltf: return import_gltf(file, diagnostics);
    case Format::obj: return import_obj(file, diagnostics);
    case Format::mitsuba: return import_mitsuba(file, diagnostics);
    case Format::yaml: return import_scene_yaml(file, diagnostics);
    case Format::unknown: break;
  }
  fail_usage("{}: not a scene file that is known; what can be read is {}", file.string(), kReadable);
}

}  // namespace

SceneDescription import_in_own_frame(const fs::path& file, bool allow_yaml, Diagnostics& diagnostics) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) fail_usage("{}: there is no such file", file.string());
  if (status.type() == fs::file_type::directory)
    fail_usage("{}: is a folder; expected a scene file: {}", file.string(), kReadable);
  if (status.type() != fs::file_type::regular)
    fail_usage("{}: is no regular file; expected a scene file: {}", file.string(), kReadable);
  Format format = format_of_extension(file);
  if (format == Format::unknown) format = format_of_content(file);
  if (format == Format::yaml && !allow_yaml)
    fail_usage("{}: a scene YAML cannot be placed in another; use 'extends' to build on it", file.string());
  try {
    SceneDescription scene = import_as(format, file, diagnostics);
    if (scene.name.empty()) scene.name = file.stem().string();
    if (scene.source.empty()) scene.source = file;
    return scene;
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    throw UsageError(e.what());  // the user named the file: exit code 2
  }
}

SceneDescription import_scene(const fs::path& file, Diagnostics& diagnostics) {
  SceneDescription scene = import_in_own_frame(file, true, diagnostics);
  to_world(scene);
  make_names_unique(scene);
  return scene;
}

}  // namespace simulacra
