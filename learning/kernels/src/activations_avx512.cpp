// SPDX-License-Identifier: Apache-2.0
#define SIM_ACTIVATIONS_ISA avx512
#include "learning/kernels/src/activations_loops.h"
