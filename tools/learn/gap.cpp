// SPDX-License-Identifier: Apache-2.0
// With features of a network; without, simulacra itself runs the verb.
#include "tools/gap/gap_verb.h"

#include <torch/torch.h>

#include "sim2real/vit_features/vit_features.h"
#include "tools/learn/verbs.h"

namespace simulacra::tools {
namespace {

ParallelFor on_torch_threads(int threads) {
  if (threads > 0) torch::set_num_threads(threads);
  return [](std::size_t count, const std::function<void(std::size_t)>& body) {
    at::parallel_for(0, static_cast<std::int64_t>(count), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
    });
  };
}

gap::FeatureMap vit(const std::string& source, const std::string& pixels) { return sim2real::vit_features(source, pixels); }

void declare(CLI::App& app, int&) { declare_gap(app, {on_torch_threads, vit}); }

}  // namespace

const Verb kGapVerb{kGapName, kGapSummary, declare};

}  // namespace simulacra::tools
