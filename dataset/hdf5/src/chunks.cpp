// SPDX-License-Identifier: Apache-2.0
#include "dataset/hdf5/src/chunks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include <libdeflate.h>

#include "render/base/error.h"

namespace simulacra::hdf5 {
namespace {

template <std::size_t kBytes>
[[gnu::always_inline]] inline void copy_strided(const std::byte* from, std::size_t from_stride, std::byte* to, std::size_t to_stride,
                  std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, kBytes);
}

/// Copies `count` elements between places that lie a stride of bytes apart.
void copy_run(const std::byte* from, std::size_t from_stride, std::byte* to, std::size_t to_stride,
              std::size_t element_bytes, std::size_t count) {
  if (from_stride == element_bytes && to_stride == element_bytes) {
    std::memcpy(to, from, count * element_bytes);
    return;
  }
  // One of three channels of half floats is what images are made of: with strides that the compiler knows.
  if (element_bytes == 2 && from_stride == 6 && to_stride == 2) return copy_strided<2>(from, 6, to, 2, count);
  switch (element_bytes) {
    case 1: return copy_strided<1>(from, from_stride, to, to_stride, count);
    case 2: return copy_strided<2>(from, from_stride, to, to_stride, count);
    case 4: return copy_strided<4>(from, from_stride, to, to_stride, count);
    case 8: return copy_strided<8>(from, from_stride, to, to_stride, count);
    default: SIM_CHECK(false && "elements have 1, 2, 4 or 8 bytes");
  }
}

template <std::size_t kBytes>
void shuffle(const std::byte* in, std::size_t count, std::byte* out) {
  for (std::size_t b = 0; b < kBytes; ++b)
    for (std::size_t i = 0; i < count; ++i) out[b * count + i] = in[i * kBytes + b];
}

template <std::size_t kBytes>
void unshuffle(const std::byte* in, std::size_t count, std::byte* out) {
  for (std::size_t b = 0; b < kBytes; ++b)
    for (std::size_t i = 0; i < count; ++i) out[i * kBytes + b] = in[b * count + i];
}

// Of a zlib stream (RFC 1950): deflate with a window of 32 KiB, no dictionary; at the end Adler-32, highest byte first.
constexpr std::array<std::uint8_t, 2> kZlibHeader = {0x78, 0x01};
constexpr std::size_t kChecksumBytes = 4;
// Of a stored block (RFC 1951, 3.2.4), when it starts at a whole byte: one byte of type, size, size inverted.
constexpr std::size_t kMaxStoredBlock = 65535, kStoredHeader = 5;

constexpr std::size_t stored_bound(std::size_t bytes) {
  return bytes + kStoredHeader * ((bytes + kMaxStoredBlock - 1) / kMaxStoredBlock);
}

/// Puts `in` to `out` as stored blocks, the last of which ends the stream if `last`. Returns the end.
std::uint8_t* store(std::span<const std::byte> in, bool last, std::uint8_t* out) {
  while (!in.empty()) {
    const std::size_t size = std::min(in.size(), kMaxStoredBlock);
    *out++ = last && size == in.size() ? 1 : 0;
    for (const std::size_t word : {size, ~size})
      for (const std::size_t shift : {0u, 8u}) *out++ = static_cast<std::uint8_t>(word >> shift);
    std::memcpy(out, in.data(), size);
    out += size;
    in = in.subspan(size);
  }
  return out;
}

/// Judges by three samples whether deflate would gain next to nothing: all values are about equally frequent, and
/// hardly any four bytes were there before. Costs a tenth of deflating.
bool is_noise(std::span<const std::byte> plane) {
  constexpr std::size_t kSamples = 3, kSample = 1024, kTotal = kSamples * kSample;
  constexpr std::size_t kMaxRepeats = kTotal / 200;                // 0.5 %
  constexpr std::size_t kMaxSquares = kTotal * kTotal / 256 * 3 / 2;  // 1.5 times as many as of equal frequencies
  if (plane.size() < kTotal) return false;
  std::array<std::uint16_t, 256> count{};
  std::size_t repeats = 0;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    const std::byte* const bytes = plane.data() + sample * ((plane.size() - kSample) / (kSamples - 1));
    std::array<std::uint16_t, 4096> last{};                        // place of the last four bytes of this hash
    const auto four = [&](std::size_t at) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + at, 4);
      return word;
    };
    for (std::size_t i = 0; i + 4 <= kSample; ++i) {
      const std::uint32_t word = four(i);
      std::uint16_t& seen = last[word * 0x9e3779b1u >> 20];
      repeats += i > 0 && four(seen) == word;
      seen = static_cast<std::uint16_t>(i);
      ++count[static_cast<std::size_t>(bytes[i])];
    }
    if (repeats > kMaxRepeats) return false;
  }
  std::size_t squares = 0;
  for (const std::size_t n : count) squares += n * n;
  return squares < kMaxSquares;
}

/// Compressors are large and hold no state between calls: one a thread and level.
libdeflate_compressor* compressor_of(int level) {
  struct Free {
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
  };
  thread_local std::map<int, std::unique_ptr<libdeflate_compressor, Free>> compressors;
  auto& compressor = compressors[level];
  if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
  if (!compressor) fail("libdeflate has no compressor of level {}; levels are 1 to 12", level);
  return compressor.get();
}

}  // namespace

std::byte* Scratch::of(std::size_t bytes) {
  if (bytes > size_) {
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    size_ = bytes;
  }
  return memory_.get();
}

ChunkGrid::ChunkGrid(std::span<const std::size_t> shape, std::span<const std::size_t> chunk,
                     std::size_t element_bytes)
    : rank_(shape.size()), element_bytes_(element_bytes), chunk_bytes_(element_bytes) {
  SIM_CHECK(rank_ >= 1 && rank_ <= kMaxRank && chunk.size() == rank_);
  std::size_t array_stride = element_bytes;
  for (std::size_t d = rank_; d-- > 0;) {
    SIM_CHECK(chunk[d] > 0);
    shape_[d] = shape[d];
    chunk_[d] = chunk[d];
    grid_[d] = (shape[d] + chunk[d] - 1) / chunk[d];
    count_ *= grid_[d];
    array_stride_[d] = array_stride;
    chunk_stride_[d] = chunk_bytes_;
    array_stride *= shape[d];
    chunk_bytes_ *= chunk[d];
  }
}

std::array<std::size_t, kMaxRank> ChunkGrid::origin(std::size_t index) const {
  std::array<std::size_t, kMaxRank> first{};
  for (std::size_t d = rank_; d-- > 0;) {
    first[d] = index % grid_[d] * chunk_[d];
    index /= grid_[d];
  }
  return first;
}

/// The last dimension in which a chunk is more than one element wide. Those after it add but a stride.
std::size_t ChunkGrid::run_dimension() const {
  std::size_t along = rank_ - 1;
  while (along > 0 && chunk_[along] == 1) --along;
  return along;
}

bool ChunkGrid::is_whole(std::size_t index) const {
  const std::array<std::size_t, kMaxRank> first = origin(index);
  bool whole = true;
  for (std::size_t d = 0; d < rank_; ++d) whole &= first[d] + chunk_[d] <= shape_[d];
  return whole;
}

template <typename Visit>
void ChunkGrid::for_each_run(std::size_t index, Visit&& visit) const {
  const std::array<std::size_t, kMaxRank> first = origin(index);
  std::array<std::size_t, kMaxRank> extent{}, at{};
  std::size_t start = 0;
  for (std::size_t d = 0; d < rank_; ++d) {
    extent[d] = std::min(chunk_[d], shape_[d] - first[d]);
    start += first[d] * array_stride_[d];
  }
  const std::size_t along = run_dimension();
  for (;;) {
    std::size_t in_array = start, in_chunk = 0;
    for (std::size_t d = 0; d < along; ++d) {
      in_array += at[d] * array_stride_[d];
      in_chunk += at[d] * chunk_stride_[d];
    }
    visit(in_array, in_chunk, extent[along]);
    std::size_t d = along;
    while (d > 0 && ++at[d - 1] == extent[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

void ChunkGrid::gather(std::size_t index, const std::byte* array, std::byte* out) const {
  if (!is_whole(index)) std::memset(out, 0, chunk_bytes_);
  const std::size_t stride = array_stride_[run_dimension()];
  for_each_run(index, [&](std::size_t in_array, std::size_t in_chunk, std::size_t count) {
    copy_run(array + in_array, stride, out + in_chunk, element_bytes_, element_bytes_, count);
  });
}

void ChunkGrid::scatter(std::size_t index, const std::byte* chunk, std::byte* array) const {
  const std::size_t stride = array_stride_[run_dimension()];
  for_each_run(index, [&](std::size_t in_array, std::size_t in_chunk, std::size_t count) {
    copy_run(chunk + in_chunk, element_bytes_, array + in_array, stride, element_bytes_, count);
  });
}

void shuffle_bytes(std::span<const std::byte> in, std::size_t element_bytes, std::byte* out) {
  switch (element_bytes) {
    case 1: std::memcpy(out, in.data(), in.size()); return;
    case 2: return shuffle<2>(in.data(), in.size() / 2, out);
    case 4: return shuffle<4>(in.data(), in.size() / 4, out);
    case 8: return shuffle<8>(in.data(), in.size() / 8, out);
    default: SIM_CHECK(false && "elements have 1, 2, 4 or 8 bytes");
  }
}

void unshuffle_bytes(std::span<const std::byte> in, std::size_t element_bytes, std::byte* out) {
  switch (element_bytes) {
    case 1: std::memcpy(out, in.data(), in.size()); return;
    case 2: return unshuffle<2>(in.data(), in.size() / 2, out);
    case 4: return unshuffle<4>(in.data(), in.size() / 4, out);
    case 8: return unshuffle<8>(in.data(), in.size() / 8, out);
    default: SIM_CHECK(false && "elements have 1, 2, 4 or 8 bytes");
  }
}

bool is_constant(std::span<const std::byte> in, std::size_t element_bytes) {
  return in.size() <= element_bytes ||
         std::memcmp(in.data(), in.data() + element_bytes, in.size() - element_bytes) == 0;
}

std::vector<std::uint8_t> deflate(std::span<const std::byte> in, std::size_t planes, int level) {
  SIM_CHECK(planes > 0 && in.size() % planes == 0);
  libdeflate_compressor* compressor = compressor_of(level);
  const std::size_t plane_bytes = in.size() / planes;
  std::size_t noisy = 0;
  while (noisy < planes && is_noise(in.subspan(noisy * plane_bytes, plane_bytes))) ++noisy;
  const std::span<const std::byte> stored = in.first(noisy * plane_bytes), rest = in.subspan(stored.size());

  const std::size_t bound = kZlibHeader.size() + stored_bound(stored.size()) + kChecksumBytes +
                            libdeflate_deflate_compress_bound(compressor, rest.size());
  thread_local Scratch scratch;
  std::uint8_t* const begin = reinterpret_cast<std::uint8_t*>(scratch.of(bound));
  std::uint8_t* out = std::copy(kZlibHeader.begin(), kZlibHeader.end(), begin);
  out = store(stored, rest.empty(), out);
  if (!rest.empty()) {
    const std::size_t room = static_cast<std::size_t>(begin + bound - out);
    const std::size_t written = libdeflate_deflate_compress(compressor, rest.data(), rest.size(), out, room);
    SIM_CHECK(written > 0);
    out += written;
  }
  const std::uint32_t checksum = libdeflate_adler32(1, in.data(), in.size());
  for (int shift = 24; shift >= 0; shift -= 8) *out++ = static_cast<std::uint8_t>(checksum >> shift);
  return {begin, out};
}

bool inflate(std::span<const std::uint8_t> in, std::span<std::byte> out) {
  struct Free {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
  };
  thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) fail("libdeflate has no memory for a decompressor");
  // Without a place for the actual size, anything but exactly out.size() bytes is refused.
  return libdeflate_zlib_decompress(decompressor.get(), in.data(), in.size(), out.data(), out.size(), nullptr) ==
         LIBDEFLATE_SUCCESS;
}

}  // namespace simulacra::hdf5
