// SPDX-License-Identifier: Apache-2.0
// The images of one frame, and where its camera stands.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/audit/src/judge.h"
#include "dataset/audit/src/kinds.h"
#include "render/base/vec.h"

namespace simulacra::auditing {

/// One image. Float16 images are in `f` (exact) with their bits in `bits`; ids are in `i`.
struct Image {
  std::size_t channels = 1;
  std::vector<float> f;
  std::vector<std::uint16_t> bits;
  std::vector<std::int32_t> i;

  float at(std::size_t pixel, std::size_t channel = 0) const { return f[pixel * channels + channel]; }
  Vec3d vec(std::size_t pixel) const { return {f[3 * pixel], f[3 * pixel + 1], f[3 * pixel + 2]}; }
  /// Distance to the next float16 away from 0; infinite for the largest one, NaN for what is not finite.
  double step(std::size_t pixel, std::size_t channel = 0) const;
  Vec3d steps(std::size_t pixel) const { return {step(pixel, 0), step(pixel, 1), step(pixel, 2)}; }
  bool finite(std::size_t pixel) const {
    for (std::size_t c = 0; c < channels; ++c)
      if (!std::isfinite(at(pixel, c))) return false;
    return true;
  }
  bool any_nan(std::size_t pixel) const {
    for (std::size_t c = 0; c < channels; ++c)
      if (std::isnan(at(pixel, c))) return true;
    return false;
  }
  bool all_nan(std::size_t pixel) const {
    for (std::size_t c = 0; c < channels; ++c)
      if (!std::isnan(at(pixel, c))) return false;
    return true;
  }
  std::string text(std::size_t pixel) const;
};

struct FrameImages {
  std::size_t width = 0, height = 0;
  std::array<std::optional<Image>, kNumImageKinds> images;
  std::array<std::string, kNumImageKinds> paths;
  std::optional<Vec3d> eye;
  std::optional<Mat3d> world_from_cam;
  std::optional<Mat3d> cam_from_uv;
  std::optional<std::vector<bool>> empty;   ///< where render_entity_id is -1
  /// For each pixel the pixel of the pinhole's image whose labels it holds: itself, unless a lens moved them.
  std::vector<std::size_t> shown;
  /// Unit camera-frame rays through the centers of those pixels; empty when the lens or the pose is unknown.
  std::vector<Vec3d> rays;

  std::size_t pixels() const { return width * height; }
  const Image* get(Label label) const {
    const auto& image = images[index_of(label)];
    return image ? &*image : nullptr;
  }
  const std::string& path(Label label) const { return paths[index_of(label)]; }
  bool any() const {
    for (const auto& image : images)
      if (image) return true;
    return false;
  }
};

/// What float16 rounding can move a point by, at most: half the length of the steps.
inline double blur_of(const Image& position, std::size_t pixel) { return length(position.steps(pixel)) / 2; }

/// Parts of the judgement of a frame.
void judge_ids(const SceneFacts& scene, const FrameImages& f, Findings& to);
void judge_masks(const FrameImages& f, Findings& to);
void judge_light(const FrameImages& f, Findings& to);
/// Also gathers what classes each instance appears with.
void judge_labels(const SceneFacts& scene, const FrameImages& f, Findings& to, std::map<int, std::map<int, std::string>>& classes);
void judge_geometry(const SceneFacts& scene, const FrameImages& f, Findings& to);
void judge_normals(const FrameImages& f, Findings& to);
void judge_tonemap(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera, int frame,
                   const FrameImages& f, Findings& to);
void judge_further(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera, int frame,
                   const FrameImages& f, Findings& to);
void see_boxes(SceneFacts& scene, const FrameImages& f);
ContentMarks content_of(const FrameImages& f, Findings& to);

/// The official tone mapping: 8-bit RGB, truncated. `valid` says which pixels count for the percentile.
std::vector<std::uint8_t> tone_map(const Image& color, const std::vector<bool>& valid);
/// As numpy's: linear between the two nearest of the sorted values. `values` are reordered.
double percentile(std::vector<double>& values, double percent);

}  // namespace simulacra::auditing
