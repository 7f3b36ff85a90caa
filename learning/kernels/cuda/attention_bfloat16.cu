// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/cuda/start.h"

namespace simulacra::kernels::attention::cuda {

void launch_bfloat16(const Launch& launch, const Params& params, void* stream) { with_tiles_body<gpu::Bfloat16Element>(launch, Start{launch, params, stream}); }

}  // namespace simulacra::kernels::attention::cuda
