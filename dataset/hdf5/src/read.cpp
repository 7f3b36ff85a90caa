// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "dataset/hdf5/hdf5.h"
#include "dataset/hdf5/src/chunks.h"
#include "dataset/hdf5/src/handle.h"
#include "dataset/hdf5/src/object.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/half.h"

namespace simulacra::hdf5 {
namespace {

/// The file is opened from memory: no lock files, and nothing on disk can be touched.
Handle open_image(std::span<const std::uint8_t> file, const std::string& name) {
  if (file.empty()) fail("{}: the file is empty", name);
  const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, name, "cannot be opened");
  check(H5Pset_fapl_core(access.get(), 64 * 1024, 0), name, "cannot be opened");
  check(H5Pset_file_image(access.get(), const_cast<std::uint8_t*>(file.data()), file.size()), name,
        "cannot be opened");
  return checked(H5Fopen("simulacra-memory", H5F_ACC_RDONLY, access.get()), H5Fclose, name,
                 "not an HDF5 file, or a damaged one");
}

/// The chunks of an array as they are stored.
struct RawChunks {
  DeflatedChunks storage;
  std::vector<std::vector<std::uint8_t>> chunks;  ///< in the order of ChunkGrid; empty: read it another way
};

/// Takes the chunks out of an array that is deflated (and perhaps shuffled), so that they are unpacked by
/// code that trusts no size in the file. Arrays of another storage give none.
RawChunks read_raw_chunks(const Handle& dataset, const Array& array, std::size_t file_bytes, const std::string& name) {
  RawChunks raw;
  const auto storage = deflated_chunks(dataset, array.shape, byte_size(array.element), file_bytes, name);
  if (!storage) return raw;
  raw.storage = *storage;
  const ChunkGrid grid(array.shape, storage->chunk_shape, byte_size(array.element));
  for (std::size_t i = 0; i < grid.count(); ++i) {
    const auto first = grid.origin(i);
    std::array<hsize_t, kMaxRank> origin{};
    std::copy(first.begin(), first.end(), origin.begin());
    hsize_t stored = 0;
    check(H5Dget_chunk_storage_size(dataset.get(), origin.data(), &stored), name, "a chunk cannot be found");
    if (stored == 0 || stored > file_bytes) fail("{}: chunk {} of {} is missing", name, i, grid.count());
    std::vector<std::uint8_t> chunk(stored);
    std::uint32_t skipped_filters = 0;
    check(H5Dread_chunk(dataset.get(), H5P_DEFAULT, origin.data(), &skipped_filters, chunk.data()), name,
          "a chunk cannot be read");
    if (skipped_filters != 0) fail("{}: chunk {} was stored without its filters", name, i);
    raw.chunks.push_back(std::move(chunk));
  }
  return raw;
}

void unpack(const RawChunks& raw, Array& array, const std::string& name) {
  const std::size_t element_bytes = byte_size(array.element);
  const ChunkGrid grid(array.shape, raw.storage.chunk_shape, element_bytes);
  std::vector<std::byte> plain(grid.chunk_bytes()), shuffled(grid.chunk_bytes());
  for (std::size_t i = 0; i < grid.count(); ++i) {
    if (!inflate(raw.chunks[i], raw.storage.shuffled ? shuffled : plain))
      fail("{}: the array cannot be read: chunk {} of {} is damaged", name, i, grid.count());
    if (raw.storage.shuffled) unshuffle_bytes(shuffled, element_bytes, plain.data());
    grid.scatter(i, plain.data(), array.bytes.data());
  }
}

herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

int attribute_count(hid_t object, const std::string& name) {
  H5O_info_t object_info{};
#if H5_VERSION_GE(1, 12, 0)
  check(H5Oget_info3(object, &object_info, H5O_INFO_NUM_ATTRS), name, "the attributes cannot be counted");
#else
  check(H5Oget_info2(object, &object_info, H5O_INFO_NUM_ATTRS), name, "the attributes cannot be counted");
#endif
  return static_cast<int>(object_info.num_attrs);
}

void inspect_dataset(const Handle& dataset, const std::string& name, Inspection& found) {
  found.has_dataset = true;
  const Handle type = checked(H5Dget_type(dataset.get()), H5Tclose, name, "the type cannot be read");
  found.type = describe_type(type.get());
  found.shape = shape_of(dataset, name);
  const Handle properties =
      checked(H5Dget_create_plist(dataset.get()), H5Pclose, name, "the storage cannot be read");
  if (H5Pget_layout(properties.get()) == H5D_CHUNKED) found.chunk = chunk_of(properties, name);
  found.filters = filters_of(properties);
  found.attributes = attribute_count(dataset.get(), name);
  found.stored_bytes = H5Dget_storage_size(dataset.get());
}

}  // namespace

std::string_view name_of(Element element) {
  switch (element) {
    case Element::f16: return "float16";
    case Element::f32: return "float32";
    case Element::f64: return "float64";
    case Element::u8: return "uint8";
    case Element::i16: return "int16";
    case Element::i32: return "int32";
    case Element::i64: break;
  }
  return "int64";
}

double Array::at(std::size_t i) const {
  const auto load = [&]<typename T>(T value) {
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  };
  switch (element) {
    case Element::f16: return static_cast<double>(float_from_half(load(std::uint16_t{})));
    case Element::f32: return static_cast<double>(load(float{}));
    case Element::f64: return load(double{});
    case Element::u8: return load(std::uint8_t{});
    case Element::i16: return load(std::int16_t{});
    case Element::i32: return load(std::int32_t{});
    case Element::i64: break;
  }
  return static_cast<double>(load(std::int64_t{}));
}

void Array::check_size(std::size_t bytes_per_element) const {
  if (bytes_per_element != byte_size(element))
    fail("an array of {} was asked for elements of {} bytes", name_of(element), bytes_per_element);
}

Array read_bytes(std::span<const std::uint8_t> bytes, const std::string& name, const std::string& dataset_name) {
  Array array;
  RawChunks raw;
  {
    const LibraryLock lock;
    const Handle file = open_image(bytes, name);
    const Handle dataset = open_dataset(file, dataset_name, name);
    const Handle type = checked(H5Dget_type(dataset.get()), H5Tclose, name, "the type cannot be read");
    array.element = checked_element(dataset, name);
    array.shape = shape_of(dataset, name);
    const std::size_t total = checked_bytes(dataset, array.element, array.shape, name);
    array.bytes.resize(total);
    if (total == 0) return array;
    raw = read_raw_chunks(dataset, array, bytes.size(), name);
    if (raw.chunks.empty())
      check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.bytes.data()), name,
            "the array cannot be read");
  }
  if (!raw.chunks.empty()) unpack(raw, array, name);
  return array;
}

Array read(const std::filesystem::path& file, const std::string& dataset) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  return read_bytes(bytes, file.string(), dataset);
}

Inspection inspect_bytes(std::span<const std::uint8_t> bytes, const std::string& name, const std::string& dataset) {
  const LibraryLock lock;
  const Handle file = open_image(bytes, name);
  Inspection found;
  check(H5Literate(file.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, &add_name, &found.root_names), name,
        "the root group cannot be read");
  found.root_attributes = attribute_count(file.get(), name);
  if (std::find(found.root_names.begin(), found.root_names.end(), dataset) != found.root_names.end())
    inspect_dataset(open_dataset(file, dataset, name), name, found);
  return found;
}

Inspection inspect(const std::filesystem::path& file, const std::string& dataset) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  return inspect_bytes(bytes, file.string(), dataset);
}

}  // namespace simulacra::hdf5
