// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>

#include "dataset/hdf5/hdf5.h"
#include "dataset/hdf5/src/chunks.h"
#include "dataset/hdf5/src/handle.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/half.h"

namespace simulacra::hdf5 {
namespace {

constexpr std::array kElements = {Element::f16, Element::f32, Element::f64, Element::u8,
                                  Element::i16, Element::i32, Element::i64};

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

Handle open_dataset(const Handle& file, const std::string& dataset, const std::string& name) {
  const htri_t exists = H5Lexists(file.get(), dataset.c_str(), H5P_DEFAULT);
  if (exists < 0) fail_with_reason(name, "the root group cannot be read");
  if (exists == 0) fail("{}: there is no dataset '{}'", name, dataset);
  // A link into another file is none of ours.
  H5L_info_t link{};
  check(H5Lget_info(file.get(), dataset.c_str(), &link, H5P_DEFAULT), name, "the root group cannot be read");
  if (link.type != H5L_TYPE_HARD) fail("{}: '{}' is a link to elsewhere, not a dataset", name, dataset);
  Handle object = checked(H5Oopen(file.get(), dataset.c_str(), H5P_DEFAULT), H5Oclose, name, "the dataset is damaged");
  if (H5Iget_type(object.get()) != H5I_DATASET) fail("{}: '{}' is not a dataset", name, dataset);
  return object;
}

/// The element whose little-endian type this is.
std::optional<Element> element_of(hid_t type) {
  for (const Element element : kElements)
    if (H5Tequal(file_type(element).get(), type) > 0) return element;
  return std::nullopt;
}

std::string describe_type(hid_t type) {
  if (const auto element = element_of(type)) return std::string(name_of(*element));
  const std::size_t bits = 8 * H5Tget_size(type);
  const char* order = H5Tget_order(type) == H5T_ORDER_BE ? " big-endian" : "";
  switch (H5Tget_class(type)) {
    case H5T_INTEGER: return fmt::format("{}int{}{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits, order);
    case H5T_FLOAT: return fmt::format("float{}{}", bits, order);
    case H5T_STRING: return "string";
    case H5T_BITFIELD: return fmt::format("bitfield of {} bits", bits);
    case H5T_OPAQUE: return "opaque";
    case H5T_COMPOUND: return "compound";
    case H5T_REFERENCE: return "reference";
    case H5T_ENUM: return "enumeration";
    case H5T_VLEN: return "variable-length sequence";
    case H5T_ARRAY: return "array";
    case H5T_TIME: return "time";
    case H5T_NO_CLASS:
    case H5T_NCLASSES: break;
  }
  return "unknown";
}

std::vector<std::size_t> shape_of(const Handle& dataset, const std::string& name) {
  const Handle space = checked(H5Dget_space(dataset.get()), H5Sclose, name, "the shape cannot be read");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) fail_with_reason(name, "the shape cannot be read");
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  if (H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr) < 0)
    fail_with_reason(name, "the shape cannot be read");
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) return {0};
  return {extent.begin(), extent.end()};
}

std::size_t checked_bytes(const Array& array, const std::string& name) {
  std::uint64_t bytes = byte_size(array.element);
  for (const std::size_t n : array.shape) {
    if (n == 0) return 0;
    if (n > kMaxArrayBytes / bytes) fail("{}: the array is larger than {} MiB", name, kMaxArrayBytes >> 20);
    bytes *= n;
  }
  return bytes;
}

/// A damaged shape may claim gigabytes. Deflate makes at most 1032 bytes of one.
void refuse_claims_beyond_storage(const Handle& dataset, std::uint64_t bytes, const std::string& name) {
  constexpr std::uint64_t kHarmless = 64u << 20, kLargestRatio = 1032;
  const std::uint64_t stored = H5Dget_storage_size(dataset.get());
  if (bytes > kHarmless && bytes / kLargestRatio > stored)
    fail("{}: the array claims {} bytes, but only {} are stored", name, bytes, stored);
}

std::vector<std::string> filters_of(const Handle& properties) {
  std::vector<std::string> filters;
  const int count = H5Pget_nfilters(properties.get());
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t id = H5Pget_filter2(properties.get(), static_cast<unsigned>(i), &flags, &values, nullptr,
                                           name.size() - 1, name.data(), &config);
    switch (id) {
      case H5Z_FILTER_DEFLATE: filters.emplace_back("gzip"); break;
      case H5Z_FILTER_SHUFFLE: filters.emplace_back("shuffle"); break;
      case H5Z_FILTER_FLETCHER32: filters.emplace_back("fletcher32"); break;
      case H5Z_FILTER_SZIP: filters.emplace_back("szip"); break;
      default: filters.push_back(fmt::format("filter {} {}", id, name.data()));
    }
  }
  return filters;
}

std::vector<std::size_t> chunk_of(const Handle& properties, const std::string& name) {
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int rank = H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  if (rank < 0) fail_with_reason(name, "the chunks cannot be read");
  return {chunk.begin(), chunk.begin() + rank};
}

/// The chunks of an array as they are stored.
struct RawChunks {
  std::vector<std::size_t> chunk_shape;
  bool shuffled = false;
  std::vector<std::vector<std::uint8_t>> chunks;  ///< in the order of ChunkGrid; empty: read it another way
};

/// Takes the chunks out of an array that is deflated (and perhaps shuffled), so that they are unpacked by
/// code that trusts no size in the file. Arrays of another storage give none.
RawChunks read_raw_chunks(const Handle& dataset, const Array& array, std::size_t file_bytes, const std::string& name) {
  RawChunks raw;
  const Handle properties = checked(H5Dget_create_plist(dataset.get()), H5Pclose, name, "the storage cannot be read");
  const std::vector<std::string> filters = filters_of(properties);
  raw.shuffled = filters == std::vector<std::string>{"shuffle", "gzip"};
  if (!raw.shuffled && filters != std::vector<std::string>{"gzip"}) return raw;
  raw.chunk_shape = chunk_of(properties, name);
  if (raw.chunk_shape.size() != array.shape.size() || array.shape.size() > kMaxRank)
    fail("{}: chunks of {} dimensions in an array of {}", name, raw.chunk_shape.size(), array.shape.size());
  for (std::size_t d = 0; d < array.shape.size(); ++d)
    if (raw.chunk_shape[d] == 0 || raw.chunk_shape[d] > array.shape[d])
      fail("{}: chunks of {} in a dimension of {}", name, raw.chunk_shape[d], array.shape[d]);
  const ChunkGrid grid(array.shape, raw.chunk_shape, byte_size(array.element));
  // A zlib stream has at least 8 bytes.
  if (grid.count() > file_bytes / 8) fail("{}: {} chunks in a file of {} bytes", name, grid.count(), file_bytes);
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
  const ChunkGrid grid(array.shape, raw.chunk_shape, element_bytes);
  std::vector<std::byte> plain(grid.chunk_bytes()), shuffled(grid.chunk_bytes());
  for (std::size_t i = 0; i < grid.count(); ++i) {
    if (!inflate(raw.chunks[i], raw.shuffled ? shuffled : plain))
      fail("{}: the array cannot be read: chunk {} of {} is damaged", name, i, grid.count());
    if (raw.shuffled) unshuffle_bytes(shuffled, element_bytes, plain.data());
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
    const auto element = element_of(type.get());
    if (!element)
      fail("{}: elements are {}; expected float16, float32, float64, uint8, int16, int32 or int64", name,
           describe_type(type.get()));
    array.element = *element;
    array.shape = shape_of(dataset, name);
    const std::size_t total = checked_bytes(array, name);
    refuse_claims_beyond_storage(dataset, total, name);
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
