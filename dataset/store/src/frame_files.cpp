// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/frame_files.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/conventions.h"
#include "dataset/store/previews.h"
#include "render/base/error.h"
#include "render/base/half.h"

namespace simulacra {
namespace {

hdf5::Element element_of(DType type) {
  switch (type) {
    case DType::f16: return hdf5::Element::f16;
    case DType::f32: return hdf5::Element::f32;
    case DType::u8: return hdf5::Element::u8;
    case DType::i16: return hdf5::Element::i16;
    case DType::i32: return hdf5::Element::i32;
  }
  return hdf5::Element::f32;
}

template <typename T, typename From, typename Convert>
std::vector<std::byte> converted(const std::vector<From>& values, Convert convert) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

template <typename T>
std::vector<std::byte> narrowed(const std::vector<std::int32_t>& values, const std::string& where) {
  return converted<T>(values, [&](std::int32_t v) {
    if (v < std::numeric_limits<T>::min() || v > std::numeric_limits<T>::max())
      fail("{}: value {} does not fit into {} bytes", where, v, sizeof(T));
    return static_cast<T>(v);
  });
}

/// The plane in the label's type on disk.
std::vector<std::byte> element_bytes(const Plane& plane, DType type, const std::string& where) {
  switch (type) {
    case DType::f16:
      return converted<std::uint16_t>(plane.f, [&](float v) {
        const std::uint16_t half = half_from_float(v);
        if ((half & 0x7fffu) == 0x7c00u) fail("{}: value {} is beyond float16", where, v);
        return half;
      });
    case DType::f32: return converted<float>(plane.f, [](float v) { return v; });
    case DType::u8: return narrowed<std::uint8_t>(plane.i, where);
    case DType::i16: return narrowed<std::int16_t>(plane.i, where);
    case DType::i32: return narrowed<std::int32_t>(plane.i, where);
  }
  return {};
}

/// Files of the public format carry none; ours explain themselves.
hdf5::Attributes attributes_of(const LabelSpec& label) {
  if (label.profile == Profile::hypersim) return {};
  return {{"label", std::string(label.name)},
          {"channels", std::string(label.channels)},
          {"unit", std::string(name_of(label.unit))},
          {"space", std::string(name_of(label.space))},
          {"reduce", std::string(name_of(label.reduce))},
          {"invalid", label.invalid},
          {"schema_version", std::int64_t{kSchemaVersion}},
          {"doc", std::string(label.doc)}};
}

std::vector<std::uint8_t> label_bytes(const Frame& frame, const FrameName& name, Label label, int level) {
  const LabelSpec& row = spec(label);
  const Plane& plane = frame.plane(label);
  const std::string where = fmt::format("{} {}", frame_key(name), row.name);
  const std::size_t width = static_cast<std::size_t>(frame.width), height = static_cast<std::size_t>(frame.height);
  const std::size_t size = is_float(row.dtype) ? plane.f.size() : plane.i.size();
  if (size != width * height * row.channels.size())
    fail("{}: the plane has {} values, expected {} x {} x {}", where, size, width, height, row.channels.size());
  std::vector<std::size_t> shape{height, width};
  if (row.channels.size() > 1) shape.push_back(row.channels.size());
  hdf5::Storage storage = hdf5::image_storage(shape);
  storage.level = level;
  return hdf5::encode(element_of(row.dtype), shape, element_bytes(plane, row.dtype, where), storage, serial_for,
                      attributes_of(row));
}

}  // namespace

std::vector<OutputFile> frame_files(const Frame& frame, const FrameName& name, const FrameFilesOptions& options,
                                    const ParallelFor& parallel_for) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::pair<std::string, std::function<std::vector<std::uint8_t>()>>> jobs;
  for (const LabelSpec& row : kLabels)
    if (frame.has(row.id))
      jobs.emplace_back(label_path(name, row.id),
                        [&, label = row.id] { return label_bytes(frame, name, label, options.compression_level); });
  for (std::size_t i = 0; i < kPreviews.size() && options.previews; ++i) {
    const Preview preview = static_cast<Preview>(i);
    if (can_preview(frame, preview))
      jobs.emplace_back(preview_path(name, preview),
                        [&, preview] { return encode_preview(frame, preview, options.jpeg_quality); });
  }
  std::vector<OutputFile> files(jobs.size());
  parallel_for(jobs.size(), [&](std::size_t i) {
    const Clock::time_point start = Clock::now();
    files[i].path = jobs[i].first;
    files[i].bytes = jobs[i].second();
    files[i].seconds = std::chrono::duration<double>(Clock::now() - start).count();
  });
  return files;
}

}  // namespace simulacra
