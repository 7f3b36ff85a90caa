// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/checksum.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

#include "dataset/schema/src/sha256_blocks.h"
#include "render/base/error.h"
#include "render/base/mix64.h"

namespace simulacra {
Sha256& Sha256::add(std::span<const std::uint8_t> bytes) {
  num_bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (num_pending_ == 0 && bytes.size() >= 64) {
      const std::size_t whole = bytes.size() / 64 * 64;
      sha256_blocks(state_, bytes.first(whole));
      bytes = bytes.subspan(whole);
      continue;
    }
    const std::size_t n = std::min(bytes.size(), 64 - num_pending_);
    std::memcpy(pending_.data() + num_pending_, bytes.data(), n);
    num_pending_ += n;
    bytes = bytes.subspan(n);
    if (num_pending_ == 64) {
      sha256_blocks(state_, pending_);
      num_pending_ = 0;
    }
  }
  return *this;
}

Sha256& Sha256::add(std::string_view text) {
  return add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string Sha256::hex() {
  const std::uint64_t num_bits = num_bytes_ * 8;
  std::array<std::uint8_t, 72> tail{};
  tail[0] = 0x80;
  const std::size_t zeros = num_pending_ < 56 ? 56 - num_pending_ : 120 - num_pending_;
  for (std::size_t i = 0; i < 8; ++i) tail[zeros + i] = static_cast<std::uint8_t>(num_bits >> (56 - 8 * i));
  add(std::span<const std::uint8_t>(tail.data(), zeros + 8));
  std::string text;
  for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256_hex(std::span<const std::uint8_t> bytes) { return Sha256().add(bytes).hex(); }
std::string sha256_hex(std::string_view text) { return Sha256().add(text).hex(); }

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("{}: cannot be opened", path.string());
  Sha256 sum;
  std::vector<char> piece(std::size_t{1} << 18);
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum.add(std::string_view(piece.data(), static_cast<std::size_t>(in.gcount())));
  }
  if (!in.eof()) fail("{}: cannot be read to its end", path.string());
  return sum.hex();
}

std::uint64_t mix_seed(std::span<const std::uint64_t> parts) {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (const std::uint64_t part : parts) h = mix64(h ^ (part + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2)));
  return h;
}

}  // namespace simulacra
