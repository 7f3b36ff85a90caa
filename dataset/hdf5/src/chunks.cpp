// SPDX-License-Identifier: Apache-2.0
#include "dataset/hdf5/src/chunks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include <libdeflate.h>

#include "render/base/error.h"

namespace simulacra::hdf5 {

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
  // Copy run by run along the last dimension; `at` counts through the others.
  std::array<std::size_t, kMaxRank> at{};
  const std::size_t last = rank_ - 1, run = extent[last] * element_bytes_;
  for (;;) {
    std::size_t from = first[last] * element_bytes_, to = 0;
    for (std::size_t d = 0; d < last; ++d) {
      from += (first[d] + at[d]) * array_stride_[d];
      to += at[d] * chunk_stride_[d];
    }
    std::memcpy(out + to, array + from, run);
    std::size_t d = last;
    while (d > 0 && ++at[d - 1] == extent[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

void shuffle_bytes(std::span<const std::byte> in, std::size_t element_bytes, std::byte* out) {
  const std::size_t count = in.size() / element_bytes;
  for (std::size_t b = 0; b < element_bytes; ++b) {
    const std::byte* from = in.data() + b;
    std::byte* to = out + b * count;
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i * element_bytes];
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
