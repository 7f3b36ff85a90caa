// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/raw.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/base/error.h"
#include "sim2real/sensor/random.h"

namespace simulacra::sensor {
namespace {

constexpr double kPlanck = 6.62607015e-34, kLightSpeed = 299792458, kWavelength = 550e-9;

/// Raw values around a photosite; beyond the image mirrored about the outermost photosites.
struct Neighborhood {
  const Plane& raw;
  int row, column;
  float operator()(int dy, int dx) const { return raw.f[raw.at(mirror(row + dy, raw.height), mirror(column + dx, raw.width))]; }
  static int mirror(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }
  float cross(int step) const { return (*this)(-step, 0) + (*this)(step, 0) + (*this)(0, -step) + (*this)(0, step); }
  float diagonal() const { return (*this)(-1, -1) + (*this)(-1, 1) + (*this)(1, -1) + (*this)(1, 1); }
  float horizontal(int step) const { return (*this)(0, -step) + (*this)(0, step); }
  float vertical(int step) const { return (*this)(-step, 0) + (*this)(step, 0); }
};

enum class Where : std::uint8_t { own, cross, row, column, diagonal };  ///< where the wanted color's nearest photosites lie

Where nearest(std::string_view pattern, int row, int column, int wanted) {
  const int own = filter_color(pattern, row, column);
  if (own == wanted) return Where::own;
  if (wanted == 1) return Where::cross;
  if (own != 1) return Where::diagonal;
  return filter_color(pattern, row, column + 1) == wanted ? Where::row : Where::column;
}

float bilinear(const Neighborhood& at, Where where) {
  switch (where) {
    case Where::own: return at(0, 0);
    case Where::cross: return 0.25f * at.cross(1);
    case Where::row: return 0.5f * at.horizontal(1);
    case Where::column: return 0.5f * at.vertical(1);
    case Where::diagonal: return 0.25f * at.diagonal();
  }
  return 0;
}

float malvar(const Neighborhood& at, Where where) {
  const float own = at(0, 0);
  switch (where) {
    case Where::own: return own;
    case Where::cross: return 0.125f * (4 * own + 2 * at.cross(1) - at.cross(2));
    case Where::row: return 0.125f * (5 * own + 4 * at.horizontal(1) - at.diagonal() - at.horizontal(2) + 0.5f * at.vertical(2));
    case Where::column: return 0.125f * (5 * own + 4 * at.vertical(1) - at.diagonal() - at.vertical(2) + 0.5f * at.horizontal(2));
    case Where::diagonal: return 0.125f * (6 * own + 2 * at.diagonal() - 1.5f * at.cross(2));
  }
  return 0;
}

}  // namespace

double photons_per_radiance(const ExposureOptions& exposure, double pitch_um) {
  const double irradiance = std::numbers::pi / 4 / (exposure.f_number * exposure.f_number) * exposure.transmission;
  const double joule = irradiance * pitch_um * pitch_um * 1e-12 * exposure.time_ms * 1e-3;
  return joule * kWavelength / (kPlanck * kLightSpeed);
}

int filter_color(std::string_view pattern, int row, int column) {
  const char letter = pattern[static_cast<std::size_t>(2 * (row & 1) + (column & 1))];
  return letter == 'r' ? 0 : letter == 'g' ? 1 : 2;
}

Plane mosaic(const Plane& color, std::string_view pattern) {
  SIM_CHECK(color.channels == 3 && pattern.size() == 4);
  Plane raw{color.width, color.height, 1, {}, {}};
  raw.f.reserve(color.f.size() / 3);
  for (int row = 0; row < color.height; ++row)
    for (int column = 0; column < color.width; ++column)
      raw.f.push_back(color.f[color.at(row, column, filter_color(pattern, row, column))]);
  return raw;
}

Plane demosaic(const Plane& raw, std::string_view pattern, Demosaic method, const ParallelFor& parallel) {
  SIM_CHECK(raw.channels == 1 && pattern.size() == 4);
  if (raw.width < 3 || raw.height < 3) fail("an image of {} x {} pixels is too small for a mosaic; it takes 3 x 3", raw.width, raw.height);
  Plane color{raw.width, raw.height, 3, std::vector<float>(raw.f.size() * 3), {}};
  parallel(static_cast<std::size_t>(raw.height), [&](std::size_t r) {
    const int row = static_cast<int>(r);
    for (int column = 0; column < raw.width; ++column)
      for (int channel = 0; channel < 3; ++channel) {
        const Where where = nearest(pattern, row, column, channel);
        const Neighborhood at{raw, row, column};
        color.f[color.at(row, column, channel)] = method == Demosaic::malvar ? malvar(at, where) : bilinear(at, where);
      }
  });
  return color;
}

double largest_dn(const PixelOptions& pixel) { return std::exp2(pixel.adc_bits) - 1; }

double gain_dn_per_e(const PixelOptions& pixel) {
  if (pixel.black_level_dn >= largest_dn(pixel))
    fail("black_level_dn {} leaves no raw numbers: {} bits end at {}", pixel.black_level_dn, pixel.adc_bits, largest_dn(pixel));
  return pixel.gain_dn_per_e > 0 ? pixel.gain_dn_per_e : (largest_dn(pixel) - pixel.black_level_dn) / pixel.full_well_e;
}

Plane digitise(const Plane& electrons, const PixelOptions& pixel, double exposure_s, std::uint64_t seed, std::uint32_t frame,
               const ParallelFor& parallel) {
  const double gain = gain_dn_per_e(pixel), largest = largest_dn(pixel), dark = pixel.dark_current_e_per_s * exposure_s;
  Plane raw{electrons.width, electrons.height, electrons.channels, std::vector<float>(electrons.f.size()), {}};
  const std::size_t per_row = static_cast<std::size_t>(electrons.width) * static_cast<std::size_t>(electrons.channels);
  parallel(static_cast<std::size_t>(electrons.height), [&](std::size_t row) {
    const double offset = pixel.row_noise_e > 0 ? pixel.row_noise_e * Stream(seed, frame, Purpose::row_noise, row).normal() : 0;
    for (std::size_t i = row * per_row; i < (row + 1) * per_row; ++i) {
      double mean = static_cast<double>(electrons.f[i]);
      if (pixel.prnu > 0) mean *= std::max(0.0, 1 + pixel.prnu * Stream(seed, 0, Purpose::pixel_gain, i).normal());
      const double charge = std::min(Stream(seed, frame, Purpose::photons, i).poisson(mean + dark), pixel.full_well_e);
      const double read = pixel.read_noise_e > 0 ? pixel.read_noise_e * Stream(seed, frame, Purpose::read_noise, i).normal() : 0;
      raw.f[i] = static_cast<float>(std::clamp(std::round(pixel.black_level_dn + gain * (charge + read + offset)), 0.0, largest));
    }
  });
  return raw;
}

}  // namespace simulacra::sensor
