// SPDX-License-Identifier: Apache-2.0
// Chunks of an array, and their compressed form: shuffled bytes in a zlib stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace simulacra::hdf5 {

inline constexpr std::size_t kMaxRank = 4;

/// An array cut into chunks of equal size; chunks at the far edges reach beyond the array.
class ChunkGrid {
 public:
  ChunkGrid(std::span<const std::size_t> shape, std::span<const std::size_t> chunk, std::size_t element_bytes);

  std::size_t count() const { return count_; }
  std::size_t chunk_bytes() const { return chunk_bytes_; }
  /// Index of the chunk's first element in each dimension.
  std::array<std::size_t, kMaxRank> origin(std::size_t index) const;
  /// Copies the chunk out of the array into `out` (chunk_bytes()); what lies beyond the array is 0.
  void gather(std::size_t index, const std::byte* array, std::byte* out) const;
  /// The opposite: copies what lies inside the array from a chunk to its place.
  void scatter(std::size_t index, const std::byte* chunk, std::byte* array) const;

 private:
  /// Calls visit(offset in the array, offset in the chunk, elements) for each run of elements of the
  /// chunk that are inside the array; in the array they lie as far apart as
  /// elements along run_dimension().
  template <typename Visit>
  void for_each_run(std::size_t index, Visit&& visit) const;
  std::size_t run_dimension() const;
  bool is_whole(std::size_t index) const;

  std::size_t rank_;
  std::array<std::size_t, kMaxRank> shape_{}, chunk_{}, grid_{}, array_stride_{}, chunk_stride_{};
  std::size_t element_bytes_, count_ = 1, chunk_bytes_;
};

/// Memory that is kept from use to use and never cleared.
class Scratch {
 public:
  /// At least so many bytes, of any content.
  std::byte* of(std::size_t bytes);

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

/// Byte b of element i goes to position b * count + i.
void shuffle_bytes(std::span<const std::byte> in, std::size_t element_bytes, std::byte* out);

/// Undoes shuffle_bytes().
void unshuffle_bytes(std::span<const std::byte> in, std::size_t element_bytes, std::byte* out);

/// True when all elements of `in` are the same bytes.
bool is_constant(std::span<const std::byte> in, std::size_t element_bytes);

/// A zlib stream of `in`, which consists of `planes` parts of equal size. The leading parts that look like noise are
/// stored as they are, the rest is deflated. The same input gives the same bytes in every thread.
std::vector<std::uint8_t> deflate(std::span<const std::byte> in, std::size_t planes, int level);
/// False when the stream is damaged or holds another number of bytes than `out`.
[[nodiscard]] bool inflate(std::span<const std::uint8_t> in, std::span<std::byte> out);

}  // namespace simulacra::hdf5
