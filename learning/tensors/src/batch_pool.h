// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <vector>

#include "learning/tensors/loader.h"

namespace simulacra::tensors {

/// Tensors of batches that were handed out, for use again when nobody else refers to them: fresh memory of this size
/// costs more page faults than filling it.
class BatchPool {
 public:
  explicit BatchPool(std::size_t most) : most_(most) {}
  /// A batch of so many rows, of any content.
  Batch take(std::int64_t rows, const LoaderOptions& options, const std::vector<Target>& targets);
  /// Remembers the tensors of a batch that is handed out.
  void lend(const Batch& batch);

 private:
  std::size_t most_;
  std::vector<Batch> lent_;                ///< tensors only
};

}  // namespace simulacra::tensors
