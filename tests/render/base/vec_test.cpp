// SPDX-License-Identifier: Apache-2.0
#include "render/base/vec.h"

#include <random>

#include <gtest/gtest.h>

namespace simulacra {
namespace {

// A few dozen roundings of double on numbers of size one.
constexpr double kRounding = 1e-13;

Vec3d random_vector(std::mt19937& random) {
  std::uniform_real_distribution<double> u(-1, 1);
  return {u(random), u(random), u(random)};
}

Mat3d random_matrix(std::mt19937& random) {
  for (;;) {
    const auto m = Mat3d::from_columns(random_vector(random), random_vector(random), random_vector(random));
    if (std::abs(determinant(m)) > 0.1) return m;
  }
}

void expect_near(Vec3d a, Vec3d b, double tolerance = kRounding) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
}

TEST(Vec, CrossProductIsRightHanded) {
  EXPECT_EQ(cross(Vec3(1, 0, 0), Vec3(0, 1, 0)), Vec3(0, 0, 1));
  EXPECT_EQ(cross(Vec3(0, 1, 0), Vec3(0, 0, 1)), Vec3(1, 0, 0));
}

TEST(Matrix, TheInverseUndoesIt) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Mat3d m = random_matrix(random);
    const Vec3d v = random_vector(random);
    // Conditions are below 100 for determinants above 0.1.
    expect_near(inverse(m) * (m * v), v, 100 * kRounding);
    EXPECT_NEAR(determinant(m) * determinant(inverse(m)), 1.0, 100 * kRounding);
  }
}

TEST(Matrix, ProductsApplyTheRightOneFirst) {
  std::mt19937 random(2);
  const Mat3d a = random_matrix(random), b = random_matrix(random);
  const Vec3d v = random_vector(random);
  expect_near((a * b) * v, a * (b * v));
}

TEST(Affine, TheInverseUndoesItAndProductsChain) {
  std::mt19937 random(3);
  const Affine3d a{random_matrix(random), random_vector(random)}, b{random_matrix(random), random_vector(random)};
  const Vec3d p = random_vector(random);
  expect_near(inverse(a).point(a.point(p)), p, 100 * kRounding);
  expect_near((a * b).point(p), a.point(b.point(p)));
  expect_near(a.vector(p), a.point(p) - a.translation);
}

TEST(Rotation, TurnsRightHandedAboutItsAxis) {
  expect_near(rotation({0, 0, 5}, kPiD / 2).vector({1, 0, 0}), {0, 1, 0});
  expect_near(rotation({1, 0, 0}, kPiD / 2).vector({0, 1, 0}), {0, 0, 1});
  expect_near(rotation({0, 2, 0}, kPiD / 2).vector({0, 0, 1}), {1, 0, 0});
}

TEST(Rotation, KeepsLengthsItsAxisAndOrientation) {
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    const Vec3d axis = random_vector(random), v = random_vector(random);
    const double angle = 6 * random_vector(random).x;
    const Affine3d r = rotation(axis, angle);
    EXPECT_NEAR(length(r.vector(v)), length(v), kRounding);
    EXPECT_NEAR(determinant(r.linear), 1.0, kRounding);
    expect_near(r.vector(axis), axis);
    expect_near(rotation(axis, -angle).vector(r.vector(v)), v);
  }
}

TEST(ShadingFrame, IsOrthonormalAndRightHandedAroundEveryNormal) {
  std::mt19937 random(5);
  for (int i = 0; i < 1000; ++i) {
    Vec3 n = normalize(Vec3(random_vector(random)));
    if (i == 0) n = {0, 0, 1};
    if (i == 1) n = {0, 0, -1};
    const ShadingFrame f = ShadingFrame::from_normal(n);
    const float rounding = 1e-6f;  // a few units in the last place of float
    EXPECT_NEAR(dot(f.x, f.y), 0, rounding);
    EXPECT_NEAR(dot(f.x, f.z), 0, rounding);
    EXPECT_NEAR(length(f.x), 1, rounding);
    EXPECT_NEAR(dot(cross(f.x, f.y), f.z), 1, rounding);
    const Vec3 v(random_vector(random)), there_and_back = f.to_world(f.to_local(v));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(there_and_back[k], v[k], 2 * rounding);
  }
}

TEST(Box, IsEmptyUntilSomethingIsAdded) {
  Box3d box;
  EXPECT_TRUE(box.empty());
  box.add(Vec3d(1, 2, 3));
  EXPECT_FALSE(box.empty());
  box.add(Vec3d(-1, 4, 0));
  EXPECT_EQ(box.lo, Vec3d(-1, 2, 0));
  EXPECT_EQ(box.hi, Vec3d(1, 4, 3));
  EXPECT_EQ(box.center(), Vec3d(0, 3, 1.5));
  EXPECT_EQ(box.size(), Vec3d(2, 2, 3));
}

TEST(Rgb, LuminanceOfWhiteIsOne) { EXPECT_NEAR(luminance(Rgb(1.0f)), 1.0f, 1e-6f); }

}  // namespace
}  // namespace simulacra
