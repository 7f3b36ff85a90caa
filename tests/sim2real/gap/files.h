// SPDX-License-Identifier: Apache-2.0
// Folders of pictures.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/exr/exr.h"
#include "render/base/files.h"
#include "render/image/frame.h"
#include "render/texture/texture.h"

namespace simulacra::test {

inline void write_png(const std::filesystem::path& file, const Plane& p) {
  std::vector<std::uint8_t> bytes;
  for (const float v : p.f) bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(v, 0.0f, 1.0f))));
  write_file_atomically(file, encode_png(p.width, p.height, p.channels, bytes));
}

inline void write_set(const std::filesystem::path& folder, const std::vector<Plane>& planes) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < planes.size(); ++i) write_png(folder / (std::to_string(i) + ".png"), planes[i]);
}

/// Three channels of linear light.
inline void write_exr_picture(const std::filesystem::path& file, const Plane& p) {
  Frame frame;
  frame.width = p.width, frame.height = p.height;
  frame.allocate(Label::color).f = p.f;
  write_exr(file, frame);
}

}  // namespace simulacra::test
