// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/scene_yaml_options.h"

#include <array>

#include "render/base/error.h"
#include "render/import/scene_yaml.h"

namespace simulacra {
namespace scene_yaml {
namespace {

constexpr std::array<std::string_view, 2> kUpAxes = {"y", "z"};
constexpr std::array<std::string_view, 2> kAnchors = {"origin", "floor"};
constexpr std::array<std::string_view, 4> kLightTypes = {"point", "spot", "directional", "area"};
constexpr std::array<std::string_view, 5> kFovAxes = {"x", "y", "diagonal", "smaller", "larger"};
constexpr std::array<std::string_view, 4> kMaterialKinds = {"standard", "diffuse", "dielectric", "thin_dielectric"};
constexpr config::Range<double> kCoordinate{-1e6, 1e6};

}  // namespace

void fields(config::Fields& f, PlaceOptions& o) {
  f.field("file", o.file, "scene file: glTF, GLB, OBJ or Mitsuba XML");
  f.field("name", o.name, "stands before the names of its objects; the file's stem unless given");
  f.field("label", o.label, "class name or NYU40 number of the whole: one instance of that class");
  f.field("position", o.position, "where its origin comes to lie, x y z in metres", 3, kCoordinate);
  f.field("rotation_deg", o.rotation_deg, "turns about the world's x, then y, then z axis", 3, {-3600, 3600});
  f.field("rotate_z_deg", o.rotate_z_deg, "turn about the vertical axis, counter-clockwise from above", {-3600, 3600});
  f.field("scale", o.scale, "a factor, or three for x y z of the upright file");
  f.field("up", o.up, "up axis of the file, when it is not the format's", kUpAxes);
  f.field("meters_per_unit", o.meters_per_unit, "metres per unit of the file, when it is not the format's; 0 = the format's",
          {0, 1e6});
  f.field("anchor", o.anchor, "what comes to lie at position: the file's origin, or the center of its box at floor level",
          kAnchors);
  f.field("optional", o.optional, "an absent file is a warning instead of an error");
}

void fields(config::Fields& f, LightOptions& o) {
  f.field("type", o.type, "kind of light", kLightTypes);
  f.field("name", o.name, "for reports and labels");
  f.field("position", o.position, "x y z in metres; the center of an area light", 3, kCoordinate);
  f.field("direction", o.direction, "where spot, directional and area lights shine", 3, kCoordinate);
  f.field("look_at", o.look_at, "a point to shine at, instead of direction", 3, kCoordinate);
  f.field("intensity", o.intensity, "of point and spot lights, W/sr: a number or r g b");
  f.field("irradiance", o.irradiance, "of directional lights, W/m²: a number or r g b");
  f.field("radiance", o.radiance, "of area lights, W/(sr m²): a number or r g b");
  f.field("size", o.size, "width and height of an area light in metres", 2, {1e-6, 1e6});
  f.field("cutoff_deg", o.cutoff_deg, "half angle of a spot beyond which there is no light", {0.01, 90});
  f.field("beam_deg", o.beam_deg, "half angle of a spot's full intensity; -1 = three quarters of cutoff_deg", {-1, 90});
  f.field("two_sided", o.two_sided, "an area light shines backwards too");
}

void fields(config::Fields& f, EnvironmentOptions& o) {
  f.field("file", o.file, "latitude-longitude image, its top row upwards");
  f.field("radiance", o.radiance, "constant radiance, or a factor on the image: a number or r g b");
  f.field("scale", o.scale, "a further factor", {0, 1e9});
  f.field("rotate_z_deg", o.rotate_z_deg, "turn about the vertical axis, counter-clockwise from above", {-3600, 3600});
}

void fields(config::Fields& f, CameraOptions& o) {
  f.field("name", o.name, "chosen by --camera");
  f.field("position", o.position, "x y z in metres", 3, kCoordinate);
  f.field("look_at", o.look_at, "a point in the image's center", 3, kCoordinate);
  f.field("direction", o.direction, "view direction, instead of look_at", 3, kCoordinate);
  f.field("up", o.up, "what is up in the image", 3, kCoordinate);
  f.field("fov_deg", o.fov_deg, "full field of view along fov_axis", {0.01, 179});
  f.field("fov_axis", o.fov_axis, "x is the width, y the height", kFovAxes);
  f.field("size", o.size, "width and height in pixels", 2, {1, 65536});
  f.field("aperture_radius_m", o.aperture_radius_m, "of a thin lens; 0 = pinhole", {0, 100});
  f.field("focus_distance_m", o.focus_distance_m, "of a thin lens", {1e-6, 1e6});
}

void fields(config::Fields& f, MaterialOptions& o) {
  f.field("kind", o.kind, "another model instead of the file's; thin_dielectric is a clear pane that lets lamps and sky shine "
          "through, dielectric is solid glass", kMaterialKinds);
  f.field("base_color", o.base_color, "diffuse reflectance, or a metal's color, instead of the file's color and image");
  f.field("emission", o.emission, "radiance, W/(sr m²): a number or r g b, instead of the file's");
  f.field("roughness", o.roughness, "perceptual; -1 = the file's", {-1, 1});
  f.field("metallic", o.metallic, "-1 = the file's", {-1, 1});
  f.field("specular", o.specular, "weight of the reflection; -1 = the file's", {-1, 1});
  f.field("transmission", o.transmission, "share of light let through; -1 = the file's", {-1, 1});
  f.field("opacity", o.opacity, "1 = solid, 0 = not there; -1 = the file's", {-1, 1});
  f.field("ior", o.ior, "index of refraction of standard, dielectric and thin_dielectric; -1 = the file's", {-1, 4});
  f.field("two_sided", o.two_sided, "true: both sides scatter light");
  f.field("emission_two_sided", o.emission_two_sided, "true: both sides emit");
  f.field("thin_walled", o.thin_walled, "true: transmission without refraction, as of a pane");
}

void fields(config::Fields& f, SceneOptions& o) {
  f.field("name", o.name, "of the scene; the YAML file's stem unless given");
  f.field("file", o.file, "a scene file that is the scene itself: its names stay as they are");
  f.field("up", o.up, "up axis of `file`, when it is not the format's", kUpAxes);
  f.field("meters_per_unit", o.meters_per_unit, "metres per unit of `file`; 0 = the format's", {0, 1e6});
  f.field("search", o.search, "folders in which files are looked for, relative to the YAML file");
  f.list("place", o.place, "scene files that are put into the scene");
  f.list("lights", o.lights, "further lights");
  f.field("environment", o.environment, "light from outside: a group of file, radiance, scale, rotate_z_deg");
  f.list("cameras", o.cameras, "further cameras");
  f.field("labels", o.labels, "a map of name pattern to class; the first that matches an object decides");
  f.field("materials", o.materials, "a map of material name pattern to a group of overrides");
  f.field("remove", o.remove, "name patterns of objects that are left out");
}

Rgb as_color(const config::Node& node, std::string_view key) {
  Rgb color;
  if (node.kind == config::Node::Kind::scalar) {
    color = Rgb(static_cast<float>(config::as_number(node, key)));
  } else {
    const std::vector<double> v = config::as_numbers(node, key, 3);
    color = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  }
  if (!is_finite(color) || color.r < 0 || color.g < 0 || color.b < 0)
    fail_usage("{}: '{}' has a negative or too large number; expected 0 or more", node.where(), key);
  return color;
}

}  // namespace scene_yaml

namespace {

/// A group that stands behind a Node in SceneOptions, with its keys for the table.
template <typename S>
struct Wrapped {
  const char* name;
  S options;
};
template <typename S>
void fields(config::Fields& f, Wrapped<S>& o) {
  f.group(o.name, o.options, "as above");
}

template <typename S>
std::string rows(const char* name) {
  Wrapped<S> wrapped{name, {}};
  const std::string table = config::detail::document([&](config::Fields& f) { fields(f, wrapped); });
  std::string result = table;
  for (int line = 0; line < 3; ++line) result.erase(0, result.find('\n') + 1);  // head, rule, the group itself
  return result;
}

}  // namespace

std::string scene_options_table() {
  return config::document<scene_yaml::SceneOptions>() + rows<scene_yaml::EnvironmentOptions>("environment") +
         rows<scene_yaml::MaterialOptions>("materials.PATTERN");
}

}  // namespace simulacra
