// SPDX-License-Identifier: Apache-2.0
#define SIM_COARSE_ISA avx512
#include "learning/kernels/src/coarse_losses_rows.h"
