// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/src/optim_isa.h"
#include "learning/kernels/src/optim_loops.h"

SIM_DEFINE_OPTIM_LOOPS(avx512)
