// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "dataset/generate/options.h"
#include "dataset/trajectory/views.h"
#include "render/scene/scene.h"

namespace simulacra {

/// What meets the rays of view checks.
ViewProbe probe_of(const Scene& scene);

/// Renders a view small and refuses it when it is black, of one color over more than a quarter, or without contrast:
/// readers leave such frames out. Throws Cancelled when `cancel` is set. `scene` must outlive the result.
ViewJudge judge_by_rendering(const Scene& scene, const GenerateOptions& options, int threads,
                             const std::atomic<bool>* cancel);

}  // namespace simulacra
