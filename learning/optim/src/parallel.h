// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace simulacra::optim {

/// Calls `body(begin, end)` for ranges that together are [0, count), in LibTorch's intra-op threads; ranges of at least
/// `grain`. In the calling thread where the build has no OpenMP.
void parallel_ranges(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace simulacra::optim
