// SPDX-License-Identifier: Apache-2.0
// The losses of coarse maps (16 frames of 192 x 256 from maps of 96 x 128) against LibTorch's operations on enlarged ones,
// forward and backward in turns. Each line: median and range of CPU milliseconds, and of the ratio in the same round.
// Usage: coarse_loss_bench [ROUNDS]
#include <torch/torch.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "learning/losses/dense.h"

namespace simulacra {
namespace {

using learning::DenseLoss;
using torch::Tensor;
constexpr std::int64_t kBatch = 16, kHeight = 192, kWidth = 256;

double cpu_ms() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  const auto ms = [](const timeval& t) { return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec); };
  return ms(u.ru_utime) + ms(u.ru_stime);
}

struct Column {
  std::vector<double> values;
  double at(double q) const {
    std::vector<double> v = values;
    std::ranges::sort(v);
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1) + 0.5)];
  }
};

void compare(const char* name, int rounds, const std::function<void()>& ours, const std::function<void()>& theirs) {
  Column a, b, ratio;
  const auto timed = [](const std::function<void()>& work) {
    const double start = cpu_ms();
    work();
    return cpu_ms() - start;
  };
  ours(), theirs();
  for (int i = 0; i < rounds; ++i) {
    b.values.push_back(timed(theirs));
    a.values.push_back(timed(ours));
    ratio.values.push_back(b.values.back() / a.values.back());
  }
  std::printf("| %s | %.1f (%.1f to %.1f) | %.1f (%.1f to %.1f) | %.1f (%.1f to %.1f) |\n", name, a.at(0.5), a.at(0), a.at(1), b.at(0.5), b.at(0), b.at(1),
              ratio.at(0.5), ratio.at(0), ratio.at(1));
}

using Loss = std::function<DenseLoss(const Tensor& map)>;

void compare_losses(const char* name, int rounds, const Tensor& map, const Loss& of_coarse, const Loss& of_enlarged) {
  const auto step = [map](const Loss& loss) {
    Tensor x = map.detach().requires_grad_();
    loss(x).value.backward();
  };
  compare(name, rounds, [&] { step(of_coarse); }, [&] { step(of_enlarged); });
}

void run(int rounds) {
  using namespace learning;
  torch::manual_seed(1);
  torch::set_num_threads(1);
  const auto map = [](std::int64_t channels) { return torch::randn({kBatch, channels, kHeight / 2, kWidth / 2}); };
  const Tensor mask = torch::rand({kBatch, 1, kHeight, kWidth}).gt(0.02), depth = torch::rand({kBatch, 1, kHeight, kWidth}) + 1;
  const Tensor normals = torch::randn({kBatch, 3, kHeight, kWidth}), classes = torch::randint(1, 41, {kBatch, kHeight, kWidth}, torch::kLong);
  const auto full = [](const Tensor& m) { return enlarged(m, kHeight, kWidth); };
  std::printf("| what | ours, CPU ms | LibTorch's operations, CPU ms | ratio |\n|---|---|---|---|\n");
  compare_losses("depth", rounds, map(1), [&](const Tensor& m) { return scale_invariant_log_loss_of_coarse(m, depth, mask); },
                 [&](const Tensor& m) { return scale_invariant_log_loss(full(m), depth, mask); });
  compare_losses("normals", rounds, map(3), [&](const Tensor& m) { return angular_loss_of_coarse(m, normals, mask); },
                 [&](const Tensor& m) { return angular_loss(full(m), normals, mask); });
  compare_losses("classes", rounds, map(40), [&](const Tensor& m) { return semantic_loss_of_coarse(m, classes, mask); },
                 [&](const Tensor& m) { return semantic_loss(full(m), classes, mask); });
}

}  // namespace
}  // namespace simulacra

int main(int argc, char** argv) {
  simulacra::run(argc > 1 ? std::atoi(argv[1]) : 11);
  return 0;
}
