// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <vector>

#include "render/base/error.h"

namespace simulacra {
namespace {

// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 |
         static_cast<std::uint32_t>(p[2]) << 8 | static_cast<std::uint32_t>(p[3]);
}

}  // namespace

void Sha256::block(const std::uint8_t* bytes) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(bytes + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> add{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += add[i];
}

Sha256& Sha256::add(std::span<const std::uint8_t> bytes) {
  num_bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (num_pending_ == 0 && bytes.size() >= 64) {
      block(bytes.data());
      bytes = bytes.subspan(64);
      continue;
    }
    const std::size_t n = std::min(bytes.size(), 64 - num_pending_);
    std::memcpy(pending_.data() + num_pending_, bytes.data(), n);
    num_pending_ += n;
    bytes = bytes.subspan(n);
    if (num_pending_ == 64) {
      block(pending_.data());
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
  // SplitMix64's finalizer, chained over the parts.
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (const std::uint64_t part : parts) {
    h ^= part + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
  }
  return h;
}

}  // namespace simulacra
