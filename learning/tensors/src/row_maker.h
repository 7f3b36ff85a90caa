// SPDX-License-Identifier: Apache-2.0
// One row of a batch: from the files of a frame to pixels of the tensors.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "learning/tensors/loader.h"
#include "learning/tensors/src/frame_reader.h"

namespace simulacra::tensors {

/// Throws UsageError when a frame lacks what a target (or the image) is made of; with `skip_incomplete`, gives the frames
/// that lack nothing.
FrameIndex complete_frames(const FrameIndex& index, const std::vector<Target>& targets, bool bump_normals, bool skip_incomplete);

class RowMaker {
 public:
  RowMaker(const FrameIndex& index, FrameReader& reader, const LoaderOptions& options, std::vector<Target> targets)
      : index_(index), reader_(reader), options_(options), targets_(std::move(targets)) {}

  const std::vector<Target>& targets() const { return targets_; }
  /// Fills row `row` of the batch's tensors. Different rows may be made at the same time.
  void make(const ViewPlan& plan, std::int64_t row, Batch& batch) const;

 private:
  struct Row;
  void make_image(Row& row, Batch& batch) const;
  void make_target(Row& row, Target target, LabelTensor& label) const;
  void make_colors(Row& row, Label stored, float factor, float* values, bool* mask) const;
  void make_depth(Row& row, float* values, bool* mask) const;
  void make_depth_planar(Row& row, float* values, bool* mask) const;
  void make_normals(Row& row, float* values, bool* mask) const;
  void make_positions(Row& row, float* values, bool* mask) const;
  void make_semantics(Row& row, std::int64_t* values, bool* mask) const;
  void mask_without_surface(Row& row, bool* mask) const;
  void mask_without_shading(Row& row, bool* mask) const;

  const FrameIndex& index_;
  FrameReader& reader_;
  const LoaderOptions& options_;
  std::vector<Target> targets_;
};

}  // namespace simulacra::tensors
