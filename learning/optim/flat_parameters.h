// SPDX-License-Identifier: Apache-2.0
// All parameters of a model in one buffer, all gradients in another. Parameters and their .grad() become views into them,
// so that
//  - backward() adds into the buffer: gradients accumulate over micro-batches until zero_gradients();
//  - an optimizer, a clip, an average of models or an all-reduce is one pass over one array.
// Each parameter starts at a multiple of 64 bytes; the gaps hold zeros and stay zero.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simulacra::optim {

struct ParameterGroup {
  std::string name;
  std::vector<std::pair<std::string, torch::Tensor>> parameters;  ///< name in the model, parameter
  double lr_factor = 1;      ///< times the step's learning rate
  double weight_decay = 0;   ///< decoupled, multiplied by the learning rate
};

/// Two groups of the parameters that ask for gradients: "decayed", kernels and matrices (a name that ends in `weight`, of
/// two or more dimensions), and "free": biases, gains, positions, tokens. A group without parameters is left out.
std::vector<ParameterGroup> groups_by_decay(const torch::nn::Module& module, double weight_decay);

class FlatParameters {
 public:
  /// A group's part of the buffers.
  struct Range {
    std::string name;
    std::int64_t begin = 0, end = 0;
    double lr_factor = 1, weight_decay = 0;
  };
  struct Entry {
    std::string name;
    torch::Tensor parameter;
    std::int64_t offset = 0;
  };

  /// Copies the parameters into the buffer and points them there. They must be of one type, float32 or float64, and on one
  /// device; none may come twice. Call it after the model has been moved to its device, before any gradient is kept.
  /// Throws UsageError that names the parameter.
  explicit FlatParameters(const std::vector<ParameterGroup>& groups);

  torch::Tensor& values() { return values_; }          ///< (size)
  const torch::Tensor& values() const { return values_; }
  torch::Tensor& gradients() { return gradients_; }    ///< (size)
  const torch::Tensor& gradients() const { return gradients_; }
  std::int64_t size() const { return values_.size(0); }  ///< with the gaps
  std::int64_t count() const { return count_; }          ///< without them
  const std::vector<Range>& ranges() const { return ranges_; }
  const std::vector<Entry>& entries() const { return entries_; }

  void zero_gradients() { gradients_.zero_(); }
  /// Euclidean norm over all gradients, summed in double, the same bits for any number of threads.
  double gradient_norm() const;
  /// Throws UsageError when a parameter or its gradient no longer lies in the buffers: after module.zero_grad(),
  /// module.to(...) or set_data. What to call instead stands in the message.
  void check() const;

 private:
  std::vector<Entry> entries_;
  std::vector<Range> ranges_;
  torch::Tensor values_, gradients_;
  std::int64_t count_ = 0;
};

}  // namespace simulacra::optim
