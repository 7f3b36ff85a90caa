// SPDX-License-Identifier: Apache-2.0
// The judge is judged: known tails, right densities accepted, slightly wrong ones rejected.
#include "tests/support/chi_square.h"

#include <gtest/gtest.h>

#include <cmath>

namespace simulacra::test {
namespace {

// cos(theta)^n about +z.
std::optional<Vec3> sample_lobe(RandomNumbers& random, double n) {
  const Vec2 u = random.next2();
  const double z = std::pow(double{u.x}, 1 / (n + 1)), r = std::sqrt(std::max(0.0, 1 - z * z));
  const double phi = 2 * kPiD * double{u.y};
  return Vec3(Vec3d{r * std::cos(phi), r * std::sin(phi), z});
}
double lobe_density(Vec3 d, double n) {
  return d.z > 0 ? (n + 1) / (2 * kPiD) * std::pow(double{d.z}, n) : 0;
}
double azimuth_cosine(Vec3 d) {
  const double r = std::hypot(double{d.x}, double{d.y});
  return r > 0 ? double{d.x} / r : 1;
}

ChiSquareResult judge(const DirectionDensity& density, double n, ChiSquareOptions options = {}) {
  return chi_square([n](RandomNumbers& random) { return sample_lobe(random, n); }, density, options);
}

constexpr double kLevel = 1e-4;  // of one test here: eleven are judged in all

TEST(ChiSquare, TailsAreThoseOfTheTables) {
  EXPECT_NEAR(chi_square_tail(3.841459, 1), 0.05, 1e-6);
  EXPECT_NEAR(chi_square_tail(18.30704, 10), 0.05, 1e-6);
  EXPECT_NEAR(chi_square_tail(1106.969, 1000), 0.01, 1e-5);
  EXPECT_NEAR(chi_square_tail(940.0, 1000), 0.912, 2e-3);
}

TEST(ChiSquare, SidakLevelsMultiplyToTheWhole) {
  EXPECT_NEAR(1 - std::pow(1 - sidak_level(0.01, 80), 80), 0.01, 1e-12);
}

TEST(ChiSquare, RightDensitiesAreAccepted) {
  for (const double n : {0.0, 1.0, 30.0, 300.0}) {
    const ChiSquareResult r = judge([n](Vec3 d) { return lobe_density(d, n); }, n);
    EXPECT_GT(r.p_value, kLevel) << n << ": " << r.text();
    EXPECT_NEAR(r.mass, 1, 1e-4) << n;
  }
}

TEST(ChiSquare, PValuesOfARightDensityAreEvenlySpread) {
  int below_half = 0, below_tenth = 0;
  constexpr int runs = 60;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const ChiSquareResult r =
        judge([](Vec3 d) { return lobe_density(d, 1); }, 1,
              {.samples = 20000, .cos_cells = 11, .phi_cells = 20, .seed = seed});
    below_half += r.p_value < 0.5 ? 1 : 0;
    below_tenth += r.p_value < 0.1 ? 1 : 0;
  }
  // Binomial with 60 draws: four standard deviations.
  EXPECT_NEAR(below_half, 0.5 * runs, 4 * std::sqrt(0.25 * runs));
  EXPECT_NEAR(below_tenth, 0.1 * runs, 4 * std::sqrt(0.09 * runs));
}

TEST(ChiSquare, MissingDirectionsAreACell) {
  const auto half = [](RandomNumbers& random) -> std::optional<Vec3> {
    if (random.next() < 0.5f) return std::nullopt;
    return sample_lobe(random, 1);
  };
  EXPECT_GT(chi_square(half, [](Vec3 d) { return 0.5 * lobe_density(d, 1); }).p_value, kLevel);
  EXPECT_LT(chi_square(half, [](Vec3 d) { return 0.51 * lobe_density(d, 1); }).p_value, kLevel);
}

TEST(ChiSquare, AScaledDensityIsRejected) {
  EXPECT_LT(judge([](Vec3 d) { return 0.97 * lobe_density(d, 1); }, 1).p_value, kLevel);
  const ChiSquareResult r = judge([](Vec3 d) { return 1.03 * lobe_density(d, 1); }, 1);
  EXPECT_GT(r.mass, 1.02);
}

TEST(ChiSquare, ATiltedDensityIsRejected) {
  EXPECT_LT(judge([](Vec3 d) { return (1 + 0.05 * azimuth_cosine(d)) * lobe_density(d, 1); }, 1).p_value, kLevel);
}

TEST(ChiSquare, AWrongExponentIsRejected) {
  EXPECT_LT(judge([](Vec3 d) { return lobe_density(d, 31); }, 30).p_value, kLevel);
}

TEST(ChiSquare, DirectionsWhereTheDensityIsZeroAreRejected) {
  const auto sometimes_below = [](RandomNumbers& random) -> std::optional<Vec3> {
    std::optional<Vec3> d = sample_lobe(random, 1);
    if (random.next() < 1e-4f) d->z = -d->z;
    return d;
  };
  EXPECT_LT(chi_square(sometimes_below, [](Vec3 d) { return lobe_density(d, 1); }).p_value, kLevel);
}

TEST(ChiSquare, ANotANumberDensityIsRejected) {
  EXPECT_LT(judge([](Vec3) { return std::nan(""); }, 1).p_value, kLevel);
}

}  // namespace
}  // namespace simulacra::test
