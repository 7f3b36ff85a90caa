// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/src/device_communicator.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <nccl.h>

#include <cstring>
#include <utility>

#include "render/base/error.h"

namespace simulacra::learning {
namespace {

void check_nccl(ncclResult_t code, const char* what) {
  if (code != ncclSuccess) fail("NCCL: {}: {}", what, ncclGetErrorString(code));
}

ncclDataType_t type_of(const torch::Tensor& t) {
  const auto type = t.scalar_type();
  if (type == torch::kFloat32) return ncclFloat32;
  if (type == torch::kFloat64) return ncclFloat64;
  if (type == torch::kInt64) return ncclInt64;
  fail("NCCL: tensors of type {} are not exchanged", c10::toString(type));
}

cudaStream_t stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

/// Rank 0's invitation, handed to all by `host`.
ncclUniqueId shared_id(Collective& host) {
  ncclUniqueId id;
  if (host.rank() == 0) check_nccl(ncclGetUniqueId(&id), "making an invitation");
  constexpr std::int64_t kWords = sizeof(id) / sizeof(std::int64_t);
  torch::Tensor mine = torch::zeros({1, kWords}, torch::kInt64);
  if (host.rank() == 0) std::memcpy(mine.data_ptr(), &id, sizeof(id));
  const torch::Tensor all = host.all_gather(mine);
  std::memcpy(&id, all.const_data_ptr(), sizeof(id));
  return id;
}

class WithNccl final : public Collective {
 public:
  explicit WithNccl(std::shared_ptr<Collective> host) : host_(std::move(host)) {}
  ~WithNccl() override {
    if (communicator_) ncclCommDestroy(communicator_);
  }
  WithNccl(const WithNccl&) = delete;
  WithNccl& operator=(const WithNccl&) = delete;

  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }

  torch::Tensor all_gather(const torch::Tensor& local) override {
    if (!local.is_cuda()) return host_->all_gather(local);
    const c10::cuda::CUDAGuard device(local.device());
    join(local.device());
    const torch::Tensor mine = local.contiguous();
    std::vector<std::int64_t> shape = mine.sizes().vec();
    shape[0] *= size();
    torch::Tensor all = torch::empty(shape, mine.options());
    check_nccl(ncclAllGather(mine.const_data_ptr(), all.mutable_data_ptr(), static_cast<std::size_t>(mine.numel()), type_of(mine),
                             communicator_, stream()),
               "gathering");
    return all;
  }

  /// Added in rank order on every rank, so that all hold the same bits whatever NCCL's algorithm is: rank r adds slice r of
  /// the buffer, then all slices are gathered.
  torch::Tensor all_reduce_sum(const torch::Tensor& local) override {
    if (!local.is_cuda()) return host_->all_reduce_sum(local);
    const c10::cuda::CUDAGuard device(local.device());
    join(local.device());
    const torch::Tensor mine = local.contiguous().flatten();
    const std::int64_t ranks = size(), slice = (mine.numel() + ranks - 1) / ranks;
    const torch::Tensor padded = torch::constant_pad_nd(mine, {0, slice * ranks - mine.numel()}).view({ranks, slice});
    const torch::Tensor parts = exchange_slices(padded);
    torch::Tensor sum = parts[0].clone();
    for (std::int64_t r = 1; r < ranks; ++r) sum.add_(parts[r]);
    return all_gather(sum.unsqueeze(0)).flatten().slice(0, 0, mine.numel()).view(local.sizes());
  }

 private:
  /// At the first tensor, by all processes together.
  void join(const torch::Device& device) {
    if (communicator_) {
      if (device != device_) fail("NCCL: a tensor is on {}, and this process joined with {}", device.str(), device_.str());
      return;
    }
    device_ = device;
    check_nccl(ncclCommInitRank(&communicator_, size(), shared_id(*host_), rank()), "joining the other processes");
  }

  /// Row r of the result is rank r's row of this rank's number.
  torch::Tensor exchange_slices(const torch::Tensor& rows) {
    const torch::Tensor parts = torch::empty_like(rows);
    const auto count = static_cast<std::size_t>(rows.size(1));
    check_nccl(ncclGroupStart(), "starting an exchange");
    for (int r = 0; r < size(); ++r) {
      check_nccl(ncclSend(rows[r].const_data_ptr(), count, type_of(rows), r, communicator_, stream()), "sending");
      check_nccl(ncclRecv(parts[r].mutable_data_ptr(), count, type_of(rows), r, communicator_, stream()), "receiving");
    }
    check_nccl(ncclGroupEnd(), "ending an exchange");
    return parts;
  }

  std::shared_ptr<Collective> host_;
  ncclComm_t communicator_ = nullptr;
  torch::Device device_ = torch::kCPU;
};

}  // namespace

std::shared_ptr<Collective> with_nccl(std::shared_ptr<Collective> host) { return std::make_shared<WithNccl>(std::move(host)); }

}  // namespace simulacra::learning
