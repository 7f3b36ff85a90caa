// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/tensors/src/batch_pool.h"

#include <algorithm>

namespace simulacra::tensors {
namespace {

/// Neither the tensor nor a view of it, nor a graph that saved it, is alive elsewhere.
bool is_ours_alone(const torch::Tensor& tensor) { return tensor.use_count() == 1 && tensor.storage().use_count() == 1; }

bool is_ours_alone(const Batch& batch) {
  return is_ours_alone(batch.image) && is_ours_alone(batch.cam_from_pixel) &&
         std::all_of(batch.labels.begin(), batch.labels.end(),
                     [](const auto& label) { return is_ours_alone(label.second.values) && is_ours_alone(label.second.mask); });
}

Batch new_batch(std::int64_t rows, const LoaderOptions& o, const std::vector<Target>& targets) {
  Batch batch;
  batch.image = torch::empty({rows, 3, o.height, o.width}, torch::kFloat32);
  batch.cam_from_pixel = torch::empty({rows, 3, 3}, torch::kFloat32);
  for (const Target target : targets) {
    LabelTensor& label = batch.labels[target];
    label.values = spec(target).is_class ? torch::empty({rows, o.height, o.width}, torch::kInt64)
                                         : torch::empty({rows, spec(target).channels, o.height, o.width}, torch::kFloat32);
    label.mask = torch::empty({rows, 1, o.height, o.width}, torch::kBool);
  }
  return batch;
}

}  // namespace

Batch BatchPool::take(std::int64_t rows, const LoaderOptions& options, const std::vector<Target>& targets) {
  Batch batch;
  const auto free = std::find_if(lent_.begin(), lent_.end(),
                                 [&](const Batch& b) { return b.image.size(0) == rows && is_ours_alone(b); });
  if (free != lent_.end()) {
    batch = std::move(*free);
    lent_.erase(free);
  } else {
    batch = new_batch(rows, options, targets);
  }
  batch.frames.resize(static_cast<std::size_t>(rows));
  batch.frame_idx.resize(static_cast<std::size_t>(rows));
  return batch;
}

void BatchPool::lend(const Batch& batch) {
  if (lent_.size() >= most_) lent_.erase(lent_.begin());
  Batch& tensors = lent_.emplace_back();
  tensors.image = batch.image;
  tensors.cam_from_pixel = batch.cam_from_pixel;
  tensors.labels = batch.labels;
}

}  // namespace simulacra::tensors
