// SPDX-License-Identifier: Apache-2.0
#include "render/light/environment.h"

#include <algorithm>
#include <cmath>

#include "render/sampling/warp.h"

namespace simulacra {
namespace {

Rgb texel(const Picture& p, int x, int y) {
  x = (x % p.width + p.width) % p.width;
  y = std::clamp(y, 0, p.height - 1);
  const auto c = static_cast<std::size_t>(p.channels);
  const std::size_t at = (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x)) * c;
  if (c < 3) return Rgb{p.pixels[at]};
  return {p.pixels[at], p.pixels[at + 1], p.pixels[at + 2]};
}

/// First index i with sums[i + 1] > target, and where in that cell the target lies.
std::size_t find_cell(const float* sums, std::size_t cells, float target, float& inside) {
  const float* end = sums + cells + 1;
  const auto at = static_cast<std::size_t>(std::upper_bound(sums, end, target) - sums);
  std::size_t cell = std::clamp<std::size_t>(at, 1, cells) - 1;
  while (cell + 1 < cells && !(sums[cell + 1] > sums[cell])) ++cell;
  const float width = sums[cell + 1] - sums[cell];
  inside = width > 0 ? std::clamp((target - sums[cell]) / width, 0.0f, 0x1.fffffep-1f) : 0.5f;
  return cell;
}

}  // namespace

EnvironmentLight::EnvironmentLight(const EnvironmentDescription& d, const TextureSet& textures)
    : world_from_environment_(), environment_from_world_(), scale_(d.radiance) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) world_from_environment_(r, c) = static_cast<float>(d.world_from_environment(r, c));
  environment_from_world_ = transpose(world_from_environment_);
  if (d.texture >= 0 && !textures.missing(d.texture)) image_ = textures.picture(d.texture);
  if (image_.pixels.empty()) {
    total_ = max_component(scale_);
    return;
  }
  for (float& v : image_.pixels)
    if (!std::isfinite(v) || v < 0) v = 0;  // an HDR image may hold NaN or negative values

  const auto w = static_cast<std::size_t>(image_.width), h = static_cast<std::size_t>(image_.height);
  conditional_.assign((w + 1) * h, 0);
  marginal_.assign(h + 1, 0);
  double rows = 0;
  for (std::size_t y = 0; y < h; ++y) {
    const double sin_theta = std::sin(kPiD * (static_cast<double>(y) + 0.5) / static_cast<double>(h));
    double sum = 0;
    float* row = &conditional_[y * (w + 1)];
    for (std::size_t x = 0; x < w; ++x) {
      // Radiance is interpolated between texel centers: a cell sees its neighbours too.
      double weight = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          weight += static_cast<double>(luminance(texel(image_, static_cast<int>(x) + dx, static_cast<int>(y) + dy) * scale_)) *
                    (dx == 0 ? 0.75 : 0.125) * (dy == 0 ? 0.75 : 0.125);
      sum += weight * sin_theta;
      row[x + 1] = static_cast<float>(sum);
    }
    rows += sum;
    marginal_[y + 1] = static_cast<float>(rows);
  }
  total_ = static_cast<float>(rows);
}

Vec2 EnvironmentLight::uv_of(Vec3 direction) const {
  const Vec3 d = environment_from_world_ * direction;
  float u = std::atan2(d.x, -d.z) * (0.5f * kInvPi);
  u -= std::floor(u);
  return {u, std::acos(std::clamp(d.y, -1.0f, 1.0f)) * kInvPi};
}

Rgb EnvironmentLight::radiance(Vec3 direction) const {
  if (image_.pixels.empty()) return scale_;
  const Vec2 uv = uv_of(direction);
  const float x = uv.x * static_cast<float>(image_.width) - 0.5f, y = uv.y * static_cast<float>(image_.height) - 0.5f;
  const float fx = std::floor(x), fy = std::floor(y);
  const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
  const float tx = x - fx, ty = y - fy;
  return scale_ * ((texel(image_, ix, iy) * (1 - tx) + texel(image_, ix + 1, iy) * tx) * (1 - ty) +
                   (texel(image_, ix, iy + 1) * (1 - tx) + texel(image_, ix + 1, iy + 1) * tx) * ty);
}

std::optional<EnvironmentLight::Sample> EnvironmentLight::sample(Vec2 u) const {
  if (black()) return std::nullopt;
  if (image_.pixels.empty()) return Sample{sphere_from_square(u), scale_, kSpherePdf};
  const auto w = static_cast<std::size_t>(image_.width), h = static_cast<std::size_t>(image_.height);
  float in_row = 0, in_cell = 0;
  const std::size_t y = find_cell(marginal_.data(), h, u.y * marginal_[h], in_row);
  const float* row = &conditional_[y * (w + 1)];
  const std::size_t x = find_cell(row, w, u.x * row[w], in_cell);
  const float theta = kPi * (static_cast<float>(y) + in_row) / static_cast<float>(h);
  const float phi = 2 * kPi * (static_cast<float>(x) + in_cell) / static_cast<float>(w);
  const float sin_theta = std::sin(theta);
  if (!(sin_theta > 0)) return std::nullopt;
  const Vec3 local{std::sin(phi) * sin_theta, std::cos(theta), -std::cos(phi) * sin_theta};
  const Vec3 direction = normalize(world_from_environment_ * local);
  const float density = pdf(direction);
  if (!(density > 0)) return std::nullopt;
  return Sample{direction, radiance(direction), density};
}

float EnvironmentLight::pdf(Vec3 direction) const {
  if (black()) return 0;
  if (image_.pixels.empty()) return kSpherePdf;
  const auto w = static_cast<std::size_t>(image_.width), h = static_cast<std::size_t>(image_.height);
  const Vec2 uv = uv_of(direction);
  const std::size_t x = std::min(w - 1, static_cast<std::size_t>(uv.x * static_cast<float>(w)));
  const std::size_t y = std::min(h - 1, static_cast<std::size_t>(uv.y * static_cast<float>(h)));
  const float* row = &conditional_[y * (w + 1)];
  const float sin_theta = std::sin(uv.y * kPi);
  if (!(sin_theta > 0) || !(row[w] > 0)) return 0;
  const float in_uv = (marginal_[y + 1] - marginal_[y]) / marginal_[h] * static_cast<float>(h) *
                      ((row[x + 1] - row[x]) / row[w]) * static_cast<float>(w);
  return in_uv / (2 * kPi * kPi * sin_theta);
}

}  // namespace simulacra
