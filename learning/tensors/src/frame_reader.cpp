// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/src/frame_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/store/tone_map.h"
#include "render/base/error.h"

namespace simulacra::tensors {
namespace {

/// Tables of chunks that are kept: some 3 KiB for a public color file. When there are more, all are found again.
constexpr std::size_t kMostReaders = 100'000;

using hdf5::Element;

std::vector<std::size_t> shape_of(Label label, int height, int width) {
  std::vector<std::size_t> shape{static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  if (channel_count(label) > 1) shape.push_back(channel_count(label));
  return shape;
}

void check_form(const hdf5::WindowReader& reader, Label label, const FrameIndex& index, bool as_floats) {
  const auto expected = shape_of(label, index.height, index.width);
  if (reader.shape() != expected)
    fail("{}: the array is [{}]; frames of this set are [{}]", reader.file().string(), fmt::join(reader.shape(), ", "),
         fmt::join(expected, ", "));
  const Element e = reader.element();
  const bool fits = as_floats ? e == Element::f16 || e == Element::f32 : e == Element::u8 || e == Element::i16 || e == Element::i32;
  if (!fits)
    fail("{}: elements are {}; expected {}", reader.file().string(), hdf5::name_of(e), name_of(spec(label).dtype));
}

/// Widens what was read as T; uint16 stands for float16.
template <typename T, typename To>
void read_widened(const hdf5::WindowReader& reader, std::span<const std::size_t> first, std::span<const std::size_t> extent,
                  std::span<const std::size_t> stride, std::vector<To>& out) {
  thread_local std::vector<T> narrow;
  narrow.resize(std::max(narrow.size(), out.size()));
  reader.read(first, extent, stride, narrow.data());
  if constexpr (std::is_same_v<T, std::uint16_t>) widen({narrow.data(), out.size()}, out.data());
  else std::copy_n(narrow.begin(), out.size(), out.begin());
}

}  // namespace

FrameReader::FrameReader(const FrameIndex& index) : index_(index), tone_map_scales_(index.size()) {
  for (auto& scale : tone_map_scales_) scale = std::numeric_limits<float>::quiet_NaN();
}

FrameReader::Reader FrameReader::reader_of(std::size_t frame_idx, Label label) {
  const std::size_t key = frame_idx * kNumLabels + index_of(label);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = readers_.find(key); found != readers_.end()) return found->second;
  }
  auto reader = std::make_shared<const hdf5::WindowReader>(index_.file(frame_idx, label));
  const std::lock_guard lock(mutex_);
  if (readers_.size() >= kMostReaders) readers_.clear();
  return readers_[key] = std::move(reader);
}

void FrameReader::forget(std::size_t frame_idx, Label label) {
  const std::lock_guard lock(mutex_);
  readers_.erase(frame_idx * kNumLabels + index_of(label));
}

template <typename T>
void FrameReader::read_as(std::size_t frame_idx, Label label, const CropWindow& window, std::vector<T>& out) {
  const Reader reader = reader_of(frame_idx, label);
  check_form(*reader, label, index_, std::is_same_v<T, float>);
  const std::size_t rows = static_cast<std::size_t>(window.rows), columns = static_cast<std::size_t>(window.columns);
  const std::array first{static_cast<std::size_t>(window.row), static_cast<std::size_t>(window.column), std::size_t{0}};
  const std::array extent{rows, columns, channel_count(label)};
  const std::array stride{columns, std::size_t{1}, rows * columns};
  const std::size_t rank = reader->shape().size();
  out.resize(rows * columns * channel_count(label));
  const auto read = [&]<typename Stored>(Stored) {
    read_widened<Stored>(*reader, std::span(first).first(rank), std::span(extent).first(rank), std::span(stride).first(rank), out);
  };
  switch (reader->element()) {
    case Element::f16:
      if constexpr (std::is_same_v<T, float>) return read(std::uint16_t{});
      break;
    case Element::u8:
      if constexpr (!std::is_same_v<T, float>) return read(std::uint8_t{});
      break;
    case Element::i16:
      if constexpr (!std::is_same_v<T, float>) return read(std::int16_t{});
      break;
    case Element::f32:
    case Element::i32:
      return reader->read(std::span(first).first(rank), std::span(extent).first(rank), std::span(stride).first(rank), out.data());
    case Element::f64:
    case Element::i64: break;
  }
  check_failed("check_form() has refused other elements", __FILE__, __LINE__);
}

void FrameReader::read(std::size_t frame_idx, Label label, const CropWindow& window, std::vector<float>& out) {
  try {
    read_as(frame_idx, label, window, out);
  } catch (const Error&) {
    forget(frame_idx, label);   // the file may be replaced by a good one
    throw;
  }
}

void FrameReader::read(std::size_t frame_idx, Label label, const CropWindow& window, std::vector<std::int32_t>& out) {
  try {
    read_as(frame_idx, label, window, out);
  } catch (const Error&) {
    forget(frame_idx, label);
    throw;
  }
}

float FrameReader::tone_map_scale(std::size_t frame_idx) {
  std::atomic<float>& kept = tone_map_scales_[frame_idx];
  if (const float known = kept; known == known) return known;
  thread_local std::vector<float> planes, rgb;
  thread_local std::vector<std::int32_t> ids;
  thread_local std::vector<std::uint8_t> valid;
  read(frame_idx, Label::color, whole_frame(), planes);
  const std::size_t pixels = planes.size() / 3;
  ids.assign(pixels, 1);
  if (has(index_.frames[frame_idx].labels, Label::render_entity_id)) read(frame_idx, Label::render_entity_id, whole_frame(), ids);
  rgb.resize(planes.size());
  valid.resize(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    bool is_number = true;
    for (std::size_t c = 0; c < 3; ++c) {
      rgb[3 * i + c] = planes[c * pixels + i];
      is_number &= !std::isnan(rgb[3 * i + c]);
    }
    valid[i] = is_number && ids[i] != -1;
  }
  const float scale = static_cast<float>(simulacra::tone_map_scale(rgb, valid));
  kept = scale;
  return scale;
}

}  // namespace simulacra::tensors
