// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/dab/neural_sort.h"

namespace simulacra::learning {
namespace {

torch::Tensor right(const torch::Tensor& logits, const torch::Tensor& labels) { return logits.argmax(1) == labels; }

}  // namespace

torch::Tensor sort_labels(const torch::Tensor& x) { return torch::argsort(x, /*stable=*/true, /*dim=*/1, /*descending=*/false); }

torch::Tensor sort_loss(const torch::Tensor& logits, const torch::Tensor& labels) {
  namespace F = torch::nn::functional;
  return F::cross_entropy(logits, labels, F::CrossEntropyFuncOptions().reduction(torch::kNone)).sum(1).mean();
}

double all_or_none_accuracy(const torch::Tensor& logits, const torch::Tensor& labels) {
  return right(logits, labels).all(1).to(torch::kDouble).mean().item<double>();
}

double element_accuracy(const torch::Tensor& logits, const torch::Tensor& labels) {
  return right(logits, labels).to(torch::kDouble).mean().item<double>();
}

}  // namespace simulacra::learning
