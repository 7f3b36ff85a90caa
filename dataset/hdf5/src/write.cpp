// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstring>
#include <map>
#include <numeric>

#include "dataset/hdf5/hdf5.h"
#include "dataset/hdf5/src/chunks.h"
#include "dataset/hdf5/src/handle.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::hdf5 {

static_assert(std::endian::native == std::endian::little, "arrays are handed over as they lie in memory");

namespace {

const std::string kName = "an HDF5 file in memory";

struct CompressedChunk {
  std::array<hsize_t, kMaxRank> origin{};
  std::vector<std::uint8_t> bytes;
};

/// Compressed chunks whose elements are all equal: emptiness, a wall's normal, an id that fills the chunk.
class ConstantChunks {
 public:
  /// Where the compressed form is kept; empty when it is not known yet.
  std::vector<std::uint8_t>& of(std::span<const std::byte> chunk, std::size_t element_bytes, const Storage& storage) {
    Key key{};
    std::memcpy(&key.element, chunk.data(), element_bytes);
    key.element_bytes = element_bytes;
    key.chunk_bytes = chunk.size();
    key.level = storage.level;
    key.shuffle = storage.shuffle;
    if (known_.size() >= kMost && !known_.contains(key)) known_.clear();
    return known_[key];
  }

 private:
  static constexpr std::size_t kMost = 256;
  struct Key {
    std::uint64_t element = 0;
    std::size_t element_bytes = 0, chunk_bytes = 0;
    int level = 0;
    bool shuffle = false;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::vector<std::uint8_t>> known_;
};

std::vector<CompressedChunk> compress(Element element, std::span<const std::size_t> shape,
                                      std::span<const std::byte> data, const Storage& storage,
                                      const ParallelFor& parallel_for) {
  const std::size_t element_bytes = byte_size(element);
  const ChunkGrid grid(shape, storage.chunk, element_bytes);
  std::vector<CompressedChunk> chunks(grid.count());
  parallel_for(grid.count(), [&](std::size_t i) {
    thread_local Scratch plain_memory, shuffled_memory;
    thread_local ConstantChunks constants;
    const std::span<std::byte> plain(plain_memory.of(grid.chunk_bytes()), grid.chunk_bytes());
    grid.gather(i, data.data(), plain.data());
    const auto origin = grid.origin(i);
    std::copy(origin.begin(), origin.end(), chunks[i].origin.begin());
    const auto deflated = [&] {
      if (!storage.shuffle) return deflate(plain, 1, storage.level);
      std::byte* const shuffled = shuffled_memory.of(plain.size());
      shuffle_bytes(plain, element_bytes, shuffled);
      return deflate({shuffled, plain.size()}, element_bytes, storage.level);
    };
    if (!is_constant(plain, element_bytes)) {
      chunks[i].bytes = deflated();
      return;
    }
    std::vector<std::uint8_t>& known = constants.of(plain, element_bytes, storage);
    if (known.empty()) known = deflated();
    chunks[i].bytes = known;
  });
  return chunks;
}

Handle new_memory_file(std::size_t expected_bytes) {
  const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, kName, "cannot be set up");
  // Large enough at once, with what the library adds; nothing is written to a disk by the library.
  const std::size_t step = expected_bytes + expected_bytes / 64 + 64 * 1024;
  check(H5Pset_fapl_core(access.get(), step, 0), kName, "cannot be set up");
  return checked(H5Fcreate("simulacra-memory", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, kName,
                 "cannot be made");
}

Handle creation_properties(const Storage& storage) {
  Handle properties = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, kName, "cannot be set up");
  // Times would make equal data different bytes.
  check(H5Pset_obj_track_times(properties.get(), false), kName, "cannot be set up");
  if (!storage.chunk.empty()) {
    const std::vector<hsize_t> chunk(storage.chunk.begin(), storage.chunk.end());
    check(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), kName, "chunks are refused");
    if (storage.shuffle) check(H5Pset_shuffle(properties.get()), kName, "the shuffle filter is refused");
    const auto level = static_cast<unsigned>(std::clamp(storage.level, 1, 9));
    check(H5Pset_deflate(properties.get(), level), kName, "the gzip filter is refused");
  }
  return properties;
}

void write_attribute(hid_t dataset, const std::string& name, const AttributeValue& value) {
  const Handle scalar = checked(H5Screate(H5S_SCALAR), H5Sclose, kName, "an attribute is refused");
  const auto put = [&](hid_t type, const void* data) {
    const Handle attribute = checked(H5Acreate2(dataset, name.c_str(), type, scalar.get(), H5P_DEFAULT, H5P_DEFAULT),
                                     H5Aclose, kName, "an attribute is refused");
    check(H5Awrite(attribute.get(), type, data), kName, "an attribute is refused");
  };
  if (const auto* number = std::get_if<double>(&value)) return put(H5T_IEEE_F64LE, number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return put(H5T_STD_I64LE, integer);
  const auto& text = std::get<std::string>(value);
  const Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, kName, "an attribute is refused");
  check(H5Tset_size(type.get(), std::max<std::size_t>(text.size(), 1)), kName, "an attribute is refused");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), kName, "an attribute is refused");
  put(type.get(), text.c_str());
}

std::vector<std::uint8_t> image_of(const Handle& file) {
  check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), kName, "cannot be completed");
  const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
  if (size <= 0) fail_with_reason(kName, "cannot be completed");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  if (H5Fget_file_image(file.get(), bytes.data(), bytes.size()) != size)
    fail_with_reason(kName, "cannot be completed");
  return bytes;
}

void check_request(Element element, std::span<const std::size_t> shape, std::span<const std::byte> data,
                   const Storage& storage) {
  SIM_CHECK(!shape.empty() && shape.size() <= kMaxRank);
  const std::size_t elements = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  SIM_CHECK(data.size() == elements * byte_size(element));
  SIM_CHECK(storage.chunk.empty() || storage.chunk.size() == shape.size());
  SIM_CHECK(storage.chunk.empty() || elements > 0);
}

}  // namespace

Storage image_storage(std::span<const std::size_t> shape) {
  SIM_CHECK(shape.size() == 2 || shape.size() == 3);
  Storage storage;
  storage.chunk = {std::min<std::size_t>(shape[0], 96), std::min<std::size_t>(shape[1], 128)};
  if (shape.size() == 3) storage.chunk.push_back(1);
  return storage;
}

std::vector<std::uint8_t> encode(Element element, std::span<const std::size_t> shape,
                                 std::span<const std::byte> data, const Storage& storage,
                                 const ParallelFor& parallel_for, const Attributes& attributes) {
  check_request(element, shape, data, storage);
  std::vector<CompressedChunk> chunks;
  std::size_t payload = data.size();
  if (!storage.chunk.empty()) {
    chunks = compress(element, shape, data, storage, parallel_for);
    payload = 0;
    for (const CompressedChunk& chunk : chunks) payload += chunk.bytes.size();
  }

  const LibraryLock lock;
  const Handle file = new_memory_file(payload);
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  const Handle space = checked(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose,
                               kName, "the shape is refused");
  const Handle type = file_type(element);
  const Handle properties = creation_properties(storage);
  {
    const Handle dataset = checked(H5Dcreate2(file.get(), "dataset", type.get(), space.get(), H5P_DEFAULT,
                                              properties.get(), H5P_DEFAULT),
                                   H5Dclose, kName, "the dataset is refused");
    for (const CompressedChunk& chunk : chunks)
      check(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, chunk.origin.data(), chunk.bytes.size(), chunk.bytes.data()),
            kName, "a chunk cannot be written");
    if (chunks.empty() && !data.empty())
      check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), kName,
            "the array cannot be written");
    for (const auto& [name, value] : attributes) write_attribute(dataset.get(), name, value);
  }
  return image_of(file);
}

void write(const std::filesystem::path& file, Element element, std::span<const std::size_t> shape,
           std::span<const std::byte> data, const Storage& storage, const ParallelFor& parallel_for,
           const Attributes& attributes) {
  write_file_atomically(file, encode(element, shape, data, storage, parallel_for, attributes));
}

}  // namespace simulacra::hdf5
