// SPDX-License-Identifier: Apache-2.0
// HDF5 files with one array each, as the Hypersim layout has them: one root dataset named "dataset".
//  - Arrays are row-major, little-endian, the last index runs fastest.
//  - The only user of the HDF5 library. Its calls run under one process-wide lock; compressing,
//    decompressing and file access happen outside of it. All functions are safe for any number of threads.
//  - The same array and options give the same bytes, whatever the ParallelFor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "render/base/parallel.h"

namespace simulacra::hdf5 {

/// Type of an array's elements. f16 is IEEE binary16, as numpy's float16.
enum class Element : std::uint8_t { f16, f32, f64, u8, i16, i32, i64 };

constexpr std::size_t byte_size(Element element) {
  switch (element) {
    case Element::u8: return 1;
    case Element::f16:
    case Element::i16: return 2;
    case Element::f32:
    case Element::i32: return 4;
    case Element::f64:
    case Element::i64: break;
  }
  return 8;
}
/// numpy's name: "float16".
std::string_view name_of(Element element);

/// How an array is stored.
struct Storage {
  std::vector<std::size_t> chunk;  ///< extent of a chunk in each dimension, at most the array's; empty = contiguous
  int level = 1;                   ///< of deflate, 1..12; only with chunks
  bool shuffle = true;             ///< bytes of equal significance are put together first; only with chunks
};

/// Chunks of 96 x 128 pixels of one channel, as in the public set: what image files of the data set use.
/// `shape` is (height, width) or (height, width, channels).
Storage image_storage(std::span<const std::size_t> shape);

using AttributeValue = std::variant<std::string, double, std::int64_t>;
/// Of the dataset, in the order of their names. Files of the Hypersim profile have none.
using Attributes = std::map<std::string, AttributeValue>;

/// The file's bytes. `data` holds exactly the array. Throws Error when the library refuses.
std::vector<std::uint8_t> encode(Element element, std::span<const std::size_t> shape,
                                 std::span<const std::byte> data, const Storage& storage = {},
                                 const ParallelFor& parallel_for = serial_for, const Attributes& attributes = {});

/// encode(), written atomically.
void write(const std::filesystem::path& file, Element element, std::span<const std::size_t> shape,
           std::span<const std::byte> data, const Storage& storage = {},
           const ParallelFor& parallel_for = serial_for, const Attributes& attributes = {});

/// An array as it was read.
struct Array {
  Element element = Element::u8;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;

  std::size_t size() const { return bytes.size() / byte_size(element); }
  /// Element i (flat index) as a double; f16 is widened, i64 beyond 2^53 rounded.
  double at(std::size_t i) const;
  /// The elements as T. Throws Error unless sizeof(T) and `element` agree in size.
  template <typename T>
  std::span<const T> as() const {
    check_size(sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), size()};
  }

 private:
  void check_size(std::size_t bytes_per_element) const;
};

/// Arrays above this size are refused.
inline constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{4} << 30;

/// The root dataset of that name. Throws Error with one line that names the file when it cannot be opened,
/// has no such dataset, is damaged, or holds another type of element.
Array read(const std::filesystem::path& file, const std::string& dataset = "dataset");
/// The same of a file that is in memory; `name` is for messages.
Array read_bytes(std::span<const std::uint8_t> file, const std::string& name, const std::string& dataset = "dataset");

/// What a file is made of, for audits. Nothing of the array itself is read.
struct Inspection {
  std::vector<std::string> root_names;   ///< all links of the root group, in the order of their names
  int root_attributes = 0;
  bool has_dataset = false;              ///< the dataset asked for is there; the rest tells of it
  std::string type;                      ///< "float16", or a description of another type, e.g. "float32 big-endian"
  std::vector<std::size_t> shape;
  std::vector<std::size_t> chunk;        ///< empty = not chunked
  std::vector<std::string> filters;      ///< in the order of writing: "shuffle", "gzip", "fletcher32", …
  int attributes = 0;
  std::uint64_t stored_bytes = 0;        ///< bytes of the array on disk
};
/// Throws Error like read(); a missing dataset is no error here.
Inspection inspect(const std::filesystem::path& file, const std::string& dataset = "dataset");
Inspection inspect_bytes(std::span<const std::uint8_t> file, const std::string& name,
                         const std::string& dataset = "dataset");

}  // namespace simulacra::hdf5
