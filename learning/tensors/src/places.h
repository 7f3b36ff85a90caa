// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "learning/tensors/src/frame_reader.h"
#include "learning/tensors/views.h"

namespace simulacra::tensors {

/// For each frame, those of its scene that show the same place. A scene's frames are compared when the first of them is
/// asked for. Safe for any number of threads.
class Places {
 public:
  Places(const FrameIndex& index, FrameReader& reader, double min_overlap);
  /// In the order of the index, without the frame itself; empty when it stands alone, or has no pose or no depth.
  const std::vector<std::size_t>& partners(std::size_t frame_idx);

 private:
  struct SceneOfFrames {
    std::once_flag compared;
    std::vector<std::size_t> frames;
  };
  void compare(const std::vector<std::size_t>& frames);
  ViewGeometry geometry_of(std::size_t frame_idx) const;

  const FrameIndex& index_;
  FrameReader& reader_;
  double min_overlap_;
  std::deque<SceneOfFrames> scenes_;              ///< by scene_idx
  std::vector<std::vector<std::size_t>> partners_;
};

}  // namespace simulacra::tensors
