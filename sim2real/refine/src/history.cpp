// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/history.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <numeric>

#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

std::vector<std::int64_t> some_of(std::int64_t below, std::int64_t count, at::Generator& generator) {
  const torch::Tensor order = torch::randperm(below, generator, torch::kLong);
  const auto* first = order.const_data_ptr<std::int64_t>();
  return {first, first + count};
}

/// Each below `limit`, none twice.
torch::Tensor checked(std::vector<std::int64_t> slots, std::int64_t count, std::int64_t limit) {
  const torch::Tensor result = torch::tensor(slots, torch::kLong);
  std::sort(slots.begin(), slots.end());
  const bool twice = std::adjacent_find(slots.begin(), slots.end()) != slots.end();
  if (std::ssize(slots) != count || twice || slots.front() < 0 || slots.back() >= limit)
    fail("a step of the history takes {} different slots below {}", count, limit);
  return result;
}

}  // namespace

History::History(std::int64_t capacity, std::int64_t batch, std::uint64_t seed)
    : capacity_(capacity), half_(batch / 2), seed_(seed) {
  if (batch < 2 || batch % 2 != 0) fail_usage("the history takes half of a batch, so its size is to be even, not {}", batch);
  if (capacity < half_ || capacity % half_ != 0)
    fail_usage("the history's capacity is to be a multiple of half the batch ({}), not {}", half_, capacity);
}

HistoryDraws History::draw() const {
  // An odd constant of 64 bits keeps the streams of neighbouring seeds and steps apart.
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed_ + 0x9E3779B97F4A7C15ull * static_cast<std::uint64_t>(steps_ + 1));
  HistoryDraws draws;
  if (size_ >= half_) draws.read = some_of(size_, half_, generator);
  if (size_ == capacity_) {
    draws.write = some_of(capacity_, half_, generator);
  } else {
    draws.write.resize(static_cast<std::size_t>(half_));
    std::iota(draws.write.begin(), draws.write.end(), size_);
  }
  return draws;
}

void History::check_batch(const torch::Tensor& fresh) const {
  if (fresh.size(0) != 2 * half_) fail("the history was made for batches of {}, not of {}", 2 * half_, fresh.size(0));
}

torch::Tensor History::fakes(const torch::Tensor& fresh, const std::vector<std::int64_t>& read) const {
  check_batch(fresh);
  if (read.empty()) return fresh.detach();
  const torch::Tensor slots = checked(read, half_, size_).to(fresh.device());
  return torch::cat({fresh.detach().slice(0, 0, half_), slots_.index_select(0, slots)});
}

void History::keep(const torch::Tensor& fresh, const std::vector<std::int64_t>& write) {
  check_batch(fresh);
  const torch::NoGradGuard no_grad;
  const torch::Tensor kept = fresh.slice(0, 0, half_);
  if (!slots_.defined()) {
    std::vector<std::int64_t> shape = fresh.sizes().vec();
    shape[0] = capacity_;
    slots_ = torch::zeros(shape, fresh.options().requires_grad(false));
  }
  const bool full = size_ == capacity_;
  const torch::Tensor slots = checked(write, half_, full ? capacity_ : size_ + half_);
  if (!full && slots.min().item<std::int64_t>() < size_) fail("a history that is not full takes the next free slots");
  slots_.index_copy_(0, slots.to(fresh.device()), kept);
  if (!full) size_ += half_;
  ++steps_;
}

torch::Tensor History::images() const { return slots_.defined() ? slots_.slice(0, 0, size_).clone() : torch::Tensor(); }

void History::restore(const torch::Tensor& images, std::int64_t steps) {
  const std::int64_t size = images.defined() ? images.size(0) : 0;
  if (size > capacity_ || size % half_ != 0 || steps < 0) fail("{} images do not fit a history of {}", size, capacity_);
  slots_.reset();
  size_ = size;
  steps_ = steps;
  if (size == 0) return;
  std::vector<std::int64_t> shape = images.sizes().vec();
  shape[0] = capacity_;
  slots_ = torch::zeros(shape, images.options());
  slots_.slice(0, 0, size).copy_(images);
}

}  // namespace simulacra::sim2real
