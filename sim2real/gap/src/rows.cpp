// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/src/rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace simulacra::gap {

std::string shown(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : "none"; }

std::vector<MeterRow> meter_rows(const Gap& gap) {
  const Distances &d = gap.distances, &f = gap.floor;
  std::vector<MeterRow> rows = {
      {"classifier's area", d.classifier.value, f.classifier.value,
       fmt::format("0.5 cannot tell them apart, 1 always can; 95 %: {:.3f} to {:.3f}", d.classifier.lo, d.classifier.hi), false},
      {"features, kernel", d.kernel.mmd2, f.kernel.mmd2, fmt::format("unbiased; equal sets: 0 ± {}; p = {}", shown(d.kernel.deviation), shown(d.kernel.p)), false},
      {"features, Fréchet", d.frechet, f.frechet, "squared, in deviations of the real set; biased upwards for few pictures"},
      {"noise", d.noise, f.noise, "octaves of the deviation at equal intensity"},
      {"spectrum", d.spectrum, f.spectrum, "dB"},
      {"edges", d.edges, f.edges, "octaves of the gradient"},
      {"color, histograms", d.color.histogram, f.color.histogram, "display values from 0 to 1"},
      {"color, chromaticity", d.color.chromaticity, f.color.chromaticity, "share of pixels that differs"},
      {"color, Fréchet", d.color.frechet, f.color.frechet, "squared, display values"}};
  for (std::size_t i = 0; i < d.patches.size(); ++i)
    rows.push_back({fmt::format("patches, level {}", i), d.patches[i], i < f.patches.size() ? f.patches[i] : NAN,
                    i == 0 ? "sliced Wasserstein, in deviations of the real set; finest" : i + 1 == d.patches.size() ? "coarsest" : ""});
  return rows;
}

std::string largest_shifts(const Gap& gap, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, gap.shifts.size()); ++i)
    text += fmt::format("{}{} {:+.1f}", text.empty() ? "" : ", ", gap.shifts[i].name, gap.shifts[i].shift);
  return text;
}

std::string gap_text(const Gap& gap) {
  const auto side = [](const char* role, const SetFacts& f) {
    return fmt::format("{:<10} {}: {} {} pictures of {} x {} pixels and more\n", role, f.name, f.images, f.channels == 3 ? "color" : "gray", f.least_width,
                       f.least_height);
  };
  std::string text = side("synthetic", gap.synthetic) + side("real", gap.real);
  text += fmt::format("features   {}, seed {}\n\n{:<20} {:>9} {:>9} {:>8}\n", gap.features, gap.seed, "meter", "gap", "floor", "ratio");
  const MeterRow* most = nullptr;
  const std::vector<MeterRow> rows = meter_rows(gap);
  const auto ratio = [](const MeterRow& r) { return r.is_ratio && r.floor > 0 && std::isfinite(r.value) ? r.value / r.floor : 0; };
  for (const MeterRow& r : rows) {
    text += fmt::format("{:<20} {:>9} {:>9} {:>8}  {}\n", r.name, shown(r.value), shown(r.floor), ratio(r) > 0 ? fmt::format("{:.1f}", ratio(r)) : "", r.meaning);
    if (ratio(r) > 0 && (most == nullptr || ratio(r) > ratio(*most))) most = &r;
  }
  text += "\nThe floor is the same meter between two halves of the real set.\n";
  if (most != nullptr) text += fmt::format("Farthest above its floor: {}, {:.1f} times.\n", most->name, ratio(*most));
  return text + fmt::format("Differs most, in deviations of the real set: {}.\n", largest_shifts(gap, 5));
}

}  // namespace simulacra::gap
