// SPDX-License-Identifier: Apache-2.0
// What readers filter frames by (F15), and our further label files.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "dataset/audit/src/frame_images.h"
#include "dataset/audit/src/stored_array.h"
#include "dataset/schema/layout.h"

namespace simulacra::auditing {
namespace {

constexpr std::array<std::string_view, 6> kContentChecks = {"F15.nan", "F15.range", "F15.grey", "F15.flat", "F15.near", "F15.far"};

void mark_depth(const FrameImages& f, ContentMarks& marks) {
  const Image& depth = *f.get(Label::depth_meters);
  const std::string& path = f.path(Label::depth_meters);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t near = 0, most = 0;
  std::vector<std::size_t> count(65536);
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    if (!depth.finite(p)) continue;
    const double v = depth.at(p);
    low = std::min(low, v), high = std::max(high, v);
    if (v < 0.05) ++near;
    most = std::max(most, ++count[v == 0 ? 0 : depth.bits[p]]);
  }
  if (low > high) return;
  const double pixels = static_cast<double>(f.pixels());
  const double close = static_cast<double>(near) / pixels, share = static_cast<double>(most) / pixels;
  marks["F15.range"] = {high - low >= 0.5, fmt::format("{:.2f} m to {:.2f} m", low, high), path};
  marks["F15.near"] = {close < 0.05, fmt::format("{:.1f} % nearer than 0.05 m", 100 * close), path};
  marks["F15.far"] = {high < 65.5, fmt::format("{:.1f} m", high), path};
  marks["F15.flat"] = {share <= 0.3, fmt::format("one depth fills {:.0f} %", 100 * share), path};
}

void mark_color(const FrameImages& f, ContentMarks& marks) {
  std::vector<bool> valid(f.pixels());
  for (std::size_t p = 0; p < valid.size(); ++p) valid[p] = !(*f.empty)[p];
  const std::vector<std::uint8_t> rgb = tone_map(*f.get(Label::color), valid);
  const auto [low, high] = std::minmax_element(rgb.begin(), rgb.end());
  marks["F15.grey"] = {*high - *low >= 10, fmt::format("levels {} to {}", *low, *high), f.path(Label::color)};
  std::vector<std::uint32_t> codes(f.pixels());
  for (std::size_t p = 0; p < codes.size(); ++p)
    codes[p] = static_cast<std::uint32_t>((rgb[3 * p] << 16) | (rgb[3 * p + 1] << 8) | rgb[3 * p + 2]);
  std::sort(codes.begin(), codes.end());
  std::size_t most = 0;
  for (std::size_t a = 0, b = 0; a < codes.size(); a = b) {
    while (b < codes.size() && codes[b] == codes[a]) ++b;
    most = std::max(most, b - a);
  }
  const double share = static_cast<double>(most) / static_cast<double>(f.pixels());
  if (share > 0.3) marks["F15.flat"] = {false, fmt::format("one color fills {:.0f} %", 100 * share), f.path(Label::color)};
  marks.try_emplace("F15.flat", ContentMark{true, "", f.path(Label::color)});
}

/// One of our own files, when it is there.
std::optional<StoredArray> read_further(const DatasetFacts& data, const FrameName& name, Label label, Element element,
                                        const FrameImages& f, std::string& rel, Findings& to) {
  const std::filesystem::path path = data.scenes_folder / label_path(name, label);
  rel = data.rel(path);
  const Shape shape{static_cast<std::int64_t>(f.height), static_cast<std::int64_t>(f.width)};
  return read_array(path, rel, {.element = element, .shape = shape, .image = true, .required = false, .attributes = true}, to);
}

void judge_planar_depth(const DatasetFacts& data, const FrameName& name, const FrameImages& f, Findings& to) {
  std::string rel;
  const auto array = read_further(data, name, Label::depth_planar_meters, Element::f32, f, rel, to);
  const Image* depth = f.get(Label::depth_meters);
  if (!array || !depth || f.rays.empty()) return to.none("X.planar");
  const std::vector<float> planar = array->values<float>();
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const double want = -f.rays[p].z * depth->at(p);
    // depth_meters is rounded to float16, half a step; a thousandth of that covers float32 arithmetic.
    const double gap = std::abs(planar[p] - want), allow = 0.501 * depth->step(p) + 1e-6 * std::abs(want);
    if (depth->any_nan(p) ? !std::isnan(planar[p]) : !(gap <= allow)) bad.add(p, gap);
  }
  to.pixels("X.planar", rel, bad, f.width, f.pixels(), "depth_meters * cosine of the pixel's ray; NaN where that is NaN",
            [&](std::size_t p) { return fmt::format("{:.6g} against {:.6g}", planar[p], -f.rays[p].z * depth->at(p)); });
}

void judge_valid_mask(const DatasetFacts& data, const FrameName& name, const FrameImages& f, Findings& to) {
  std::string rel;
  const auto array = read_further(data, name, Label::valid_mask, Element::u8, f, rel, to);
  if (!array || !f.empty) return to.none("X.valid");
  const std::vector<std::uint8_t> mask = array->values<std::uint8_t>();
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p)
    if (((mask[p] & 1) != 0) == (*f.empty)[p] || mask[p] > 3) bad.add(p);
  to.pixels("X.valid", rel, bad, f.width, f.pixels(), "0..3, bit 0 set exactly where render_entity_id is not -1",
            [&](std::size_t p) { return fmt::format("{}", mask[p]); });
}

void judge_material(const DatasetFacts& data, const SceneFacts& scene, const FrameName& name, const FrameImages& f, Findings& to) {
  std::string rel;
  const auto array = read_further(data, name, Label::material_id, Element::i32, f, rel, to);
  if (!array || !f.empty) return to.none("X.material");
  const std::vector<std::int32_t> ids = array->values<std::int32_t>();
  const auto top = static_cast<std::int64_t>(scene.material_count.value_or(std::size_t{1} << 31));
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p)
    if ((*f.empty)[p] ? ids[p] != -1 : ids[p] < 0 || ids[p] >= top) bad.add(p);
  to.pixels("X.material", rel, bad, f.width, f.pixels(), fmt::format("0..{} on surfaces, -1 elsewhere", top - 1),
            [&](std::size_t p) { return fmt::format("{}", ids[p]); });
}

}  // namespace

ContentMarks content_of(const FrameImages& f, Findings& to) {
  ContentMarks marks;
  const Image *depth = f.get(Label::depth_meters), *color = f.get(Label::color);
  std::size_t empty = 0;
  for (std::size_t p = 0; p < f.pixels(); ++p)
    if (f.empty ? (*f.empty)[p] : depth && depth->any_nan(p)) ++empty;
  const double share = static_cast<double>(empty) / static_cast<double>(f.pixels());
  if (f.empty || depth)
    marks["F15.nan"] = {share < 0.03, fmt::format("{:.1f} % empty", 100 * share), f.path(Label::render_entity_id)};
  if (depth) mark_depth(f, marks);
  if (color && f.empty) mark_color(f, marks);
  for (const std::string_view check : kContentChecks)
    if (!marks.contains(check)) to.none(check);
  return marks;
}

void judge_content(const std::vector<ContentMarks>& marks, Findings& to) {
  for (const std::string_view check : kContentChecks) {
    std::vector<const ContentMark*> all, bad;
    for (const ContentMarks& frame : marks)
      if (const auto at = frame.find(check); at != frame.end()) {
        all.push_back(&at->second);
        if (!at->second.good) bad.push_back(&at->second);
      }
    const bool fatal = static_cast<double>(bad.size()) > kContentShare * static_cast<double>(all.size());
    std::string_view title = kChecks[check_row(check)].title;
    title.remove_suffix(2);
    for (const ContentMark* mark : all) to.test(check, mark->path, mark->good || !fatal, std::string(title), mark->found);
    if (!bad.empty() && !fatal && !to.skipped(check))
      to.note(fmt::format("{}: {} of {} frames would be filtered out ({})", check, bad.size(), all.size(), bad[0]->found));
  }
}

void judge_further(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera, int frame,
                   const FrameImages& f, Findings& to) {
  const FrameName name{scene.name, camera, frame};
  judge_planar_depth(data, name, f, to);
  judge_valid_mask(data, name, f, to);
  judge_material(data, scene, name, f, to);
}

}  // namespace simulacra::auditing
