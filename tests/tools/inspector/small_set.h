// SPDX-License-Identifier: Apache-2.0
// A data set of a few small frames, written without a renderer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/manifest.h"
#include "render/base/files.h"
#include "render/base/half.h"

namespace simulacra::test {

inline constexpr std::size_t kSmallWidth = 8, kSmallHeight = 6;

template <typename T>
void write_array(const std::filesystem::path& file, hdf5::Element element, const std::vector<std::size_t>& shape, const std::vector<T>& values) {
  std::filesystem::create_directories(file.parent_path());
  hdf5::write(file, element, shape, std::as_bytes(std::span(values)), hdf5::image_storage(shape));
}

/// The value that pixel p of a small frame's depth has: exact in float16.
inline float small_depth(int frame, std::size_t p) { return 1.0f + static_cast<float>(frame) + static_cast<float>(p) / 64; }

inline void write_small_frame(const std::filesystem::path& root, const FrameName& name) {
  std::vector<std::uint16_t> depth, color;
  std::vector<std::int16_t> semantic;
  for (std::size_t p = 0; p < kSmallWidth * kSmallHeight; ++p) {
    depth.push_back(half_from_float(small_depth(name.frame, p)));
    for (int c = 0; c < 3; ++c) color.push_back(half_from_float(static_cast<float>(p) / 64));
    semantic.push_back(p < 10 ? std::int16_t{-1} : std::int16_t{5});
  }
  const std::vector<std::size_t> flat = {kSmallHeight, kSmallWidth}, deep = {kSmallHeight, kSmallWidth, 3};
  write_array(root / label_path(name, Label::depth_meters), hdf5::Element::f16, flat, depth);
  write_array(root / label_path(name, Label::color), hdf5::Element::f16, deep, color);
  write_array(root / label_path(name, Label::semantic), hdf5::Element::i16, flat, semantic);
}

/// Two scenes with two frames each; no manifest.
inline void write_small_set(const std::filesystem::path& root) {
  for (const char* scene : {"ai_900_001", "ai_900_002"}) {
    for (const int frame : {0, 1}) write_small_frame(root, {scene, "cam_00", frame});
    const std::filesystem::path camera = root / camera_folder(scene, "cam_00");
    std::filesystem::create_directories(camera);
    const std::vector<double> eyes = {1, 2, 3, 4, 5, 6}, turns = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    hdf5::write(camera / "camera_keyframe_positions.hdf5", hdf5::Element::f64, std::vector<std::size_t>{2, 3}, std::as_bytes(std::span(eyes)));
    hdf5::write(camera / "camera_keyframe_orientations.hdf5", hdf5::Element::f64, std::vector<std::size_t>{2, 3, 3}, std::as_bytes(std::span(turns)));
  }
}

}  // namespace simulacra::test
