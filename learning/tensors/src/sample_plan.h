// SPDX-License-Identifier: Apache-2.0
// Everything random about a sample, drawn before a byte is read: a function of seed, epoch, position and view.
#pragma once

#include <cstdint>
#include <vector>

#include "learning/tensors/options.h"
#include "learning/tensors/src/image_ops.h"

namespace simulacra::tensors {

/// Frame numbers 0 … count-1 in the order of an epoch: Fisher and Yates' shuffle with a hash for each step.
std::vector<std::uint32_t> epoch_order(std::size_t count, std::uint64_t seed, std::uint64_t epoch, bool shuffle);

/// Draws by name: the same key and question give the same number, whatever else was asked.
class Draws {
 public:
  enum class Question : std::uint64_t {
    scale, row, column, flip, brightness, contrast, saturation, grayscale, hue, noise, partner
  };
  Draws(std::uint64_t seed, std::uint64_t epoch, std::uint64_t position, std::uint64_t view) : key_{seed, epoch, position, view} {}
  std::uint64_t bits(Question question) const;
  double uniform(Question question) const;                                    ///< in [0, 1)
  double within(Question question, double lo, double hi) const { return lo + (hi - lo) * uniform(question); }
  /// 0 … count-1
  std::size_t index(Question question, std::size_t count) const;

 private:
  std::uint64_t key_[4];
};

/// A part of a frame, pixels.
struct CropWindow {
  int row = 0, column = 0, rows = 0, columns = 0;
};

struct ViewPlan {
  std::size_t frame_idx = 0;
  CropWindow window;
  bool mirrored = false;
  ColorChange color;
};

/// What a view looks like, given its frame. `o.height` and `o.width` are set.
ViewPlan plan_view(const LoaderOptions& o, int frame_width, int frame_height, std::size_t frame_idx, const Draws& draws);

}  // namespace simulacra::tensors
