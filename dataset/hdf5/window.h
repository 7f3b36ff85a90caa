// SPDX-License-Identifier: Apache-2.0
// Parts of arrays, for readers that take random crops of many files again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "dataset/hdf5/hdf5.h"

namespace simulacra::hdf5 {

/// Knows where an array's chunks lie in its file, so that a part of the array costs the chunks that it touches and no
/// call of the HDF5 library: several threads read at the same time. The file must not change in between; when its size
/// or time did, read() says so.
///
/// Arrays that are not deflated in chunks (with or without shuffle) are read as a whole, by hdf5::read().
class WindowReader {
 public:
  /// Throws Error naming the file, like hdf5::read().
  explicit WindowReader(std::filesystem::path file, const std::string& dataset = "dataset");

  const std::filesystem::path& file() const { return file_; }
  Element element() const { return element_; }
  const std::vector<std::size_t>& shape() const { return shape_; }

  /// Copies elements [first[d], first[d] + extent[d]) of every dimension to `out`, where neighbours of dimension d lie
  /// stride[d] elements apart: a permutation of channels costs nothing. The window must lie inside the array. Throws
  /// Error naming the file when it is damaged, or is not what it was.
  void read(std::span<const std::size_t> first, std::span<const std::size_t> extent, std::span<const std::size_t> stride,
            void* out) const;

 private:
  struct Chunk {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
  };
  struct Identity {
    std::uint64_t bytes = 0;
    std::int64_t modified_ns = 0;
    bool operator==(const Identity&) const = default;
  };
  struct Part;                               ///< a window's share of a chunk

  void find_chunks(const std::string& dataset);
  void read_chunk(int descriptor, std::size_t index, const Part& part, std::byte* out) const;
  void read_whole(std::span<const std::size_t> first, std::span<const std::size_t> extent,
                  std::span<const std::size_t> stride, std::byte* out) const;
  static Identity identity_of(int descriptor, const std::filesystem::path& file);

  std::filesystem::path file_;
  std::string dataset_;
  Identity identity_;
  Element element_ = Element::u8;
  std::vector<std::size_t> shape_, chunk_shape_;
  bool shuffled_ = false;
  std::vector<Chunk> chunks_;                ///< in row-major order of the grid; empty = read as a whole
};

}  // namespace simulacra::hdf5
