// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/tone_map.h"

#include <algorithm>
#include <cmath>

#include "dataset/schema/canonical.h"
#include "dataset/store/colors.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

/// Linear between the two nearest ranks, as numpy does it. Reorders `values`.
double percentile(std::vector<float>& values, double percent) {
  const double rank = percent / 100 * static_cast<double>(values.size() - 1);
  const std::size_t below = static_cast<std::size_t>(rank);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const double lo = *at;
  if (below + 1 == values.size()) return lo;
  const double hi = *std::min_element(at + 1, values.end());
  return lo + (rank - static_cast<double>(below)) * (hi - lo);
}

}  // namespace

double tone_map_scale(std::span<const float> rgb, std::span<const std::uint8_t> valid) {
  SIM_CHECK(rgb.size() == 3 * valid.size());
  std::vector<float> light;
  light.reserve(valid.size());
  for (std::size_t i = 0; i < valid.size(); ++i)
    if (valid[i]) light.push_back(0.3f * rgb[3 * i] + 0.59f * rgb[3 * i + 1] + 0.11f * rgb[3 * i + 2]);
  if (light.empty()) return 1;
  const double top = percentile(light, kToneMapPercentile);
  return top < 1e-4 ? 0 : std::pow(kToneMapTarget, kToneMapGamma) / top;
}

std::vector<std::uint8_t> tone_mapped(std::span<const float> rgb, double scale) {
  std::vector<std::uint8_t> bytes(rgb.size());
  for (std::size_t i = 0; i < rgb.size(); ++i)
    bytes[i] = to_byte(std::pow(std::max(scale * static_cast<double>(rgb[i]), 0.0), 1 / kToneMapGamma));
  return bytes;
}

}  // namespace simulacra
