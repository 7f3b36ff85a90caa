// SPDX-License-Identifier: Apache-2.0
// Windows of a set's label files, as planes of floats or integers. Safe for any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "dataset/hdf5/window.h"
#include "dataset/frames/frame_index.h"
#include "learning/tensors/src/sample_plan.h"

namespace simulacra::tensors {

class FrameReader {
 public:
  explicit FrameReader(const FrameIndex& index);

  /// Planes of the window, channel after channel: out holds channels x rows x columns. Throws Error naming the file.
  void read(std::size_t frame_idx, Label label, const CropWindow& window, std::vector<float>& out);
  void read(std::size_t frame_idx, Label label, const CropWindow& window, std::vector<std::int32_t>& out);
  /// The factor of the frame's tone map: from the whole frame, kept once it was computed.
  float tone_map_scale(std::size_t frame_idx);
  CropWindow whole_frame() const { return {0, 0, index_.height, index_.width}; }

 private:
  using Reader = std::shared_ptr<const hdf5::WindowReader>;
  Reader reader_of(std::size_t frame_idx, Label label);
  void forget(std::size_t frame_idx, Label label);
  template <typename T>
  void read_as(std::size_t frame_idx, Label label, const CropWindow& window, std::vector<T>& out);

  const FrameIndex& index_;
  std::mutex mutex_;
  std::unordered_map<std::size_t, Reader> readers_;   ///< by frame_idx * kNumLabels + label
  std::vector<std::atomic<float>> tone_map_scales_;   ///< NaN = not known yet
};

}  // namespace simulacra::tensors
