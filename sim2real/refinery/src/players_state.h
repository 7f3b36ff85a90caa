// SPDX-License-Identifier: Apache-2.0
// Players and histories as named tensors, for checkpoints.
#pragma once

#include <torch/torch.h>

#include <optional>
#include <string>

#include "sim2real/refine/history.h"
#include "sim2real/refine/training.h"
#include "sim2real/refinery/method.h"

namespace simulacra::sim2real {

/// "PREFIX.refiner.…", "PREFIX.discriminator.…", and what Adam remembers of each parameter: "….adam.NAME.first", ".second", ".step".
void add_state(NamedTensors& to, const std::string& prefix, const Players& players);
/// Throws Error naming `file` when something is missing or of another shape.
void restore_state(const NamedTensors& from, const std::string& prefix, Players& players, const std::string& file);

void add_state(NamedTensors& to, const std::string& prefix, const std::optional<History>& history);
void restore_state(const NamedTensors& from, const std::string& prefix, std::optional<History>& history, const std::string& file);

}  // namespace simulacra::sim2real
