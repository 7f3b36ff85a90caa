// SPDX-License-Identifier: Apache-2.0
// A history of refined images: half of the fakes that the discriminator sees come from earlier refiners, so that it does
// not forget their faults, and the refiner cannot bring them back.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace simulacra::sim2real {

/// The slots of one step, none twice in a list.
struct HistoryDraws {
  std::vector<std::int64_t> read;   ///< batch / 2 of the slots in use; empty while fewer are in use
  std::vector<std::int64_t> write;  ///< batch / 2; while the history is not full the next free ones
};

/// Once full, a slot survives t steps with probability (1 - batch / (2 capacity))^t, and an image read is
/// 2 capacity / batch steps old on average.
class History {
 public:
  /// Throws UsageError unless batch is even and capacity is a multiple of batch / 2, both positive.
  History(std::int64_t capacity, std::int64_t batch, std::uint64_t seed);

  /// The slots of the coming step, uniform; they depend on the seed and the number of the step alone.
  HistoryDraws draw() const;
  /// What the discriminator sees: the first half of the fresh images, then those of the slots `read`; all fresh ones when
  /// `read` is empty. Throws Error for a batch of another size or a slot not in use.
  torch::Tensor fakes(const torch::Tensor& fresh, const std::vector<std::int64_t>& read) const;
  /// Copies the first half of the fresh images into the slots `write` and counts a step. Throws Error as fakes().
  void keep(const torch::Tensor& fresh, const std::vector<std::int64_t>& write);

  std::int64_t size() const { return size_; }  ///< slots in use
  std::int64_t steps() const { return steps_; }
  /// [size, ...]: a copy, in the order of the slots; undefined when empty.
  torch::Tensor images() const;
  /// Goes on where another history of the same seed, with these images and steps, stood.
  void restore(const torch::Tensor& images, std::int64_t steps);

 private:
  void check_batch(const torch::Tensor& fresh) const;

  std::int64_t capacity_, half_, size_ = 0, steps_ = 0;
  std::uint64_t seed_;
  torch::Tensor slots_;  ///< [capacity, ...], made by the first keep()
};

}  // namespace simulacra::sim2real
