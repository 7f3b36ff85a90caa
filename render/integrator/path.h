// SPDX-License-Identifier: Apache-2.0
// Unidirectional path tracing with next-event estimation and multiple importance sampling.
#pragma once

#include <cstdint>

#include "render/base/vec.h"
#include "render/camera/camera.h"
#include "render/sampling/sampler.h"
#include "render/scene/interaction.h"
#include "render/scene/scene.h"

namespace simulacra {

struct PathOptions {
  int max_depth = 17;        ///< vertices after the camera; 1 = emission only, 2 = direct light
  int roulette_depth = 5;    ///< from this depth on a path may end early
};

/// One camera sample, split at the first surface: radiance = diffuse + residual.
struct PathSample {
  Rgb reflectance;           ///< ρ of the first surface; 0 where there is none
  Rgb diffuse;               ///< radiance that leaves the first surface through its diffuse lobe
  Rgb residual;              ///< all other radiance
  std::uint32_t rays = 0;
};

/// `white_first`: the first surface is taken as white diffuse, so that `diffuse` is the illumination there.
PathSample trace_path(const Scene::State& scene, const Ray& camera_ray, Sampler& sampler, const PathOptions& options,
                      bool white_first = false);

}  // namespace simulacra
