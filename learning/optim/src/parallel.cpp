// SPDX-License-Identifier: Apache-2.0
#include "learning/optim/src/parallel.h"

#include <ATen/Parallel.h>

namespace simulacra::optim {

void parallel_ranges(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& body) {
  at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) { body(begin, end); });
}

}  // namespace simulacra::optim
