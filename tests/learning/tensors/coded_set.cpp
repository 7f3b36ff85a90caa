// SPDX-License-Identifier: Apache-2.0
#include "tests/learning/tensors/coded_set.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/layout.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/half.h"

namespace simulacra::test {
namespace {

namespace fs = std::filesystem;

hdf5::Element element_of(DType type) {
  switch (type) {
    case DType::f16: return hdf5::Element::f16;
    case DType::f32: return hdf5::Element::f32;
    case DType::u8: return hdf5::Element::u8;
    case DType::i16: return hdf5::Element::i16;
    case DType::i32: break;
  }
  return hdf5::Element::i32;
}

void put(std::vector<std::byte>& bytes, DType type, double value) {
  const auto append = [&](auto element) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof element);
    std::memcpy(bytes.data() + at, &element, sizeof element);
  };
  switch (type) {
    case DType::f16: return append(half_from_float(static_cast<float>(value)));
    case DType::f32: return append(static_cast<float>(value));
    case DType::u8: return append(static_cast<std::uint8_t>(value));
    case DType::i16: return append(static_cast<std::int16_t>(value));
    case DType::i32: return append(static_cast<std::int32_t>(value));
  }
}

void write_camera(const fs::path& folder, int frames) {
  std::vector<double> positions, orientations;
  std::vector<std::int64_t> numbers;
  for (int i = 0; i < frames; ++i) {
    numbers.push_back(i);
    positions.insert(positions.end(), {0, 0, 0});
    orientations.insert(orientations.end(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
  }
  const auto n = static_cast<std::size_t>(frames);
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  hdf5::write(folder / "camera_keyframe_frame_indices.hdf5", hdf5::Element::i64, std::array{n}, bytes(numbers));
  hdf5::write(folder / "camera_keyframe_positions.hdf5", hdf5::Element::f64, std::array{n, std::size_t{3}}, bytes(positions));
  hdf5::write(folder / "camera_keyframe_orientations.hdf5", hdf5::Element::f64, std::array{n, std::size_t{3}, std::size_t{3}},
              bytes(orientations));
}

}  // namespace

double coded_value(Label label, int row, int column, std::size_t channel, int number, const CodedSet& set) {
  const double r = row, c = column;
  if (label == Label::color) return std::array{c, r, static_cast<double>(number)}[channel];
  if (label == Label::depth_meters) return (row + column) % 7 == 0 ? kNaN : c + 1;
  if (label == Label::depth_planar_meters) return 1000 * (r + 1) + c;
  if (label == Label::semantic) return column % 5 == 0 ? -1 : row % 40 + 1;
  if (label == Label::position) return std::array{2 * c, 2 * r, -2.0 * number}[channel];
  if (label == Label::normal_cam) return row != 0 && channel == (2 * column < set.width ? 0u : 2u) ? 1 : 0;
  if (label == Label::diffuse_reflectance) return column % 2 == 0 ? std::array{0.25, 0.5, 1.0}[channel] : 0;
  if (label == Label::diffuse_illumination) return std::array{c + 1, r + 1, 2.0}[channel];
  if (label == Label::residual) return 1;
  if (label == Label::render_entity_id) return column == set.width - 1 ? -1 : 1;
  fail("the coded set has no {}", spec(label).name);
}

void write_label(const fs::path& file, Label label, int width, int height, const std::function<double(int, int, std::size_t)>& value) {
  std::vector<std::size_t> shape{static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  if (channel_count(label) > 1) shape.push_back(channel_count(label));
  std::vector<std::byte> bytes;
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      for (std::size_t k = 0; k < channel_count(label); ++k) put(bytes, spec(label).dtype, value(r, c, k));
  fs::create_directories(file.parent_path());
  hdf5::write(file, element_of(spec(label).dtype), shape, bytes, hdf5::image_storage(shape));
}

void write_coded_set(const fs::path& root, const CodedSet& set) {
  int number = 0;
  for (int s = 0; s < set.scenes; ++s) {
    const std::string scene = scene_name(900, s + 1);
    fs::create_directories(root / detail_folder(scene));
    write_text_atomically(root / detail_folder(scene) / "metadata_scene.csv",
                          fmt::format("parameter_name,parameter_value\nmeters_per_asset_unit,{}\n", set.meters_per_asset_unit));
    for (int c = 0; c < set.cameras; ++c) {
      const std::string camera = camera_name(c);
      fs::create_directories(root / camera_folder(scene, camera));
      if (set.poses) write_camera(root / camera_folder(scene, camera), set.frames);
      for (int f = 0; f < set.frames; ++f, ++number)
        for (const Label label : set.labels)
          write_label(root / label_path({scene, camera, f}, label), label, set.width, set.height,
                      [&](int row, int column, std::size_t k) { return coded_value(label, row, column, k, number, set); });
    }
  }
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace simulacra::test
