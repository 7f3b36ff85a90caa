// SPDX-License-Identifier: Apache-2.0
// The verbs that need LibTorch. They live in an executable of their own, simulacra-learn, which simulacra starts: so a
// render never loads LibTorch.
#pragma once

#include <array>

#include "tools/program/program.h"

namespace simulacra::tools {

inline constexpr std::array<VerbElsewhere, 0> kLearnVerbs{};

}  // namespace simulacra::tools
