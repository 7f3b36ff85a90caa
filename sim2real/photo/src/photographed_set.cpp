// SPDX-License-Identifier: Apache-2.0
#include "sim2real/photo/photographed_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "dataset/derive/derived_set.h"
#include "dataset/derive/light.h"
#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/canonical.h"
#include "dataset/schema/conventions.h"
#include "dataset/schema/layout.h"
#include "render/base/error.h"
#include "render/texture/texture.h"
#include "sim2real/sensor/depth.h"
#include "sim2real/sensor/lens.h"

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;

LabelSet every_label() { return static_cast<LabelSet>((std::uint64_t{1} << kNumLabels) - 1); }
constexpr LabelSet kLight = label_bit(Label::color) | label_bit(Label::diffuse_illumination) | label_bit(Label::residual);

bool measures_depth(const sensor::SensorOptions& sensor) { return sensor.depth.kind != "none"; }
bool needs_depth(const sensor::SensorOptions& sensor) { return measures_depth(sensor) || sensor.camera.blur.focus_distance_m > 0; }

/// Labels at their new pixels; what was not rendered is as where nothing is hit.
void move_labels(Frame& frame, const sensor::Warp& warp) {
  for (const LabelSpec& label : kLabels) {
    if (!frame.has(label.id)) continue;
    Plane moved = sensor::warp_labels(frame.plane(label.id), warp, static_cast<std::int32_t>(std::isnan(label.invalid) ? 0 : label.invalid));
    if (!std::isnan(label.invalid))
      for (std::size_t p = 0; p < warp.valid.size() && !moved.f.empty(); ++p)
        for (std::size_t c = 0; c < label.channels.size() && warp.valid[p] == 0; ++c) moved.f[p * label.channels.size() + c] = static_cast<float>(label.invalid);
    frame.plane(label.id) = std::move(moved);
  }
}

std::vector<std::int32_t> sources_of(const sensor::Warp& warp) {
  std::vector<std::int32_t> source(warp.valid.size(), -1);
  for (std::size_t p = 0; p < source.size(); ++p) {
    if (!warp.valid[p]) continue;
    const int row = std::min(static_cast<int>(warp.y[p]), warp.height - 1), column = std::min(static_cast<int>(warp.x[p]), warp.width - 1);
    source[p] = row * warp.width + column;
  }
  return source;
}

OutputFile image_file(std::string path, hdf5::Element element, int width, int height, std::span<const std::byte> bytes, hdf5::Attributes attributes) {
  const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  attributes.emplace("schema_version", std::int64_t{kSchemaVersion});
  return {std::move(path), hdf5::encode(element, shape, bytes, hdf5::image_storage(shape), serial_for, attributes), 0};
}

OutputFile source_file(const DerivedSet& set, const std::string& scene, const sensor::Warp& warp) {
  const std::vector<std::int32_t> source = sources_of(warp);
  return image_file(set.path_of(label_source_path(scene)), hdf5::Element::i32, warp.width, warp.height, std::as_bytes(std::span(source)),
                    {{"doc", std::string("row * width + column of the pinhole's pixel whose labels a pixel holds; -1 = not rendered")}});
}

OutputFile depth_file(const DerivedSet& set, const FrameName& name, const Plane& depth) {
  return image_file(set.path_of(path_beside(name, Label::depth_planar_meters, kMeasuredDepth)), hdf5::Element::f32, depth.width, depth.height, std::as_bytes(std::span(depth.f)),
                    {{"label", std::string(kMeasuredDepth)}, {"unit", std::string("m")},
                     {"doc", std::string("depth along the viewing axis as the sensor measured it; NaN = no measurement")}});
}

OutputFile picture_file(const FrameName& name, const Plane& image) {
  return {fmt::format("{}/{}_{}_{:04}.png", kPhotographs, name.scene, name.camera, name.frame), encode_png(image.width, image.height, 3, display_bytes(image)), 0};
}

void check_request(const FrameIndex& source, const sensor::SensorOptions& sensor, const fs::path& out) {
  DerivedSet::check_request(source, out);
  for (const SceneFacts& scene : source.scenes)
    if (fs::exists(source.scenes_folder / label_source_path(scene.name)))
      fail_usage("--data: {} is a copy whose lens moved pixels; photograph the set that it was made of", source.root.string());
  LabelSet wanted = label_bit(Label::color);
  if (needs_depth(sensor)) wanted |= label_bit(Label::depth_planar_meters);
  (void)with_labels(source, wanted);
  for (std::size_t i = 0; i < source.size(); ++i)
    if ((source.frames[i].labels & wanted) != wanted)
      fail_usage("--data: {} of {} lacks {}; every frame needs it", frame_key(source.name(i)), source.root.string(), names_of(wanted & ~source.frames[i].labels));
}

std::string conventions_of(const sensor::SensorOptions& sensor, bool moved) {
  std::string text = "## Photographed\n\nThis copy was photographed by the sensor of `sensor.yaml`.\n\n"
      "- `color` is w d^2.2 with the display values d of the photograph and the radiance w that the camera shows as white: a tone\n"
      "  map with gamma 2.2 shows the photograph, up to the exposure that the reader chooses.\n"
      "- `diffuse_reflectance` is the source's. So that color = reflectance * illumination + residual still holds for the stored\n"
      "  values, light that the camera added (noise, blur) is in `residual`; what it took away came out of `residual` first, then\n"
      "  out of `diffuse_illumination`. Both are therefore no longer the rendered split.\n";
  text += moved ? "- The lens moved pixels, and every label with them: each pixel holds the labels of the pixel of the source that\n"
                  "  `_detail/label_source.hdf5` names (row * width + column; -1 = not rendered). Its geometry lies on the pinhole's ray of\n"
                  "  *that* pixel; `M_cam_from_uv` alone does not describe this camera.\n"
                : "- The lens moves no pixel: all other labels are the source's files.\n";
  if (measures_depth(sensor))
    text += fmt::format("- `frame.IIII.{}.hdf5` is what a {} sensor measures, metres along the viewing axis, NaN = nothing.\n", kMeasuredDepth,
                        sensor.depth.kind == "time_of_flight" ? "time-of-flight" : "structured-light");
  return text + fmt::format("- Everything drawn follows from seed {} and the number of the frame in the set.\n", sensor.seed);
}

/// Takes one frame after the other.
class Photographer {
 public:
  Photographer(const FrameIndex& source, const sensor::SensorOptions& sensor, const PhotoRequest& request)
      : source_(source), sensor_(sensor), request_(request) {
    for (const SceneFacts& scene : source_.scenes) {
      cameras_.push_back(camera_of(sensor_, scene.cam_from_uv));
      warps_.push_back(sensor::make_warp(cameras_.back().lens, source_.width, source_.height));
    }
    moved_ = std::ranges::any_of(warps_, [](const sensor::Warp& w) { return !w.identity; });
  }

  bool moved() const { return moved_; }

  void write(DerivedSet& set) const {
    for (std::size_t s = 0; s < warps_.size() && moved_; ++s) set.write(source_file(set, source_.scenes[s].name, warps_[s]), sensor_.seed);
    for (std::size_t i = 0; i < source_.size(); ++i) {
      take(i, set);
      if (request_.progress) request_.progress(static_cast<double>(i + 1) / static_cast<double>(source_.size()));
    }
  }

 private:
  void take(std::size_t i, DerivedSet& set) const {
    const std::size_t scene = source_.camera_of(i).scene_idx;
    const auto number = static_cast<std::uint32_t>(i);
    Frame frame = read_frame(source_, i, every_label());
    const Plane* depth = frame.has(Label::depth_planar_meters) ? &frame.plane(Label::depth_planar_meters) : nullptr;
    const sensor::Photograph photo = sensor::photograph(radiance_of(frame), depth, cameras_[scene], sensor_.seed, number, request_.parallel);
    const double white = white_radiance(cameras_[scene], photo);
    if (!warps_[scene].identity) move_labels(frame, warps_[scene]);
    std::vector<float> radiance(photo.image.f.size());
    std::ranges::transform(photo.image.f, radiance.begin(),
                           [&](float d) { return static_cast<float>(white * std::pow(static_cast<double>(d), kToneMapGamma)); });
    replace_color(frame, radiance);
    set.put(i, frame);
    if (request_.pictures) set.write(picture_file(source_.name(i), photo.image), sensor_.seed);
    if (!measures_depth(sensor_)) return;
    const Plane measured = sensor::measure_depth(frame.plane(Label::depth_planar_meters), depth_sensor(scene), sensor_.seed, number, request_.parallel);
    set.write(depth_file(set, source_.name(i), measured), sensor_.seed);
  }

  sensor::DepthOptions depth_sensor(std::size_t scene) const {
    sensor::DepthOptions depth = sensor_.depth;
    depth.fov_x_deg = cameras_[scene].lens.fov_x_deg;
    return depth;
  }

  const FrameIndex& source_;
  const sensor::SensorOptions& sensor_;
  const PhotoRequest& request_;
  std::vector<sensor::CameraOptions> cameras_;   ///< by scene
  std::vector<sensor::Warp> warps_;              ///< by scene
  bool moved_ = false;
};

}  // namespace

Plane radiance_of(const Frame& frame) {
  Plane color = frame.plane(Label::color);
  for (float& v : color.f) v = std::isfinite(v) ? std::max(v, 0.0f) : 0.0f;
  return color;
}

double fov_x_deg(const Mat3d& cam_from_uv) { return 2 * std::atan(std::abs(cam_from_uv(0, 0) / cam_from_uv(2, 2))) * 180 / kPiD; }

sensor::CameraOptions camera_of(const sensor::SensorOptions& sensor, const Mat3d& cam_from_uv) {
  sensor::CameraOptions camera = sensor.camera;
  camera.lens.fov_x_deg = fov_x_deg(cam_from_uv);
  return camera;
}

double white_radiance(const sensor::CameraOptions& camera, const sensor::Photograph& photo) {
  const double white = camera.pixel.full_well_e / (photo.electrons_per_radiance * camera.develop.gain);
  return std::isfinite(white) && white > 0 ? white : 1;
}

std::size_t photograph_set(const FrameIndex& source, const sensor::SensorOptions& sensor, const PhotoRequest& request) {
  check_request(source, sensor, request.out);
  const Photographer photographer(source, sensor, request);
  DerivedSet set(source, request.out, photographer.moved() ? every_label() : kLight);
  photographer.write(set);
  set.finish({"photographed", request.version, "sensor.yaml", request.config, sensor.seed, conventions_of(sensor, photographer.moved())});
  return source.size();
}

}  // namespace simulacra::sim2real
