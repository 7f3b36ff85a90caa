// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace simulacra {

/// SHA-256 (FIPS 180-4), fed piece by piece. The same sums as the command `sha256sum`.
class Sha256 {
 public:
  Sha256& add(std::span<const std::uint8_t> bytes);
  Sha256& add(std::string_view text);
  /// The bytes of a trivially copyable value, for fingerprints of data in memory.
  template <typename T>
  Sha256& add_values(std::span<const T> values) {
    return add({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
  }
  /// 64 lower-case hexadecimal digits. The object is used up.
  std::string hex();

 private:
  std::array<std::uint32_t, 8> state_{0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                                      0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t num_pending_ = 0;
  std::uint64_t num_bytes_ = 0;
};

std::string sha256_hex(std::span<const std::uint8_t> bytes);
std::string sha256_hex(std::string_view text);

/// A file's sum, read in pieces. Throws Error naming the file.
std::string sha256_of_file(const std::filesystem::path& path);

/// A well-mixed 64-bit number from a list of numbers, the same on every machine: seeds of scenes,
/// cameras and frames are derived with it.
std::uint64_t mix_seed(std::span<const std::uint64_t> parts);

}  // namespace simulacra
