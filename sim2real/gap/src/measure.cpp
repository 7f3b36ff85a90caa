// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "sim2real/gap/report.h"
#include "sim2real/gap/src/random.h"

namespace simulacra::gap {
namespace {

constexpr std::uint64_t kHalves = 1000;   // stream of the choice of halves
constexpr std::size_t kClassified = 32;   // components of a network's features that the classifier sees

SetFacts facts_of(const ImageSet& set, int tile, const ParallelFor& parallel) {
  SetFacts f{set.name, set.images.size(), set.channels(), set.images.front().width, set.images.front().height, {}, {}, {}, {}};
  for (const Plane& image : set.images) f.least_width = std::min(f.least_width, image.width), f.least_height = std::min(f.least_height, image.height);
  f.noise = measure_noise(set.images);
  f.spectrum = measure_spectrum(set.images, tile, parallel);
  f.colors = measure_colors(set.images);
  f.edges = measure_edges(set.images);
  return f;
}

dense::Matrix rows_of(const dense::Matrix& m, std::span<const std::size_t> rows) {
  dense::Matrix out;
  out.rows = rows.size(), out.columns = m.columns;
  for (const std::size_t i : rows) out.values.insert(out.values.end(), m.row(i).begin(), m.row(i).end());
  return out;
}

ImageSet images_of(const ImageSet& set, std::span<const std::size_t> rows) {
  ImageSet out{set.name, {}, {}};
  for (const std::size_t i : rows) {
    out.images.push_back(set.images[i]), out.names.push_back(set.names[i]);
    if (!set.groups.empty()) out.groups.push_back(set.groups[i]);
  }
  return out;
}

/// All pictures in a seeded order: groups in an order, the pictures of each together, when no group holds more than a quarter.
std::vector<std::size_t> shuffled(const ImageSet& set, std::uint64_t seed) {
  std::vector<std::size_t> order = Random(seed, kHalves).permutation(set.images.size());
  if (set.groups.empty()) return order;
  std::map<std::size_t, std::vector<std::size_t>> members;
  std::vector<std::size_t> groups;
  for (const std::size_t i : order) {
    if (!members.contains(set.groups[i])) groups.push_back(set.groups[i]);
    members[set.groups[i]].push_back(i);
  }
  for (const auto& [group, rows] : members)
    if (4 * rows.size() > order.size()) return order;
  order.clear();
  for (const std::size_t g : groups) order.insert(order.end(), members[g].begin(), members[g].end());
  return order;
}

struct Side {
  const ImageSet& set;
  const SetFacts& facts;
  dense::Matrix features;   ///< standardised by the whole real set
};

Distances distances_of(const Side& a, const Side& b, const GapOptions& o) {
  Distances d;
  d.noise = noise_distance(a.facts.noise, b.facts.noise);
  d.spectrum = spectrum_distance(a.facts.spectrum, b.facts.spectrum);
  d.color = color_distance(a.facts.colors, b.facts.colors);
  d.edges = edge_distance(a.facts.edges, b.facts.edges);
  PatchOptions patches = o.patches;
  patches.seed = o.seed;
  d.patches = patch_distance(a.set.images, b.set.images, patches, o.parallel);
  d.frechet = frechet_distance(a.features, b.features);
  d.kernel = kernel_distance(a.features, b.features, o.seed, o.permutations);
  const int folds = static_cast<int>(std::min<std::size_t>({5, a.features.rows, b.features.rows}));
  const Reduced reduced = leading_components(a.features, b.features, kClassified, o.seed);
  d.classifier = domain_classifier(reduced.a, reduced.b, {.folds = folds, .seed = o.seed, .groups_a = a.set.groups, .groups_b = b.set.groups});
  return d;
}

/// Means of the hand-made features of `rows`, in the deviations of `reference`; largest first.
std::vector<FeatureShift> shifts_of(const dense::Matrix& rows, const dense::Matrix& reference, int channels) {
  const std::vector<double> means = gaussian_of(standardised(rows, reference)).mean;
  const std::vector<std::string> names = hand_made_names(channels);
  std::vector<FeatureShift> shifts;
  for (std::size_t j = 0; j < means.size(); ++j) shifts.push_back({names.at(j), means[j]});
  std::ranges::stable_sort(shifts, std::ranges::greater{}, [](const FeatureShift& s) { return std::abs(s.shift); });
  return shifts;
}

}  // namespace

Gap measure_gap(const ImageSet& synthetic, const ImageSet& real, const GapOptions& o) {
  check_sets(synthetic, real);
  const int tile = std::min(tile_size(synthetic.images), tile_size(real.images));
  const dense::Matrix raw = features_of(real.images, o.features, o.parallel);
  const dense::Matrix ours = standardised(features_of(synthetic.images, o.features, o.parallel), raw), theirs = standardised(raw, raw);
  const FeatureMap by_hand = hand_made_features();
  Gap gap{facts_of(synthetic, tile, o.parallel), facts_of(real, tile, o.parallel), {}, {}, {}, o.features.name, o.seed};
  gap.shifts = shifts_of(features_of(synthetic.images, by_hand, o.parallel), features_of(real.images, by_hand, o.parallel), real.channels());
  gap.distances = distances_of({synthetic, gap.synthetic, ours}, {real, gap.real, theirs}, o);

  const std::vector<std::size_t> order = shuffled(real, o.seed);
  const auto first = std::span(order).first(order.size() / 2), second = std::span(order).subspan(order.size() / 2);
  const ImageSet one = images_of(real, first), other = images_of(real, second);
  const SetFacts one_facts = facts_of(one, tile, o.parallel), other_facts = facts_of(other, tile, o.parallel);
  gap.floor = distances_of({one, one_facts, rows_of(theirs, first)}, {other, other_facts, rows_of(theirs, second)}, o);
  return gap;
}

}  // namespace simulacra::gap
