// SPDX-License-Identifier: Apache-2.0
#include "render/geometry/mesh.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/geometry/shapes.h"

namespace simulacra {
namespace {

/// Two triangles at a right angle along the y axis, one seen from +z and one from +x.
MeshDescription corner() {
  MeshDescription mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

TEST(VertexNormals, AreWeightedByTheAngleAtTheVertex) {
  MeshDescription mesh = corner();
  compute_vertex_normals(mesh);
  // At the third vertex the angles are 45° and atan(2): Mitsuba 3 gives the same numbers.
  EXPECT_NEAR(mesh.normals[2].x, 0.815619f, 1e-6f);
  EXPECT_NEAR(mesh.normals[2].y, 0, 1e-6f);
  EXPECT_NEAR(mesh.normals[2].z, 0.578590f, 1e-6f);
  EXPECT_NEAR(mesh.normals[0].x, std::sqrt(0.5f), 1e-6f);
  EXPECT_EQ(mesh.normals[1], (Vec3{0, 0, 1}));
}

TEST(VertexNormals, OfATessellatedSphereAreRadial) {
  MeshDescription mesh = tessellate_sphere(64, 32);
  const std::vector<Vec3> exact = mesh.normals;
  compute_vertex_normals(mesh);
  for (std::size_t v = 0; v < exact.size(); ++v) {
    const float height = std::abs(mesh.positions[v].z);
    if (height > 0.99f) continue;  // the seam halves a pole's fan
    EXPECT_GT(dot(exact[v], mesh.normals[v]), 0.998f) << v;  // half a segment of 360°/64
  }
}

TEST(CheckMesh, NamesWhatIsWrong) {
  const auto message = [](MeshDescription mesh) -> std::string {
    try {
      check_mesh(mesh, "room.obj");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  MeshDescription mesh = corner();
  EXPECT_EQ(message(mesh), "");
  mesh.triangles[1][2] = 4;
  EXPECT_EQ(message(mesh), "room.obj: triangle 1 refers to vertex 4, expected 0 to 3");
  mesh = corner();
  mesh.positions[1].y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(message(mesh), "room.obj: position of vertex 1 is not finite");
  mesh = corner();
  mesh.uv[0].resize(3);
  EXPECT_THAT(message(mesh), testing::HasSubstr("different lengths"));
}

TEST(CheckMesh, ReplacesNormalsWithoutLengthByThoseOfATriangle) {
  MeshDescription mesh = corner();
  mesh.normals = {{0, 0, 2}, {0, 0, 0}, {0, 0, 1}, {std::numeric_limits<float>::infinity(), 0, 0}};
  EXPECT_EQ(check_mesh(mesh, "m"), 2u);
  EXPECT_EQ(mesh.normals[0], (Vec3{0, 0, 1}));
  EXPECT_EQ(mesh.normals[1], (Vec3{0, 0, 1}));
  EXPECT_EQ(mesh.normals[3], (Vec3{1, 0, 0}));
}

TEST(Winding, FollowsTheVertexNormals) {
  MeshDescription mesh = corner();
  mesh.normals.assign(4, normalize(Vec3{-1, 0, 1}));
  EXPECT_EQ(wind_by_normals(mesh), 1u);
  EXPECT_EQ(mesh.triangles[0], (Triangle{0, 1, 2}));
  EXPECT_EQ(mesh.triangles[1], (Triangle{0, 3, 2}));
}

TEST(Transformed, KeepsTheOutsideOfAMirroredShapeUnlessToldOtherwise) {
  const Affine3d mirror = scaling({-1, 2, 1});
  const MeshDescription kept = transformed(tessellate_cube(), mirror);
  for (std::size_t t = 0; t < kept.triangles.size(); ++t) {
    const auto c = triangle_corners(kept, t);
    EXPECT_GT(dot(triangle_normal(c[0], c[1], c[2]), c[0]), 0);
    EXPECT_GT(dot(kept.normals[kept.triangles[t][0]], c[0]), 0);
  }
  const MeshDescription turned = transformed(corner(), mirror, false);
  const auto c = triangle_corners(turned, 0);
  EXPECT_EQ(triangle_normal(c[0], c[1], c[2]), (Vec3{0, 0, -1}));
}

TEST(Transformed, MovesNormalsByTheInverseTranspose) {
  Affine3d shear;
  shear.linear.m = {{{1, 0.5, 0}, {0, 1, 0}, {0, 0, 3}}};
  const MeshDescription mesh = transformed(tessellate_sphere(), shear);
  for (const Triangle& t : mesh.triangles) {
    const Vec3 g = triangle_normal(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
    EXPECT_GT(dot(g, mesh.normals[t[1]]), 0.99f);  // the triangles of 128 x 64 are that flat
  }
}

TEST(Tangents, RunAlongUWithARightHandedBitangent) {
  MeshDescription mesh = tessellate_rectangle();
  compute_u_tangents(mesh);
  EXPECT_EQ(mesh.tangents[0], (Vec4{1, 0, 0, 1}));
  for (Vec2& uv : mesh.uv[0]) uv = {1 - uv.x, uv.y};
  compute_u_tangents(mesh);
  EXPECT_EQ(mesh.tangents[2], (Vec4{-1, 0, 0, 1}));
}

TEST(Similarity, IsToldFromOtherTransforms) {
  EXPECT_TRUE(is_similarity(rotation({1, 2, 3}, 0.7) * scaling({4, 4, 4})));
  EXPECT_TRUE(is_similarity(scaling({-2, 2, 2})));
  EXPECT_FALSE(is_similarity(scaling({1, 1, 1.001})));
  EXPECT_FALSE(is_similarity(scaling({0, 0, 0})));
  Affine3d shear;
  shear.linear(0, 1) = 0.01;
  EXPECT_FALSE(is_similarity(shear));
  EXPECT_DOUBLE_EQ(mean_scale(scaling({-2, 2, 2})), 2);
}

}  // namespace
}  // namespace simulacra
