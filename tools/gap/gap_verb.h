// SPDX-License-Identifier: Apache-2.0
// `simulacra gap`, in both executables: features of a network need LibTorch, everything else does not.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "render/base/parallel.h"
#include "sim2real/gap/features.h"

namespace simulacra::tools {

struct GapServices {
  std::function<ParallelFor(int threads)> parallel;
  /// Of --features vit SOURCE.
  std::function<gap::FeatureMap(const std::string& source, const std::string& pixels)> vit;
};

void declare_gap(CLI::App& app, const GapServices& services);

inline constexpr const char* kGapName = "gap";
inline constexpr const char* kGapSummary = "say how far synthetic pictures are from real ones, as a table, JSON and a page";

/// True for a command line of `gap` that asks for features of a network.
bool gap_wants_network(int argc, const char* const* argv);

}  // namespace simulacra::tools
