// SPDX-License-Identifier: Apache-2.0
// Stored values on their way to a page: packed planes, single pixels, thumbnails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/hdf5/hdf5.h"
#include "dataset/hdf5/window.h"

namespace simulacra::inspector {

/// Planes above this size are refused.
inline constexpr std::uint64_t kMaxPlaneBytes = std::uint64_t{256} << 20;

/// "SIM1", length of the header (uint32, little-endian), header (JSON), then a zlib stream of the payload:
///  - header {"dtype":"float16","shape":[192,256,3],"shuffled":true}: the payload is the array, row-major and
///    little-endian, bytes of equal significance together when `shuffled`;
///  - header {"json":true}: the payload is JSON text.
/// `level` of deflate: 6 against 1 saves a few per cent of the bytes and takes five times as long.
std::string pack(const hdf5::Array& array, int level = 1);
std::string pack_json(std::string_view json, int level = 1);

/// The array of a picture: height x width, or height x width x channels, up to 4. Throws Error naming the file.
hdf5::Array read_plane(const std::filesystem::path& file);

struct ImageShape {
  std::size_t width = 0, height = 0, channels = 1;
};
/// Throws Error naming `file` when an array of that shape is no picture, or too large.
ImageShape image_shape(std::span<const std::size_t> shape, std::size_t bytes_per_element, const std::filesystem::path& file);

/// Readers of single pixels, the last few of them kept open. Safe for any number of threads.
class PixelReaders {
 public:
  /// The pixel's channels, as doubles. Throws Error naming the file.
  std::vector<double> pixel(const std::filesystem::path& file, std::size_t x, std::size_t y);
  /// What a file holds. Throws Error naming the file.
  std::shared_ptr<const hdf5::WindowReader> reader(const std::filesystem::path& file);

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<const hdf5::WindowReader>> recent_;   ///< latest first
};

/// Labels that a frame's thumbnail is made of, the best first.
inline constexpr std::array<std::string_view, 8> kThumbnailLabels = {"color", "diffuse_reflectance", "depth_meters", "normal_world", "normal_cam",
                                                                     "normal_bump_world", "semantic", "semantic_instance"};
/// 8-bit R, G, B, row 0 on top.
struct SmallPicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};
/// A picture at most `width` pixels wide (a whole number of the image's pixels become one) of color (exposed as tonemap.jpg is), depth, normals or ids, by the label's name. Throws Error naming the
/// file.
SmallPicture small_picture(const std::filesystem::path& file, std::string_view label, int width);
/// The same as a JPEG.
std::vector<std::uint8_t> thumbnail(const std::filesystem::path& file, std::string_view label, int width);

}  // namespace simulacra::inspector
