// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace simulacra {

/// Calls body(i) once for each i in [0, count), in any order, perhaps at the same time. Handed to
/// modules that have parallel work but know no scheduler. Exceptions of a body reach the caller.
using ParallelFor = std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;

inline void serial_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

}  // namespace simulacra
