// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <torch/torch.h>

namespace simulacra::learning {

/// What a process of several asks of the others. Both calls are collective: every rank makes them in the same order,
/// with tensors of the same shape and type. No gradient flows through them by themselves.
class Collective {
 public:
  virtual ~Collective() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Every rank's `local` [k, …] in rank order, [k * size, …].
  virtual torch::Tensor all_gather(const torch::Tensor& local) = 0;
  /// The sum over ranks, the same bits on each.
  virtual torch::Tensor all_reduce_sum(const torch::Tensor& local) = 0;
};

/// all_gather for autograd: backward sums the gradients that all ranks have for all rows and keeps this rank's.
torch::Tensor gather_rows(const torch::Tensor& local, std::shared_ptr<Collective> peers);
/// The sum over ranks of a loss of which each rank has its share: backward hands each share the gradient of the sum.
torch::Tensor sum_over_ranks(const torch::Tensor& share, std::shared_ptr<Collective> peers);

}  // namespace simulacra::learning
