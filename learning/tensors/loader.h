// SPDX-License-Identifier: Apache-2.0
// Batches of tensors from a data set in Hypersim layout.
//
//  - What sample i of an epoch is depends on (seed, epoch, i) and the options alone: neither threads, nor ranks, nor
//    where a run was resumed.
//  - Row 0 is the top. A window of the frame is cut out, shrunk where asked for, and perhaps mirrored; image and labels
//    alike. A mirrored view is what a camera sees in the mirrored room: x of normals and positions changes its sign.
//  - Memory of a batch is used again as soon as no tensor refers to it.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "dataset/frames/frame_index.h"
#include "learning/tensors/options.h"
#include "learning/tensors/targets.h"

namespace simulacra {

/// Which part of every global batch this process gets.
struct Shard {
  int rank = 0, world = 1;
};

/// Where in an endless sequence of epochs: `position` counts samples of all ranks that the epoch has given.
struct LoaderState {
  std::uint64_t epoch = 0, position = 0;
  bool operator==(const LoaderState&) const = default;
};

struct LabelTensor {
  torch::Tensor values;                      ///< see TargetSpec::is_class
  torch::Tensor mask;                        ///< bool [N, 1, H, W]
};

/// N = samples x views rows; the views of a sample are neighbours, so image.view({samples, views, 3, H, W}) is free.
struct Batch {
  /// float32 [N, 3, H, W]. tone_mapped: in [0, 1], the frame's 90th percentile of luminance at 0.8, gamma 1/2.2. linear:
  /// radiance as stored, at least 0, at most 65504. Pixels whose stored color is NaN are 0 here and masked in every label.
  torch::Tensor image;
  std::map<Target, LabelTensor> labels;
  /// float32 [N, 3, 3]: camera-frame ray (z = -1 for a lens without shift) of (column + 0.5, row + 0.5, 1) of the image,
  /// mirrored when the view is: positions lie on these rays.
  torch::Tensor cam_from_pixel;
  std::vector<FrameName> frames;             ///< of each row
  std::vector<std::size_t> frame_idx;        ///< of each row, in Loader::index()
  int views = 1;
  LoaderState state;                         ///< seek() to this gives the same batch again

  std::int64_t num_samples() const { return static_cast<std::int64_t>(frames.size()) / views; }
  /// Throws UsageError when the target was not asked for.
  const LabelTensor& at(Target target) const;
};

class Loader {
 public:
  /// Throws UsageError for options that do not fit each other or the frames: unknown or missing labels (which, and what
  /// is there), windows larger than a frame, fewer samples than one global batch, an impossible shard.
  Loader(FrameIndex index, LoaderOptions options, Shard shard = {});
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// The next batch; after an epoch's last the next epoch begins. Batches of the last step of an epoch may be smaller,
  /// or empty, when drop_last is off. Throws Error naming the file when one is damaged or has another size; asking
  /// again tries again.
  Batch next();
  /// Of all ranks alike.
  std::uint64_t batches_per_epoch() const;
  std::uint64_t samples_per_epoch() const;

  /// Where the batch that next() will give begins.
  LoaderState state() const;
  /// Goes on from there. Throws UsageError when the position is not one of this loader's.
  void seek(const LoaderState& state);

  const FrameIndex& index() const;           ///< frames in use
  const LoaderOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace simulacra
