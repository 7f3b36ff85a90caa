// SPDX-License-Identifier: Apache-2.0
#include "sim2real/calibrate/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "render/base/error.h"
#include "sim2real/dense/dense.h"
#include "sim2real/sensor/camera.h"

namespace simulacra::calibrate {
namespace {

constexpr std::size_t kLeastPictures = 8;

double huber_value(double e, double k) { return std::abs(e) <= k ? 0.5 * e * e : k * (std::abs(e) - 0.5 * k); }
double huber_weight(double e, double k) { return std::abs(e) <= k ? 1 : k / std::abs(e); }

std::vector<Sums> sums_of_all(std::span<const Plane> images, const ParallelFor& parallel) {
  std::vector<Sums> sums(images.size());
  parallel(images.size(), [&](std::size_t i) { sums[i] = sums_of(images[i]); });
  return sums;
}

class Fitter {
 public:
  Fitter(std::span<const Render> renders, std::span<const Plane> real, const sensor::CameraOptions& start, const FitOptions& options)
      : renders_(renders), options_(options), camera_(start), chosen_(fitted_parameters(start, options.parameters)),
        real_(measure(sums_of_all(real, options.parallel))) {
    for (const Parameter* p : chosen_) start_.push_back(on_scale(*p, start));
  }

  Fit run() {
    Fit fit;
    std::vector<double> at = start_;
    for (std::size_t j = 0; j < at.size(); ++j) at[j] = std::max(at[j], chosen_[j]->least_begin);
    Measured here = statistics(at);
    fit.start = statistics(start_), fit.real = real_;
    synthetic_variance_ = fit.start.variance;
    fit.before = objective(start_, fit.start.value);
    double now = objective(at, here.value), damping = 0.1;
    dense::Matrix slopes;
    for (; fit.steps < options_.most_steps; ++fit.steps) {
      if (fit.steps == 2) look_around(at, here, now);
      slopes = differences(at, here.value);
      const double was = now;
      for (int tries = 0; tries < 5; ++tries) {
        const std::vector<double> next = stepped(at, here.value, slopes, damping);
        const Measured there = statistics(next);
        const double value = objective(next, there.value);
        if (value < now) {
          at = next, here = there, now = value, damping = std::max(damping / 4, 1e-3);
          break;
        }
        damping *= 6;
      }
      if (options_.say) options_.say(fmt::format("step {}: {:.4g}", fit.steps + 1, now));
      if (was - now < options_.least_gain * was && fit.steps >= 2) {
        ++fit.steps;
        break;
      }
    }
    fit.after = now, fit.end = here, fit.simulated = simulated_;
    put(camera_, at);
    fit.camera = camera_;
    report(at, here, slopes, fit);
    return fit;
  }

 private:
  void put(sensor::CameraOptions& camera, std::span<const double> at) const {
    for (std::size_t j = 0; j < chosen_.size(); ++j) put_on_scale(*chosen_[j], camera, at[j]);
  }

  Measured statistics(std::span<const double> at) {
    sensor::CameraOptions camera = camera_;
    put(camera, at);
    simulated_ += renders_.size();
    return measure(sums_of_all(photographs(renders_, camera, options_.seed, options_.parallel), options_.parallel));
  }

  /// Deviation of a statistic, in what both sets and its unit explain; 0 where a set does not tell of it.
  double deviation(std::size_t k, double value) const {
    const double e = (value - real_.value[k]) / spread_of(k, real_.variance[k], synthetic_variance_[k]);
    return std::isfinite(e) ? e : 0;
  }
  double belief(std::size_t j, double at) const { return (at - start_[j]) / chosen_[j]->width; }

  double objective(std::span<const double> at, const std::vector<double>& value) const {
    double sum = 0;
    for (std::size_t k = 0; k < value.size(); ++k) sum += huber_value(deviation(k, value[k]), options_.huber);
    for (std::size_t j = 0; j < at.size(); ++j) sum += 0.5 * belief(j, at[j]) * belief(j, at[j]);
    return sum;
  }

  /// d deviation / d parameter, one row a statistic. Towards the inside of the range.
  dense::Matrix differences(std::span<const double> at, const std::vector<double>& value) {
    dense::Matrix slopes(value.size(), at.size(), std::vector<double>(value.size() * at.size()));
    for (std::size_t j = 0; j < at.size(); ++j) {
      std::vector<double> moved(at.begin(), at.end());
      const double step = at[j] + chosen_[j]->step <= chosen_[j]->hi ? chosen_[j]->step : -chosen_[j]->step;
      moved[j] += step;
      const Measured there = statistics(moved);
      for (std::size_t k = 0; k < value.size(); ++k) {
        const double slope = (deviation(k, there.value[k]) - deviation(k, value[k])) / step;
        slopes(k, j) = std::isfinite(there.value[k]) && std::isfinite(value[k]) ? slope : 0;
      }
    }
    return slopes;
  }

  /// J^T W J + beliefs.
  dense::Matrix curvature(const std::vector<double>& value, const dense::Matrix& slopes) const {
    std::vector<double> weights(value.size());
    for (std::size_t k = 0; k < value.size(); ++k) weights[k] = huber_weight(deviation(k, value[k]), options_.huber);
    dense::Matrix h = dense::weighted_gram(slopes, weights, 0);
    for (std::size_t j = 0; j < chosen_.size(); ++j) h(j, j) += 1 / (chosen_[j]->width * chosen_[j]->width);
    return h;
  }

  std::vector<double> stepped(std::span<const double> at, const std::vector<double>& value, const dense::Matrix& slopes, double damping) const {
    std::vector<double> pull(value.size());
    for (std::size_t k = 0; k < value.size(); ++k) {
      const double e = deviation(k, value[k]);
      pull[k] = -huber_weight(e, options_.huber) * e;
    }
    std::vector<double> gradient = dense::transposed_times(slopes, pull);
    dense::Matrix h = curvature(value, slopes);
    for (std::size_t j = 0; j < chosen_.size(); ++j) {
      gradient[j] -= belief(j, at[j]) / chosen_[j]->width;
      h(j, j) *= 1 + damping;
    }
    const std::vector<double> step = dense::solve_spd(h, gradient);
    std::vector<double> next(at.begin(), at.end());
    for (std::size_t j = 0; j < next.size(); ++j) {
      // No further than a few steps of the differences at once: the statistics are not linear.
      const double most = 8 * chosen_[j]->step;
      next[j] = std::clamp(next[j] + std::clamp(step[j], -most, most), chosen_[j]->lo, chosen_[j]->hi);
    }
    return next;
  }

  /// Covariance of the deviations, each times its weight: scatter of both sets over pictures, and the floors, which count as
  /// unknown.
  dense::Matrix scatter(const std::vector<double>& value, const Measured& synthetic) const {
    const std::size_t n = value.size();
    dense::Matrix m(n, n, std::vector<double>(n * n));
    std::vector<double> scale(n);
    for (std::size_t k = 0; k < n; ++k) {
      scale[k] = huber_weight(deviation(k, value[k]), options_.huber) / spread_of(k, real_.variance[k], synthetic_variance_[k]);
      if (!std::isfinite(scale[k])) scale[k] = 0;
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t l = 0; l < n; ++l) {
        const double drawn = real_.covariance[k * n + l] + synthetic.covariance[k * n + l], floor = k == l ? statistic_rows()[k].floor : 0;
        if (std::isfinite(drawn)) m(k, l) = scale[k] * scale[l] * (drawn + floor * floor);
      }
    return m;
  }

  /// Intervals by the sandwich H^-1 J^T S J H^-1.
  void report(std::span<const double> at, const Measured& here, const dense::Matrix& slopes, Fit& fit) const {
    const dense::Matrix h = curvature(here.value, slopes), s = scatter(here.value, here);
    for (std::size_t j = 0; j < chosen_.size(); ++j) {
      const Parameter& p = *chosen_[j];
      std::vector<double> unit(chosen_.size());
      unit[j] = 1;
      const std::vector<double> column = dense::solve_spd(h, unit), lever = dense::times(slopes, column);
      const double sigma = std::sqrt(std::max(0.0, dense::dot(lever, dense::times(s, lever))));
      const bool told = column[j] < 0.25 * p.width * p.width;
      const auto shown = [&](double v) { return p.logarithm ? std::exp(v) : v; };
      fit.parameters.push_back({std::string(p.name), shown(start_[j]), shown(at[j]), shown(std::max(at[j] - sigma, p.lo)), shown(std::min(at[j] + sigma, p.hi)), told});
    }
  }

  /// Noise is where the steps end in places that are best nearby only: a coarse look around.
  void look_around(std::vector<double>& at, Measured& here, double& now) {
    constexpr std::array kWells = {400.0, 1200.0, 4000.0, 15000.0};
    constexpr std::array kShares = {0.001, 0.005, 0.02};
    const auto place = [&](std::string_view name) {
      const auto found = std::ranges::find_if(chosen_, [&](const Parameter* p) { return p->name == name; });
      return static_cast<std::size_t>(found - chosen_.begin());
    };
    const std::size_t well = place("pixel.full_well_e"), share = place("pixel.read_noise_share");
    if (well == chosen_.size() || share == chosen_.size()) return;
    for (const double w : kWells)
      for (const double r : kShares) {
        std::vector<double> there = at;
        there[well] = std::log(w), there[share] = std::log(r);
        const Measured m = statistics(there);
        if (const double value = objective(there, m.value); value < now) at = there, here = m, now = value;
      }
  }

  std::span<const Render> renders_;
  const FitOptions& options_;
  sensor::CameraOptions camera_;
  std::vector<const Parameter*> chosen_;
  std::vector<double> start_;
  Measured real_;
  std::vector<double> synthetic_variance_;   ///< that of the start: weights that change with the camera would be fitted too
  std::size_t simulated_ = 0;
};

}  // namespace

std::vector<Plane> photographs(std::span<const Render> renders, const sensor::CameraOptions& camera, std::uint64_t seed, const ParallelFor& parallel) {
  std::vector<Plane> pictures(renders.size());
  parallel(renders.size(), [&](std::size_t i) {
    const Plane* depth = renders[i].depth.empty() ? nullptr : &renders[i].depth;
    pictures[i] = sensor::photograph(renders[i].radiance, depth, camera, seed, static_cast<std::uint32_t>(i)).image;
  });
  return pictures;
}

Fit fit_camera(std::span<const Render> renders, std::span<const Plane> real, const sensor::CameraOptions& start, const FitOptions& options) {
  if (renders.size() < kLeastPictures || real.size() < kLeastPictures)
    fail_usage("{} renders and {} real pictures; a fit takes at least {} of each", renders.size(), real.size(), kLeastPictures);
  for (const Plane& image : real)
    if (image.channels != 3) fail_usage("the real pictures are gray; a camera with colors cannot be fitted to them");
  return Fitter(renders, real, start, options).run();
}

}  // namespace simulacra::calibrate
