// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

namespace simulacra::sim2real {

/// The weights of a net get no gradient while this lives; its input does.
class Frozen {
 public:
  explicit Frozen(torch::nn::Module& net) : net_(net) { set(false); }
  ~Frozen() { set(true); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  void set(bool wanted) {
    for (torch::Tensor& p : net_.parameters()) p.requires_grad_(wanted);
  }
  torch::nn::Module& net_;
};

}  // namespace simulacra::sim2real
