// SPDX-License-Identifier: Apache-2.0
// Depth, position and normals against the camera, and instances against their boxes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "dataset/audit/src/frame_images.h"

namespace simulacra::auditing {
namespace {


/// Position seen from the camera, for all checks of a pixel.
struct View {
  Vec3d offset;          ///< position - eye, world
  double distance = 0;
  double blur = 0;       ///< farthest that rounding can have moved the point
  bool ok = false;       ///< a finite point away from the camera
};

View view_of(const FrameImages& f, std::size_t p) {
  const Image& position = *f.get(Label::position);
  View v{position.vec(p) - *f.eye, 0, 0, position.finite(p)};
  v.distance = length(v.offset);
  v.ok = v.ok && v.distance > 0;
  v.blur = blur_of(position, p);
  return v;
}

/// Angle that one pixel spans outwards from the image center.
double pixel_angle(const FrameImages& f, std::size_t p) {
  const double focal = static_cast<double>(f.width) / (2 * std::abs((*f.cam_from_uv)(0, 0) / (*f.cam_from_uv)(2, 2)));
  return f.rays[p].z * f.rays[p].z / focal;
}
/// What a ray may miss its pixel center by.
double nudge_of(const FrameImages& f, std::size_t p) { return std::min(1e-3, 0.25 * pixel_angle(f, p)); }

std::string text_of(Vec3d v) { return fmt::format("{:.5g} {:.5g} {:.5g}", v.x, v.y, v.z); }

void judge_depth(const FrameImages& f, double scale, Findings& to) {
  const Image& depth = *f.get(Label::depth_meters);
  const auto gap = [&](std::size_t p, const View& v) { return std::abs(depth.at(p) - scale * v.distance); };
  const auto allow = [&](std::size_t p, const View& v) { return depth.step(p) + scale * v.blur; };
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const View v = view_of(f, p);
    if (v.ok && depth.finite(p) && !(gap(p, v) <= allow(p, v))) bad.add(p, gap(p, v));
  }
  to.pixels("F5.depth", f.path(Label::depth_meters), bad, f.width, f.pixels(), "meters_per_asset_unit * |position - camera| within rounding",
            [&](std::size_t p) {
              const View v = view_of(f, p);
              return fmt::format("{:.5g} m against {:.5g} m (allowed {:.2g})", depth.at(p), scale * v.distance, allow(p, v));
            });
}

void judge_rays(const FrameImages& f, Findings& to) {
  const auto off = [&](std::size_t p, const View& v) { return length(v.offset / v.distance - *f.world_from_cam * f.rays[p]); };
  const auto allow = [&](std::size_t p, const View& v) { return nudge_of(f, p) + 1.01 * v.blur / v.distance + 1e-6; };
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const View v = view_of(f, p);
    if (v.ok && !(off(p, v) <= allow(p, v))) bad.add(p, off(p, v));
  }
  to.pixels("F6.ray", f.path(Label::position), bad, f.width, f.pixels(), "on the ray of the pixel center", [&](std::size_t p) {
    const View v = view_of(f, p);
    return fmt::format("{:.5f} rad beside it, {:.2f} pixels (allowed {:.5f} rad)", off(p, v), off(p, v) / pixel_angle(f, p), allow(p, v));
  });
}

void judge_shift(const FrameImages& f, Findings& to) {
  const Mat3d uv_from_world = inverse(*f.cam_from_uv) * transpose(*f.world_from_cam);
  double x = 0, y = 0, bounds = 0;
  std::size_t used = 0;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const View v = view_of(f, p);
    const double bound = v.blur / v.distance / pixel_angle(f, p);
    const Vec3d uv = uv_from_world * v.offset;
    const double px = (uv.x / uv.z + 1) * static_cast<double>(f.width) / 2 - 0.5 - static_cast<double>(f.shown[p] % f.width);
    const double py = (1 - uv.y / uv.z) * static_cast<double>(f.height) / 2 - 0.5 - static_cast<double>(f.shown[p] / f.width);
    if (!v.ok || !std::isfinite(px) || !std::isfinite(py) || !(bound < 0.2)) continue;
    x += px, y += py, bounds += bound;
    ++used;
  }
  if (used < 100) return to.none("F6.centre");
  const double n = static_cast<double>(used), allow = 0.05 + bounds / n;
  to.test("F6.centre", f.path(Label::position), std::max(std::abs(x / n), std::abs(y / n)) <= allow,
          fmt::format("mean offset below {:.2f} pixels", allow), [&] { return fmt::format("{:.3f} pixels in x, {:.3f} in y", x / n, y / n); });
}

void judge_unproject(const FrameImages& f, double scale, Findings& to) {
  const Image &depth = *f.get(Label::depth_meters), &position = *f.get(Label::position);
  const double away = length(*f.eye);
  const auto point = [&](std::size_t p) { return *f.eye + *f.world_from_cam * f.rays[p] * (depth.at(p) / scale); };
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    if (!position.finite(p) || !depth.finite(p) || length(position.vec(p) - *f.eye) <= 0) continue;
    const Vec3d ray = *f.world_from_cam * f.rays[p], gap = point(p) - position.vec(p), step = position.steps(p);
    const double reach = depth.at(p) / scale, depth_step = depth.step(p) / scale;
    const double slack = nudge_of(f, p) * reach + 1e-6 * (reach + away);
    bool inside = true;
    for (std::size_t k = 0; k < 3; ++k)
      inside = inside && std::abs(gap[k]) <= std::abs(ray[k]) * depth_step + step[k] / 2 + slack;
    if (!inside) bad.add(p, std::max({std::abs(gap.x), std::abs(gap.y), std::abs(gap.z)}));
  }
  to.pixels("F6.unproject", f.path(Label::depth_meters), bad, f.width, f.pixels(), "camera + depth * ray = position",
            [&](std::size_t p) { return text_of(point(p)) + " against " + position.text(p); });
}

bool is_plain(const FrameImages& f) {
  const Mat3d plain = pinhole({static_cast<int>(f.width), static_cast<int>(f.height)});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (!(std::abs((*f.cam_from_uv)(i, j) - plain(i, j)) <= 1e-4)) return false;
  return true;
}

/// The formula that many readers use: 886.81 pixels at a width of 1024.
void judge_planar(const FrameImages& f, double scale, Findings& to) {
  const Image& depth = *f.get(Label::depth_meters);
  const double focal = 886.81 * static_cast<double>(f.width) / 1024;
  const auto flat = [&](std::size_t p) {
    const double x = static_cast<double>(f.shown[p] % f.width) + 0.5 - static_cast<double>(f.width) / 2;
    const double y = static_cast<double>(f.shown[p] / f.width) + 0.5 - static_cast<double>(f.height) / 2;
    return depth.at(p) * focal / std::sqrt(x * x + y * y + focal * focal);
  };
  const auto want = [&](const View& v) { return -scale * dot(f.world_from_cam->column(2), v.offset); };
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const View v = view_of(f, p);
    if (!v.ok || !depth.finite(p)) continue;
    // Without rays of the lens there is no pose, and this check is not made: rays are there.
    const double allow = depth.step(p) + scale * v.blur + scale * v.distance * nudge_of(f, p);
    const double gap = std::abs(flat(p) - want(v));
    if (!(gap <= allow)) bad.add(p, gap);
  }
  to.pixels("F6.planar", f.path(Label::depth_meters), bad, f.width, f.pixels(), "planar depth = -z in the camera frame",
            [&](std::size_t p) { return fmt::format("{:.5g} m against {:.5g} m", flat(p), want(view_of(f, p))); });
}

void judge_step(const FrameImages& f, double scale, Findings& to) {
  const Image &position = *f.get(Label::position), *depth = f.get(Label::depth_meters);
  std::vector<double> steps;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    if (!position.finite(p) || (depth && !(depth->at(p) < 20))) continue;
    const Vec3d s = position.steps(p);
    steps.push_back(scale * std::max({s.x, s.y, s.z}));
  }
  const double fine = steps.empty() ? 0 : percentile(steps, 95);
  to.test("F14.step", f.path(Label::position), fine <= 0.035, "float16 steps up to 0.035 m",
          [&] { return fmt::format("{:.3f} m: the world origin is far from this room", fine); });
}

void judge_unit_normals(const FrameImages& f, Label label, Findings& to) {
  const Image& n = *f.get(label);
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const double gap = std::abs(length(n.vec(p)) - 1);
    if (n.finite(p) && !(gap <= 2e-3)) bad.add(p, gap);
  }
  to.pixels("F7.unit", f.path(label), bad, f.width, f.pixels(), "length 1 within 0.002",
            [&](std::size_t p) { return fmt::format("{}, length {:.5f}", n.text(p), length(n.vec(p))); });
}

void judge_facing(const FrameImages& f, Label label, Findings& to) {
  const Image &n = *f.get(label), *position = f.get(Label::position);
  const bool by_points = position && f.eye, in_camera = spec(label).space == Space::camera;
  if ((!by_points && f.rays.empty()) || (in_camera && !f.world_from_cam)) return to.none("F7.facing");
  const auto cosine = [&](std::size_t p, double& slack) {
    Vec3d view = by_points ? *f.eye - position->vec(p) : -(*f.world_from_cam * f.rays[p]);
    slack = 0;
    if (by_points) {
      const double distance = length(view);
      view = view / distance;
      slack = blur_of(*position, p) / distance;
    }
    if (in_camera) view = transpose(*f.world_from_cam) * view;
    return dot(n.vec(p), view);
  };
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    double slack = 0;
    const double c = cosine(p, slack);
    if (n.finite(p) && c < -1e-3 - 1.01 * slack) bad.add(p, -c);
  }
  to.pixels("F7.facing", f.path(label), bad, f.width, f.pixels(), "n . (camera - p) >= -0.001", [&](std::size_t p) {
    double slack = 0;
    return fmt::format("cosine {:.4f}", cosine(p, slack));
  });
}

void judge_camera_normals(const FrameImages& f, Label world, Label cam, Findings& to) {
  const Image *a = f.get(world), *b = f.get(cam);
  if (!a || !b || !f.world_from_cam) return to.none("F7.camera");
  const Mat3d cam_from_world = transpose(*f.world_from_cam);
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    if (!a->finite(p) || !b->finite(p)) continue;
    const Vec3d d = cam_from_world * a->vec(p) - b->vec(p);
    const double gap = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    if (!(gap <= 1e-3)) bad.add(p, gap);
  }
  to.pixels("F7.camera", f.path(cam), bad, f.width, f.pixels(), fmt::format("R^T {} within 0.001", spec(world).name),
            [&](std::size_t p) { return b->text(p) + " against " + text_of(cam_from_world * a->vec(p)); });
}

/// Instances that the frame may show in part only: at its border, or behind something nearer.
std::set<int> partly_hidden(const FrameImages& f) {
  const Image &ids = *f.get(Label::semantic_instance), &position = *f.get(Label::position);
  const double pixel = 2 * std::tan(kPiD / 6) / static_cast<double>(f.width);
  std::set<int> partial;
  std::vector<double> reach(f.pixels());
  for (std::size_t p = 0; p < f.pixels(); ++p)
    reach[p] = position.finite(p) ? length(position.vec(p) - *f.eye) : std::nan("");
  const auto look = [&](std::size_t one, std::size_t two) {
    if (ids.i[one] != ids.i[two] && reach[two] < reach[one] * (1 - 4 * pixel)) partial.insert(ids.i[one]);
  };
  for (std::size_t r = 0; r < f.height; ++r)
    for (std::size_t c = 0; c < f.width; ++c) {
      const std::size_t p = r * f.width + c;
      if (r == 0 || c == 0 || r + 1 == f.height || c + 1 == f.width) partial.insert(ids.i[p]);
      if (c + 1 < f.width) look(p, p + 1), look(p + 1, p);
      if (r + 1 < f.height) look(p, p + f.width), look(p + f.width, p);
    }
  return partial;
}

struct SeenFrame {
  std::vector<SeenBox> rows;
  std::vector<double> distance;
};

SeenFrame see(const Boxes& boxes, const FrameImages& f) {
  const Image &ids = *f.get(Label::semantic_instance), &position = *f.get(Label::position);
  SeenFrame seen{std::vector<SeenBox>(boxes.proper.size()), std::vector<double>(boxes.proper.size())};
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const int id = ids.i[p];
    if (id <= 0 || id >= static_cast<int>(boxes.proper.size()) || !position.finite(p)) continue;
    const auto i = static_cast<std::size_t>(id);
    if (!boxes.proper[i]) continue;
    const Mat3d& turn = boxes.world_from_box[i];
    const Vec3d q = position.vec(p), local = transpose(turn) * (q - boxes.position[i]), half = position.steps(p) / 2;
    SeenBox& s = seen.rows[i];
    for (std::size_t k = 0; k < 3; ++k) {
      const double slack = half.x * std::abs(turn(0, k)) + half.y * std::abs(turn(1, k)) + half.z * std::abs(turn(2, k)) +
                           1e-4 * boxes.extent[i][k] + 1e-9;
      s.excess = std::max(s.excess, std::abs(local[k]) - boxes.extent[i][k] / 2 - slack);
    }
    s.low = min(s.low, local), s.high = max(s.high, local);
    ++s.count;
    seen.distance[i] += length(q - *f.eye);
  }
  return seen;
}

}  // namespace

void judge_geometry(const SceneFacts& scene, const FrameImages& f, Findings& to) {
  const Image *depth = f.get(Label::depth_meters), *position = f.get(Label::position);
  const bool placed = position && f.eye, scaled = scene.meters_per_unit.has_value();
  const double scale = scene.meters_per_unit.value_or(1);
  if (depth && placed && scaled) judge_depth(f, scale, to);
  else to.none("F5.depth");
  if (placed && !f.rays.empty()) {
    judge_rays(f, to);
    judge_shift(f, to);
    if (depth && scaled) judge_unproject(f, scale, to);
    else to.none("F6.unproject");
  } else {
    to.none("F6.ray", "F6.unproject", "F6.centre");
  }
  if (depth && placed && scaled && !f.rays.empty() && is_plain(f)) judge_planar(f, scale, to);
  else to.none("F6.planar");
  if (position && scaled) judge_step(f, scale, to);
  else to.none("F14.step");
}

void judge_normals(const FrameImages& f, Findings& to) {
  bool any = false;
  for (const Label label : {Label::normal_world, Label::normal_bump_world, Label::normal_cam, Label::normal_bump_cam}) {
    if (!f.get(label)) continue;
    any = true;
    judge_unit_normals(f, label, to);
    judge_facing(f, label, to);
  }
  if (!any) return to.none("F7.unit", "F7.facing", "F7.camera");
  judge_camera_normals(f, Label::normal_world, Label::normal_cam, to);
  judge_camera_normals(f, Label::normal_bump_world, Label::normal_bump_cam, to);
}

void see_boxes(SceneFacts& scene, const FrameImages& f) {
  if (!f.get(Label::position) || !f.get(Label::semantic_instance) || !f.eye) return;
  const double pixel = 2 * std::tan(kPiD / 6) / static_cast<double>(f.width);
  const std::set<int> partial = partly_hidden(f);
  for (std::size_t b = 0; b < scene.boxes.size(); ++b) {
    const Boxes& boxes = scene.boxes[b];
    SeenFrame seen = see(boxes, f);
    for (std::size_t i = 0; i < seen.rows.size(); ++i) {
      SeenBox& s = seen.rows[i];
      if (s.count < 50 || partial.contains(static_cast<int>(i))) continue;
      const Vec3d eye = transpose(boxes.world_from_box[i]) * (*f.eye - boxes.position[i]);
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t side = 0; side < 2; ++side)
          if ((side == 0 ? -eye[k] : eye[k]) > boxes.extent[i][k] / 2 * 1.05 + 1e-9)
            s.foot[k][side] = seen.distance[i] / static_cast<double>(s.count) * pixel;
    }
    const std::lock_guard guard(scene.lock);
    for (std::size_t i = 0; i < seen.rows.size(); ++i) {
      SeenBox& all = scene.seen[b][i];
      const SeenBox& s = seen.rows[i];
      all.low = min(all.low, s.low), all.high = max(all.high, s.high);
      all.excess = std::max(all.excess, s.excess);
      all.count += s.count;
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t side = 0; side < 2; ++side) all.foot[k][side] = std::min(all.foot[k][side], s.foot[k][side]);
    }
  }
}

}  // namespace simulacra::auditing
