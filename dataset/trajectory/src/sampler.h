// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "dataset/trajectory/src/limits.h"
#include "dataset/trajectory/src/random.h"
#include "dataset/trajectory/views.h"

namespace simulacra {

/// Finds views inside of rooms.
class ViewSampler {
 public:
  explicit ViewSampler(const ViewRequest& request);

  /// One view, the best of a few that keep all limits; nothing when options.attempts were all turned down.
  std::optional<Pose> find(Random& random);
  const RejectionCounts& rejections() const { return rejections_; }

 private:
  std::optional<Vec3d> draw_position(Random& random);
  Vec3d draw_target(Random& random, Vec3d eye) const;
  void reject(Rejection reason) { ++rejections_[reason]; }

  struct Target {
    Box3d box;
    double weight;
  };
  const ViewRequest& request_;
  Box3d box_;
  double clearance_m_;
  bool has_floor_;
  std::vector<Target> targets_;
  RejectionCounts rejections_;
};

/// Size by which distances are scaled in small scenes: the least of height and the footprint's sides. Metres.
double scene_size(const Box3d& box);

}  // namespace simulacra
