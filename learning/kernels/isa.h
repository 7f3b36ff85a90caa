// SPDX-License-Identifier: Apache-2.0
// Which instructions loops run in that are compiled once for each set.
#pragma once

#include <cstdint>

namespace simulacra::kernels {

enum class Isa : std::uint8_t { plain, avx2, avx512 };

/// The widest that this processor has.
Isa best_isa();
bool has_isa(Isa isa);
const char* name_of(Isa isa);

}  // namespace simulacra::kernels
