// SPDX-License-Identifier: Apache-2.0
// Sorting as a classification task: for each rank, which element has it.
#pragma once

#include <torch/torch.h>

namespace simulacra::learning {

/// [B, T] of integers for x [B, T]: label r is the index of the r-th smallest element; equal ones keep their order.
torch::Tensor sort_labels(const torch::Tensor& x);
/// Cross entropy of logits [B, T(class), T(rank)], summed over ranks, averaged over the batch.
torch::Tensor sort_loss(const torch::Tensor& logits, const torch::Tensor& labels);
/// Share of rows with every rank right; share of ranks that are right.
double all_or_none_accuracy(const torch::Tensor& logits, const torch::Tensor& labels);
double element_accuracy(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace simulacra::learning
