// SPDX-License-Identifier: Apache-2.0
// What the measuring programs share: a scene file ready to trace, seen through its first camera.
#pragma once

#include <filesystem>
#include <string>

#include "render/base/error.h"
#include "render/import/import.h"
#include "render/session/default_view.h"
#include "render/session/session.h"

namespace simulacra::bench {

struct View {
  Scene scene;
  Camera camera;
};

/// `file` as `simulacra render` would show it at width x height; throws UsageError as that does.
inline View load_view(const std::filesystem::path& file, int width, int height) {
  Diagnostics diagnostics;
  Scene scene(import_scene(file, diagnostics), {}, diagnostics);
  std::string why;
  const auto& cameras = scene.description().cameras;
  const CameraDescription camera = cameras.empty() ? default_view(scene, why) : cameras.front();
  return {std::move(scene), Camera(camera, width, height)};
}

/// "640x360"; throws UsageError.
inline void parse_size(const std::string& text, int& width, int& height) {
  char end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &end) != 2 || width < 1 || height < 1)
    fail_usage("--size: '{}': expected WIDTHxHEIGHT, such as 640x360", text);
}

}  // namespace simulacra::bench
