// SPDX-License-Identifier: Apache-2.0
// What end-to-end experiments share: weights, batches and noise from the portable generator of the golden files, so that
// every implementation starts from the same numbers, and the small real data sets.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace simulacra::test {

/// float32 from the generator: "normal12", "uni24", "sym24" …
torch::Tensor portable(const char* kind, std::uint64_t seed, at::IntArrayRef shape, double scale = 1);

/// Every Linear's weight and bias uniform in +-1/sqrt(fan in); tensors take seeds seed, seed + 1, … in order.
void initialise(torch::nn::Module& net, std::uint64_t seed);

/// Batch indices and noise, one seed per draw: seed + 1, seed + 2, …
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : seed_(seed) {}
  torch::Tensor indices(std::uint64_t below, std::int64_t count);
  torch::Tensor normal(at::IntArrayRef shape) { return portable("normal12", ++seed_, shape); }
  torch::Tensor uniform(at::IntArrayRef shape) { return portable("uni24", ++seed_, shape); }

 private:
  std::uint64_t seed_;
};

/// Pictures as rows in 0 … 1, and their classes.
struct Pictures {
  torch::Tensor x, labels;
  Pictures slice(std::int64_t from, std::int64_t to) const { return {x.slice(0, from, to), labels.slice(0, from, to)}; }
};
/// 1,797 digits of 8 x 8 in the fixed order perm(4242).
Pictures load_digits(const std::filesystem::path& shared);
/// The 10,000 test pictures of MNIST, 28 x 28, in their order.
Pictures load_mnist(const std::filesystem::path& shared);

double median(std::vector<double> values);
double mean(const std::vector<double>& values);

/// name -> one value per seed; prints a line per name, for learning/RESULTS.md.
using Runs = std::map<std::string, std::vector<double>>;
void print(const char* title, const Runs& runs);

}  // namespace simulacra::test
