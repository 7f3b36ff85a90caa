// SPDX-License-Identifier: Apache-2.0
// The table from a planned launch to the code of its blocks, for nvcc and for the emulator.
#pragma once

#include "learning/kernels/cuda/attention_plain.h"
#include "learning/kernels/cuda/attention_tiles.h"
#include "learning/kernels/cuda/plan.h"

namespace simulacra::kernels::attention::cuda {

/// use.template operator()<Body>() with the body of a 16-bit kernel.
template <class E, int kWidth, class Use>
void with_tiles_body_of_width(const Launch& launch, const Use& use) {
  switch (launch.kernel) {
    case Kernel::forward: return use.template operator()<tiles::Forward<E, kWidth, kForwardRows / 64>>();
    case Kernel::forward_short: return use.template operator()<tiles::ForwardShort<E, kWidth>>();
    case Kernel::query_gradients: return use.template operator()<tiles::QueryGradients<E, kWidth, query_rows(kWidth) / 64>>();
    case Kernel::key_gradients: return use.template operator()<tiles::KeyGradients<E, kWidth, kKeyRows / 64>>();
    case Kernel::sum_heads: return use.template operator()<SumHeads>();
  }
}

template <class E, class Use>
void with_tiles_body(const Launch& launch, const Use& use) {
  if (launch.width <= 32) return with_tiles_body_of_width<E, 32>(launch, use);
  if (launch.width <= 64) return with_tiles_body_of_width<E, 64>(launch, use);
  with_tiles_body_of_width<E, 128>(launch, use);
}

template <typename T, int kWidth, class Use>
void with_plain_body_of_width(const Launch& launch, const Use& use) {
  switch (launch.kernel) {
    case Kernel::forward:
    case Kernel::forward_short: return use.template operator()<plain::Forward<T, kWidth>>();
    case Kernel::query_gradients: return use.template operator()<plain::QueryGradients<T, kWidth>>();
    case Kernel::key_gradients: return use.template operator()<plain::KeyGradients<T, kWidth>>();
    case Kernel::sum_heads: return use.template operator()<SumHeads>();
  }
}

template <typename T, class Use>
void with_plain_body(const Launch& launch, const Use& use) {
  if (launch.width <= 64) return with_plain_body_of_width<T, 64>(launch, use);
  with_plain_body_of_width<T, sizeof(T) == 8 ? 128 : 256>(launch, use);
}

}  // namespace simulacra::kernels::attention::cuda
