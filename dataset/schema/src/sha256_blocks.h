// SPDX-License-Identifier: Apache-2.0
// The inner function of SHA-256, in C++ and with the processor's own instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace simulacra {

using Sha256State = std::array<std::uint32_t, 8>;

/// Takes in whole blocks of 64 bytes, with the fastest of the functions below.
void sha256_blocks(Sha256State& state, std::span<const std::uint8_t> blocks);

void sha256_blocks_portable(Sha256State& state, std::span<const std::uint8_t> blocks);
/// False when this processor cannot; the state is as before then. About eight times as fast where it can.
bool sha256_blocks_by_instructions(Sha256State& state, std::span<const std::uint8_t> blocks);

}  // namespace simulacra
