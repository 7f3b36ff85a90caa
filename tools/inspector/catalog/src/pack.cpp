// SPDX-License-Identifier: Apache-2.0
#include <libdeflate.h>

#include <cstring>
#include <memory>

#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "tools/inspector/catalog/planes.h"

namespace simulacra::inspector {
namespace {

struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};

std::string packed(const std::string& header, std::span<const std::byte> payload, int level) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(libdeflate_alloc_compressor(level));
  SIM_CHECK(compressor != nullptr);
  const std::size_t start = 8 + header.size();
  std::string out(start + libdeflate_zlib_compress_bound(compressor.get(), payload.size()), '\0');
  const auto length = static_cast<std::uint32_t>(header.size());
  std::memcpy(out.data(), "SIM1", 4);
  for (std::size_t i = 0; i < 4; ++i) out[4 + i] = static_cast<char>((length >> (8 * i)) & 0xff);
  std::memcpy(out.data() + 8, header.data(), header.size());
  const std::size_t size = libdeflate_zlib_compress(compressor.get(), payload.data(), payload.size(), out.data() + start, out.size() - start);
  SIM_CHECK(size > 0);
  out.resize(start + size);
  out.shrink_to_fit();
  return out;
}

std::vector<std::byte> shuffled(std::span<const std::byte> bytes, std::size_t element) {
  const std::size_t count = bytes.size() / element;
  std::vector<std::byte> out(bytes.size());
  for (std::size_t b = 0; b < element; ++b)
    for (std::size_t i = 0; i < count; ++i) out[b * count + i] = bytes[i * element + b];
  return out;
}

}  // namespace

std::string pack(const hdf5::Array& array, int level) {
  const nlohmann::ordered_json header = {{"dtype", hdf5::name_of(array.element)}, {"shape", array.shape}, {"shuffled", true}};
  return packed(header.dump(), shuffled(array.bytes, byte_size(array.element)), level);
}

std::string pack_json(std::string_view json, int level) { return packed("{\"json\":true}", std::as_bytes(std::span(json)), level); }

}  // namespace simulacra::inspector
