// SPDX-License-Identifier: Apache-2.0
// A Mitsuba scene written by the test, imported.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/import/import.h"
#include "tests/support/shared_data.h"

namespace simulacra::test {

struct Imported {
  SceneDescription scene;
  std::vector<ImportWarning> warnings;
  /// "culprit: text" of each warning, joined by lines.
  std::string warning_text() const {
    std::string all;
    for (const ImportWarning& w : warnings) all += w.culprit + ": " + w.text + "\n";
    return all;
  }
  const MaterialDescription& material(std::size_t object = 0) const {
    return scene.materials.at(static_cast<std::size_t>(scene.objects.at(object).material));
  }
  const MeshDescription& mesh(std::size_t object = 0) const {
    return scene.meshes.at(static_cast<std::size_t>(scene.objects.at(object).mesh));
  }
};

inline std::string in_scene(const std::string& body, const std::string& version = "3.0.0") {
  return fmt::format("<scene version=\"{}\">\n{}\n</scene>", version, body);
}

/// Imports the text as scene.xml beside `files` (name to content).
inline Imported import_text(const std::string& xml, const std::map<std::string, std::string>& files = {}) {
  const TempDir folder;
  for (const auto& [name, content] : files) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    write_text_atomically(folder.path() / name, content);
  }
  write_text_atomically(folder.path() / "scene.xml", xml);
  Diagnostics diagnostics;
  Imported result;
  result.scene = import_mitsuba(folder.path() / "scene.xml", diagnostics);
  result.warnings = diagnostics.warnings();
  return result;
}

inline Imported import_body(const std::string& body, const std::map<std::string, std::string>& files = {}) {
  return import_text(in_scene(body), files);
}

/// The message of the refusal, without the folder; "" when the text was imported.
inline std::string refusal(const std::string& xml, const std::map<std::string, std::string>& files = {}) {
  try {
    import_text(xml, files);
  } catch (const UsageError& error) {
    const std::string message = error.what();
    const std::size_t at = message.find("scene.xml");
    const std::size_t slash = message.rfind('/', at == std::string::npos ? message.find(':') : at);
    return slash == std::string::npos ? message : message.substr(slash + 1);
  }
  return "";
}

/// A sphere with this bsdf.
inline std::string on_sphere(const std::string& bsdf) { return "<shape type=\"sphere\" id=\"ball\">" + bsdf + "</shape>"; }

}  // namespace simulacra::test
