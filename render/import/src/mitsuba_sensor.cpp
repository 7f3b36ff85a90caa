// SPDX-License-Identifier: Apache-2.0
// Sensors, films and integrators. Mitsuba's cameras look along +z with +x to the left; ours along -z with
// +x to the right. Reconstruction filters, samplers and output formats are not the scene's to say here:
// a pixel is the mean over its square.
#include <cmath>
#include <limits>

#include "render/base/error.h"
#include "render/import/src/mitsuba.h"

namespace simulacra::mitsuba {
namespace {

struct Film {
  int width = 0, height = 0;   ///< 0: the file does not say
};

int pixels(Element& film, std::string_view name) {
  if (!has(film, name)) return 0;
  const double value = number(film, name, 0);
  if (!(value >= 1 && value <= 32768) || value != std::floor(value))
    fail_usage("{}: {} = {:g}, expected 1 to 32768 pixels", describe(film), name, value);
  return static_cast<int>(value);
}

Film read_film(Context& context, Element& sensor) {
  Element* film = child(sensor, "film");
  if (film == nullptr) return {};
  const Film size{pixels(*film, "width"), pixels(*film, "height")};
  for (const std::string_view crop : {"crop_width", "crop_height", "crop_offset_x", "crop_offset_y"})
    if (find(*film, crop) != nullptr) context.warn(*film, std::string(crop), "crops are not supported; the whole film instead");
  ignore(*film, {"filename", "file_format", "pixel_format", "component_format", "gamma", "exposure", "banner",
                 "high_quality_edges", "sample_border", "attach_log", "tonemap_method", "key", "burn", "compensate"});
  child(*film, "rfilter");
  return size;
}

/// Rigid pose from toWorld; a mirrored one sets mirror_x.
void read_pose(Context& context, Element& sensor, CameraDescription& camera) {
  const Affine3d to_world = transform(sensor, "to_world");
  const Mat3d m = to_world.linear * Mat3d::diagonal(-1, 1, -1);
  const double det = determinant(m);
  if (!(std::abs(det) > 1e-30)) fail_usage("{}: toWorld has no volume", describe(sensor));
  const Vec3d z = normalize(m.column(2));
  const Vec3d y = normalize(m.column(1) - z * dot(z, m.column(1)));
  const Vec3d x = cross(y, z);
  if (std::abs(dot(x, normalize(m.column(0)))) < 1 - 1e-4 || std::abs(dot(z, normalize(m.column(1)))) > 1e-3)
    context.warn(sensor, "toWorld", "the camera is sheared; the nearest rigid pose instead");
  camera.mirror_x = det < 0;
  camera.world_from_cam = {Mat3d::from_columns(x, y, z), to_world.translation};
}

CameraDescription::FovAxis axis_of(const Element& sensor, const std::string& name) {
  using Axis = CameraDescription::FovAxis;
  if (name == "x") return Axis::x;
  if (name == "y") return Axis::y;
  if (name == "diagonal") return Axis::diagonal;
  if (name == "smaller") return Axis::smaller;
  if (name == "larger") return Axis::larger;
  fail_usage("{}: fov_axis = '{}', expected x, y, diagonal, smaller or larger", describe(sensor), name);
}

double focal_length_mm(Element& sensor) {
  const Property* p = find(sensor, "focal_length");
  if (p == nullptr) return 50;
  if (std::holds_alternative<double>(p->value)) return number(sensor, "focal_length", 50);
  std::string value = text(sensor, "focal_length", "50mm");
  if (value.ends_with("mm")) value.resize(value.size() - 2);
  char* end = nullptr;
  const double mm = std::strtod(value.c_str(), &end);
  if (end == value.c_str() || *end != '\0' || !(mm > 0))
    fail_usage("{}: focal_length = '{}', expected a length like 50mm", describe(sensor), text(sensor, "focal_length", ""));
  return mm;
}

void read_lens(Context&, Element& sensor, CameraDescription& camera) {
  if (has(sensor, "fov")) {
    const double fov = number(sensor, "fov", 0);
    if (!(fov > 0 && fov < 180)) fail_usage("{}: fov = {:g}, expected between 0 and 180 degrees", describe(sensor), fov);
    camera.fov_rad = fov * kPiD / 180;
    camera.fov_axis = axis_of(sensor, text(sensor, "fov_axis", "x"));
    ignore(sensor, {"focal_length"});
  } else {
    // The diagonal of a 36 x 24 mm frame.
    camera.fov_rad = 2 * std::atan(std::sqrt(36.0 * 36.0 + 24.0 * 24.0) / (2 * focal_length_mm(sensor)));
    camera.fov_axis = axis_of(sensor, text(sensor, "fov_axis", "diagonal"));
  }
  // Mitsuba moves the film under the axis, we say where the axis meets the film.
  camera.principal_offset = {-number(sensor, "principal_point_offset_x", 0), -number(sensor, "principal_point_offset_y", 0)};
}

void read_aperture(Element& sensor, CameraDescription& camera) {
  camera.aperture_radius_m = number(sensor, "aperture_radius", 0);
  camera.focus_distance_m = number(sensor, "focus_distance", number(sensor, "far_clip", 1e4));
  if (!(camera.aperture_radius_m >= 0) || !(camera.focus_distance_m > 0))
    fail_usage("{}: aperture_radius {:g} and focus_distance {:g}, expected at least 0 and more than 0",
               describe(sensor), camera.aperture_radius_m, camera.focus_distance_m);
}

void read_orthographic(Element& sensor, const Film& film, CameraDescription& camera) {
  // The film spans [-1, 1] in x, scaled by toWorld; 768 x 576 where no size is given.
  const double aspect = film.width > 0 && film.height > 0 ? static_cast<double>(film.width) / film.height : 768.0 / 576.0;
  const double scale = length(transform(sensor, "to_world").linear.column(0));
  camera.orthographic_height_m = 2 * scale / aspect;
}

}  // namespace

void import_sensor(Context& context, Element& sensor) {
  sensor.visited = true;
  if (sensor.type != "perspective" && sensor.type != "thinlens" && sensor.type != "orthographic") {
    context.warn(sensor, sensor.type, "sensor not supported; left out");
    sensor.visited = false;
    return;
  }
  CameraDescription camera;
  camera.name = sensor.id.empty() ? sensor.type : sensor.id;
  const Film film = read_film(context, sensor);
  camera.width = film.width;
  camera.height = film.height;
  read_pose(context, sensor, camera);
  if (sensor.type == "orthographic") read_orthographic(sensor, film, camera);
  else read_lens(context, sensor, camera);
  if (sensor.type == "thinlens") read_aperture(sensor, camera);
  ignore(sensor, {"near_clip", "far_clip", "shutter_open", "shutter_close", "focus_distance"});
  for (Element* sampler : children(sensor, "sampler")) sampler->visited = false;
  context.scene.cameras.push_back(std::move(camera));
}

void import_integrator(Context& context, Element& integrator) {
  integrator.visited = true;
  if (integrator.type != "path")
    context.warn(integrator, integrator.type, "integrator not supported; path tracing instead");
  if (has(integrator, "max_depth")) {
    const double depth = number(integrator, "max_depth", -1);
    if (!(depth >= -1 && depth <= 1e6) || depth != std::floor(depth))
      fail_usage("{}: max_depth = {:g}, expected a whole number from -1", describe(integrator), depth);
    context.scene.max_depth = depth < 0 ? 0 : static_cast<int>(depth);
    if (depth == 0) context.warn(integrator, "max_depth", "0 would show nothing; no limit instead");
  }
  // Known, and without a say in what converged pictures look like.
  ignore(integrator, {"rr_depth"});
  if (boolean(integrator, "hide_emitters", false))
    context.warn(integrator, "hideEmitters", "not supported; emitters stay visible");
  if (integrator.type != "path") integrator.visited = false;
}

}  // namespace simulacra::mitsuba
