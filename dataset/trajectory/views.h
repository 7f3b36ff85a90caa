// SPDX-License-Identifier: Apache-2.0
// Where to look from. World frame: z up, metres.
//
// Views come from a list of poses in the configuration, from the scene file's cameras, or from a sampler that
// stands at the height of a person, keeps a distance to everything, and looks at furniture. Where more frames are
// asked for than a camera has poses, the rest are small seeded variations of those poses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/schema/pose.h"
#include "render/config/config.h"
#include "render/description/description.h"

namespace simulacra {

/// What a ray meets first. `direction` need not be unit; distances are in metres.
struct ProbeHit {
  double distance_m = 0;
  int object = -1;             ///< index into the scene's objects
  bool back_side = false;
  bool glass = false;
};
using ViewProbe = std::function<std::optional<ProbeHit>(Vec3d origin, Vec3d direction)>;

/// A pose from the configuration.
struct PoseOptions {
  std::vector<double> position, look_at;   ///< x y z; both are needed
  int camera = 0;              ///< which of the scene's cameras it belongs to
};
void fields(config::Fields& f, PoseOptions& o);

struct ViewOptions {
  int count = 1;               ///< cameras per scene
  int frames = 10;             ///< per camera
  std::string from = "auto";   ///< auto: poses if there are any, else the scene's cameras, else the sampler
  std::vector<PoseOptions> poses;
  double fov_x_deg = 60;
  // sampler
  double min_height_m = 1.2, max_height_m = 1.8;   ///< of the eye above the floor; lower in low spaces
  double clearance_m = 0.3;                        ///< to the nearest surface, in any direction
  double roll_deg = 0;                             ///< largest
  int attempts = 400;                              ///< per view, before giving up
  // variations of given poses
  double variation_m = 0.25, variation_deg = 8;    ///< largest
  // limits of the content of a view, shares of the image in 0..1
  double max_empty_share = 0.02;
  double max_object_share = 0.85;
  double min_depth_range_m = 0.6;
  int min_objects = 3;
};
void fields(config::Fields& f, ViewOptions& o);
/// Throws UsageError for options that cannot make views, whatever the scene.
void check_view_options(const ViewOptions& o);

/// Cheap facts about a view, from a grid of rays.
struct ViewContent {
  double empty_share = 0;      ///< rays that meet nothing
  double near_share = 0;       ///< rays that meet something nearer than 0.1 m
  double largest_share = 0;    ///< of one object
  double depth_range_m = 0;    ///< 0 when nothing is met
  double median_m = 0;         ///< distance
  int objects = 0;             ///< that cover at least two rays
  int furniture = 0;           ///< of them, those with an instance
};
ViewContent look(const SceneDescription& scene, const ViewProbe& probe, const Affine3d& world_from_cam,
                 double fov_x_rad, double aspect);

/// Why a view was turned down. Counted, for the message when too few are found.
enum class Rejection : std::uint8_t {
  no_floor, outside, too_close, inside_geometry, blocked, blank, emptiness, flat, refused, upside_down
};
std::string_view name_of(Rejection reason);
using RejectionCounts = std::map<Rejection, int>;

/// A last judgement from outside (a small rendering); a reason, or nothing when the view is fine.
using ViewJudge = std::function<std::optional<Rejection>(const Affine3d& world_from_cam)>;

struct ViewRequest {
  const SceneDescription& scene;
  ViewProbe probe;
  ViewOptions options;
  double aspect = 4.0 / 3;     ///< width / height
  std::uint64_t seed = 0;
  ViewJudge judge;             ///< may be empty
};

/// options.frames poses for each of options.count cameras. A function of the request alone. Throws UsageError for
/// options that make no views (poses of a camera that is not asked for, `from: scene` without cameras) and Error with the
/// counts of rejections when the sampler finds too few.
std::vector<std::vector<Pose>> make_views(const ViewRequest& request);

/// Upright rigid pose at `eye` that looks at `target`, turned by `roll_rad` about its axis.
Affine3d looking_at(Vec3d eye, Vec3d target, double roll_rad = 0);

}  // namespace simulacra
