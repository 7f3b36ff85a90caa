// SPDX-License-Identifier: Apache-2.0
#include "learning/optim/src/flat_buffer.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace simulacra::optim {
namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kHuge = std::size_t{2} << 20;

/// A hint: whether it is followed is the system's business.
void ask_for_huge_pages([[maybe_unused]] const torch::Tensor& t) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const auto begin = reinterpret_cast<std::uintptr_t>(t.data_ptr()), first = (begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (begin + t.nbytes()) / kPage * kPage;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace

torch::Tensor flat_buffer(std::int64_t count, const torch::TensorOptions& options) {
  torch::Tensor t = torch::empty({count}, options);
  if (t.is_cpu() && t.nbytes() >= 2 * kHuge) ask_for_huge_pages(t);
  return t.zero_();
}

}  // namespace simulacra::optim
