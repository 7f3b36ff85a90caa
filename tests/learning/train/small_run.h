// SPDX-License-Identifier: Apache-2.0
// A training of seconds on a set whose values are formulas.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace simulacra::test {

/// Twelve frames of three scenes, a transformer of two blocks, crops of 32 x 32 pixels.
inline constexpr const char* kSmallTraining = R"(
split: {by: scene, held_back: 0.34}
loader: {batch_size: 4, height: 32, width: 32, threads: 1}
model:
  vit: {image_size: 32, patch_size: 8, dim: 16, depth: 2, heads: 2, position: sincos, attention: sigmoid, class_token: false}
  decoder_width: 8
tasks: {depth: 1, normals: 0.5, semantics: 0.1}
optimizer: {method: ademamix, alpha: 2, beta3: 0.99, clip: 1}
schedule: {lr: 3.0e-3, warmup: 2, total: 8}
average: {rho: 0.9}
run: {log_every: 1, evaluate_every: 3, checkpoint_every: 2, precision: float32, threads: 1}
)";

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace simulacra::test
