// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <nlohmann/json.hpp>

#include "sim2real/gap/report.h"

namespace simulacra::gap {
namespace {

using Json = nlohmann::ordered_json;

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

Json matrix_json(const dense::Matrix& m) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < m.rows; ++i) rows.push_back(std::vector<double>(m.row(i).begin(), m.row(i).end()));
  return rows;
}

Json facts_json(const SetFacts& f) {
  Json bins = Json::array();
  for (const NoiseBin& b : f.noise.bins) bins.push_back({{"intensity", b.intensity}, {"sigma", b.sigma}, {"pixels", b.pixels}});
  return {{"name", f.name},
          {"images", f.images},
          {"channels", f.channels},
          {"least_width_px", f.least_width},
          {"least_height_px", f.least_height},
          {"noise", {{"bins", bins}, {"read_variance", f.noise.line.read_variance}, {"shot", f.noise.line.shot}}},
          {"spectrum", {{"cycles_per_px", f.spectrum.frequency}, {"power", f.spectrum.power}, {"slope", number(f.spectrum.slope)}}},
          {"color", {{"histograms", f.colors.channels}, {"mean", f.colors.mean}, {"covariance", matrix_json(f.colors.covariance)}}},
          {"edges", {{"log2_gradient_histogram", f.edges.gradients}, {"sharpness", f.edges.sharpness}, {"strong_share", f.edges.strong}}}};
}

Json distances_json(const Distances& d) {
  return {{"noise_octaves", number(d.noise)},
          {"spectrum_db", d.spectrum},
          {"color_histogram_w1", d.color.histogram},
          {"chromaticity_total_variation", d.color.chromaticity},
          {"color_frechet", d.color.frechet},
          {"edges_octaves", d.edges},
          {"patches_sliced_w1", d.patches},
          {"features_frechet", d.frechet},
          {"features_kernel_mmd2", {{"value", d.kernel.mmd2}, {"p", d.kernel.p}, {"deviation", d.kernel.deviation}}},
          {"classifier_auc", {{"value", d.classifier.value}, {"lo", d.classifier.lo}, {"hi", d.classifier.hi}}}};
}

}  // namespace

std::string gap_json(const Gap& gap) {
  Json shifts = Json::array();
  for (const FeatureShift& f : gap.shifts) shifts.push_back({{"feature", f.name}, {"real_deviations", number(f.shift)}});
  const Json json = {{"seed", gap.seed},
                     {"features", gap.features},
                     {"distances", distances_json(gap.distances)},
                     {"floor", distances_json(gap.floor)},
                     {"shifts", shifts},
                     {"synthetic", facts_json(gap.synthetic)},
                     {"real", facts_json(gap.real)}};
  // A folder's name may hold bytes that are no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace simulacra::gap
