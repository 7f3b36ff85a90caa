// SPDX-License-Identifier: Apache-2.0
// The keys of the `scene:` group, as they stand in the file.
#pragma once

#include <string>
#include <vector>

#include "render/base/vec.h"
#include "render/config/config.h"

namespace simulacra::scene_yaml {

struct PlaceOptions {
  std::string file, name, label;
  std::vector<double> position{0, 0, 0}, rotation_deg;
  double rotate_z_deg = 0;
  config::Node scale;                ///< a number or three
  std::string up, anchor = "origin";
  double meters_per_unit = 0;        ///< 0 = the file's own
  bool optional = false;
};
void fields(config::Fields& f, PlaceOptions& o);

struct LightOptions {
  std::string type, name;
  std::vector<double> position{0, 0, 0}, direction, look_at;
  config::Node intensity, irradiance, radiance;   ///< colors
  std::vector<double> size{1, 1};
  double cutoff_deg = 20, beam_deg = -1;
  bool two_sided = false;
};
void fields(config::Fields& f, LightOptions& o);

struct EnvironmentOptions {
  std::string file;
  config::Node radiance;             ///< color
  double scale = 1, rotate_z_deg = 0;
};
void fields(config::Fields& f, EnvironmentOptions& o);

struct CameraOptions {
  std::string name, fov_axis = "x";
  std::vector<double> position, look_at, direction, up{0, 0, 1}, size;
  double fov_deg = 60, aperture_radius_m = 0, focus_distance_m = 1;
};
void fields(config::Fields& f, CameraOptions& o);

struct MaterialOptions {
  std::string kind;                    ///< empty = the file's
  config::Node base_color, emission;   ///< colors
  double roughness = -1, metallic = -1, specular = -1, transmission = -1, opacity = -1, ior = -1;
  config::Node two_sided, emission_two_sided, thin_walled;   ///< true or false
};
void fields(config::Fields& f, MaterialOptions& o);

struct SceneOptions {
  std::string name, file, up;
  double meters_per_unit = 0;
  std::vector<std::string> search;
  std::vector<PlaceOptions> place;
  std::vector<LightOptions> lights;
  config::Node environment, materials, labels;
  std::vector<CameraOptions> cameras;
  std::vector<std::string> remove;
};
void fields(config::Fields& f, SceneOptions& o);

/// A number (gray) or three.
Rgb as_color(const config::Node& node, std::string_view key);

}  // namespace simulacra::scene_yaml
