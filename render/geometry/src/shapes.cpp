// SPDX-License-Identifier: Apache-2.0
#include "render/geometry/shapes.h"

#include <cmath>
#include <cstdint>

#include "render/base/error.h"

namespace simulacra {
namespace {

Vec3 on_circle(int i, int segments, double radius, double z) {
  // The last point is the first one again, to the bit: the seam must not gape.
  const double phi = 2 * kPiD * (i == segments ? 0 : i) / segments;
  return Vec3(Vec3d{radius * std::cos(phi), radius * std::sin(phi), z});
}

float share(int i, int count) { return static_cast<float>(static_cast<double>(i) / count); }

void add_quad(MeshDescription& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  mesh.triangles.push_back({a, b, c});
  mesh.triangles.push_back({a, c, d});
}

/// A face of the cube: its normal and the first corner's two directions, in the order of the uv corners
/// (0,1), (1,1), (1,0), (0,0).
struct CubeFace {
  Vec3 normal;
  Vec3 corners[4];
};

constexpr CubeFace kCubeFaces[6] = {
    {{0, -1, 0}, {{1, -1, -1}, {1, -1, 1}, {-1, -1, 1}, {-1, -1, -1}}},
    {{0, 1, 0}, {{1, 1, -1}, {-1, 1, -1}, {-1, 1, 1}, {1, 1, 1}}},
    {{1, 0, 0}, {{1, -1, -1}, {1, 1, -1}, {1, 1, 1}, {1, -1, 1}}},
    {{0, 0, 1}, {{1, -1, 1}, {1, 1, 1}, {-1, 1, 1}, {-1, -1, 1}}},
    {{-1, 0, 0}, {{-1, -1, 1}, {-1, 1, 1}, {-1, 1, -1}, {-1, -1, -1}}},
    {{0, 0, -1}, {{1, 1, -1}, {1, -1, -1}, {-1, -1, -1}, {-1, 1, -1}}},
};

}  // namespace

MeshDescription tessellate_rectangle() {
  MeshDescription mesh;
  mesh.name = "rectangle";
  mesh.positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  mesh.normals.assign(4, {0, 0, 1});
  mesh.uv[0] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  add_quad(mesh, 0, 1, 2, 3);
  return mesh;
}

MeshDescription tessellate_box(Vec3 lo, Vec3 hi) {
  SIM_CHECK(lo.x < hi.x && lo.y < hi.y && lo.z < hi.z);
  MeshDescription mesh;
  mesh.name = "cube";
  const Vec2 uv[4] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (const CubeFace& face : kCubeFaces) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3 c = face.corners[i];
      mesh.positions.push_back({c.x < 0 ? lo.x : hi.x, c.y < 0 ? lo.y : hi.y, c.z < 0 ? lo.z : hi.z});
      mesh.normals.push_back(face.normal);
      mesh.uv[0].push_back(uv[i]);
    }
    add_quad(mesh, first, first + 1, first + 2, first + 3);
  }
  return mesh;
}

MeshDescription tessellate_cube() { return tessellate_box({-1, -1, -1}, {1, 1, 1}); }

MeshDescription tessellate_disk(int segments) {
  SIM_CHECK(segments >= 3);
  MeshDescription mesh;
  mesh.name = "disk";
  for (int i = 0; i <= segments; ++i) {
    // One center vertex a segment: the angle there is the segment's, not the mean of all.
    mesh.positions.push_back({0, 0, 0});
    mesh.uv[0].push_back({0, static_cast<float>((i + 0.5) / segments)});
    mesh.positions.push_back(on_circle(i, segments, 1, 0));
    mesh.uv[0].push_back({1, share(i, segments)});
  }
  mesh.normals.assign(mesh.positions.size(), {0, 0, 1});
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(segments); ++i)
    mesh.triangles.push_back({2 * i, 2 * i + 1, 2 * i + 3});
  return mesh;
}

MeshDescription tessellate_cylinder(int segments) {
  SIM_CHECK(segments >= 3);
  MeshDescription mesh;
  mesh.name = "cylinder";
  for (int i = 0; i <= segments; ++i)
    for (int end = 0; end < 2; ++end) {
      mesh.positions.push_back(on_circle(i, segments, 1, end));
      mesh.normals.push_back(on_circle(i, segments, 1, 0));
      mesh.uv[0].push_back({share(i, segments), static_cast<float>(end)});
    }
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(segments); ++i)
    add_quad(mesh, 2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1);
  return mesh;
}

Affine3d cylinder_transform(Vec3d p0, Vec3d p1, double radius) {
  const Vec3d axis = p1 - p0;
  const Vec3d n = normalize(axis);
  const double sign = std::copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  const Vec3d x{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
  const Vec3d y{b, sign + n.y * n.y * a, -n.y};
  return {Mat3d::from_columns(x * radius, y * radius, axis), p0};
}

MeshDescription tessellate_sphere(int segments, int rings) {
  SIM_CHECK(segments >= 3 && rings >= 2);
  MeshDescription mesh;
  mesh.name = "sphere";
  for (int r = 0; r <= rings; ++r) {
    const double theta = kPiD * r / rings;
    const bool pole = r == 0 || r == rings;
    for (int i = 0; i <= segments; ++i) {
      const double z = r == 0 ? 1.0 : r == rings ? -1.0 : std::cos(theta);
      mesh.positions.push_back(on_circle(i, segments, pole ? 0.0 : std::sin(theta), z));
      mesh.uv[0].push_back({pole ? static_cast<float>((i + 0.5) / segments) : share(i, segments), share(r, rings)});
    }
  }
  for (const Vec3 p : mesh.positions) mesh.normals.push_back(Vec3(normalize(Vec3d(p))));
  const auto row = static_cast<std::uint32_t>(segments + 1);
  for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(rings); ++r)
    for (std::uint32_t i = 0; i + 1 < row; ++i) {
      const std::uint32_t upper = r * row + i, lower = upper + row;
      if (r + 1 < static_cast<std::uint32_t>(rings)) mesh.triangles.push_back({upper, lower, lower + 1});
      else mesh.triangles.push_back({upper, lower, upper + 1});
      if (r > 0 && r + 1 < static_cast<std::uint32_t>(rings)) mesh.triangles.push_back({upper, lower + 1, upper + 1});
    }
  return mesh;
}

}  // namespace simulacra
