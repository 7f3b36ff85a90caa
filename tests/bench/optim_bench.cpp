// SPDX-License-Identifier: Apache-2.0
// One step of AdamW and AdEMAMix at 25 million parameters beside LibTorch's fused AdamW, the kernel that
// torch.optim.AdamW(fused=True) calls. Rounds of all of them in turn; each line: median and spread of wall and CPU time,
// and of the ratio to LibTorch's in the same round.
#include <torch/torch.h>

#include <ATen/ops/_fused_adamw.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "learning/kernels/optim.h"
#include "learning/optim/optimizer.h"

namespace simulacra::optim {
namespace {

constexpr std::int64_t kLayers = 100, kPerLayer = 250'000;  // as many tensors as a small ViT has

struct Times {
  double wall = 0, cpu = 0;
};

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

Times timed(const std::function<void()>& body) {
  const double cpu = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  body();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), cpu_seconds() - cpu};
}

std::vector<std::pair<std::string, torch::Tensor>> layers() {
  torch::manual_seed(1);
  std::vector<std::pair<std::string, torch::Tensor>> all;
  for (std::int64_t i = 0; i < kLayers; ++i) all.emplace_back(std::to_string(i), torch::randn({kPerLayer}));
  return all;
}

struct LibTorch {
  LibTorch() {
    for (const auto& [name, p] : layers()) {
      parameters.push_back(p);
      gradients.push_back(torch::full_like(p, 0.01));
      m.push_back(torch::zeros_like(p));
      v.push_back(torch::zeros_like(p));
      steps.push_back(torch::ones({}));
    }
  }
  void step() { at::_fused_adamw_(parameters, gradients, m, v, {}, steps, 1e-4, 0.9, 0.999, 0.05, 1e-8, false, false); }
  std::vector<torch::Tensor> parameters, gradients, m, v, steps;
};

struct Ours {
  explicit Ours(const OptimizerOptions& o)
      : flat({{.name = "all", .parameters = layers(), .weight_decay = 0.05}}), optimizer(flat, o) {
    flat.gradients().fill_(0.01);
  }
  FlatParameters flat;
  Optimizer optimizer;
};

double median(std::vector<double> x) {
  std::ranges::sort(x);
  return x[x.size() / 2];
}

void report(const char* name, const std::vector<Times>& times, const std::vector<Times>& reference) {
  std::vector<double> wall, cpu, ratio, cpu_ratio;
  for (std::size_t i = 0; i < times.size(); ++i) {
    wall.push_back(times[i].wall), cpu.push_back(times[i].cpu);
    ratio.push_back(times[i].wall / reference[i].wall), cpu_ratio.push_back(times[i].cpu / reference[i].cpu);
  }
  std::printf("| %-24s | %6.1f (%.1f to %.1f) | %6.1f | %.2f (%.2f to %.2f) | %.2f |\n", name, 1e3 * median(wall),
              1e3 * std::ranges::min(wall), 1e3 * std::ranges::max(wall), 1e3 * median(cpu), median(ratio), std::ranges::min(ratio),
              std::ranges::max(ratio), median(cpu_ratio));
}

/// The same update: the first step from the same start agrees to a few units in the last place.
bool agrees(LibTorch& theirs, Ours& ours) {
  theirs.step();
  ours.optimizer.step(1e-4);
  for (std::size_t i = 0; i < theirs.parameters.size(); ++i)
    if (!torch::allclose(theirs.parameters[i], ours.flat.entries()[i].parameter, 1e-5, 1e-7)) return false;
  return true;
}

int run(int rounds) {
  LibTorch theirs;
  OptimizerOptions mix, lean, half;
  mix.method = lean.method = half.method = "ademamix";
  mix.alpha_over = mix.beta3_over = 1000;
  lean.beta1 = 0;
  half.slow_average = "bfloat16";
  Ours adamw({}), ademamix(mix), without_m1(lean), with_half(half);
  if (!agrees(theirs, adamw)) return std::fprintf(stderr, "the two AdamW disagree\n"), 1;

  std::printf("%d million parameters in %d tensors, %s, %d rounds\n", int(kLayers * kPerLayer / 1'000'000), int(kLayers),
              kernels::name_of(kernels::best_isa()), rounds);
  for (const int threads : {1, 2}) {
    torch::set_num_threads(threads);
    const std::vector<std::pair<const char*, std::function<void()>>> contestants = {
        {"LibTorch AdamW, fused", [&] { theirs.step(); }},
        {"AdamW", [&] { adamw.optimizer.step(1e-4); }},
        {"AdEMAMix", [&] { ademamix.optimizer.step(1e-4); }},
        {"AdEMAMix, beta1 = 0", [&] { without_m1.optimizer.step(1e-4); }},
        {"AdEMAMix, m2 in bfloat16", [&] { with_half.optimizer.step(1e-4); }},
        {"norm of the gradient", [&] { (void)adamw.flat.gradient_norm(); }}};
    std::vector<std::vector<Times>> times(contestants.size());
    for (const auto& [name, step] : contestants) step();
    for (int r = 0; r < rounds; ++r)
      for (std::size_t i = 0; i < contestants.size(); ++i) times[i].push_back(timed(contestants[i].second));
    std::printf("\n%d thread%s\n| step | wall ms, median (range) | CPU ms | wall / LibTorch's | CPU / LibTorch's |\n|---|---|---|---|---|\n",
                threads, threads > 1 ? "s" : "");
    for (std::size_t i = 0; i < contestants.size(); ++i) report(contestants[i].first, times[i], times[0]);
  }
  return 0;
}

}  // namespace
}  // namespace simulacra::optim

int main(int argc, char** argv) { return simulacra::optim::run(argc > 1 ? std::atoi(argv[1]) : 15); }
