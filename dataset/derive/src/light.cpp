// SPDX-License-Identifier: Apache-2.0
#include "dataset/derive/light.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "render/base/error.h"
#include "render/base/half.h"

namespace simulacra {
namespace {

/// Below what readers of the format take for infinite.
constexpr double kMostRadiance = 65440;

float as_half(double x) { return round_to_half(static_cast<float>(std::clamp(x, 0.0, kMostRadiance))); }

/// The largest float16 that is not above x.
float half_below(double x) {
  std::uint16_t bits = half_from_float(static_cast<float>(std::clamp(x, 0.0, kMostRadiance)));
  if (static_cast<double>(float_from_half(bits)) > x && bits > 0) --bits;
  return float_from_half(bits);
}

/// From a float16 to the next larger one.
double step_at(float half) { return static_cast<double>(float_from_half(static_cast<std::uint16_t>(half_from_float(half) + 1)) - half); }

void note_error(FrameStats& stats, const SplitLight& light, float reflectance) {
  const double sum = static_cast<double>(reflectance) * static_cast<double>(light.illumination) + static_cast<double>(light.residual);
  const double error = std::abs(static_cast<double>(light.color) - sum);
  stats.max_identity_error = std::max(stats.max_identity_error, error);
  stats.max_identity_error_steps = std::max(stats.max_identity_error_steps, error / step_at(light.color));
}

}  // namespace

SplitLight split_light(double radiance, float reflectance, float illumination) {
  const double rho = static_cast<double>(reflectance), target = std::clamp(radiance, 0.0, kMostRadiance);
  SplitLight s;
  s.illumination = rho * static_cast<double>(illumination) <= target ? illumination : half_below(target / rho);
  const double diffuse = rho * static_cast<double>(s.illumination);
  s.residual = as_half(target - diffuse);
  s.color = as_half(diffuse + static_cast<double>(s.residual));
  return s;
}

void replace_color(Frame& frame, std::span<const float> radiance) {
  std::vector<float>& color = frame.plane(Label::color).f;
  if (color.empty() || color.size() != radiance.size())
    fail("a frame with {} values of color got {} new ones", color.size(), radiance.size());
  const bool split = frame.has(Label::diffuse_reflectance) && frame.has(Label::diffuse_illumination) && frame.has(Label::residual);
  if (split) frame.stats.max_identity_error = frame.stats.max_identity_error_steps = 0;
  for (std::size_t k = 0; k < color.size(); ++k) {
    if (std::isnan(radiance[k])) continue;
    if (!split) {
      color[k] = as_half(static_cast<double>(radiance[k]));
      continue;
    }
    const float reflectance = frame.plane(Label::diffuse_reflectance).f[k];
    float &illumination = frame.plane(Label::diffuse_illumination).f[k], &residual = frame.plane(Label::residual).f[k];
    const SplitLight light = split_light(static_cast<double>(radiance[k]), reflectance, illumination);
    color[k] = light.color, illumination = light.illumination, residual = light.residual;
    note_error(frame.stats, light, reflectance);
  }
}

}  // namespace simulacra
