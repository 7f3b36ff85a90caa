// SPDX-License-Identifier: Apache-2.0
// What a scene YAML adds to the files it places: lights, environment, cameras, overrides, labels. All is in
// the world frame: z up, metres. Messages begin with file and line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "render/config/config.h"
#include "render/description/description.h"
#include "render/description/diagnostics.h"
#include "render/import/src/scene_yaml_options.h"

namespace simulacra::scene_yaml {

/// True when `text` fits the pattern: '*' stands for any letters, also none, '?' for one; case does not
/// matter, and a pattern without '*' or '?' must be the whole text.
bool matches(std::string_view pattern, std::string_view text);
/// True when the pattern fits the object's name, path or source, or its material's name.
bool matches_object(std::string_view pattern, const ObjectDescription& object, const SceneDescription& scene);

/// `node` is the list item, for messages.
void add_light(SceneDescription& scene, const LightOptions& light, const config::Node& node);
void add_camera(SceneDescription& scene, const CameraOptions& camera, const config::Node& node);
/// Replaces the environment. `image` is the file that `options.file` names, if it names one.
void set_environment(SceneDescription& scene, const EnvironmentOptions& options, const config::Node& node,
                     const std::filesystem::path& image);
/// `materials` is a map of pattern to overrides. A pattern that fits nothing is a warning.
void override_materials(SceneDescription& scene, const config::Node& materials, Diagnostics& diagnostics);
/// `labels` is a map of pattern to class; sets class_hint of objects without one.
void apply_labels(SceneDescription& scene, const config::Node& labels, Diagnostics& diagnostics);
void remove_objects(SceneDescription& scene, const std::vector<std::string>& patterns, const std::string& file,
                    Diagnostics& diagnostics);

}  // namespace simulacra::scene_yaml
