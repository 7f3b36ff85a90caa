// SPDX-License-Identifier: Apache-2.0
#include "dataset/hdf5/window.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "dataset/hdf5/src/chunks.h"
#include "dataset/hdf5/src/handle.h"
#include "dataset/hdf5/src/object.h"
#include "render/base/error.h"

namespace simulacra::hdf5 {
namespace {

using Extent = std::array<std::size_t, kMaxRank>;

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& file) : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) fail("{}: cannot be opened: {}", file.string(), std::strerror(errno));
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

void read_at(int descriptor, std::uint64_t offset, std::span<std::uint8_t> out, const std::filesystem::path& file) {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("{}: cannot be read: {}", file.string(), std::strerror(errno));
    if (got == 0) fail("{}: ends before byte {}", file.string(), offset);
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

template <typename T>
void copy_plain(const T* from, std::size_t count, T* to, std::size_t to_stride) {
  if (to_stride == 1) {
    std::memcpy(to, from, count * sizeof(T));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) to[i * to_stride] = from[i];
}

/// Elements of which byte b lies `plane` bytes after byte b - 1.
template <typename T>
void copy_shuffled(const std::byte* from, std::size_t plane, std::size_t count, T* to, std::size_t to_stride) {
  const auto element = [&](std::size_t i) {
    T value = 0;
    for (std::size_t b = 0; b < sizeof(T); ++b)
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(from[b * plane + i]) << (8 * b)));
    return value;
  };
  if (to_stride == 1)
    for (std::size_t i = 0; i < count; ++i) to[i] = element(i);
  else
    for (std::size_t i = 0; i < count; ++i) to[i * to_stride] = element(i);
}

/// A run of elements, from its place in a chunk.
struct Run {
  const std::byte* chunk;
  std::size_t chunk_bytes, element_bytes;
  bool shuffled;

  template <typename T>
  void copy(std::size_t first, std::size_t count, std::byte* out, std::size_t at, std::size_t stride) const {
    T* const to = reinterpret_cast<T*>(out) + at;
    if (shuffled) copy_shuffled<T>(chunk + first, chunk_bytes / sizeof(T), count, to, stride);
    else copy_plain<T>(reinterpret_cast<const T*>(chunk) + first, count, to, stride);
  }
  void copy_elements(std::size_t first, std::size_t count, std::byte* out, std::size_t at, std::size_t stride) const {
    switch (element_bytes) {
      case 1: return copy<std::uint8_t>(first, count, out, at, stride);
      case 2: return copy<std::uint16_t>(first, count, out, at, stride);
      case 4: return copy<std::uint32_t>(first, count, out, at, stride);
      default: return copy<std::uint64_t>(first, count, out, at, stride);
    }
  }
};

}  // namespace

struct WindowReader::Part {
  std::size_t rank = 0;
  Extent first{}, extent{};                  ///< within the chunk
  Extent chunk_stride{}, out_stride{};       ///< in elements
  std::size_t out_first = 0;

  /// Calls visit(element in the chunk, element in out, count, stride in out) for runs of neighbours in the chunk.
  template <typename Visit>
  void for_each_run(Visit&& visit) const {
    std::size_t along = rank - 1;
    while (along > 0 && chunk_stride[along - 1] == 1) --along;
    Extent at{};
    for (;;) {
      std::size_t in_chunk = 0, in_out = out_first;
      for (std::size_t d = 0; d < rank; ++d) {
        in_chunk += (first[d] + at[d]) * chunk_stride[d];
        in_out += at[d] * out_stride[d];
      }
      visit(in_chunk, in_out, extent[along], out_stride[along]);
      std::size_t d = along;
      while (d > 0 && ++at[d - 1] == extent[d - 1]) at[--d] = 0;
      if (d == 0) return;
    }
  }
};

WindowReader::WindowReader(std::filesystem::path file, const std::string& dataset) : file_(std::move(file)), dataset_(dataset) {
  identity_ = identity_of(Descriptor(file_).number(), file_);
  find_chunks(dataset);
}

WindowReader::Identity WindowReader::identity_of(int descriptor, const std::filesystem::path& file) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) fail("{}: cannot be read: {}", file.string(), std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) fail("{}: is not a regular file", file.string());
  return {static_cast<std::uint64_t>(facts.st_size), facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec};
}

void WindowReader::find_chunks(const std::string& dataset_name) {
  const std::string name = file_.string();
  if (identity_.bytes == 0) fail("{}: the file is empty", name);
  const LibraryLock lock;
  const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, name, "cannot be opened");
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERSION_GE(1, 12, 0) && !H5_VERSION_GE(1, 12, 1))
  check(H5Pset_file_locking(access.get(), false, true), name, "cannot be opened");
#endif
  const Handle opened = checked(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, name,
                                "not an HDF5 file, or a damaged one");
  const Handle dataset = open_dataset(opened, dataset_name, name);
  element_ = checked_element(dataset, name);
  shape_ = shape_of(dataset, name);
  // Offsets count from the end of what a user put before the HDF5 file: rare, so left to the library.
  const Handle creation = checked(H5Fget_create_plist(opened.get()), H5Pclose, name, "cannot be opened");
  hsize_t before = 0;
  check(H5Pget_userblock(creation.get(), &before), name, "cannot be opened");
  const std::size_t bytes_of_array = checked_bytes(dataset, element_, shape_, name);
  if (shape_.size() > kMaxRank) fail("{}: the array has {} dimensions; at most {} are known", name, shape_.size(), kMaxRank);
  if (before != 0 || bytes_of_array == 0) return;
  const auto storage = deflated_chunks(dataset, shape_, byte_size(element_), identity_.bytes, name);
  if (!storage) return;
  chunk_shape_ = storage->chunk_shape;
  shuffled_ = storage->shuffled;
  const ChunkGrid grid(shape_, chunk_shape_, byte_size(element_));
  chunks_.resize(grid.count());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const Extent origin = grid.origin(i);
    std::array<hsize_t, kMaxRank> first{};
    std::copy(origin.begin(), origin.end(), first.begin());
    unsigned skipped_filters = 0;
    haddr_t offset = HADDR_UNDEF;
    hsize_t bytes = 0;
    check(H5Dget_chunk_info_by_coord(dataset.get(), first.data(), &skipped_filters, &offset, &bytes), name,
          "a chunk cannot be found");
    if (offset == HADDR_UNDEF || bytes == 0 || bytes > identity_.bytes || offset > identity_.bytes - bytes)
      fail("{}: chunk {} of {} is missing", name, i, chunks_.size());
    if (skipped_filters != 0) fail("{}: chunk {} was stored without its filters", name, i);
    chunks_[i] = {offset, static_cast<std::uint32_t>(bytes)};
  }
}

void WindowReader::read(std::span<const std::size_t> first, std::span<const std::size_t> extent,
                        std::span<const std::size_t> stride, void* out) const {
  const std::size_t rank = shape_.size();
  SIM_CHECK(rank > 0 && first.size() == rank && extent.size() == rank && stride.size() == rank);
  for (std::size_t d = 0; d < rank; ++d)
    SIM_CHECK(extent[d] > 0 && first[d] < shape_[d] && extent[d] <= shape_[d] - first[d]);
  const Descriptor descriptor(file_);
  if (identity_of(descriptor.number(), file_) != identity_) fail("{}: has changed since it was first read", file_.string());
  if (chunks_.empty()) return read_whole(first, extent, stride, static_cast<std::byte*>(out));

  // Every chunk that the window touches, row by row of the grid of chunks.
  Part part{.rank = rank};
  Extent lo{}, hi{}, at{}, grid_stride{};
  for (std::size_t d = rank, chunk_stride = 1, in_grid = 1; d-- > 0;) {
    lo[d] = first[d] / chunk_shape_[d];
    hi[d] = (first[d] + extent[d] - 1) / chunk_shape_[d];
    grid_stride[d] = in_grid;
    in_grid *= (shape_[d] + chunk_shape_[d] - 1) / chunk_shape_[d];
    part.chunk_stride[d] = chunk_stride;
    chunk_stride *= chunk_shape_[d];
    part.out_stride[d] = stride[d];
  }
  at = lo;
  for (;;) {
    std::size_t index = 0;
    part.out_first = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      index += at[d] * grid_stride[d];
      const std::size_t begin = at[d] * chunk_shape_[d];
      const std::size_t from = std::max(begin, first[d]), to = std::min(begin + chunk_shape_[d], first[d] + extent[d]);
      part.first[d] = from - begin;
      part.extent[d] = to - from;
      part.out_first += (from - first[d]) * stride[d];
    }
    read_chunk(descriptor.number(), index, part, static_cast<std::byte*>(out));
    std::size_t d = rank;
    while (d > 0 && at[d - 1] == hi[d - 1]) { at[d - 1] = lo[d - 1]; --d; }
    if (d == 0) return;
    ++at[d - 1];
  }
}

void WindowReader::read_chunk(int descriptor, std::size_t index, const Part& part, std::byte* out) const {
  thread_local Scratch stored_memory, plain_memory;
  const Chunk& chunk = chunks_[index];
  const std::span<std::uint8_t> stored(reinterpret_cast<std::uint8_t*>(stored_memory.of(chunk.bytes)), chunk.bytes);
  read_at(descriptor, chunk.offset, stored, file_);
  const std::size_t chunk_bytes = ChunkGrid(shape_, chunk_shape_, byte_size(element_)).chunk_bytes();
  const std::span<std::byte> plain(plain_memory.of(chunk_bytes), chunk_bytes);
  if (!inflate(stored, plain))
    fail("{}: the array cannot be read: chunk {} of {} is damaged", file_.string(), index, chunks_.size());
  const Run run{plain.data(), chunk_bytes, byte_size(element_), shuffled_};
  part.for_each_run([&](std::size_t in_chunk, std::size_t in_out, std::size_t count, std::size_t stride) {
    run.copy_elements(in_chunk, count, out, in_out, stride);
  });
}

void WindowReader::read_whole(std::span<const std::size_t> first, std::span<const std::size_t> extent,
                              std::span<const std::size_t> stride, std::byte* out) const {
  const Array array = hdf5::read(file_, dataset_);
  if (array.shape != shape_ || array.element != element_) fail("{}: has changed since it was first read", file_.string());
  Part part{.rank = shape_.size()};
  for (std::size_t d = part.rank, in_array = 1; d-- > 0;) {
    part.first[d] = first[d];
    part.extent[d] = extent[d];
    part.chunk_stride[d] = in_array;
    part.out_stride[d] = stride[d];
    in_array *= shape_[d];
  }
  const Run run{array.bytes.data(), array.bytes.size(), byte_size(element_), false};
  part.for_each_run([&](std::size_t in_array, std::size_t in_out, std::size_t count, std::size_t out_stride) {
    run.copy_elements(in_array, count, out, in_out, out_stride);
  });
}

}  // namespace simulacra::hdf5
