// SPDX-License-Identifier: Apache-2.0
#include "dataset/hdf5/src/object.h"

#include <array>

#include "dataset/hdf5/src/chunks.h"
#include "render/base/error.h"

namespace simulacra::hdf5 {
namespace {

constexpr std::array kElements = {Element::f16, Element::f32, Element::f64, Element::u8,
                                  Element::i16, Element::i32, Element::i64};

}  // namespace

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

Element checked_element(const Handle& dataset, const std::string& name) {
  const Handle type = checked(H5Dget_type(dataset.get()), H5Tclose, name, "the type cannot be read");
  if (const auto element = element_of(type.get())) return *element;
  fail("{}: elements are {}; expected float16, float32, float64, uint8, int16, int32 or int64", name,
       describe_type(type.get()));
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

std::size_t checked_bytes(const Handle& dataset, Element element, std::span<const std::size_t> shape, const std::string& name) {
  std::uint64_t bytes = byte_size(element);
  for (const std::size_t n : shape) {
    if (n == 0) return 0;
    if (n > kMaxArrayBytes / bytes) fail("{}: the array is larger than {} MiB", name, kMaxArrayBytes >> 20);
    bytes *= n;
  }
  // A damaged shape may claim gigabytes. Deflate makes at most 1032 bytes of one.
  constexpr std::uint64_t kHarmless = 64u << 20, kLargestRatio = 1032;
  const std::uint64_t stored = H5Dget_storage_size(dataset.get());
  if (bytes > kHarmless && bytes / kLargestRatio > stored)
    fail("{}: the array claims {} bytes, but only {} are stored", name, bytes, stored);
  return bytes;
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

std::optional<DeflatedChunks> deflated_chunks(const Handle& dataset, std::span<const std::size_t> shape,
                                              std::size_t element_bytes, std::size_t file_bytes, const std::string& name) {
  const Handle properties = checked(H5Dget_create_plist(dataset.get()), H5Pclose, name, "the storage cannot be read");
  const std::vector<std::string> filters = filters_of(properties);
  DeflatedChunks found;
  found.shuffled = filters == std::vector<std::string>{"shuffle", "gzip"};
  if (!found.shuffled && filters != std::vector<std::string>{"gzip"}) return std::nullopt;
  found.chunk_shape = chunk_of(properties, name);
  const std::vector<std::size_t>& chunk = found.chunk_shape;
  if (chunk.size() != shape.size() || shape.size() > kMaxRank)
    fail("{}: chunks of {} dimensions in an array of {}", name, chunk.size(), shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (chunk[d] == 0 || chunk[d] > shape[d]) fail("{}: chunks of {} in a dimension of {}", name, chunk[d], shape[d]);
  // A zlib stream has at least 8 bytes.
  const std::size_t count = ChunkGrid(shape, chunk, element_bytes).count();
  if (count > file_bytes / 8) fail("{}: {} chunks in a file of {} bytes", name, count, file_bytes);
  return found;
}

}  // namespace simulacra::hdf5
