// SPDX-License-Identifier: Apache-2.0
// A rendered set of three frames, folders of made-up photographs, and options for a refinement of seconds.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dataset/generate/generate.h"
#include "render/base/files.h"
#include "render/texture/texture.h"
#include "tests/dataset/generate/tiny_room.h"

namespace simulacra::test {

inline constexpr const char* kSmallRefinement = R"(
network: {name: frame, width: 8, blocks: 1}
loss: {lambda: 20}
train: {rounds: 6, refiner_warmup: 60, discriminator_warmup: 3, batch: 4, history: 8, rows: 32, columns: 32,
        refiner_lr: 5.0e-3, discriminator_lr: 1.0e-3, log_every: 1, checkpoint_every: 5, threads: 1}
drift: {every: 4, frames: 3, limit_px: 3, tail_limit_px: 5, least_correlation: -1}
)";

/// 64 x 48 pixels.
inline void make_small_set(const std::filesystem::path& folder, const std::filesystem::path& out) {
  const auto config = write_tiny_room(folder);
  GenerateRun run;
  run.root = out, run.threads = 1, run.version = "1.0.0";
  generate(read_generate_request(config.string(), {}), run);
}

/// Dim, noisy pictures with a few soft shapes.
inline void make_photographs(const std::filesystem::path& folder, int count, int width, int height, int channels) {
  std::filesystem::create_directories(folder);
  for (int k = 0; k < count; ++k) {
    std::mt19937 random(static_cast<unsigned>(100 + k));
    std::vector<std::uint8_t> bytes;
    for (int r = 0; r < height; ++r)
      for (int c = 0; c < width; ++c)
        for (int i = 0; i < channels; ++i) {
          const double shape = 90 + 40 * std::sin(0.11 * (c + 5 * k)) * std::cos(0.09 * r + i);
          bytes.push_back(static_cast<std::uint8_t>(shape + static_cast<double>(random() % 13)));
        }
    write_file_atomically(folder / fmt::format("photo_{:02}.png", k), encode_png(width, height, channels, bytes));
  }
}

}  // namespace simulacra::test
