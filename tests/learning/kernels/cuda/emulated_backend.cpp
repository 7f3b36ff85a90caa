// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <vector>

#include "learning/kernels/cuda/bodies.h"
#include "learning/kernels/cuda/emulator.h"
#include "learning/kernels/cuda/plan.h"
#include "render/base/error.h"
#include "tests/learning/kernels/cuda/backend.h"

namespace simulacra::test::backend {

namespace gpu = kernels::gpu;
using namespace kernels::attention::cuda;

namespace {

/// An H100's shared memory; one multiprocessor, so that every block has much to do.
constexpr DeviceLimits kLimits{227 * 1024, 1};

struct RunBlocks {
  gpu::Emulator& emulator;
  const Launch& launch;
  const Params& params;

  template <class Body>
  void operator()() const {
    emulator.run(launch.blocks, Body::kThreads, launch.shared_bytes, [this] { Body::run(params); });
  }
};

void start(gpu::Emulator& emulator, const Plan& plan) {
  for (const Launch& launch : plan.launches) {
    const RunBlocks run{emulator, launch, plan.params};
    switch (launch.element) {
      case Element::float64: with_plain_body<double>(launch, run); break;
      case Element::float32: with_plain_body<float>(launch, run); break;
      case Element::bfloat16: with_tiles_body<gpu::Bfloat16Element>(launch, run); break;
      case Element::float16: with_tiles_body<gpu::Float16Element>(launch, run); break;
    }
  }
  if (emulator.bank_conflicts() != 0)
    fail("{} of {} matrix loads met in a bank", emulator.bank_conflicts(), emulator.matrix_loads());
}

}  // namespace

struct Memory::State {
  struct Aligned {
    alignas(16) char bytes[16];
  };
  gpu::Emulator emulator;
  std::vector<std::unique_ptr<Aligned[]>> blocks;

  char* allocate(std::size_t bytes) {
    blocks.push_back(std::make_unique<Aligned[]>(bytes / 16 + 1));
    return blocks.back()[0].bytes;
  }
};

std::string missing() { return ""; }

Memory::Memory() : state_(new State) {}
Memory::~Memory() { delete state_; }

const void* Memory::copy(const void* data, std::size_t bytes) {
  char* const to = state_->allocate(bytes);
  if (bytes != 0) std::memcpy(to, data, bytes);
  state_->emulator.allow_read(to, bytes);
  return to;
}
void* Memory::room(std::size_t bytes) {
  char* const to = state_->allocate(bytes);
  std::memset(to, 0xff, bytes);
  state_->emulator.allow_write(to, bytes);
  return to;
}
void Memory::fetch(void* to, const void* from, std::size_t bytes) const {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

void Memory::forward(const Call& call, const DeviceRows& o) { start(state_->emulator, forward_plan(call, o, kLimits)); }
void Memory::backward(const Call& call, const DeviceRows& grad_o, const DeviceGradients& out) {
  start(state_->emulator, backward_plan(call, grad_o, out, room(backward_workspace_bytes(call)), kLimits));
}

}  // namespace simulacra::test::backend
