// SPDX-License-Identifier: Apache-2.0
// One call renders one frame. TBB lives here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "render/base/cancelled.h"
#include "render/base/parallel.h"
#include "render/camera/camera.h"
#include "render/config/config.h"
#include "render/image/frame.h"
#include "render/scene/scene.h"

namespace simulacra {

struct RenderOptions {
  int spp = 64;               ///< camera samples a pixel; 0 = labels only (no color planes)
  std::uint64_t seed = 0;     ///< same seed, same bytes, whatever the number of threads
  int threads = 0;            ///< 0 = all cores
  int max_depth = 17;         ///< Mitsuba's counting: 1 = emission only, 2 = direct light
  int roulette_depth = 5;     ///< depth from which Russian roulette may end a path
};
void fields(config::Fields& f, RenderOptions& o);

struct RenderControl {
  /// Called now and then from one thread at a time, with the share of the frame that is done in [0, 1].
  std::function<void(double)> progress;
  /// Set from outside (a signal handler) to stop; render() then throws Cancelled.
  const std::atomic<bool>* cancel = nullptr;
};

/// Renders color, split and every label of `camera`'s view. Deterministic: a function of (scene, camera,
/// options.spp, options.seed, options.max_depth, options.roulette_depth) alone.
Frame render(const Scene& scene, const Camera& camera, const RenderOptions& options, const RenderControl& control = {});

/// A ParallelFor that runs on at most `threads` threads (0 = all cores).
ParallelFor tbb_parallel_for(int threads);

}  // namespace simulacra
