// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "render/base/error.h"
#include "render/import/src/scene_yaml_parts.h"

namespace simulacra::scene_yaml {
namespace {

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

Vec3d vec(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

Rgb needed_color(const config::Node& value, std::string_view key, std::string_view owner, const config::Node& node) {
  if (value.kind == config::Node::Kind::null) fail_usage("{}: {} needs '{}'", node.where(), owner, key);
  return as_color(value, key);
}

/// Unit direction of `direction` or towards `look_at`.
Vec3d aim(const std::vector<double>& direction, const std::vector<double>& look_at, Vec3d position,
          const config::Node& node) {
  if (direction.empty() == look_at.empty())
    fail_usage("{}: expected either 'direction' or 'look_at'", node.where());
  const Vec3d d = direction.empty() ? vec(look_at) - position : vec(direction);
  if (!(length(d) > 1e-12))
    fail_usage("{}: '{}' gives no direction", node.where(), direction.empty() ? "look_at" : "direction");
  return normalize(d);
}

/// A rigid frame that looks along -z: `forward` and `up` need not be perpendicular.
Mat3d looking(Vec3d forward, Vec3d up) {
  const Vec3d right = normalize(cross(forward, up));
  return Mat3d::from_columns(right, cross(right, forward), -forward);
}

/// A rectangle in the xy plane that emits along its normal, -z, as a camera looks.
void add_area_light(SceneDescription& scene, const LightOptions& light, const config::Node& node,
                    const std::string& name) {
  const Vec3d position = vec(light.position);
  const Vec3d forward = aim(light.direction, light.look_at, position, node);
  const Vec3d up = std::abs(forward.z) > 0.999 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  const float w = static_cast<float>(light.size[0] / 2), h = static_cast<float>(light.size[1] / 2);

  MaterialDescription material;
  material.name = name;
  material.kind = MaterialKind::diffuse;
  material.base_color.factor = Rgb(0);
  material.emission.factor = needed_color(light.radiance, "radiance", "an area light", node);
  material.emission_two_sided = light.two_sided;
  MeshDescription mesh;
  mesh.name = name;
  mesh.positions = {{-w, -h, 0}, {-w, h, 0}, {w, h, 0}, {w, -h, 0}};
  mesh.uv[0] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};  // counter-clockwise seen from -z
  ObjectDescription object;
  object.name = object.path = name;
  object.source = scene.name;
  object.mesh = static_cast<int>(scene.meshes.size());
  object.material = static_cast<int>(scene.materials.size());
  object.world_from_object = {looking(forward, up), position};
  object.instance_key = name;
  object.class_hint = "lamp";
  scene.materials.push_back(std::move(material));
  scene.meshes.push_back(std::move(mesh));
  scene.objects.push_back(std::move(object));
}

void add_spot_light(SceneDescription& scene, const LightOptions& light, const config::Node& node,
                    const std::string& name) {
  SpotLightDescription spot;
  spot.name = name;
  spot.position = vec(light.position);
  spot.direction = aim(light.direction, light.look_at, spot.position, node);
  spot.intensity = needed_color(light.intensity, "intensity", "a spot light", node);
  const double beam_deg = light.beam_deg < 0 ? 0.75 * light.cutoff_deg : light.beam_deg;
  if (beam_deg > light.cutoff_deg)
    fail_usage("{}: 'beam_deg' is {}; expected at most cutoff_deg, {}", node.where(), beam_deg, light.cutoff_deg);
  spot.cutoff_rad = static_cast<float>(light.cutoff_deg * kRadiansPerDegree);
  spot.beam_rad = static_cast<float>(beam_deg * kRadiansPerDegree);
  scene.spot_lights.push_back(std::move(spot));
}

CameraDescription::FovAxis axis_from_name(const std::string& name) {
  using Axis = CameraDescription::FovAxis;
  if (name == "y") return Axis::y;
  if (name == "diagonal") return Axis::diagonal;
  if (name == "smaller") return Axis::smaller;
  return name == "larger" ? Axis::larger : Axis::x;
}

}  // namespace

void add_light(SceneDescription& scene, const LightOptions& light, const config::Node& node) {
  const std::size_t number = scene.point_lights.size() + scene.spot_lights.size() + scene.directional_lights.size() +
                             scene.objects.size();
  const std::string name = light.name.empty() ? fmt::format("{} light {}", light.type, number) : light.name;
  if (light.type == "point") {
    scene.point_lights.push_back(
        {name, vec(light.position), needed_color(light.intensity, "intensity", "a point light", node)});
  } else if (light.type == "spot") {
    add_spot_light(scene, light, node, name);
  } else if (light.type == "directional") {
    scene.directional_lights.push_back({name, aim(light.direction, light.look_at, vec(light.position), node),
                                        needed_color(light.irradiance, "irradiance", "a directional light", node)});
  } else if (light.type == "area") {
    add_area_light(scene, light, node, name);
  } else {
    fail_usage("{}: a light needs 'type': point, spot, directional or area", node.where());
  }
}

void add_camera(SceneDescription& scene, const CameraOptions& camera, const config::Node& node) {
  if (camera.position.empty()) fail_usage("{}: a camera needs 'position'", node.where());
  CameraDescription c;
  c.name = camera.name.empty() ? fmt::format("camera {}", scene.cameras.size()) : camera.name;
  const Vec3d position = vec(camera.position), up = vec(camera.up);
  const Vec3d forward = aim(camera.direction, camera.look_at, position, node);
  if (!(length(cross(forward, up)) > 1e-9 * length(up)) || !(length(up) > 0))
    fail_usage("{}: 'up' is parallel to the view direction; give another", node.where());
  c.world_from_cam = {looking(forward, up), position};
  c.fov_rad = camera.fov_deg * kRadiansPerDegree;
  c.fov_axis = axis_from_name(camera.fov_axis);
  c.aperture_radius_m = camera.aperture_radius_m;
  c.focus_distance_m = camera.focus_distance_m;
  if (!camera.size.empty()) {
    c.width = static_cast<int>(camera.size[0]);
    c.height = static_cast<int>(camera.size[1]);
  }
  scene.cameras.push_back(std::move(c));
}

void set_environment(SceneDescription& scene, const EnvironmentOptions& options, const config::Node& node,
                     const std::filesystem::path& image) {
  EnvironmentDescription environment;
  const bool has_radiance = options.radiance.kind != config::Node::Kind::null;
  if (image.empty() && !has_radiance) fail_usage("{}: 'environment' needs 'file' or 'radiance'", node.where());
  environment.radiance = has_radiance ? as_color(options.radiance, "radiance") : Rgb(1);
  environment.radiance *= static_cast<float>(options.scale);
  // The environment's own up is +y.
  environment.world_from_environment = rotation({0, 0, 1}, options.rotate_z_deg * kRadiansPerDegree).linear *
                                       Mat3d::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0});
  if (!image.empty()) {
    TextureDescription texture;
    texture.name = image.filename().string();
    texture.file = image;
    texture.color_space = ColorSpace::srgb;  // of integer images; float ones are linear
    texture.wrap_v = WrapMode::clamp;
    environment.texture = static_cast<int>(scene.textures.size());
    scene.textures.push_back(std::move(texture));
  }
  scene.environment = environment;
}

}  // namespace simulacra::scene_yaml
