// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/drift_meter.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataset/hdf5/hdf5.h"
#include "render/base/error.h"
#include "sim2real/refine/drift.h"
#include "sim2real/refinery/sources.h"

namespace simulacra::sim2real {
namespace {

using torch::Tensor;

/// [1, H, W] float32 of a label with one channel; ids are exact in it.
Tensor read_label(const FrameIndex& frames, std::size_t frame, Label label) {
  const auto file = frames.file(frame, label);
  const hdf5::Array array = hdf5::read(file);
  if (array.shape != std::vector<std::size_t>{static_cast<std::size_t>(frames.height), static_cast<std::size_t>(frames.width)})
    fail("{}: has another size than the set's frames", file.string());
  std::vector<float> values(array.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(array.at(i));
  return torch::tensor(values).view({1, frames.height, frames.width});
}

Tensor depth_borders_of(const FrameIndex& frames, std::size_t frame, double step) {
  if (!has(frames.frames[frame].labels, Label::depth_meters)) return torch::zeros({1, frames.height, frames.width});
  return depth_borders(read_label(frames, frame, Label::depth_meters), step);
}

Tensor id_borders_of(const FrameIndex& frames, std::size_t frame) {
  Tensor all = torch::zeros({1, frames.height, frames.width});
  for (const Label label : {Label::render_entity_id, Label::semantic_instance, Label::semantic})
    if (has(frames.frames[frame].labels, label)) all = all.maximum(id_borders(read_label(frames, frame, label)));
  return all;
}

Tensor strongest_edges(const Tensor& image, double share) {
  const Tensor edges = image_edges(image);
  const auto count = std::max<std::int64_t>(1, static_cast<std::int64_t>(share * static_cast<double>(edges.numel())));
  const Tensor least = std::get<0>(edges.flatten().topk(count)).min();
  return torch::logical_and(edges >= least, edges > 0).to(torch::kFloat);
}

}  // namespace

NamedScalars DriftReading::scalars() const {
  NamedScalars all;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k].tiles == 0) continue;
    all.emplace_back(fmt::format("drift/{}_median_px", kBorderKinds[k]), kinds[k].median_px);
    all.emplace_back(fmt::format("drift/{}_tail_px", kBorderKinds[k]), kinds[k].tail_px);
    all.emplace_back(fmt::format("drift/{}_correlation", kBorderKinds[k]), kinds[k].correlation);
  }
  return all;
}

std::string broken_limit(const DriftReading& reading, const DriftOptions& o) {
  for (std::size_t k = 0; k < reading.kinds.size(); ++k) {
    const DriftReading::Kind& r = reading.kinds[k];
    if (r.tiles < kLeastTiles) continue;
    const std::string where = fmt::format("at borders of {} in {} tiles", kBorderKinds[k], r.tiles);
    if (!(r.median_px <= o.limit_px)) return fmt::format("the median shift {} is {:.2f} px, above drift.limit_px = {}", where, r.median_px, o.limit_px);
    if (!(r.tail_px <= o.tail_limit_px))
      return fmt::format("the {:g} quantile of shifts {} is {:.2f} px, above drift.tail_limit_px = {}", o.tail, where, r.tail_px, o.tail_limit_px);
    if (!(r.correlation >= o.least_correlation))
      return fmt::format("edges {} agree by {:.2f} only, below drift.least_correlation = {}", where, r.correlation, o.least_correlation);
  }
  return {};
}

DriftMeter::DriftMeter(const FrameIndex& frames, const RefineOptions& o) : options_(o.drift) {
  const std::size_t count = std::min(frames.size(), static_cast<std::size_t>(o.drift.frames));
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(i * frames.size() / count);
  const FrameIndex some = with_frames(frames, chosen);
  if (some.width < o.drift.tile || some.height < o.drift.tile) fail_usage("drift.tile: frames of {} x {} pixels hold no tile of {}", some.width, some.height, o.drift.tile);
  WholeFrames whole(some, o.input);
  for (std::size_t i = 0; i < count; ++i) {
    images_.push_back(whole.next().clone());
    borders_[0].push_back(strongest_edges(images_.back(), o.drift.edge_share));
    borders_[1].push_back(depth_borders_of(some, i, o.drift.depth_step));
    borders_[2].push_back(id_borders_of(some, i));
  }
}

DriftReading DriftMeter::measure(const Refine& refine) const {
  BorderShiftOptions match;
  match.tile = options_.tile;
  std::array<std::vector<BorderShift>, kBorderKinds.size()> shifts;
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const Tensor before = image_edges(images_[i]), after = image_edges(refine(images_[i]));
    for (std::size_t k = 0; k < kBorderKinds.size(); ++k) shifts[k].push_back(border_shift(before, after, borders_[k][i], match));
  }
  DriftReading reading;
  for (std::size_t k = 0; k < kBorderKinds.size(); ++k) {
    std::vector<Tensor> shift, correlation;
    for (const BorderShift& s : shifts[k]) shift.push_back(s.shift), correlation.push_back(s.correlation);
    const BorderShift all{torch::cat(shift), torch::cat(correlation)};
    if (all.tiles() > 0) reading.kinds[k] = {all.tiles(), all.median_px(), all.quantile_px(options_.tail), all.median_correlation()};
  }
  return reading;
}

}  // namespace simulacra::sim2real
