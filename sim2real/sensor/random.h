// SPDX-License-Identifier: Apache-2.0
// Random numbers named by what they are for: the same seed, frame, purpose and site give the same numbers whoever asks,
// in any order and on any number of threads.
#pragma once

#include <cstdint>

namespace simulacra::sensor {

enum class Purpose : std::uint32_t { photons, read_noise, row_noise, pixel_gain, motion, lateral, disparity, dropout, distance };

class Stream {
 public:
  /// `site`: a photosite, a pixel or a row. What is fixed over frames takes frame 0.
  Stream(std::uint64_t seed, std::uint32_t frame, Purpose purpose, std::uint64_t site);
  /// In (0, 1).
  double uniform();
  /// Standard normal (Box and Muller 1958).
  double normal();
  /// Poisson for any mean >= 0: by inversion below 30, else by transformed rejection (Hoermann 1993, "PTRS").
  double poisson(double mean);

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace simulacra::sensor
