// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_lights_cameras.h"

#include <cmath>
#include <optional>
#include <utility>

#include "render/base/error.h"

namespace simulacra::gltf {
namespace {

/// A rigid frame and whether the given one was mirrored.
struct RigidFrame {
  Affine3d world_from_cam;
  bool mirrored = false;
};

// Keeps the viewing axis, straightens "up" against it. Nothing when an axis has no direction.
std::optional<RigidFrame> rigid(const Affine3d& world_from_node) {
  const Vec3d right = world_from_node.linear.column(0);
  const Vec3d backward = world_from_node.linear.column(2);
  if (!(length(backward) > 1e-30)) return std::nullopt;
  const Vec3d z = normalize(backward);
  const Vec3d up = world_from_node.linear.column(1);
  const Vec3d y_raw = up - z * dot(up, z);
  if (!(length(y_raw) > 1e-9 * length(up)) || !(length(up) > 1e-30)) return std::nullopt;
  const Vec3d y = normalize(y_raw), x = cross(y, z);
  return RigidFrame{{Mat3d::from_columns(x, y, z), world_from_node.translation}, dot(x, right) < 0};
}

void read_lens(const JsonRef& entry, CameraDescription& camera) {
  const JsonRef type = entry.require("type");
  if (type.text() == "perspective") {
    const JsonRef yfov = entry.require("perspective").require("yfov");
    camera.fov_rad = yfov.number();
    camera.fov_axis = CameraDescription::FovAxis::y;
    if (!(camera.fov_rad > 0) || camera.fov_rad >= kPiD) yfov.refuse("an angle between 0 and pi, both excluded");
  } else if (type.text() == "orthographic") {
    const JsonRef ymag = entry.require("orthographic").require("ymag");
    const double half_height = std::abs(ymag.number());
    if (!(half_height > 0)) ymag.refuse("a number other than 0");
    camera.orthographic_height_m = 2 * half_height;
  } else {
    type.refuse("perspective or orthographic");
  }
}

Rgb light_color(const JsonRef& light) {
  Rgb color(1.0f);
  if (const auto given = light.find("color")) {
    const auto v = given->numbers<3>();
    if (v[0] < 0 || v[1] < 0 || v[2] < 0) given->refuse_because("a light's color has no negative channel");
    color = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  }
  const double intensity = light.number_or("intensity", 1);
  if (intensity < 0) light.require("intensity").refuse("a number from 0");
  return color * static_cast<float>(intensity);
}

void read_cone(const JsonRef& light, SpotLightDescription& spot) {
  const JsonRef cone = light.require("spot");
  const double inner = cone.number_or("innerConeAngle", 0), outer = cone.number_or("outerConeAngle", kPiD / 4);
  // A float32 of pi/2 is a little above it.
  if (!(outer > 0) || outer > kPiD / 2 + 1e-6) cone.refuse_because(fmt::format("outerConeAngle = {}, expected above 0, at most pi/2", outer));
  if (inner < 0 || inner >= outer) cone.refuse_because(fmt::format("innerConeAngle = {}, expected from 0, below outerConeAngle = {}", inner, outer));
  spot.beam_rad = static_cast<float>(inner);
  spot.cutoff_rad = static_cast<float>(outer);
  spot.falloff = SpotLightDescription::Falloff::gltf;
}

}  // namespace

void add_camera(const Document& document, const JsonRef& reference, const std::string& name,
                const Affine3d& world_from_node, SceneDescription& scene) {
  const JsonRef entry = document.item("cameras", document.index(reference, "cameras"));
  const auto frame = rigid(world_from_node);
  if (!frame) {
    document.warn(reference.pointer(), "its node is scaled to nothing; the camera is left out");
    return;
  }
  CameraDescription camera;
  camera.name = name;
  camera.world_from_cam = frame->world_from_cam;
  camera.mirror_x = frame->mirrored;
  read_lens(entry, camera);
  scene.cameras.push_back(std::move(camera));
}

void add_light(const Document& document, const JsonRef& reference, const std::string& name,
               const Affine3d& world_from_node, SceneDescription& scene) {
  const auto root = document.top().extension("KHR_lights_punctual");
  const auto lights = root ? root->find("lights") : std::nullopt;
  const std::size_t count = lights ? lights->size() : 0;
  const std::uint64_t index = reference.unsigned_integer();
  if (index >= count) reference.refuse(fmt::format("one of the {} lights of KHR_lights_punctual", count));
  const JsonRef light = (*lights)[static_cast<std::size_t>(index)];
  const std::string type = light.require("type").text();
  if (type != "point" && type != "spot" && type != "directional")
    light.require("type").refuse("point, spot or directional");
  const Rgb color = light_color(light);
  if (light.find("range") && type != "directional")
    document.warn(light.label() + "/range", "ignored: the light falls off with the squared distance without end");
  const Vec3d forward = -world_from_node.linear.column(2);
  if (type == "point") {
    scene.point_lights.push_back({name, world_from_node.translation, color});
    return;
  }
  if (!(length(forward) > 1e-30)) {
    document.warn(reference.pointer(), "its node is scaled to nothing; the light has no direction and is left out");
    return;
  }
  if (type == "spot") {
    SpotLightDescription spot;
    spot.name = name;
    spot.position = world_from_node.translation;
    spot.direction = normalize(forward);
    spot.intensity = color;
    read_cone(light, spot);
    scene.spot_lights.push_back(std::move(spot));
  } else {
    scene.directional_lights.push_back({name, normalize(forward), color});
  }
}

}  // namespace simulacra::gltf
