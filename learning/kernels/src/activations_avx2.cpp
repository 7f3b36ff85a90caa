// SPDX-License-Identifier: Apache-2.0
#define SIM_ACTIVATIONS_ISA avx2
#include "learning/kernels/src/activations_loops.h"
