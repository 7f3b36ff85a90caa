// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/src/sample_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "dataset/schema/checksum.h"

namespace simulacra::tensors {
namespace {

using Question = Draws::Question;

constexpr std::uint64_t kOrder = 0x6f72646572;   // keeps the order's numbers apart from the views'

/// A product of 64 x 64 bits, its upper half: a number below `count` without a division.
std::size_t below(std::uint64_t random, std::size_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((static_cast<Wide>(random) * count) >> 64);
}

ColorChange draw_change(const PhotometricOptions& o, const Draws& draws) {
  ColorChange change;
  if (!o.any()) return change;
  const auto factor = [&](Question question, double range) { return draws.within(question, 1 - range, 1 + range); };
  change.exposure = static_cast<float>(factor(Question::brightness, o.brightness));
  const bool gray = draws.uniform(Question::grayscale) < o.grayscale;
  const double saturation = gray ? 0 : factor(Question::saturation, o.saturation);
  set_change(change, factor(Question::contrast, o.contrast), saturation, draws.within(Question::hue, -o.hue, o.hue));
  change.noise = static_cast<float>(o.noise);
  change.noise_key = draws.bits(Question::noise);
  change.is_identity = o.contrast == 0 && o.saturation == 0 && !gray && o.hue == 0 && o.noise == 0;
  return change;
}

}  // namespace

std::uint64_t Draws::bits(Question question) const {
  return mix_seed(std::array{key_[0], key_[1], key_[2], key_[3], static_cast<std::uint64_t>(question)});
}
double Draws::uniform(Question question) const { return static_cast<double>(bits(question) >> 11) * 0x1p-53; }
std::size_t Draws::index(Question question, std::size_t count) const { return below(bits(question), count); }

std::vector<std::uint32_t> epoch_order(std::size_t count, std::uint64_t seed, std::uint64_t epoch, bool shuffle) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (!shuffle) return order;
  for (std::size_t i = count; i-- > 1;)
    std::swap(order[i], order[below(mix_seed(std::array<std::uint64_t, 4>{kOrder, seed, epoch, i}), i + 1)]);
  return order;
}

ViewPlan plan_view(const LoaderOptions& o, int frame_width, int frame_height, std::size_t frame_idx, const Draws& draws) {
  ViewPlan plan;
  plan.frame_idx = frame_idx;
  double scale = o.scale_min;
  if (o.scale_max > o.scale_min) scale *= std::pow(o.scale_max / o.scale_min, draws.uniform(Question::scale));
  CropWindow& w = plan.window;
  w.rows = std::clamp(static_cast<int>(std::lround(scale * o.height)), 1, frame_height);
  w.columns = std::clamp(static_cast<int>(std::lround(scale * o.width)), 1, frame_width);
  const int free_rows = frame_height - w.rows, free_columns = frame_width - w.columns;
  const auto place = [&](Question question, int free) {
    return o.random_crop ? static_cast<int>(draws.index(question, static_cast<std::size_t>(free) + 1)) : free / 2;
  };
  w.row = place(Question::row, free_rows);
  w.column = place(Question::column, free_columns);
  plan.mirrored = draws.uniform(Question::flip) < o.flip;
  plan.color = draw_change(o.photometric, draws);
  return plan;
}

}  // namespace simulacra::tensors
