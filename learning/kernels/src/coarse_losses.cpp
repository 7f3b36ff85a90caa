// SPDX-License-Identifier: Apache-2.0
#define SIM_COARSE_ISA plain
#include "learning/kernels/coarse_losses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "learning/kernels/src/coarse_losses_rows.h"
#include "render/base/error.h"

namespace simulacra::kernels::coarse {
namespace {

constexpr float kFarBelow = -1e30f;
constexpr double kShort = 1e-6;

struct Rows {
  decltype(&plain::blend) blend;
  decltype(&plain::spread) spread;
  decltype(&plain::cross_entropy_row) cross_entropy;
};

Rows rows_of(Isa isa) {
  if (!has_isa(isa)) fail("coarse losses: this processor lacks the instruction set that was asked for");
#if defined(__x86_64__)
  if (isa == Isa::avx512) return {avx512::blend, avx512::spread, avx512::cross_entropy_row};
  if (isa == Isa::avx2) return {avx2::blend, avx2::spread, avx2::cross_entropy_row};
#endif
  return {plain::blend, plain::spread, plain::cross_entropy_row};
}

/// Of `fine` pixels over `coarse` ones.
std::vector<Tap> taps_of(std::int64_t coarse, std::int64_t fine) {
  std::vector<Tap> taps(static_cast<std::size_t>(fine));
  const double step = static_cast<double>(coarse) / static_cast<double>(fine);
  for (std::int64_t i = 0; i < fine; ++i) {
    const double at = std::max(0.0, (static_cast<double>(i) + 0.5) * step - 0.5);
    const std::int64_t low = std::min(static_cast<std::int64_t>(at), coarse - 1);
    taps[static_cast<std::size_t>(i)] = {low, std::min(low + 1, coarse - 1), static_cast<float>(at - static_cast<double>(low))};
  }
  return taps;
}

struct Grid {
  explicit Grid(const Shape& s) : shape(s), vertical(taps_of(s.coarse_height, s.height)), horizontal(taps_of(s.coarse_width, s.width)) {}

  Shape shape;
  std::vector<Tap> vertical, horizontal;

  std::int64_t pixels() const { return shape.height * shape.width; }
  std::int64_t map_size() const { return shape.coarse_height * shape.coarse_width * shape.channels; }
};

/// Where an image begins in the arrays, and its part of the gradient, cleared.
struct Part {
  std::int64_t map = 0, pixels = 0;
  float* gradient = nullptr;
};

/// body(grid, part) for all images, then their sums in order.
template <typename Body>
Sum over_images(const Shape& shape, float* gradient, const ParallelFor& parallel, const Body& body) {
  const Grid grid(shape);
  std::vector<Sum> sums(static_cast<std::size_t>(shape.batch));
  parallel(shape.batch, [&](std::int64_t b) {
    const std::int64_t map = b * grid.map_size();
    if (gradient) std::fill_n(gradient + map, grid.map_size(), 0.0f);
    sums[static_cast<std::size_t>(b)] = body(grid, Part{map, b * grid.pixels(), gradient ? gradient + map : nullptr});
  });
  Sum all;
  for (const Sum& sum : sums) all.sum += sum.sum, all.count += sum.count;
  return all;
}

/// Four coarse values around a pixel of a map with a few channels, and what they weigh.
template <std::int64_t kChannels>
struct Corners {
  Corners(const Grid& g, std::int64_t y, std::int64_t x) {
    const Tap &v = g.vertical[static_cast<std::size_t>(y)], &h = g.horizontal[static_cast<std::size_t>(x)];
    const std::int64_t w = g.shape.coarse_width;
    at = {(v.low * w + h.low) * kChannels, (v.low * w + h.high) * kChannels, (v.high * w + h.low) * kChannels, (v.high * w + h.high) * kChannels};
    const double up = static_cast<double>(v.weight_high), right = static_cast<double>(h.weight_high);
    weight = {(1 - up) * (1 - right), (1 - up) * right, up * (1 - right), up * right};
  }
  std::array<double, kChannels> value(const float* map) const {
    std::array<double, kChannels> sum{};
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t c = 0; c < kChannels; ++c) sum[c] += weight[i] * static_cast<double>(map[at[i] + static_cast<std::int64_t>(c)]);
    return sum;
  }
  void add(const std::array<double, kChannels>& gradient, float* map) const {
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t c = 0; c < kChannels; ++c) map[at[i] + static_cast<std::int64_t>(c)] += static_cast<float>(weight[i] * gradient[c]);
  }

  std::array<std::int64_t, 4> at;
  std::array<double, 4> weight;
};

/// Sums of a map's rows go through lines with padded channels.
class LogitImage {
 public:
  LogitImage(const Grid& grid, const Rows& rows)
      : grid_(grid), rows_(rows), padded_((grid.shape.channels + kLanes - 1) / kLanes * kLanes),
        line_(size(padded_ * grid.shape.coarse_width), kFarBelow), line_gradient_(line_.size()), scratch_(size(padded_)),
        classes_(size(grid.shape.width)) {}

  Sum run(const float* logits, const std::int64_t* labels, const bool* counted, float* gradient) {
    const Shape& s = grid_.shape;
    const std::int64_t row_size = s.coarse_width * s.channels;
    Sum all;
    for (std::int64_t y = 0; y < s.height; ++y) {
      const std::int64_t count = choose(labels + y * s.width, counted ? counted + y * s.width : nullptr);
      if (count == 0) continue;
      const Tap& tap = grid_.vertical[size(y)];
      for (std::int64_t x = 0; x < s.coarse_width; ++x)
        rows_.blend(logits + tap.low * row_size + x * s.channels, logits + tap.high * row_size + x * s.channels, tap.weight_high,
                    line_.data() + x * padded_, s.channels);
      if (gradient) std::ranges::fill(line_gradient_, 0.0f);
      all.sum += rows_.cross_entropy({s.width, padded_, grid_.horizontal.data(), line_.data(),
                                      gradient ? line_gradient_.data() : nullptr, classes_.data(), scratch_.data()});
      all.count += count;
      for (std::int64_t x = 0; gradient && x < s.coarse_width; ++x)
        rows_.spread(line_gradient_.data() + x * padded_, tap.weight_high, gradient + tap.low * row_size + x * s.channels,
                     gradient + tap.high * row_size + x * s.channels, s.channels);
    }
    return all;
  }

 private:
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

  std::int64_t choose(const std::int64_t* labels, const bool* counted) {
    std::int64_t count = 0;
    for (std::int64_t x = 0; x < grid_.shape.width; ++x) {
      const std::int64_t c = labels[x];
      if (c < -1 || c == 0 || c > grid_.shape.channels) fail("semantic loss: label {}, expected -1 or 1 to {}", c, grid_.shape.channels);
      classes_[size(x)] = !counted || counted[x] ? c : -1;
      count += classes_[size(x)] > 0;
    }
    return count;
  }

  const Grid& grid_;
  const Rows& rows_;
  std::int64_t padded_;
  std::vector<float> line_, line_gradient_, scratch_;
  std::vector<std::int64_t> classes_;
};

using Vector = std::array<double, 3>;
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Turn {
  double angle;
  Vector gradient;
};

/// Of the angle between p and a unit vector u.
Turn turn(const Vector& p, const Vector& u) {
  const double length = std::sqrt(dot(p, p));
  if (length == 0) return {std::numbers::pi / 2, {-u[0] / kShort, -u[1] / kShort, -u[2] / kShort}};
  const Vector n = {p[0] / length, p[1] / length, p[2] / length};
  const Vector cross = {n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]};
  const double sine = std::sqrt(dot(cross, cross)), cosine = dot(n, u);
  if (sine == 0) return {cosine > 0 ? 0 : std::numbers::pi, {}};
  const double scale = -1 / (sine * std::max(length, kShort));
  return {std::atan2(sine, cosine), {scale * (u[0] - cosine * n[0]), scale * (u[1] - cosine * n[1]), scale * (u[2] - cosine * n[2])}};
}

Sum angles_of_image(const Grid& g, const float* map, const float* target, const bool* counted, float* gradient) {
  Sum all;
  for (std::int64_t y = 0; y < g.shape.height; ++y)
    for (std::int64_t x = 0; x < g.shape.width; ++x) {
      const std::int64_t i = y * g.shape.width + x;
      if (counted && !counted[i]) continue;
      const Vector t = {static_cast<double>(target[i]), static_cast<double>(target[g.pixels() + i]), static_cast<double>(target[2 * g.pixels() + i])};
      const double length = std::sqrt(dot(t, t));
      if (!(length > kShort) || !std::isfinite(length)) continue;
      const Corners<3> corners(g, y, x);
      const Turn got = turn(corners.value(map), {t[0] / length, t[1] / length, t[2] / length});
      all.sum += got.angle, ++all.count;
      if (gradient) corners.add(got.gradient, gradient);
    }
  return all;
}

Sum log_lengths_of_image(const Grid& g, const float* map, const float* target, const bool* counted, double lambda, float* gradient) {
  std::vector<double> difference(static_cast<std::size_t>(g.pixels()), 0.0);
  std::vector<bool> counts(difference.size());
  double sum = 0, squares = 0;
  Sum all;
  for (std::int64_t y = 0; y < g.shape.height; ++y)
    for (std::int64_t x = 0; x < g.shape.width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y * g.shape.width + x);
      if ((counted && !counted[i]) || !(target[i] > 0) || !std::isfinite(target[i])) continue;
      const double d = Corners<1>(g, y, x).value(map)[0] - std::log(static_cast<double>(target[i]));
      difference[i] = d, counts[i] = true;
      sum += d, squares += d * d, ++all.count;
    }
  const double mean = all.count > 0 ? sum / static_cast<double>(all.count) : 0;
  all.sum = squares - lambda * sum * mean;
  for (std::int64_t y = 0; gradient && y < g.shape.height; ++y)
    for (std::int64_t x = 0; x < g.shape.width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y * g.shape.width + x);
      if (counts[i]) Corners<1>(g, y, x).add({2 * (difference[i] - lambda * mean)}, gradient);
    }
  return all;
}

void check(const char* loss, const Shape& s, std::int64_t channels) {
  if (s.batch < 0 || s.coarse_height < 1 || s.coarse_width < 1 || s.height < 1 || s.width < 1 || s.channels < 1 || (channels > 0 && s.channels != channels))
    fail("{}: a map of {} x {} with {} channels for {} x {} pixels", loss, s.coarse_height, s.coarse_width, s.channels, s.height, s.width);
}

const bool* from(const bool* counted, std::int64_t offset) { return counted ? counted + offset : nullptr; }

}  // namespace

Sum cross_entropy(const Shape& shape, const float* logits, const std::int64_t* labels, const bool* counted, float* gradient,
                  const ParallelFor& parallel, Isa isa) {
  check("semantic loss", shape, 0);
  const Rows rows = rows_of(isa);
  return over_images(shape, gradient, parallel, [&](const Grid& grid, const Part& at) {
    return LogitImage(grid, rows).run(logits + at.map, labels + at.pixels, from(counted, at.pixels), at.gradient);
  });
}

Sum angle(const Shape& shape, const float* directions, const float* target, const bool* counted, float* gradient, const ParallelFor& parallel) {
  check("normal loss", shape, 3);
  return over_images(shape, gradient, parallel, [&](const Grid& grid, const Part& at) {
    return angles_of_image(grid, directions + at.map, target + 3 * at.pixels, from(counted, at.pixels), at.gradient);
  });
}

Sum scale_invariant_log(const Shape& shape, const float* log_lengths, const float* target_m, const bool* counted, double lambda,
                        float* gradient, const ParallelFor& parallel) {
  check("depth loss", shape, 1);
  return over_images(shape, gradient, parallel, [&](const Grid& grid, const Part& at) {
    return log_lengths_of_image(grid, log_lengths + at.map, target_m + at.pixels, from(counted, at.pixels), lambda, at.gradient);
  });
}

}  // namespace simulacra::kernels::coarse
