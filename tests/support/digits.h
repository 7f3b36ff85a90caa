// SPDX-License-Identifier: Apache-2.0
// The 1,797 real 8x8 digits of ../shared/data/ml/sklearn, in the fixed order perm(4242) of the learning experiments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace simulacra::test {

struct Digits {
  std::vector<double> pixels;         ///< (count, 64), 0 to 1
  std::vector<std::int64_t> labels;   ///< (count), 0 to 9
  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

/// The first 1,400 are for training. Nullopt without ../shared.
std::optional<Digits> load_digits();

}  // namespace simulacra::test
