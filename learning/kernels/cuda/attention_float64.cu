// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/cuda/start.h"

namespace simulacra::kernels::attention::cuda {

void launch_float64(const Launch& launch, const Params& params, void* stream) { with_plain_body<double>(launch, Start{launch, params, stream}); }

}  // namespace simulacra::kernels::attention::cuda
