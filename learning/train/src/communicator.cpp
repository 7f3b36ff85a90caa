// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/communicator.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#ifdef SIMULACRA_HAS_MPI
#include <mpi.h>
#endif

#include "learning/train/src/device_communicator.h"
#include "render/base/error.h"

namespace simulacra::learning {

#ifdef SIMULACRA_HAS_MPI
namespace {

void check_mpi(int code, const char* what) {
  if (code != MPI_SUCCESS) fail("MPI: {} failed with code {}", what, code);
}

MPI_Datatype type_of(const torch::Tensor& t) {
  if (!t.is_cpu()) fail("MPI: a tensor is on {}; between GPUs this build would need NCCL", t.device().str());
  const auto type = t.scalar_type();
  if (type == torch::kFloat32) return MPI_FLOAT;
  if (type == torch::kFloat64) return MPI_DOUBLE;
  if (type == torch::kInt64) return MPI_INT64_T;
  fail("MPI: tensors of type {} are not exchanged", c10::toString(type));
}

int count_of(const torch::Tensor& t) {
  if (t.numel() > std::numeric_limits<int>::max()) fail("MPI: a tensor of {} numbers is too long for one message", t.numel());
  return static_cast<int>(t.numel());
}

class World final : public Collective {
 public:
  World() {
    check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  torch::Tensor all_gather(const torch::Tensor& local) override {
    const torch::Tensor mine = local.contiguous();
    std::vector<std::int64_t> shape = mine.sizes().vec();
    shape[0] *= size_;
    torch::Tensor all = torch::empty(shape, mine.options());
    check_mpi(MPI_Allgather(mine.data_ptr(), count_of(mine), type_of(mine), all.data_ptr(), count_of(mine), type_of(mine), MPI_COMM_WORLD),
              "MPI_Allgather");
    return all;
  }

  /// Added in rank order on every rank, so that all hold the same bits whatever the library's algorithm is. The buffer is
  /// cut into slices: rank r adds slice r, then all slices are gathered.
  torch::Tensor all_reduce_sum(const torch::Tensor& local) override {
    const torch::Tensor mine = local.contiguous().flatten();
    const std::int64_t slice = (mine.numel() + size_ - 1) / size_;
    const torch::Tensor padded = torch::constant_pad_nd(mine, {0, slice * size_ - mine.numel()}).view({size_, slice});
    torch::Tensor parts = torch::empty_like(padded);
    const int n = static_cast<int>(slice);
    check_mpi(MPI_Alltoall(padded.data_ptr(), n, type_of(mine), parts.data_ptr(), n, type_of(mine), MPI_COMM_WORLD), "MPI_Alltoall");
    torch::Tensor sum = parts[0].clone();
    for (int r = 1; r < size_; ++r) sum.add_(parts[r]);
    return all_gather(sum.unsqueeze(0)).flatten().slice(0, 0, mine.numel()).view(local.sizes());
  }

 private:
  int rank_ = 0, size_ = 1;
};

int code_for_all = 0;

/// MPI_Finalize waits for all processes; one that failed must not wait for those that wait for its numbers.
void finalize() {
  int done = 0;
  MPI_Finalized(&done);
  if (done) return;
  if (code_for_all != 0) MPI_Abort(MPI_COMM_WORLD, code_for_all);
  MPI_Finalize();
}

}  // namespace
#endif

namespace {

/// Processes that a launcher started, by the variables of OpenMPI, MPICH and Slurm; 1 without any.
int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  const char* slurm_step = std::getenv("SLURM_STEP_NUM_TASKS");
  return slurm_step ? std::atoi(slurm_step) : 1;
}

}  // namespace

std::shared_ptr<Collective> all_processes() {
  if (launched_processes() <= 1) return nullptr;
#ifdef SIMULACRA_HAS_MPI
  int started = 0;
  check_mpi(MPI_Initialized(&started), "MPI_Initialized");
  if (!started) {
    check_mpi(MPI_Init(nullptr, nullptr), "MPI_Init");
    std::atexit(finalize);
  }
#ifdef SIMULACRA_HAS_NCCL
  static const std::shared_ptr<Collective> world = with_nccl(std::make_shared<World>());
#else
  static const std::shared_ptr<Collective> world = std::make_shared<World>();
#endif
  return world->size() > 1 ? world : nullptr;
#else
  fail_usage("{} processes were started, and this build is without MPI; install libopenmpi-dev and configure again", launched_processes());
#endif
}

void end_all_at_exit([[maybe_unused]] int code) {
#ifdef SIMULACRA_HAS_MPI
  code_for_all = code;
#endif
}

}  // namespace simulacra::learning
