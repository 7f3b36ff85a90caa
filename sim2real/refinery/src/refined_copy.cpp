// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/refined_copy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataset/derive/light.h"
#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/canonical.h"
#include "dataset/schema/conventions.h"
#include "dataset/schema/layout.h"
#include "dataset/store/tone_map.h"
#include "render/base/error.h"
#include "sim2real/refinery/sources.h"

namespace simulacra::sim2real {
namespace {

using torch::Tensor;

constexpr LabelSet kChangedByColor = label_bit(Label::color) | label_bit(Label::diffuse_illumination) | label_bit(Label::residual);
constexpr LabelSet kReadForColor = kChangedByColor | label_bit(Label::diffuse_reflectance) | label_bit(Label::render_entity_id);

bool refines_depth(const RefineOptions& o) { return o.input.kind == "depth"; }

/// The factor of the loader's tone map: over pixels with a color and an entity.
double exposure_of(const Frame& frame) {
  const Plane &color = frame.plane(Label::color), &ids = frame.plane(Label::render_entity_id);
  std::vector<std::uint8_t> valid(ids.i.size());
  for (std::size_t p = 0; p < valid.size(); ++p)
    valid[p] = ids.i[p] != -1 && !std::isnan(color.f[3 * p]) && !std::isnan(color.f[3 * p + 1]) && !std::isnan(color.f[3 * p + 2]);
  return tone_map_scale(color.f, valid);
}

/// Radiance of display values (interleaved); what the display had cut off of the frame's radiance is added. No number where
/// the frame has none.
std::vector<float> radiance_of(std::span<const float> display, const Frame& frame) {
  const double exposure = exposure_of(frame);
  std::vector<float> radiance = frame.plane(Label::color).f;
  if (exposure == 0) return radiance;   // a black frame has no display values
  for (std::size_t k = 0; k < radiance.size(); ++k) {
    const double beyond = std::max(0.0, static_cast<double>(radiance[k]) - 1 / exposure);
    const double shown = std::pow(std::clamp(static_cast<double>(display[k]), 0.0, 1.0), kToneMapGamma) / exposure;
    if (!std::isnan(radiance[k])) radiance[k] = static_cast<float>(shown + beyond);
  }
  return radiance;
}

std::string drift_text(const DriftReading& drift) {
  std::string text;
  for (const auto& [name, value] : drift.scalars()) text += fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", name.substr(name.find('/') + 1), value);
  return text.empty() ? "no tile had enough borders to tell" : text;
}

constexpr std::string_view kDepthConventions = R"(- `frame.IIII.depth_planar_refined_meters.hdf5` beside the exact depth is float32, metres along the viewing axis: the exact
  depth made to look like the real one, within `input.near_m` and `input.far_m`. All other files are the source's.
)";
constexpr std::string_view kColorConventions = R"(- `color` is refined, `diffuse_reflectance` the source's. The identity of the stored values holds because what was added is
  in `residual`, and what was taken away came out of `residual` first, then out of `diffuse_illumination`: these two are no
  longer the rendered split.
- Radiance beyond what the tone map shows is the source's. A reader's tone map scales each frame by its own 90th percentile,
  so that a change of a frame's overall brightness is not seen through it.
- Geometry, ids, poses, boxes and tables are the source's.
)";

std::string conventions_of(const RefineOptions& o, const RefinementFacts& f) {
  return fmt::format("## Refined\n\nMade to look like the pictures of `{}` by the method `{}`.\n\n{}"
                     "- Shifts of edges in pixels, and how far edges agree, as measured before writing: {}.\n"
                     "- `refinement.yaml` is the configuration; `refinement.json` has digests of weights and real pictures.\n",
                     f.real, o.method, refines_depth(o) ? kDepthConventions : kColorConventions, drift_text(f.drift));
}

std::string json_of(const RefineOptions& o, const RefinementFacts& f) {
  nlohmann::ordered_json drift = nlohmann::ordered_json::object();
  for (const auto& [name, value] : f.drift.scalars()) drift[name.substr(name.find('/') + 1)] = value;
  const nlohmann::ordered_json json = {{"method", o.method}, {"input", o.input.kind}, {"version", f.version}, {"weights_sha256", f.weights_sha256},
                                       {"real", f.real}, {"real_sha256", f.real_sha256}, {"drift", drift}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

void RefinedCopy::check_request(const FrameIndex& source, const std::filesystem::path& out) {
  DerivedSet::check_request(source, out);
  if (std::filesystem::exists(source.root / kRefinementConfig)) fail_usage("--data: {} is a refined copy; refine the set that it was made of", source.root.string());
}

RefinedCopy::RefinedCopy(const FrameIndex& source, std::filesystem::path out, const RefineOptions& options, std::string config, RefinementFacts facts)
    : options_(options), config_(std::move(config)), facts_(std::move(facts)), copy_(source, std::move(out), refines_depth(options) ? 0 : kChangedByColor) {}

void RefinedCopy::put(std::size_t frame_idx, const Tensor& refined) {
  const std::vector<std::int64_t> size = {1, channels_of(options_), copy_.source().height, copy_.source().width};
  if (refined.sizes() != size) fail("{}: refinement changed the size of the picture", frame_key(copy_.source().name(frame_idx)));
  if (refines_depth(options_)) put_depth(frame_idx, refined);
  else put_color(frame_idx, refined);
}

void RefinedCopy::put_color(std::size_t frame_idx, const Tensor& refined) {
  Frame frame = read_frame(copy_.source(), frame_idx, kReadForColor);
  const Tensor display = ((refined.squeeze(0) + 1) / 2).permute({1, 2, 0}).to(torch::kFloat).contiguous();
  replace_color(frame, radiance_of({display.const_data_ptr<float>(), static_cast<std::size_t>(display.numel())}, frame));
  copy_.put(frame_idx, frame, {.jpeg_quality = options_.output.jpeg_quality, .compression_level = options_.output.compression_level});
}

void RefinedCopy::put_depth(std::size_t frame_idx, const Tensor& refined) {
  const Tensor metres = range_to_depth(refined.flatten().to(torch::kFloat), options_.input).contiguous();
  const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(copy_.source().height), static_cast<std::size_t>(copy_.source().width)};
  hdf5::Storage storage = hdf5::image_storage(shape);
  storage.level = options_.output.compression_level;
  const hdf5::Attributes attributes = {{"label", std::string(kRefinedDepth)},
                                       {"unit", std::string("m")},
                                       {"schema_version", std::int64_t{kSchemaVersion}},
                                       {"doc", std::string("depth_planar_meters made to look like a sensor's; input.far_m of refinement.yaml where nothing was measured")}};
  const auto bytes = std::as_bytes(std::span(metres.const_data_ptr<float>(), static_cast<std::size_t>(metres.numel())));
  copy_.write({copy_.path_of(path_beside(copy_.source().name(frame_idx), Label::depth_planar_meters, kRefinedDepth)), hdf5::encode(hdf5::Element::f32, shape, bytes, storage, serial_for, attributes), 0}, options_.seed);
}

void RefinedCopy::finish() {
  copy_.write(text_file(kRefinementFacts, json_of(options_, facts_)), options_.seed);
  copy_.finish({"refined", facts_.version, kRefinementConfig, config_, options_.seed, conventions_of(options_, facts_)});
}

}  // namespace simulacra::sim2real
