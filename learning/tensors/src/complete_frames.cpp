// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "learning/tensors/src/row_maker.h"
#include "render/base/error.h"

namespace simulacra::tensors {
namespace {

/// What a frame lacks for a target, in words; empty when it lacks nothing.
class Missing {
 public:
  Missing(const FrameIndex& index, std::size_t frame_idx)
      : labels_(index.frames[frame_idx].labels), has_pose_(index.world_from_cam(frame_idx) != nullptr) {}

  std::string of(Target target, bool bump_normals) const {
    switch (target) {
      case Target::depth: return lack(Label::depth_meters);
      case Target::depth_planar: return has(labels_, Label::depth_planar_meters) ? "" : lack(Label::depth_meters);
      case Target::normals:
        return bump_normals ? normals(Label::normal_bump_cam, Label::normal_bump_world) : normals(Label::normal_cam, Label::normal_world);
      case Target::semantics: return lack(Label::semantic);
      case Target::albedo: return lack(Label::diffuse_reflectance);
      case Target::shading: {
        const std::string light = lack(Label::diffuse_illumination);
        return !light.empty() || has(labels_, Label::valid_mask) ? light : lack(Label::diffuse_reflectance);
      }
      case Target::residual: return lack(Label::residual);
      case Target::positions: {
        const std::string points = lack(Label::position);
        return !points.empty() || has_pose_ ? points : "the camera's pose";
      }
    }
    return {};
  }
  std::string lack(Label label) const { return has(labels_, label) ? "" : std::string(spec(label).name); }

 private:
  std::string normals(Label in_camera, Label in_world) const {
    if (has(labels_, in_camera)) return {};
    if (!has(labels_, in_world)) return std::string(spec(in_camera).name);
    return has_pose_ ? "" : fmt::format("{}, and the camera's pose for {}", spec(in_camera).name, spec(in_world).name);
  }
  LabelSet labels_;
  bool has_pose_;
};

}  // namespace

FrameIndex complete_frames(const FrameIndex& index, const std::vector<Target>& targets, bool bump_normals, bool skip_incomplete) {
  std::vector<std::size_t> complete;
  std::string first;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const Missing missing(index, i);
    std::string what = missing.lack(Label::color);
    for (const Target target : targets) {
      const std::string more = missing.of(target, bump_normals);
      if (!more.empty()) what += fmt::format("{}{} (for {})", what.empty() ? "" : ", ", more, spec(target).name);
    }
    if (what.empty()) complete.push_back(i);
    else if (first.empty())
      first = fmt::format("{} lacks {}; it has {}", frame_key(index.name(i)), what, names_of(index.frames[i].labels));
  }
  if (!first.empty() && (complete.empty() || !skip_incomplete))
    fail_usage("{}: {} of {} frames lack something that was asked for: {}{}", index.root.string(), index.size() - complete.size(),
               index.size(), first, complete.empty() ? "" : "; skip_incomplete: true leaves such frames out");
  if (complete.empty()) fail_usage("{}: there are no frames", index.root.string());
  return with_frames(index, complete);
}

}  // namespace simulacra::tensors
