// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learning/kernels/sigmoid_attention.h"

namespace simulacra::kernels::attention {

/// Throws UsageError that names the sizes which no device takes: those below 1, and heads that key heads do not divide.
void check_shape(const AttentionShape& shape);

}  // namespace simulacra::kernels::attention
