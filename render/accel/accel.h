// SPDX-License-Identifier: Apache-2.0
// Ray queries against all geometry of a scene. The only user of Embree (3.13 and 4).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "render/base/vec.h"
#include "render/camera/camera.h"
#include "render/description/description.h"

namespace simulacra {

struct Hit {
  float t = 0;               ///< distance along the unit direction
  int object = -1;           ///< index of the ObjectDescription
  std::uint32_t triangle = 0;
  float u = 0, v = 0;        ///< barycentric weights of the triangle's second and third vertex
};

/// Straight transmittance of a surface for light along `direction`: what a shadow ray keeps when it crosses it.
class StraightTransmittance {
 public:
  virtual ~StraightTransmittance() = default;
  virtual Rgb at(const Hit& hit, Vec3 origin, Vec3 direction) const = 0;
};

/// Immutable after construction; queries are safe from any number of threads.
class Accel {
 public:
  /// `passable[i]`: object i may let shadow rays pass straight. Object geometry must stay alive: triangles are
  /// shared with `scene`, not copied. Throws Error when Embree does.
  Accel(const SceneDescription& scene, std::span<const std::uint8_t> passable, const StraightTransmittance* straight);
  ~Accel();
  Accel(const Accel&) = delete;
  Accel& operator=(const Accel&) = delete;

  std::optional<Hit> closest(const Ray& ray) const;
  /// Product of the straight transmittances along the ray; black when something opaque lies on it.
  Rgb transmittance(const Ray& ray) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simulacra
