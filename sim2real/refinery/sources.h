// SPDX-License-Identifier: Apache-2.0
// Batches of synthetic and of real pictures, float32 [B, C, H, W] in [-1, 1]: display values 0 to 1 of color, or depth from
// near_m to far_m. What a batch holds depends on the seed and on how many were taken before.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataset/frames/frame_index.h"
#include "learning/tensors/loader.h"
#include "sim2real/refinery/options.h"

namespace simulacra::sim2real {

/// Which crops are taken of a set.
struct CropOptions {
  std::int64_t batch = 16, rows = 64, columns = 64;
  double flip = 0.5;
  std::uint64_t seed = 1;
};

/// Depth in metres to [-1, 1]; 1 beyond far_m and where `valid` is false.
torch::Tensor depth_to_range(const torch::Tensor& metres, const torch::Tensor& valid, const InputOptions& input);
/// Its inverse on [-1, 1].
torch::Tensor range_to_depth(const torch::Tensor& values, const InputOptions& input);

/// Those frames that can be refined: with color, the ids that its exposure depends on, and depth where that is refined. Throws
/// UsageError when there are none, saying what is missing.
FrameIndex usable_frames(const FrameIndex& frames, const InputOptions& input);

/// Crops of a data set's frames, without an end. Sets of fewer frames than a batch give several crops of each.
class FrameCrops {
 public:
  /// Throws UsageError when frames lack color or depth, or are smaller than a crop.
  FrameCrops(const FrameIndex& frames, const InputOptions& input, const CropOptions& crops);
  torch::Tensor next();
  LoaderState state() const { return loader_->state(); }
  void seek(const LoaderState& state) { loader_->seek(state); }

 private:
  InputOptions input_;
  std::unique_ptr<Loader> loader_;
};

/// Whole frames, one after the other.
class WholeFrames {
 public:
  WholeFrames(const FrameIndex& frames, const InputOptions& input);
  /// [1, C, H, W].
  torch::Tensor next();

 private:
  InputOptions input_;
  std::unique_ptr<Loader> loader_;
};

/// Where real pictures come from, whatever it is.
class RealSource {
 public:
  virtual ~RealSource() = default;
  virtual torch::Tensor next() = 0;
  /// int64: how far it is; what seek() takes.
  virtual torch::Tensor position() const = 0;
  virtual void seek(const torch::Tensor& position) = 0;
  /// Some whole pictures, [C, H, W] each, for a page.
  virtual std::vector<torch::Tensor> examples(std::size_t count) const = 0;
  virtual std::size_t size() const = 0;        ///< pictures
  /// SHA-256 of what is read.
  virtual std::string digest() const = 0;
};

/// Throws UsageError in one line that names what is wrong: no such folder, none or too few pictures, one that cannot be
/// decoded, is smaller than a crop, gray where color is refined, or no depth of 16 bits.
std::unique_ptr<RealSource> open_real(const RefineOptions& options, const CropOptions& crops);

}  // namespace simulacra::sim2real
