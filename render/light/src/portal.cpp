// SPDX-License-Identifier: Apache-2.0
#include "render/light/portal.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace simulacra {
namespace {

/// A rectangle projected onto the unit sphere around a point (Ureña et al. 2013, "An Area-Preserving
/// Parametrization for Spherical Rectangles"). Coordinates along the edges, z away from the viewer's side.
class SphericalRectangle {
 public:
  SphericalRectangle(const Portal& portal, Vec3d point) {
    const double width = length(portal.edge_u), height = length(portal.edge_v);
    x_ = portal.edge_u / width;
    y_ = portal.edge_v / height;
    z_ = cross(x_, y_);
    const Vec3d d = portal.corner - point;
    x0_ = dot(d, x_), y0_ = dot(d, y_), z0_ = dot(d, z_);
    if (z0_ > 0) z_ = -z_, z0_ = -z0_;
    x1_ = x0_ + width, y1_ = y0_ + height;
    // Normals of the planes through the point and each edge.
    const auto edge_normal = [](Vec3d a, Vec3d b) { return normalize(cross(a, b)); };
    const Vec3d v00{x0_, y0_, z0_}, v01{x0_, y1_, z0_}, v10{x1_, y0_, z0_}, v11{x1_, y1_, z0_};
    const Vec3d n0 = edge_normal(v00, v10), n1 = edge_normal(v10, v11), n2 = edge_normal(v11, v01), n3 = edge_normal(v01, v00);
    const auto angle = [](Vec3d a, Vec3d b) { return std::acos(std::clamp(-dot(a, b), -1.0, 1.0)); };
    b0_ = n0.z, b1_ = n2.z;
    k_ = 2 * kPiD - angle(n2, n3) - angle(n3, n0);
    solid_angle_ = angle(n0, n1) + angle(n1, n2) - k_;
  }

  /// NaN or tiny when the point lies in the rectangle's plane.
  double solid_angle() const { return solid_angle_; }
  bool usable() const { return solid_angle_ > 1e-9 && -z0_ > 1e-9 * std::max(x1_ - x0_, y1_ - y0_); }

  Vec3 direction(Vec2 u) const {
    const double au = static_cast<double>(u.x) * solid_angle_ + k_;
    const double fu = (std::cos(au) * b0_ - b1_) / std::sin(au);
    const double cu = std::clamp(std::copysign(1 / std::sqrt(fu * fu + b0_ * b0_), fu), -1 + 1e-12, 1 - 1e-12);
    const double xu = std::clamp(-(cu * z0_) / std::sqrt(1 - cu * cu), x0_, x1_);
    const double d = std::sqrt(xu * xu + z0_ * z0_);
    const double h0 = y0_ / std::sqrt(d * d + y0_ * y0_), h1 = y1_ / std::sqrt(d * d + y1_ * y1_);
    const double hv = h0 + static_cast<double>(u.y) * (h1 - h0), hv2 = hv * hv;
    const double yv = hv2 < 1 - 1e-12 ? std::clamp(hv * d / std::sqrt(1 - hv2), y0_, y1_) : y1_;
    return Vec3(normalize(x_ * xu + y_ * yv + z_ * z0_));
  }

 private:
  Vec3d x_, y_, z_;
  double x0_, y0_, z0_, x1_, y1_, b0_, b1_, k_, solid_angle_;
};

/// Roughly the solid angle, without trigonometry: how eagerly a portal is chosen.
double eagerness(const Portal& p, Vec3d point) {
  const Vec3d n = cross(p.edge_u, p.edge_v);
  const double area = length(n);
  const Vec3d d = p.corner + (p.edge_u + p.edge_v) * 0.5 - point;
  const double d2 = dot(d, d) + 0.25 * area;
  return std::abs(dot(n, d)) / (d2 * std::sqrt(d2)) + 1e-3 * area / d2;
}

// ---- finding them

struct Plane {
  Vec3d normal;
  double offset = 0;
  std::vector<Vec3d> corners;
  double area = 0;
};

bool is_pane_material(const MaterialSet& materials, int material) {
  return material >= 0 && materials.transmits(material) && materials.may_pass_straight(material) &&
         materials.always_opaque(material);
}

/// Triangles of panes, by the planes they lie in (2° and 2 % of the scene's size apart at most).
std::vector<Plane> planes_of_panes(const SceneDescription& scene, const MaterialSet& materials) {
  std::vector<Plane> planes;
  const Vec3d size = world_box(scene).size();
  const double tolerance = 0.02 * std::max({size.x, size.y, size.z});
  for (const ObjectDescription& o : scene.objects) {
    if (o.mesh < 0 || !is_pane_material(materials, o.material)) continue;
    const MeshDescription& mesh = scene.meshes[static_cast<std::size_t>(o.mesh)];
    if (mesh.triangles.size() > 100000) continue;  // a glass sculpture, no window
    for (const Triangle& t : mesh.triangles) {
      std::array<Vec3d, 3> p;
      for (std::size_t i = 0; i < 3; ++i) p[i] = o.world_from_object.point(Vec3d(mesh.positions[t[i]]));
      const Vec3d n = cross(p[1] - p[0], p[2] - p[0]);
      const double area = 0.5 * length(n);
      if (!(area > 0)) continue;
      const Vec3d unit = n / (2 * area);
      auto plane = std::find_if(planes.begin(), planes.end(), [&](const Plane& q) {
        const double c = dot(q.normal, unit);
        return std::abs(c) > 0.9994 && std::abs(dot(q.normal, p[0]) - q.offset) < tolerance;
      });
      if (plane == planes.end()) {
        if (planes.size() >= 256) continue;
        planes.push_back({unit, dot(unit, p[0]), {}, 0});
        plane = std::prev(planes.end());
      }
      plane->corners.insert(plane->corners.end(), p.begin(), p.end());
      plane->area += area;
    }
  }
  return planes;
}

Portal rectangle_around(const Plane& plane) {
  const Vec3d n = plane.normal;
  const Vec3d up = std::abs(n.z) < 0.9 ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
  const Vec3d x = normalize(cross(up, n)), y = cross(n, x);
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
  for (const Vec3d& c : plane.corners) {
    x0 = std::min(x0, dot(c, x)), x1 = std::max(x1, dot(c, x));
    y0 = std::min(y0, dot(c, y)), y1 = std::max(y1, dot(c, y));
  }
  return {x * x0 + y * y0 + n * plane.offset, x * (x1 - x0), y * (y1 - y0)};
}

}  // namespace

std::vector<Portal> find_portals(const SceneDescription& scene, const MaterialSet& materials, std::size_t max_portals) {
  std::vector<Plane> planes = planes_of_panes(scene, materials);
  std::stable_sort(planes.begin(), planes.end(), [](const Plane& a, const Plane& b) { return a.area > b.area; });
  std::vector<Portal> portals;
  for (const Plane& plane : planes) {
    const Portal p = rectangle_around(plane);
    const double area = length(cross(p.edge_u, p.edge_v));
    // The rims of panes, and scattered slivers in one plane, make no windows.
    if (!(area > 0) || plane.area < 0.05 * area || plane.area < 0.02 * planes.front().area) continue;
    portals.push_back(p);
    if (portals.size() == max_portals) break;
  }
  return portals;
}

std::optional<Vec3> PortalSet::sample(Vec3 point, float u_choice, Vec2 u) const {
  const Vec3d at(point);
  double total = 0;
  for (const Portal& p : portals_) total += eagerness(p, at);
  double target = static_cast<double>(u_choice) * total;
  const Portal* chosen = nullptr;
  for (const Portal& p : portals_) {
    chosen = &p;
    target -= eagerness(p, at);
    if (target < 0) break;
  }
  if (chosen == nullptr) return std::nullopt;
  const SphericalRectangle rectangle(*chosen, at);
  if (!rectangle.usable()) return std::nullopt;
  return rectangle.direction(u);
}

float PortalSet::pdf(Vec3 point, Vec3 direction) const {
  const Vec3d at(point), w(direction);
  double total = 0, sum = 0;
  for (const Portal& p : portals_) {
    const double e = eagerness(p, at);
    total += e;
    // The cheap test first: most directions miss most portals.
    const Vec3d n = cross(p.edge_u, p.edge_v);
    const double along = dot(n, w), away = dot(n, p.corner - at);
    if (!(along * away > 0)) continue;
    const Vec3d hit = at + w * (away / along) - p.corner;
    const double a = dot(hit, p.edge_u), b = dot(hit, p.edge_v);
    if (a < 0 || b < 0 || a > dot(p.edge_u, p.edge_u) || b > dot(p.edge_v, p.edge_v)) continue;
    const SphericalRectangle rectangle(p, at);
    if (rectangle.usable()) sum += e / rectangle.solid_angle();
  }
  return total > 0 ? static_cast<float>(sum / total) : 0;
}

}  // namespace simulacra
