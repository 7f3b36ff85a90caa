// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/compare/compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/base/error.h"
#include "render/labels/labels.h"
#include "tools/inspector/catalog/label_files.h"
#include "tools/inspector/catalog/planes.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;

constexpr double kTwoHalfSteps = 1.0 / 512;   // binary16 has 10 bits after the point: a step is at most 2^-10 of the value

double number(std::string_view text, const std::string& whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    fail_usage("--tolerance: '{}', but LABEL=ABSOLUTE or LABEL=ABSOLUTE,RELATIVE is expected, numbers from 0 on", whole);
  return value;
}

/// |a - b| with equal values, both NaN or the same infinity at 0, and infinity where only one is finite.
double difference_of(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

/// Keeps the worse of both; ties stay with what was there, so that the first in order is named.
void take_worse(std::optional<WorstValue>& kept, const std::optional<WorstValue>& other) {
  if (other && (!kept || other->excess > kept->excess)) kept = other;
}

/// The wanted images of a frame, by label.
std::map<std::string, fs::path> planes_of(const FrameList& list, std::size_t frame_idx, const CompareOptions& options) {
  std::map<std::string, fs::path> planes;
  for (LabelFile& file : label_files(list, frame_idx))
    if (options.labels.empty() || std::ranges::find(options.labels, file.label) != options.labels.end()) planes.emplace(std::move(file.label), std::move(file.path));
  return planes;
}

Tolerance tolerance_of(const std::string& label, const CompareOptions& options) {
  const auto given = options.tolerances.find(label);
  return given == options.tolerances.end() ? default_tolerance(label) : given->second;
}

/// What one pair of frames gave.
struct FrameComparison {
  std::vector<LabelComparison> labels;
  std::vector<std::string> only_a, only_b, problems;
};

FrameComparison compare_frames(const std::string& key, const std::map<std::string, fs::path>& a, const std::map<std::string, fs::path>& b,
                               const CompareOptions& options) {
  FrameComparison result;
  for (const auto& [label, file] : b)
    if (!a.contains(label)) result.only_b.push_back(key + ": " + label);
  for (const auto& [label, file] : a) {
    const auto other = b.find(label);
    if (other == b.end()) {
      result.only_a.push_back(key + ": " + label);
      continue;
    }
    try {
      LabelComparison one = compare_planes(read_plane(file), read_plane(other->second), tolerance_of(label, options));
      one.label = label;
      if (one.worst) one.worst->frame = key;
      result.labels.push_back(std::move(one));
    } catch (const Error& e) {
      result.problems.push_back(key + ": " + label + ": " + e.what());
    }
  }
  return result;
}

/// Frame indices of both lists that belong together, and the rest.
struct Pairs {
  std::vector<std::tuple<std::string, std::size_t, std::size_t>> both;
  std::vector<std::string> only_a, only_b;
};

Pairs pair_frames(const FrameList& a, const FrameList& b, const CompareOptions& options) {
  Pairs pairs;
  bool seen = options.frame.empty();
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    const FrameName name = a.name(i);
    const std::string key = frame_key(name);
    if (!options.frame.empty() && key != options.frame) continue;
    seen = true;
    if (const auto j = b.find(name)) pairs.both.emplace_back(key, i, *j);
    else pairs.only_a.push_back(key);
  }
  for (std::size_t j = 0; j < b.frames.size(); ++j) {
    const FrameName name = b.name(j);
    const std::string key = frame_key(name);
    if (!options.frame.empty() && key != options.frame) continue;
    seen = true;
    if (!a.find(name)) pairs.only_b.push_back(key);
  }
  if (!seen) fail_usage("--frame: neither {} nor {} has a frame '{}'; expected SCENE/CAMERA/NUMBER, as ai_900_001/cam_00/0000", a.title, b.title, options.frame);
  return pairs;
}

void add(LabelComparison& sum, const LabelComparison& one) {
  sum.frames += 1;
  sum.frames_over += one.over > 0;
  sum.values += one.values;
  sum.differing += one.differing;
  sum.over += one.over;
  take_worse(sum.worst, one.worst);
}

template <typename T>
void append(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Tolerance default_tolerance(std::string_view label) {
  const LabelSpec* row = find_label(label);
  if (!row || !is_float(row->dtype)) return {};
  const bool in_units = row->unit == Unit::none && row->lo >= -1 && row->hi <= 1;   // directions and reflectance
  return {in_units ? kTwoHalfSteps : 0.001, kTwoHalfSteps};
}

std::pair<std::string, Tolerance> parse_tolerance(const std::string& text) {
  const std::size_t equal = text.find('=');
  const std::string label = text.substr(0, equal);
  const std::string_view numbers = equal == std::string::npos ? std::string_view{} : std::string_view(text).substr(equal + 1);
  const std::size_t comma = numbers.find(',');
  Tolerance tolerance{number(numbers.substr(0, comma), text), 0};
  if (comma != std::string_view::npos) tolerance.relative = number(numbers.substr(comma + 1), text);
  if (!find_label(label)) {
    std::vector<std::string_view> names;
    for (const LabelSpec& row : kLabels) names.push_back(row.name);
    fail_usage("--tolerance: no label is called '{}'; there are {}", label, fmt::join(names, ", "));
  }
  return {label, tolerance};
}

bool SetComparison::agree() const {
  return only_a.empty() && only_b.empty() && problems.empty() && std::ranges::all_of(labels, [](const LabelComparison& l) { return l.over == 0; });
}

LabelComparison compare_planes(const hdf5::Array& a, const hdf5::Array& b, const Tolerance& tolerance) {
  if (a.shape != b.shape) fail("shapes [{}] and [{}] differ", fmt::join(a.shape, ", "), fmt::join(b.shape, ", "));
  const std::size_t channels = a.shape.size() > 2 ? a.shape[2] : 1, width = a.shape[1];
  LabelComparison result;
  result.tolerance = tolerance;
  result.frames = 1;
  result.values = a.size(), result.channels = channels;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double va = a.at(i), vb = b.at(i), d = difference_of(va, vb);
    if (d == 0) continue;
    ++result.differing;
    const double allowed = std::isinf(d) ? 0 : tolerance.absolute + tolerance.relative * std::max(std::abs(va), std::abs(vb));
    if (d > allowed) ++result.over;
    if (result.worst && d - allowed <= result.worst->excess) continue;
    const std::size_t pixel = i / channels;
    result.worst = WorstValue{{}, pixel % width, pixel / width, i % channels, va, vb, d, d - allowed};
  }
  result.frames_over = result.over > 0;
  return result;
}

SetComparison compare_sets(const FrameList& a, const FrameList& b, const CompareOptions& options) {
  Pairs pairs = pair_frames(a, b, options);
  std::vector<FrameComparison> parts(pairs.both.size());
  options.parallel(parts.size(), [&](std::size_t i) {
    const auto& [key, in_a, in_b] = pairs.both[i];
    parts[i] = compare_frames(key, planes_of(a, in_a, options), planes_of(b, in_b, options), options);
  });
  SetComparison all;
  all.frames = parts.size();
  all.only_a = std::move(pairs.only_a), all.only_b = std::move(pairs.only_b);
  std::map<std::pair<std::size_t, std::string>, LabelComparison> labels;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::size_t over = 0;
    for (const LabelComparison& one : parts[i].labels) {
      LabelComparison& sum = labels[place_of_label(one.label)];
      sum.label = one.label, sum.tolerance = one.tolerance, sum.channels = one.channels;
      add(sum, one);
      over += one.over;
    }
    if (over) all.frames_over.emplace_back(std::get<0>(pairs.both[i]), over);
    append(all.only_a, parts[i].only_a), append(all.only_b, parts[i].only_b), append(all.problems, parts[i].problems);
  }
  for (auto& [place, label] : labels) all.labels.push_back(std::move(label));
  std::ranges::stable_sort(all.frames_over, [](const auto& p, const auto& q) { return p.second > q.second; });
  return all;
}

SetComparison compare_files(const fs::path& a, const fs::path& b, const CompareOptions& options, std::string label) {
  if (label.empty()) label = label_of_file(a).label;
  SetComparison all;
  all.frames = 1;
  const hdf5::Array first = read_plane(a), second = read_plane(b);
  try {
    all.labels.push_back(compare_planes(first, second, tolerance_of(label, options)));
    all.labels.back().label = label;
  } catch (const Error& e) {
    all.problems.push_back(label + ": " + e.what());
  }
  return all;
}

}  // namespace simulacra::inspector
