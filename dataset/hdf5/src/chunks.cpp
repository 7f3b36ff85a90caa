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
void copy_strided(const std::byte* from, std::size_t stride, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * kBytes, from + i * stride, kBytes);
}

/// `count` elements that lie `stride` bytes apart, put side by side.
void copy_run(const std::byte* from, std::size_t stride, std::byte* to, std::size_t element_bytes,
              std::size_t count) {
  if (stride == element_bytes) {
    std::memcpy(to, from, count * element_bytes);
  } else if (element_bytes == 1) {
    copy_strided<1>(from, stride, to, count);
  } else if (element_bytes == 2) {
    copy_strided<2>(from, stride, to, count);
  } else if (element_bytes == 4) {
    copy_strided<4>(from, stride, to, count);
  } else {
    SIM_CHECK(element_bytes == 8);
    copy_strided<8>(from, stride, to, count);
  }
}

template <std::size_t kBytes>
void shuffle(const std::byte* in, std::size_t count, std::byte* out) {
  for (std::size_t b = 0; b < kBytes; ++b)
    for (std::size_t i = 0; i < count; ++i) out[b * count + i] = in[i * kBytes + b];
}

}  // namespace

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

void ChunkGrid::gather(std::size_t index, const std::byte* array, std::byte* out) const {
  const std::array<std::size_t, kMaxRank> first = origin(index);
  std::array<std::size_t, kMaxRank> extent{};
  bool whole = true;
  for (std::size_t d = 0; d < rank_; ++d) {
    extent[d] = std::min(chunk_[d], shape_[d] - first[d]);
    whole &= extent[d] == chunk_[d];
  }
  if (!whole) std::memset(out, 0, chunk_bytes_);
  // Copy run by run along the last dimension in which a chunk is more than one element wide; `at` counts
  // through those before it. Those after it add nothing but a stride.
  std::size_t along = rank_ - 1;
  while (along > 0 && chunk_[along] == 1) --along;
  std::size_t start = 0;
  for (std::size_t d = 0; d < rank_; ++d) start += first[d] * array_stride_[d];
  std::array<std::size_t, kMaxRank> at{};
  for (;;) {
    std::size_t from = start, to = 0;
    for (std::size_t d = 0; d < along; ++d) {
      from += at[d] * array_stride_[d];
      to += at[d] * chunk_stride_[d];
    }
    copy_run(array + from, array_stride_[along], out + to, element_bytes_, extent[along]);
    std::size_t d = along;
    while (d > 0 && ++at[d - 1] == extent[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
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

std::vector<std::uint8_t> deflate(std::span<const std::byte> in, int level) {
  struct Free {
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
  };
  // Compressors are large and hold no state between calls: one a thread and level.
  thread_local std::map<int, std::unique_ptr<libdeflate_compressor, Free>> compressors;
  auto& compressor = compressors[level];
  if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
  if (!compressor) fail("libdeflate has no compressor of level {}; levels are 1 to 12", level);
  std::vector<std::uint8_t> out(libdeflate_zlib_compress_bound(compressor.get(), in.size()));
  const std::size_t written =
      libdeflate_zlib_compress(compressor.get(), in.data(), in.size(), out.data(), out.size());
  SIM_CHECK(written > 0);
  out.resize(written);
  return out;
}

}  // namespace simulacra::hdf5
