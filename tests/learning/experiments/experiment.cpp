// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "tests/learning/experiments/experiment.h"

#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "tests/support/golden.h"

namespace simulacra::test {
namespace {

namespace fs = std::filesystem;

/// A .gz file's content; its last four bytes are its size.
std::string gunzip(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  const std::string packed(std::istreambuf_iterator<char>(in), {});
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size |= static_cast<std::size_t>(static_cast<unsigned char>(packed.at(packed.size() - 4 + i))) << (8 * i);
  std::string content(size, '\0');
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  const auto result = libdeflate_gzip_decompress(decompressor, packed.data(), packed.size(), content.data(), size, nullptr);
  libdeflate_free_decompressor(decompressor);
  if (result != LIBDEFLATE_SUCCESS) throw std::runtime_error(path.string() + " is damaged");
  return content;
}

torch::Tensor from(std::vector<double> values) {
  return torch::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, torch::kDouble).clone();
}

torch::Tensor bytes(const std::string& content, std::size_t skip, std::int64_t count) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(content.data()) + skip;
  return torch::from_blob(const_cast<std::uint8_t*>(at), {count}, torch::kUInt8).clone();
}

}  // namespace

torch::Tensor portable(const char* kind, std::uint64_t seed, at::IntArrayRef shape, double scale) {
  const auto count = static_cast<std::size_t>(c10::multiply_integers(shape));
  return from(golden::generate(kind, seed, count, scale)).to(torch::kFloat).view(shape);
}

void initialise(torch::nn::Module& net, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  for (const auto& module : net.modules())
    if (auto* linear = module->as<torch::nn::Linear>()) {
      const double scale = 1 / std::sqrt(static_cast<double>(linear->weight.size(1)));
      for (torch::Tensor* p : {&linear->weight, &linear->bias}) p->copy_(portable("sym24", seed++, p->sizes(), scale));
    }
}

torch::Tensor Stream::indices(std::uint64_t below, std::int64_t count) {
  return from(golden::generate("int", ++seed_, static_cast<std::size_t>(count), 1, below)).to(torch::kLong);
}

Pictures load_digits(const fs::path& shared) {
  std::istringstream lines(gunzip(shared / "data/ml/sklearn/digits.csv.gz"));
  std::vector<double> values;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) values.push_back(std::stod(field));
  }
  const torch::Tensor rows = from(std::move(values)).view({-1, 65});
  const torch::Tensor order = from(golden::generate("perm", 4242, 0, 1, static_cast<std::uint64_t>(rows.size(0)))).to(torch::kLong);
  const torch::Tensor shuffled = rows.index_select(0, order);
  return {(shuffled.slice(1, 0, 64) / 16).to(torch::kFloat), shuffled.select(1, 64).to(torch::kLong)};
}

Pictures load_mnist(const fs::path& shared) {
  const fs::path folder = shared / "data/ml/mnist-t10k";
  const torch::Tensor pixels = bytes(gunzip(folder / "t10k-images-idx3-ubyte.gz"), 16, 10000 * 784);
  const torch::Tensor labels = bytes(gunzip(folder / "t10k-labels-idx1-ubyte.gz"), 8, 10000);
  return {pixels.view({10000, 784}).to(torch::kFloat) / 255, labels.to(torch::kLong)};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void print(const char* title, const Runs& runs) {
  for (const auto& [name, values] : runs) {
    std::printf("%s %-26s", title, name.c_str());
    for (const double v : values) std::printf(" %9.4f", v);
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace simulacra::test
