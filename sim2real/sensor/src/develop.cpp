// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/develop.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "render/base/error.h"
#include "render/texture/texture.h"
#include "sim2real/sensor/raw.h"

namespace simulacra::sensor {
namespace {

Matrix3 matrix_of(const std::vector<double>& entries) {
  SIM_CHECK(entries.size() == 9);
  Matrix3 m{};
  std::ranges::copy(entries, m.begin());
  return m;
}

double row_sum(const Matrix3& m, std::size_t row) { return m[3 * row] + m[3 * row + 1] + m[3 * row + 2]; }

int color_of(const PixelOptions& pixel, const Plane& raw, int row, int column, int channel) {
  return raw.channels == 3 ? channel : filter_color(pixel.mosaic, row, column);
}

/// Black level taken off and the full well at 1, the lens' fall-off divided out as far as the camera does it.
Plane linear_raw(const Plane& raw, const CameraOptions& camera, const Pinhole& pinhole) {
  const double black = camera.pixel.black_level_dn;
  const double full = std::min(largest_dn(camera.pixel) - black, gain_dn_per_e(camera.pixel) * camera.pixel.full_well_e);
  const double corner = corner_distance_px(pinhole, raw.width, raw.height);
  Plane linear = raw;
  for (int row = 0; row < raw.height; ++row)
    for (int column = 0; column < raw.width; ++column)
      for (int channel = 0; channel < raw.channels; ++channel) {
        double value = (static_cast<double>(raw.f[raw.at(row, column, channel)]) - black) / full;
        if (camera.lens.shading_corrected > 0) {
          const int color = color_of(camera.pixel, raw, row, column, channel);
          const double light = relative_illumination(camera.lens, pinhole, corner, {column + 0.5, row + 0.5}, color);
          value /= std::pow(light, camera.lens.shading_corrected);
        }
        linear.f[linear.at(row, column, channel)] = static_cast<float>(value);
      }
  return linear;
}

std::array<double, 3> channel_means(const Plane& linear, const PixelOptions& pixel) {
  std::array<double, 3> sum{}, count{};
  for (int row = 0; row < linear.height; ++row)
    for (int column = 0; column < linear.width; ++column)
      for (int channel = 0; channel < linear.channels; ++channel) {
        const auto color = static_cast<std::size_t>(color_of(pixel, linear, row, column, channel));
        sum[color] += static_cast<double>(linear.f[linear.at(row, column, channel)]);
        ++count[color];
      }
  for (std::size_t k = 0; k < 3; ++k) sum[k] /= std::max(count[k], 1.0);
  return sum;
}

void apply_matrix(Plane& color, const Matrix3& m) {
  for (std::size_t i = 0; i < color.f.size(); i += 3) {
    const double r = static_cast<double>(color.f[i]), g = static_cast<double>(color.f[i + 1]), b = static_cast<double>(color.f[i + 2]);
    for (std::size_t k = 0; k < 3; ++k) color.f[i + k] = static_cast<float>(m[3 * k] * r + m[3 * k + 1] * g + m[3 * k + 2] * b);
  }
}

}  // namespace

Matrix3 inverse(const Matrix3& m) {
  const auto minor = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) { return m[a] * m[d] - m[b] * m[c]; };
  const Matrix3 adjugate = {minor(4, 5, 7, 8), -minor(1, 2, 7, 8), minor(1, 2, 4, 5), -minor(3, 5, 6, 8), minor(0, 2, 6, 8),
                            -minor(0, 2, 3, 5), minor(3, 4, 6, 7), -minor(0, 1, 6, 7), minor(0, 1, 3, 4)};
  const double determinant = m[0] * adjugate[0] + m[1] * adjugate[3] + m[2] * adjugate[6];
  if (!(std::abs(determinant) > 1e-9)) fail("the color matrix has no inverse (determinant {})", determinant);
  Matrix3 result = adjugate;
  for (double& entry : result) entry /= determinant;
  return result;
}

std::array<double, 3> white_gains(const CameraOptions& camera, const Plane& linear) {
  const auto& own = camera.develop.white_gains;
  std::array<double, 3> gains = {own[0], own[1], own[2]};
  if (camera.develop.white_balance == "gains") return gains;
  std::array<double, 3> response{};
  if (camera.develop.white_balance == "gray_world") {
    response = channel_means(linear, camera.pixel);
  } else {
    const Matrix3 crosstalk = matrix_of(camera.pixel.crosstalk);
    for (std::size_t k = 0; k < 3; ++k) response[k] = camera.pixel.quantum_efficiency[k] * row_sum(crosstalk, k);
  }
  const double strongest = std::ranges::max(response);
  for (std::size_t k = 0; k < 3; ++k)
    if (response[k] > 0 && strongest > 0) gains[k] *= strongest / response[k];
  return gains;
}

Matrix3 color_matrix(const CameraOptions& camera) {
  if (!camera.develop.color_matrix.empty()) return matrix_of(camera.develop.color_matrix);
  Matrix3 crosstalk = matrix_of(camera.pixel.crosstalk);
  for (std::size_t row = 0; row < 3; ++row) {
    const double sum = row_sum(crosstalk, row);
    if (!(sum > 0)) fail("row {} of camera.pixel.crosstalk sums to {}: white would have no color; it must be positive", row, sum);
    for (std::size_t k = 0; k < 3; ++k) crosstalk[3 * row + k] /= sum;
  }
  return inverse(crosstalk);
}

float tone(const DevelopOptions& develop, float linear) {
  const double v = std::clamp(static_cast<double>(linear), 0.0, 1.0);
  double shown = v;
  if (develop.curve == "srgb") shown = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  if (develop.curve == "rec709") shown = v < 0.018 ? 4.5 * v : 1.099 * std::pow(v, 0.45) - 0.099;
  if (develop.curve == "gamma") shown = std::pow(v, 1 / develop.gamma);
  return static_cast<float>(shown + develop.contrast * (shown * shown * (3 - 2 * shown) - shown));
}

void quantise(Plane& image, int bits) {
  if (bits <= 0) return;
  const float levels = std::exp2(static_cast<float>(bits)) - 1;
  for (float& v : image.f) v = std::round(std::clamp(v, 0.0f, 1.0f) * levels) / levels;
}

JpegResult jpeg_round_trip(const Plane& image, int quality, std::string_view subsampling) {
  SIM_CHECK(image.channels == 3);
  const std::vector<std::uint8_t> file = encode_jpeg(image.width, image.height, display_bytes(image), quality, subsampling);
  Picture decoded = decode_jpeg(file);
  return {{decoded.width, decoded.height, decoded.channels, std::move(decoded.pixels), {}}, file.size()};
}

JpegResult develop(const Plane& raw, const CameraOptions& camera, const Pinhole& pinhole, const ParallelFor& parallel) {
  Plane linear = linear_raw(raw, camera, pinhole);

  // Balance, with what is full at white.
  const std::array<double, 3> gains = white_gains(camera, linear);
  for (int row = 0; row < raw.height; ++row)
    for (int column = 0; column < raw.width; ++column)
      for (int channel = 0; channel < raw.channels; ++channel) {
        float& v = linear.f[linear.at(row, column, channel)];
        const auto color = static_cast<std::size_t>(color_of(camera.pixel, raw, row, column, channel));
        v = std::min(1.0f, static_cast<float>(gains[color]) * v);
      }

  // Three colors a pixel, to Rec. 709, to display values.
  const Demosaic method = camera.develop.demosaic == "malvar" ? Demosaic::malvar : Demosaic::bilinear;
  JpegResult result{raw.channels == 3 ? std::move(linear) : demosaic(linear, camera.pixel.mosaic, method, parallel), 0};
  apply_matrix(result.image, color_matrix(camera));
  for (float& v : result.image.f) v = tone(camera.develop, static_cast<float>(camera.develop.gain) * v);
  quantise(result.image, camera.develop.bits);
  if (camera.develop.jpeg_quality > 0) return jpeg_round_trip(result.image, camera.develop.jpeg_quality, camera.develop.jpeg_subsampling);
  return result;
}

}  // namespace simulacra::sensor
