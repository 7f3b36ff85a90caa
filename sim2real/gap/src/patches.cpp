// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/patches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "render/base/error.h"
#include "sim2real/gap/src/random.h"

namespace simulacra::gap {
namespace {

constexpr std::array<float, 5> kBinomial = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
constexpr int kLeastLevel = 16;

int mirrored(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }

Plane empty_plane(int width, int height, int channels) {
  Plane p{width, height, channels, {}, {}};
  p.f.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(channels));
  return p;
}

/// Five taps around the pixel given by `at(row, column, tap)`.
template <typename At>
Plane filtered(int width, int height, int channels, const At& at) {
  Plane out = empty_plane(width, height, channels);
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      for (int k = 0; k < channels; ++k) {
        float sum = 0;
        for (int t = 0; t < 5; ++t) sum += kBinomial[static_cast<std::size_t>(t)] * at(r, c, k, t - 2);
        out.f[out.at(r, c, k)] = sum;
      }
  return out;
}

Plane halved(const Plane& p) {
  const int width = (p.width + 1) / 2, height = (p.height + 1) / 2;
  const Plane rows = filtered(width, p.height, p.channels,
                              [&](int r, int c, int k, int t) { return p.f[p.at(r, mirrored(2 * c + t, p.width), k)]; });
  return filtered(width, height, p.channels, [&](int r, int c, int k, int t) { return rows.f[rows.at(mirrored(2 * r + t, rows.height), c, k)]; });
}

/// Zeros between the pixels, then the filter times two in each direction.
Plane enlarged(const Plane& p, int width, int height) {
  const Plane rows = filtered(width, p.height, p.channels, [&](int r, int c, int k, int t) {
    const int x = mirrored(c + t, width);
    return x % 2 == 0 ? 2 * p.f[p.at(r, x / 2, k)] : 0.0f;
  });
  return filtered(width, height, p.channels, [&](int r, int c, int k, int t) {
    const int y = mirrored(r + t, height);
    return y % 2 == 0 ? 2 * rows.f[rows.at(y / 2, c, k)] : 0.0f;
  });
}

int levels_of(const Plane& image, int most) {
  int levels = 1;
  for (int side = std::min(image.width, image.height); levels < most && side >= 2 * kLeastLevel; side = (side + 1) / 2) ++levels;
  return levels;
}

using Pyramids = std::vector<std::vector<Plane>>;

Pyramids pyramids_of(std::span<const Plane> images, int levels, const ParallelFor& parallel) {
  Pyramids pyramids(images.size());
  parallel(images.size(), [&](std::size_t i) { pyramids[i] = laplacian_pyramid(images[i], levels); });
  return pyramids;
}

std::vector<float> patches_of(const Pyramids& pyramids, std::size_t level, const PatchOptions& o, std::uint64_t stream) {
  Random random(o.seed, stream);
  const std::vector<std::size_t> order = random.permutation(pyramids.size());
  std::vector<float> patches;
  for (std::size_t n = 0; n < o.patches; ++n) {
    const Plane& p = pyramids[order[n % order.size()]][level];
    const auto top = static_cast<int>(random.below(static_cast<std::size_t>(p.height - o.patch_px + 1)));
    const auto left = static_cast<int>(random.below(static_cast<std::size_t>(p.width - o.patch_px + 1)));
    for (int r = 0; r < o.patch_px; ++r) {
      const auto first = p.f.begin() + static_cast<std::ptrdiff_t>(p.at(top + r, left));
      patches.insert(patches.end(), first, first + static_cast<std::ptrdiff_t>(o.patch_px) * p.channels);
    }
  }
  return patches;
}

/// Divides each channel of both by its deviation in `reference`, about its mean.
void scale_by(std::vector<float>& a, std::vector<float>& reference, std::size_t channels) {
  for (std::size_t k = 0; k < channels; ++k) {
    double n = 0, sum = 0, squares = 0;
    for (std::size_t i = k; i < reference.size(); i += channels)
      n += 1, sum += static_cast<double>(reference[i]), squares += static_cast<double>(reference[i]) * static_cast<double>(reference[i]);
    const double mean = sum / n, deviation = std::sqrt(std::max(0.0, squares / n - mean * mean));
    // A level without any detail is compared in its own unit.
    const double scale = deviation > 1e-9 ? 1 / deviation : 1;
    for (auto* values : {&a, &reference})
      for (std::size_t i = k; i < values->size(); i += channels) (*values)[i] = static_cast<float>((static_cast<double>((*values)[i]) - mean) * scale);
  }
}

std::vector<float> direction(std::size_t dimension, std::uint64_t seed, std::uint64_t stream) {
  Random random(seed, stream);
  std::vector<double> v(dimension);
  double square = 0;
  for (double& x : v) x = random.normal(), square += x * x;
  std::vector<float> unit;
  for (const double x : v) unit.push_back(static_cast<float>(x / std::sqrt(square)));
  return unit;
}

std::vector<float> projected(std::span<const float> rows, const std::vector<float>& unit) {
  std::vector<float> values;
  for (std::size_t i = 0; i < rows.size(); i += unit.size()) {
    float sum = 0;
    for (std::size_t j = 0; j < unit.size(); ++j) sum += rows[i + j] * unit[j];
    values.push_back(sum);
  }
  std::ranges::sort(values);
  return values;
}

}  // namespace

std::vector<Plane> laplacian_pyramid(const Plane& image, int levels) {
  std::vector<Plane> pyramid;
  Plane rest = image;
  for (int detail = levels_of(image, levels) - 1; detail > 0; --detail) {
    Plane coarse = halved(rest);
    const Plane back = enlarged(coarse, rest.width, rest.height);
    for (std::size_t i = 0; i < rest.f.size(); ++i) rest.f[i] -= back.f[i];
    pyramid.push_back(std::move(rest));
    rest = std::move(coarse);
  }
  pyramid.push_back(std::move(rest));
  return pyramid;
}

Plane collapsed(std::vector<Plane> pyramid) {
  Plane image = std::move(pyramid.back());
  for (std::size_t level = pyramid.size() - 1; level-- > 0;) {
    const Plane& detail = pyramid[level];
    image = enlarged(image, detail.width, detail.height);
    for (std::size_t i = 0; i < image.f.size(); ++i) image.f[i] += detail.f[i];
  }
  return image;
}

double sliced_wasserstein(std::span<const float> a, std::span<const float> b, std::size_t dimension, int projections, std::uint64_t seed,
                          const ParallelFor& parallel) {
  SIM_CHECK(a.size() == b.size() && !a.empty() && a.size() % dimension == 0);
  std::vector<double> distances(static_cast<std::size_t>(projections));
  parallel(distances.size(), [&](std::size_t i) {
    const std::vector<float> unit = direction(dimension, seed, i), pa = projected(a, unit), pb = projected(b, unit);
    for (std::size_t j = 0; j < pa.size(); ++j)
      distances[i] += std::abs(static_cast<double>(pa[j]) - static_cast<double>(pb[j])) / static_cast<double>(pa.size());
  });
  double sum = 0;
  for (const double d : distances) sum += d;
  return sum / projections;
}

std::vector<double> patch_distance(std::span<const Plane> synthetic, std::span<const Plane> real, const PatchOptions& options,
                                   const ParallelFor& parallel) {
  // As many levels as the smallest picture has, so that a level is the same thing everywhere.
  int depth = options.levels;
  for (const auto& set : {synthetic, real})
    for (const Plane& image : set) depth = std::min(depth, levels_of(image, options.levels));
  const Pyramids a = pyramids_of(synthetic, depth, parallel), b = pyramids_of(real, depth, parallel);
  const auto levels = static_cast<std::size_t>(depth);
  const auto channels = static_cast<std::size_t>(real.front().channels);
  const std::size_t dimension = static_cast<std::size_t>(options.patch_px * options.patch_px) * channels;
  std::vector<double> distances;
  for (std::size_t level = 0; level < levels; ++level) {
    std::vector<float> pa = patches_of(a, level, options, 2 * level), pb = patches_of(b, level, options, 2 * level + 1);
    scale_by(pa, pb, channels);
    distances.push_back(sliced_wasserstein(pa, pb, dimension, options.projections, options.seed + level + 1, parallel));
  }
  return distances;
}

}  // namespace simulacra::gap
