// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/src/places.h"

#include <limits>

namespace simulacra::tensors {

Places::Places(const FrameIndex& index, FrameReader& reader, double min_overlap)
    : index_(index), reader_(reader), min_overlap_(min_overlap), scenes_(index.scenes.size()), partners_(index.size()) {
  for (std::size_t i = 0; i < index.size(); ++i) scenes_[index.camera_of(i).scene_idx].frames.push_back(i);
}

const std::vector<std::size_t>& Places::partners(std::size_t frame_idx) {
  SceneOfFrames& scene = scenes_[index_.camera_of(frame_idx).scene_idx];
  std::call_once(scene.compared, [&] { compare(scene.frames); });
  return partners_[frame_idx];
}

void Places::compare(const std::vector<std::size_t>& frames) {
  std::vector<std::size_t> usable;
  std::vector<ViewGeometry> views;
  for (const std::size_t i : frames)
    if (index_.world_from_cam(i) && has(index_.frames[i].labels, Label::depth_meters)) {
      usable.push_back(i);
      views.push_back(geometry_of(i));
    }
  std::vector<std::vector<std::size_t>> found(usable.size());   // published at once: an error on the way leaves nothing behind
  for (std::size_t a = 0; a < usable.size(); ++a)
    for (std::size_t b = 0; b < usable.size(); ++b)
      if (a != b && view_overlap(views[a], views[b]) >= min_overlap_) found[a].push_back(usable[b]);
  for (std::size_t a = 0; a < usable.size(); ++a) partners_[usable[a]] = std::move(found[a]);
}

ViewGeometry Places::geometry_of(std::size_t frame_idx) const {
  std::vector<float> depth;
  reader_.read(frame_idx, Label::depth_meters, reader_.whole_frame(), depth);
  ViewGeometry view{*index_.world_from_cam(frame_idx), index_.scene_of(frame_idx).cam_from_uv, {}};
  const auto rows = nearest_map(index_.height, kViewGridRows, false), columns = nearest_map(index_.width, kViewGridColumns, false);
  view.distance.resize(rows.size() * columns.size());
  gather(depth.data(), index_.height, index_.width, 1, std::span<const int>(rows), std::span<const int>(columns), view.distance.data());
  return view;
}

}  // namespace simulacra::tensors
