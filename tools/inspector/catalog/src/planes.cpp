// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/catalog/planes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/schema/canonical.h"
#include "dataset/store/colors.h"
#include "dataset/store/tone_map.h"
#include "render/base/error.h"
#include "render/texture/texture.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSide = 16384, kMaxReaders = 64;

/// Every n-th pixel of a plane as floats, or means over blocks.
struct Small {
  std::size_t width = 0, height = 0, channels = 1;
  std::vector<float> values;
};

Small shrunk(const hdf5::Array& array, const ImageShape& shape, std::size_t width, bool mean) {
  const std::size_t step = std::max<std::size_t>(1, (shape.width + width - 1) / width);
  Small small{std::max<std::size_t>(1, shape.width / step), std::max<std::size_t>(1, shape.height / step), shape.channels, {}};
  small.values.reserve(small.width * small.height * small.channels);
  const std::size_t reach = mean ? step : 1, start = mean ? 0 : step / 2;
  for (std::size_t y = 0; y < small.height; ++y)
    for (std::size_t x = 0; x < small.width; ++x)
      for (std::size_t c = 0; c < shape.channels; ++c) {
        double sum = 0;
        std::size_t count = 0;
        for (std::size_t dy = 0; dy < reach; ++dy)
          for (std::size_t dx = 0; dx < reach; ++dx) {
            const std::size_t row = std::min(y * step + start + dy, shape.height - 1), column = std::min(x * step + start + dx, shape.width - 1);
            const double v = array.at((row * shape.width + column) * shape.channels + c);
            if (!mean || std::isfinite(v)) sum += v, ++count;
          }
        small.values.push_back(count ? static_cast<float>(sum / static_cast<double>(count)) : 0.0f);
      }
  return small;
}

/// Of "float16"; 8 where the name does not say.
std::size_t bytes_of_type(const std::string& type) {
  const std::size_t at = type.find_first_of("123456789");
  const int bits = at == std::string::npos ? 0 : std::atoi(type.c_str() + at);
  return bits == 8 || bits == 16 || bits == 32 ? static_cast<std::size_t>(bits) / 8 : 8;
}

using Pixel = std::array<std::uint8_t, 3>;
constexpr Pixel kNothing = {40, 42, 48};

std::vector<std::uint8_t> light_pixels(const Small& small) {
  const std::vector<std::uint8_t> valid(small.width * small.height, 1);
  return tone_mapped(small.values, tone_map_scale(small.values, valid));
}

std::vector<std::uint8_t> vector_pixels(const Small& small) {
  std::vector<std::uint8_t> rgb;
  for (std::size_t i = 0; i < small.values.size(); ++i) {
    const float v = small.values[i];
    rgb.push_back(std::isfinite(v) ? to_byte((static_cast<double>(v) + 1) / 2) : kNothing[i % 3]);
  }
  return rgb;
}

std::vector<std::uint8_t> scalar_pixels(const Small& small) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (const float v : small.values)
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  std::vector<std::uint8_t> rgb;
  for (std::size_t i = 0; i < small.values.size(); i += small.channels) {
    const float v = small.values[i];
    const Pixel p = std::isfinite(v) ? viridis(high > low ? static_cast<double>((v - low) / (high - low)) : 0.5) : kNothing;
    rgb.insert(rgb.end(), p.begin(), p.end());
  }
  return rgb;
}

std::vector<std::uint8_t> id_pixels(const Small& small, bool semantic) {
  std::vector<std::uint8_t> rgb;
  for (std::size_t i = 0; i < small.values.size(); i += small.channels) {
    const int id = static_cast<int>(small.values[i]);
    const Pixel p = id < 1 ? kNothing : semantic && id <= 40 ? semantic_color(id) : instance_color(id);
    rgb.insert(rgb.end(), p.begin(), p.end());
  }
  return rgb;
}

}  // namespace

ImageShape image_shape(std::span<const std::size_t> shape, std::size_t bytes_per_element, const fs::path& file) {
  const bool fits = (shape.size() == 2 || (shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4)) && shape[0] > 0 && shape[1] > 0;
  if (!fits) fail("{}: an array of shape [{}] is no picture; expected [height, width] or [height, width, channels]", file.string(), fmt::join(shape, ", "));
  const ImageShape image{shape[1], shape[0], shape.size() == 3 ? shape[2] : 1};
  if (image.width > kMaxSide || image.height > kMaxSide || image.width * image.height * image.channels * bytes_per_element > kMaxPlaneBytes)
    fail("{}: {} x {} x {} of {} bytes is more than can be shown: {} pixels a side and {} MiB", file.string(), image.width, image.height, image.channels,
         bytes_per_element, kMaxSide, kMaxPlaneBytes >> 20);
  return image;
}

hdf5::Array read_plane(const fs::path& file) {
  const hdf5::Inspection facts = hdf5::inspect(file);   // the size, before memory is asked for
  if (facts.has_dataset) image_shape(facts.shape, bytes_of_type(facts.type), file);
  hdf5::Array array = hdf5::read(file);
  image_shape(array.shape, byte_size(array.element), file);
  return array;
}

std::shared_ptr<const hdf5::WindowReader> PixelReaders::reader(const fs::path& file) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(recent_.begin(), recent_.end(), [&](const auto& r) { return r->file() == file; });
    if (at != recent_.end()) {
      recent_.splice(recent_.begin(), recent_, at);
      return recent_.front();
    }
  }
  auto made = std::make_shared<const hdf5::WindowReader>(file);
  const std::lock_guard lock(mutex_);
  recent_.push_front(made);
  if (recent_.size() > kMaxReaders) recent_.pop_back();
  return made;
}

std::vector<double> PixelReaders::pixel(const fs::path& file, std::size_t x, std::size_t y) {
  const auto from = reader(file);
  const ImageShape shape = image_shape(from->shape(), byte_size(from->element()), file);
  if (x >= shape.width || y >= shape.height) fail("{}: there is no pixel ({}, {}) in {} x {}", file.string(), x, y, shape.width, shape.height);
  hdf5::Array one{from->element(), {shape.channels}, std::vector<std::byte>(shape.channels * byte_size(from->element()))};
  const std::array<std::size_t, 3> first = {y, x, 0}, extent = {1, 1, shape.channels}, stride = {shape.channels, shape.channels, 1};
  const std::size_t rank = from->shape().size();
  try {
    from->read(std::span(first).first(rank), std::span(extent).first(rank), std::span(stride).first(rank), one.bytes.data());
  } catch (const Error&) {   // the file has changed, or is damaged: forget what was known of it
    const std::lock_guard lock(mutex_);
    recent_.remove(from);
    throw;
  }
  std::vector<double> values;
  for (std::size_t c = 0; c < shape.channels; ++c) values.push_back(one.at(c));
  return values;
}

SmallPicture small_picture(const fs::path& file, std::string_view label, int width) {
  const hdf5::Array array = read_plane(file);
  const ImageShape shape = image_shape(array.shape, byte_size(array.element), file);
  const bool light = label == "color" || label == "diffuse_reflectance" || label == "diffuse_illumination" || label == "residual";
  const Small small = shrunk(array, shape, static_cast<std::size_t>(width), light && shape.channels == 3);
  SmallPicture picture{static_cast<int>(small.width), static_cast<int>(small.height), {}};
  if (light && shape.channels == 3) picture.rgb = light_pixels(small);
  else if (shape.channels == 3) picture.rgb = vector_pixels(small);
  else if (label == "semantic" || label.ends_with("_id") || label == "semantic_instance") picture.rgb = id_pixels(small, label == "semantic");
  else picture.rgb = scalar_pixels(small);
  return picture;
}

std::vector<std::uint8_t> thumbnail(const fs::path& file, std::string_view label, int width) {
  const SmallPicture picture = small_picture(file, label, width);
  return encode_jpeg(picture.width, picture.height, picture.rgb, 82);
}

}  // namespace simulacra::inspector
