// SPDX-License-Identifier: Apache-2.0
#include "tests/support/chi_square.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace simulacra::test {
namespace {

struct Rectangle {
  double z0, z1, phi0, phi1;
};

Vec3 direction(double z, double phi) {
  const double r = std::sqrt(std::max(0.0, 1 - z * z));
  return Vec3(Vec3d{r * std::cos(phi), r * std::sin(phi), z});
}

// Gauss-Legendre with 3 x 3 points.
double integrate_once(const DirectionDensity& density, const Rectangle& c) {
  constexpr std::array<double, 3> node{-0.7745966692414834, 0, 0.7745966692414834};
  constexpr std::array<double, 3> weight{5.0 / 18, 8.0 / 18, 5.0 / 18};
  const double zm = 0.5 * (c.z0 + c.z1), zh = 0.5 * (c.z1 - c.z0);
  const double pm = 0.5 * (c.phi0 + c.phi1), ph = 0.5 * (c.phi1 - c.phi0);
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      sum += weight[i] * weight[j] * density(direction(zm + zh * node[i], pm + ph * node[j]));
  return sum * 4 * zh * ph;
}

// Splits until a split changes less than `tolerance`.
double integrate(const DirectionDensity& density, const Rectangle& c, double whole, double tolerance, int depth) {
  const double zm = 0.5 * (c.z0 + c.z1), pm = 0.5 * (c.phi0 + c.phi1);
  const std::array<Rectangle, 4> quarters{Rectangle{c.z0, zm, c.phi0, pm}, Rectangle{c.z0, zm, pm, c.phi1},
                                          Rectangle{zm, c.z1, c.phi0, pm}, Rectangle{zm, c.z1, pm, c.phi1}};
  std::array<double, 4> part{};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += part[i] = integrate_once(density, quarters[i]);
  if (depth == 0 || std::isnan(sum) || std::abs(sum - whole) < tolerance) return sum;
  sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += integrate(density, quarters[i], part[i], 0.5 * tolerance, depth - 1);
  return sum;
}

std::vector<double> cell_masses(const DirectionDensity& density, const ChiSquareOptions& o) {
  // A tenth of the statistical error of the smallest cell that is not pooled.
  const double tolerance = 0.2 / o.samples;
  std::vector<double> masses;
  for (int i = 0; i < o.cos_cells; ++i)
    for (int j = 0; j < o.phi_cells; ++j) {
      const Rectangle cell{-1 + 2.0 * i / o.cos_cells, -1 + 2.0 * (i + 1) / o.cos_cells, 2 * kPiD * j / o.phi_cells,
                           2 * kPiD * (j + 1) / o.phi_cells};
      // NaN as a first guess: two splits at least, so that no edge slips between the points.
      masses.push_back(integrate(density, cell, std::nan(""), tolerance, 7));
    }
  return masses;
}

// Counts per cell; the last one is for "no direction".
std::vector<double> draw(const SampleDirection& sample, const ChiSquareOptions& o) {
  std::vector<double> counts(static_cast<std::size_t>(o.cos_cells * o.phi_cells) + 1);
  RandomNumbers random(o.seed);
  for (int s = 0; s < o.samples; ++s) {
    const std::optional<Vec3> d = sample(random);
    if (!d) {
      ++counts.back();
      continue;
    }
    double phi = std::atan2(double{d->y}, double{d->x});
    if (phi < 0) phi += 2 * kPiD;
    const int i = std::clamp(static_cast<int>((double{d->z} + 1) / 2 * o.cos_cells), 0, o.cos_cells - 1);
    const int j = std::clamp(static_cast<int>(phi / (2 * kPiD) * o.phi_cells), 0, o.phi_cells - 1);
    ++counts[static_cast<std::size_t>(i * o.phi_cells + j)];
  }
  return counts;
}

struct Cell {
  double expected, observed;
};

// Cells below 5 expected join, smallest first, until they hold 5.
std::vector<Cell> pooled(std::vector<Cell> cells) {
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.expected < b.expected; });
  std::vector<Cell> result;
  Cell pool{0, 0};
  for (const Cell& cell : cells) {
    if (cell.expected >= 5 && (pool.expected >= 5 || (pool.expected == 0 && pool.observed == 0))) {
      result.push_back(cell);
      continue;
    }
    pool.expected += cell.expected;
    pool.observed += cell.observed;
  }
  if (pool.expected > 0 || pool.observed > 0) result.push_back(pool);
  return result;
}

// Regularised upper incomplete gamma function: a series below the bend, a continued fraction above it.
double gamma_q(double a, double x) {
  if (x <= 0) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < 100000 && term > sum * 1e-15; ++n) sum += term *= x / (a + n);
    return std::max(0.0, 1 - front * sum);
  }
  constexpr double tiny = std::numeric_limits<double>::min();
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;  // Lentz's method
  for (int n = 1; n < 100000; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + an / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

}  // namespace

float RandomNumbers::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<float>(z >> 40) * 0x1p-24f;
}

double chi_square_tail(double statistic, int degrees_of_freedom) {
  return gamma_q(0.5 * degrees_of_freedom, 0.5 * statistic);
}

double sidak_level(double level, int n) { return 1 - std::pow(1 - level, 1.0 / n); }

ChiSquareResult chi_square(const SampleDirection& sample, const DirectionDensity& density,
                           const ChiSquareOptions& options) {
  std::vector<double> masses = cell_masses(density, options);
  const std::vector<double> counts = draw(sample, options);
  ChiSquareResult result;
  for (const double m : masses) result.mass += m;
  masses.push_back(std::max(0.0, 1 - result.mass));

  std::vector<Cell> cells;
  for (std::size_t i = 0; i < masses.size(); ++i) cells.push_back({masses[i] * options.samples, counts[i]});
  const std::vector<Cell> used = pooled(std::move(cells));
  for (const Cell& cell : used) {
    const double difference = cell.observed - cell.expected;
    if (difference != 0) result.statistic += difference * difference / std::max(cell.expected, 1e-9);
  }
  result.degrees_of_freedom = static_cast<int>(used.size()) - 1;
  // A single cell holds everything: it must hold exactly that.
  result.p_value = result.degrees_of_freedom > 0 ? chi_square_tail(result.statistic, result.degrees_of_freedom)
                                                 : (result.statistic < 1 ? 1.0 : 0.0);
  if (!(result.p_value >= 0)) result.p_value = 0;  // a NaN density is a wrong one
  return result;
}

std::string ChiSquareResult::text() const {
  return fmt::format("chi-square {:.1f} with {} degrees of freedom, p = {:.3g}, density integrates to {:.5f}",
                     statistic, degrees_of_freedom, p_value, mass);
}

}  // namespace simulacra::test
