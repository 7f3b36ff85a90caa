// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/sources.h"

#include <algorithm>

#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

bool is_depth(const InputOptions& input) { return input.kind == "depth"; }

FrameIndex repeated(const FrameIndex& frames, std::int64_t least) {
  std::vector<std::size_t> order;
  while (std::ssize(order) < least)
    for (std::size_t i = 0; i < frames.size(); ++i) order.push_back(i);
  return with_frames(frames, order);
}

LoaderOptions loader_options(const InputOptions& input) {
  LoaderOptions o;
  if (is_depth(input)) o.labels = {"depth_planar"};
  o.threads = 1;
  return o;
}

torch::Tensor in_range(const Batch& batch, const InputOptions& input) {
  if (!is_depth(input)) return 2 * batch.image - 1;
  const LabelTensor& depth = batch.at(Target::depth_planar);
  return depth_to_range(depth.values, depth.mask, input);
}

}  // namespace

FrameIndex usable_frames(const FrameIndex& frames, const InputOptions& input) {
  // The loader reads color of every frame, and what its exposure depends on.
  LabelSet wanted = label_bit(Label::color) | label_bit(Label::render_entity_id);
  if (is_depth(input)) wanted |= label_bit(Label::depth_meters);
  return with_labels(frames, wanted);
}

torch::Tensor depth_to_range(const torch::Tensor& metres, const torch::Tensor& valid, const InputOptions& input) {
  const torch::Tensor x = (2 * (metres - input.near_m) / (input.far_m - input.near_m) - 1).clamp(-1, 1);
  return torch::where(valid, x, torch::ones_like(x));
}

torch::Tensor range_to_depth(const torch::Tensor& values, const InputOptions& input) {
  return input.near_m + (values + 1) / 2 * (input.far_m - input.near_m);
}

FrameCrops::FrameCrops(const FrameIndex& frames, const InputOptions& input, const CropOptions& crops) : input_(input) {
  const FrameIndex those = usable_frames(frames, input);
  if (those.height < crops.rows || those.width < crops.columns)
    fail_usage("train: crops of {} x {} pixels do not fit frames of {} x {}", crops.columns, crops.rows, those.width, those.height);
  LoaderOptions o = loader_options(input);
  o.batch_size = static_cast<int>(crops.batch);
  o.height = static_cast<int>(crops.rows), o.width = static_cast<int>(crops.columns);
  o.flip = crops.flip;
  o.seed = crops.seed;
  loader_ = std::make_unique<Loader>(those.size() < static_cast<std::size_t>(crops.batch) ? repeated(those, crops.batch) : those, o);
}

torch::Tensor FrameCrops::next() { return in_range(loader_->next(), input_); }

WholeFrames::WholeFrames(const FrameIndex& frames, const InputOptions& input) : input_(input) {
  LoaderOptions o = for_evaluation(loader_options(input));
  o.batch_size = 1;
  loader_ = std::make_unique<Loader>(usable_frames(frames, input), o);
}

torch::Tensor WholeFrames::next() { return in_range(loader_->next(), input_); }

}  // namespace simulacra::sim2real
