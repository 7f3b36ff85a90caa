// SPDX-License-Identifier: Apache-2.0
// The processes that train one model together. Started by `mpirun -n K simulacra train …` or Slurm's `srun --mpi=…`.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "learning/losses/collective.h"

namespace simulacra::learning {

/// All processes of the run, or nullptr when this one is alone (also when built without MPI). Finalised at exit. In a build
/// with CUDA and NCCL, tensors on GPUs are exchanged by NCCL, each process with one GPU of its own. Throws
/// UsageError when a launcher started several processes and the build has no MPI.
std::shared_ptr<Collective> all_processes();

/// For a process that leaves because of an error, while the others may be waiting for it: when it exits, all processes of the
/// run end with `code`. Without other processes nothing happens.
void end_all_at_exit(int code);

}  // namespace simulacra::learning
