// SPDX-License-Identifier: Apache-2.0
// Planes whose values follow from their coordinates, and a parallel-for on a given number of threads.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <functional>

#include "render/base/parallel.h"
#include "render/image/frame.h"

namespace simulacra::test {

inline Plane plane_of(int width, int height, int channels, const std::function<double(int row, int column, int channel)>& value) {
  Plane plane{width, height, channels, {}, {}};
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      for (int channel = 0; channel < channels; ++channel) plane.f.push_back(static_cast<float>(value(row, column, channel)));
  return plane;
}

inline Plane constant_plane(int width, int height, int channels, double value) {
  return plane_of(width, height, channels, [value](int, int, int) { return value; });
}

inline ParallelFor on_threads(int threads) {
  return [threads](std::size_t count, const std::function<void(std::size_t)>& body) {
    tbb::task_arena arena(threads);
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, body); });
  };
}

struct Moments {
  double mean = 0, variance = 0;
};
template <typename Values>
Moments moments(const Values& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (const auto v : values) m.mean += static_cast<double>(v) / n;
  for (const auto v : values) m.variance += (static_cast<double>(v) - m.mean) * (static_cast<double>(v) - m.mean) / (n - 1);
  return m;
}

}  // namespace simulacra::test
