// SPDX-License-Identifier: Apache-2.0
// The few operations that the kernels are written in, in namespace gpu. nvcc gets the instructions; any other compiler gets
// the emulator, which runs one block on the host and reports what would be wrong on a device.
#pragma once

#if defined(__CUDACC__)
#include "learning/kernels/cuda/primitives_nvidia.h"
#else
#include "learning/kernels/cuda/primitives_emulated.h"
#endif
