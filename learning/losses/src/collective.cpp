// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/losses/collective.h"

#include <utility>

#include "render/base/error.h"

namespace simulacra::learning {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps the peers alive until backward has run.
struct Peers : torch::CustomClassHolder {
  explicit Peers(std::shared_ptr<Collective> c) : collective(std::move(c)) {}
  std::shared_ptr<Collective> collective;
};

struct GatherRows : torch::autograd::Function<GatherRows> {
  static torch::Tensor forward(AutogradContext* ctx, const torch::Tensor& local, const std::shared_ptr<Collective>& peers) {
    ctx->saved_data["peers"] = c10::IValue::make_capsule(c10::make_intrusive<Peers>(peers));
    ctx->saved_data["rows"] = local.size(0);
    torch::Tensor all = peers->all_gather(local.contiguous());
    if (all.size(0) != local.size(0) * peers->size())
      fail("gather: {} ranks gave {} rows, this one {}; every rank needs equally many", peers->size(), all.size(0), local.size(0));
    return all;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto held = ctx->saved_data["peers"].toCapsule();
    Collective& peers = *static_cast<Peers&>(*held).collective;
    const std::int64_t rows = ctx->saved_data["rows"].toInt();
    const torch::Tensor sum = peers.all_reduce_sum(grads[0].contiguous());
    return {sum.narrow(0, peers.rank() * rows, rows), torch::Tensor()};
  }
};

struct SumOverRanks : torch::autograd::Function<SumOverRanks> {
  static torch::Tensor forward(AutogradContext*, const torch::Tensor& share, const std::shared_ptr<Collective>& peers) {
    return peers->all_reduce_sum(share);
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0], torch::Tensor()}; }
};

}  // namespace

torch::Tensor gather_rows(const torch::Tensor& local, std::shared_ptr<Collective> peers) { return GatherRows::apply(local, peers); }

torch::Tensor sum_over_ranks(const torch::Tensor& share, std::shared_ptr<Collective> peers) {
  return SumOverRanks::apply(share, peers);
}

}  // namespace simulacra::learning
