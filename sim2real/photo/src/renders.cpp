// SPDX-License-Identifier: Apache-2.0
#include "sim2real/photo/renders.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "dataset/derive/derived_set.h"
#include "dataset/frames/frame_index.h"
#include "dataset/schema/checksum.h"
#include "dataset/store/tone_map.h"
#include "render/base/error.h"
#include "render/base/srgb.h"
#include "sim2real/photo/photographed_set.h"

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;

/// Areas of n x n pixels; of depth the nearest of the middle, so that nothing floats between surfaces.
Plane smaller(const Plane& plane, int n, bool mean) {
  if (n <= 1 || plane.empty()) return plane;
  Plane out{plane.width / n, plane.height / n, plane.channels, {}, {}};
  for (int r = 0; r < out.height; ++r)
    for (int c = 0; c < out.width; ++c)
      for (int k = 0; k < plane.channels; ++k) {
        double sum = 0;
        for (int y = 0; y < n && mean; ++y)
          for (int x = 0; x < n; ++x) sum += static_cast<double>(plane.f[plane.at(r * n + y, c * n + x, k)]) / (n * n);
        out.f.push_back(mean ? static_cast<float>(sum) : plane.f[plane.at(r * n + n / 2, c * n + n / 2, k)]);
      }
  return out;
}

int factor(int width, int height, const RenderSetOptions& o) {
  if (o.width <= 0 || o.height <= 0) return 1;
  return std::max(1, std::min(width / o.width, height / o.height));
}

/// A seeded choice of `most` numbers below `count`, rising.
std::vector<std::size_t> chosen(std::size_t count, std::size_t most, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < count; ++i) order.emplace_back(mix_seed(std::array{seed, std::uint64_t{i}}), i);
  std::ranges::sort(order);
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < std::min(count, most); ++k) numbers.push_back(order[k].second);
  std::ranges::sort(numbers);
  return numbers;
}

float linear(float display) { return static_cast<float>(linear_from_srgb(std::clamp(static_cast<double>(display), 0.0, 1.0))); }

RenderSet from_frames(const fs::path& folder, const RenderSetOptions& o) {
  LabelSet wanted = label_bit(Label::color);
  if (o.depth) wanted |= label_bit(Label::depth_planar_meters);
  const FrameIndex index = with_labels(scan_frames(folder), wanted);
  RenderSet set;
  set.name = folder.string();
  set.shrunk = factor(index.width, index.height, o);
  set.fov_x_deg = fov_x_deg(index.scenes.front().cam_from_uv);
  const std::vector<std::size_t> frames = chosen(index.size(), o.most, o.seed);
  set.renders.resize(frames.size()), set.names.resize(frames.size()), set.groups.resize(frames.size());
  o.parallel(frames.size(), [&](std::size_t i) {
    const Frame frame = read_frame(index, frames[i], wanted);
    set.renders[i].radiance = smaller(radiance_of(frame), set.shrunk, true);
    if (o.depth) set.renders[i].depth = smaller(frame.plane(Label::depth_planar_meters), set.shrunk, false);
    set.names[i] = frame_key(index.name(frames[i]));
    set.groups[i] = index.camera_of(frames[i]).scene_idx;
  });
  return set;
}

RenderSet from_pictures(const fs::path& folder, const RenderSetOptions& o) {
  if (o.depth) fail_usage("{}: pictures have no depth, and camera.blur.focus_distance_m asks for it", folder.string());
  gap::ImageSet images = gap::read_images(folder, {.most_images = o.most, .most_side_px = 4096, .seed = o.seed, .parallel = o.parallel});
  RenderSet set;
  set.name = folder.string(), set.names = images.names;
  set.shrunk = std::numeric_limits<int>::max();
  for (const Plane& image : images.images) {
    if (image.channels != 3) fail_usage("{}: the pictures are gray; a camera with colors needs color", folder.string());
    set.shrunk = std::min(set.shrunk, factor(image.width, image.height, o));
  }
  for (Plane& image : images.images) {
    std::ranges::transform(image.f, image.f.begin(), linear);
    set.renders.push_back({smaller(image, set.shrunk, true), {}});
  }
  return set;
}

}  // namespace

RenderSet read_renders(const fs::path& folder, const RenderSetOptions& options) {
  return gap::is_dataset(folder) ? from_frames(folder, options) : from_pictures(folder, options);
}

std::vector<Plane> shown_without_sensor(const RenderSet& set) {
  std::vector<Plane> shown;
  for (const calibrate::Render& render : set.renders) {
    Plane image = render.radiance;
    const std::vector<std::uint8_t> valid(image.f.size() / 3, 1);
    const std::vector<std::uint8_t> bytes = tone_mapped(image.f, tone_map_scale(image.f, valid));
    for (std::size_t k = 0; k < bytes.size(); ++k) image.f[k] = static_cast<float>(bytes[k]) / 255;
    shown.push_back(std::move(image));
  }
  return shown;
}

}  // namespace simulacra::sim2real
