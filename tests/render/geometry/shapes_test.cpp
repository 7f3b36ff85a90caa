// SPDX-License-Identifier: Apache-2.0
#include "render/geometry/shapes.h"

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "render/geometry/mesh.h"

namespace simulacra {
namespace {

std::map<std::string, MeshDescription> all_shapes() {
  return {{"rectangle", tessellate_rectangle()}, {"cube", tessellate_cube()},
          {"box", tessellate_box({1, 2, 3}, {2, 4, 6})}, {"disk", tessellate_disk()},
          {"cylinder", tessellate_cylinder()}, {"sphere", tessellate_sphere()}};
}

TEST(Shapes, AreCompleteAndTheirWindingAgreesWithTheirNormals) {
  for (auto& [name, mesh] : all_shapes()) {
    EXPECT_EQ(check_mesh(mesh, name), 0u) << name;
    EXPECT_EQ(mesh.normals.size(), mesh.positions.size()) << name;
    EXPECT_EQ(mesh.uv[0].size(), mesh.positions.size()) << name;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto c = triangle_corners(mesh, t);
      EXPECT_GT(triangle_area(Vec3d(c[0]), Vec3d(c[1]), Vec3d(c[2])), 0) << name << " triangle " << t;
    }
    EXPECT_EQ(wind_by_normals(mesh), 0u) << name;
  }
}

TEST(Shapes, HaveTheAreaOfTheExactShapes) {
  // An inscribed polygon of n corners lacks (2π/n)²/6 of a disk's area.
  const double lack = std::pow(2 * kPiD / 256, 2) / 6;
  EXPECT_DOUBLE_EQ(surface_area(tessellate_rectangle(), {}), 4);
  EXPECT_DOUBLE_EQ(surface_area(tessellate_cube(), {}), 24);
  EXPECT_DOUBLE_EQ(surface_area(tessellate_box({1, 2, 3}, {2, 4, 6}), {}), 2 * (2 + 3 + 6));
  EXPECT_NEAR(surface_area(tessellate_disk(), {}) / kPiD, 1 - lack, 1e-6);
  EXPECT_NEAR(surface_area(tessellate_cylinder(), {}) / (2 * kPiD), 1 - lack / 4, 1e-6);
  EXPECT_NEAR(surface_area(tessellate_sphere(), {}) / (4 * kPiD), 1, 1e-3);
}

TEST(Shapes, ShareEachInnerEdgeWithOneNeighbour) {
  for (const auto& [name, mesh] : all_shapes()) {
    if (name == "rectangle" || name == "disk" || name == "cylinder") continue;  // these have a rim
    using Corner = std::tuple<float, float, float>;
    std::map<std::pair<Corner, Corner>, int> edges;
    const auto corner = [&m = mesh](std::uint32_t v) {
      const Vec3 p = m.positions[v] + Vec3{};  // -0 becomes 0
      return Corner{p.x, p.y, p.z};
    };
    for (const Triangle& t : mesh.triangles)
      for (std::size_t i = 0; i < 3; ++i) ++edges[{corner(t[i]), corner(t[(i + 1) % 3])}];
    for (const auto& [edge, count] : edges) {
      ASSERT_EQ(count, 1) << name;
      ASSERT_EQ(edges.count({edge.second, edge.first}), 1u) << name;
    }
  }
}

TEST(Shapes, AreParameterisedAsInMitsuba) {
  const MeshDescription rectangle = tessellate_rectangle();
  for (std::size_t v = 0; v < 4; ++v) {
    EXPECT_EQ(rectangle.uv[0][v].x, 0.5f * (rectangle.positions[v].x + 1));
    EXPECT_EQ(rectangle.uv[0][v].y, 0.5f * (rectangle.positions[v].y + 1));
  }
  for (const auto& mesh : {tessellate_disk(), tessellate_cylinder(), tessellate_sphere()})
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const Vec3 p = mesh.positions[v];
      const Vec2 uv = mesh.uv[0][v];
      const float radius = std::hypot(p.x, p.y);
      const float angle = mesh.name == "disk" ? uv.y : uv.x;
      if (radius > 0) {
        EXPECT_NEAR(p.x, radius * std::cos(2 * kPi * angle), 1e-5f) << mesh.name;  // float sine of up to 2π
        EXPECT_NEAR(p.y, radius * std::sin(2 * kPi * angle), 1e-5f) << mesh.name;
      }
      if (mesh.name == "disk") { EXPECT_NEAR(uv.x, radius, 1e-6f); }
      if (mesh.name == "cylinder") { EXPECT_EQ(uv.y, p.z); }
      if (mesh.name == "sphere") { EXPECT_NEAR(std::cos(kPi * uv.y), p.z, 1e-6f); }
    }
}

TEST(Shapes, TheCubeHasMitsubasCornersOnEachFace) {
  const MeshDescription cube = tessellate_cube();
  ASSERT_EQ(cube.positions.size(), 24u);
  EXPECT_EQ(cube.positions[12], (Vec3{1, -1, 1}));
  EXPECT_EQ(cube.normals[12], (Vec3{0, 0, 1}));
  EXPECT_EQ(cube.uv[0][12], (Vec2{0, 1}));
  EXPECT_EQ(cube.positions[15], (Vec3{-1, -1, 1}));
  EXPECT_EQ(cube.uv[0][15], (Vec2{0, 0}));
}

TEST(Shapes, ACylinderTransformEndsAtItsTwoPoints) {
  const Vec3d p0{1, 2, 3}, p1{1, 4, 3.5};
  const Affine3d m = cylinder_transform(p0, p1, 0.25);
  EXPECT_EQ(m.point({0, 0, 0}), p0);
  EXPECT_NEAR(length(m.point({0, 0, 1}) - p1), 0, 1e-12);
  for (const double angle : {0.0, 1.0, 2.0}) {
    const Vec3d side = m.vector({std::cos(angle), std::sin(angle), 0});
    EXPECT_NEAR(length(side), 0.25, 1e-12);
    EXPECT_NEAR(dot(side, p1 - p0), 0, 1e-12);
  }
  EXPECT_GT(determinant(m.linear), 0);
}

}  // namespace
}  // namespace simulacra
