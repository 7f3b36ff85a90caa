// SPDX-License-Identifier: Apache-2.0
#include "render/film/split.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "render/base/half.h"

namespace simulacra {

void PixelSums::add(const PathSample& s) {
  if (!is_finite(s.reflectance) || !is_finite(s.diffuse) || !is_finite(s.residual)) {
    ++nan_samples;
    return;
  }
  reflectance += s.reflectance;
  diffuse += s.diffuse;
  residual += s.residual;
  ++samples;
}

float half_nearest(double value) {
  // To float by rounding to odd, so that the second rounding decides as if it had seen the double.
  float f = static_cast<float>(value);
  if (static_cast<double>(f) != value && std::isfinite(f)) {
    const bool away = std::abs(static_cast<double>(f)) > std::abs(value);
    std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
    if (away) --bits;           // truncated towards zero …
    f = std::bit_cast<float>(bits | 1u);  // … and marked as inexact
  }
  return round_to_half(f);
}

double half_step(float value) {
  const double a = std::abs(static_cast<double>(value));
  if (a < 0x1p-14) return 0x1p-24;
  int exponent = 0;
  std::frexp(a, &exponent);
  return std::ldexp(1.0, exponent - 11);
}

SplitPixel split_pixel(const PixelSums& sums, Rgb white_illumination) {
  SplitPixel p;
  const double n = std::max<std::uint32_t>(sums.samples, 1);
  for (std::size_t c = 0; c < 3; ++c) {
    const double rho_sum = static_cast<double>(sums.reflectance[c]);
    const double diffuse_sum = std::max(0.0, static_cast<double>(sums.diffuse[c]));
    double residual = std::max(0.0, static_cast<double>(sums.residual[c]) / n);
    const float rho = std::min(1.0f, half_nearest(rho_sum / n));
    double illumination = 0;
    if (rho_sum > 0) {
      illumination = diffuse_sum / rho_sum;
      // A reflectance that float16 cannot hold carries nothing: its light is kept in the residual.
      if (rho == 0) residual += diffuse_sum / n;
    } else {
      illumination = static_cast<double>(white_illumination[c]);
      residual += diffuse_sum / n;
    }
    // First the illumination, then the residual is limited.
    const double most = static_cast<double>(kColorLimit);
    double e_limit = most;
    if (rho > 0) e_limit = std::min(e_limit, most / static_cast<double>(rho));
    if (illumination > e_limit) illumination = e_limit, p.limited = true;
    float e = half_nearest(illumination);
    while (static_cast<double>(e) * static_cast<double>(rho) > most) e = half_nearest(static_cast<double>(e) - half_step(e));
    const double product = static_cast<double>(rho) * static_cast<double>(e);
    if (residual > most - product) residual = most - product, p.limited = true;
    float r = half_nearest(residual);
    while (r > 0 && product + static_cast<double>(r) > most) r = half_nearest(static_cast<double>(r) - half_step(r));
    const double exact = product + static_cast<double>(r);  // exact: 22 bits and 11 bits in a double
    const float color = half_nearest(exact);
    p.reflectance[c] = rho;
    p.illumination[c] = e;
    p.residual[c] = r;
    p.color[c] = color;
    const double error = std::abs(static_cast<double>(color) - exact);
    p.identity_error = std::max(p.identity_error, error);
    p.identity_error_steps = std::max(p.identity_error_steps, error / half_step(color));
  }
  return p;
}

}  // namespace simulacra
