// SPDX-License-Identifier: Apache-2.0
// A scene ready to trace: immutable, safe for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "render/base/vec.h"
#include "render/camera/camera.h"
#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra {

struct SceneOptions {
  std::uint64_t texture_cache_bytes = std::uint64_t{1} << 30;
};

class Scene {
 public:
  /// `description` is in the world frame (to_world() applied). Throws Error when nothing can be traced or
  /// memory does not suffice. Undecodable textures are warned of.
  Scene(SceneDescription description, const SceneOptions& options, Diagnostics& diagnostics);
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  const SceneDescription& description() const;
  /// True when something emits: a light, an emissive surface, an environment.
  bool has_light() const;

  /// What a probing ray meets first, opacity below 0.5 passed.
  struct Probe {
    float distance_m;
    int object;          ///< index into description().objects
    std::uint32_t triangle;
    Vec3 normal;         ///< unit geometric normal, turned to the ray's origin
    bool back_side;      ///< the ray came from behind the surface
    bool glass;          ///< the surface transmits
  };
  std::optional<Probe> probe(Vec3d origin, Vec3d direction) const;

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace simulacra
