// SPDX-License-Identifier: Apache-2.0
// Exchange of GPU tensors between the processes that `host` joins.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "learning/losses/collective.h"

namespace simulacra::learning {

/// `host`, with tensors on GPUs exchanged by NCCL, whose processes find each other through `host`; tensors of the host stay with
/// it. Each process uses one GPU: that of its tensors. Built with CUDA and NCCL only.
std::shared_ptr<Collective> with_nccl(std::shared_ptr<Collective> host);

}  // namespace simulacra::learning
