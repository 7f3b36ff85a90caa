// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "render/labels/labels.h"
#include "tools/inspector/catalog/planes.h"
#include "tools/inspector/terminal/terminal.h"

namespace simulacra::inspector {
namespace {

/// One channel's values as they come in.
struct Gathered {
  std::size_t channels = 1, values = 0, not_finite = 0;
  double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
  std::vector<float> kept;
  std::map<int, std::size_t> classes;
};

using Key = std::pair<std::string, std::size_t>;   ///< label and channel
using Part = std::map<Key, Gathered>;

void gather(Part& part, const LabelFile& file, std::size_t stride) {
  const hdf5::Array array = read_plane(file.path);
  const std::size_t channels = array.shape.size() > 2 ? array.shape[2] : 1;
  for (std::size_t c = 0; c < channels; ++c) {
    Gathered& g = part[{file.label, c}];
    g.channels = channels;
    for (std::size_t i = c, n = 0; i < array.size(); i += channels, ++n) {
      const double v = array.at(i);
      ++g.values;
      if (!std::isfinite(v)) {
        ++g.not_finite;
        continue;
      }
      g.least = std::min(g.least, v), g.most = std::max(g.most, v), g.sum += v;
      if (n % stride == 0) g.kept.push_back(static_cast<float>(v));
      if (file.label == "semantic") ++g.classes[static_cast<int>(v)];
    }
  }
}

void merge(Part& all, Part& part) {
  for (auto& [key, g] : part) {
    Gathered& sum = all[key];
    sum.channels = g.channels;
    sum.values += g.values, sum.not_finite += g.not_finite, sum.sum += g.sum;
    sum.least = std::min(sum.least, g.least), sum.most = std::max(sum.most, g.most);
    sum.kept.insert(sum.kept.end(), g.kept.begin(), g.kept.end());
    for (const auto& [id, count] : g.classes) sum.classes[id] += count;
  }
}

double percentile(std::vector<float>& values, double share) {
  if (values.empty()) return kNaN;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return static_cast<double>(*at);
}

LabelStatistics summary(const Key& key, Gathered& g) {
  LabelStatistics s;
  s.label = key.first, s.channel = channel_name(key.first, key.second, g.channels);
  s.values = g.values, s.not_finite = g.not_finite;
  const std::size_t finite = g.values - g.not_finite;
  s.least = finite ? g.least : kNaN, s.most = finite ? g.most : kNaN, s.mean = finite ? g.sum / static_cast<double>(finite) : kNaN;
  s.p1 = percentile(g.kept, 0.01), s.median = percentile(g.kept, 0.5), s.p99 = percentile(g.kept, 0.99);
  for (const auto& [id, count] : g.classes) s.classes.emplace_back(id, static_cast<double>(count) / static_cast<double>(g.values));
  std::ranges::stable_sort(s.classes, [](const auto& a, const auto& b) { return a.second > b.second; });
  return s;
}

/// Of percentiles: every n-th pixel, so that no label keeps more than kMostKept values.
std::size_t stride_for(const std::vector<std::vector<LabelFile>>& frames) {
  for (const auto& files : frames)
    for (const LabelFile& file : files) {
      try {
        const hdf5::Inspection facts = hdf5::inspect(file.path);
        if (facts.shape.size() >= 2) return 1 + frames.size() * facts.shape[0] * facts.shape[1] / kMostKept;
      } catch (const Error&) {   // told when it is read
      }
    }
  return 1;
}

}  // namespace

SetStatistics statistics_of(const std::vector<std::vector<LabelFile>>& frames, const ParallelFor& parallel) {
  constexpr std::size_t kBatch = 64;   // frames whose parts are in memory at once
  const std::size_t stride = stride_for(frames);
  Part all;
  SetStatistics result;
  result.frames = frames.size();
  for (std::size_t first = 0; first < frames.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, frames.size() - first);
    std::vector<Part> parts(count);
    std::vector<std::vector<std::string>> problems(count);
    parallel(count, [&](std::size_t i) {
      for (const LabelFile& file : frames[first + i]) {
        try {
          gather(parts[i], file, stride);
        } catch (const Error& e) {
          problems[i].push_back(e.what());
        }
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      merge(all, parts[i]);
      result.problems.insert(result.problems.end(), problems[i].begin(), problems[i].end());
    }
  }
  for (auto& [key, gathered] : all) result.labels.push_back(summary(key, gathered));
  std::ranges::stable_sort(result.labels, {}, [](const LabelStatistics& s) { return place_of_label(s.label); });
  return result;
}

std::string statistics_text(const SetStatistics& all) {
  std::string text = fmt::format("{} frame{}\n{:<23} {:>11} {:>8} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n", all.frames, all.frames == 1 ? "" : "s", "label", "values",
                                 "not fin.", "least", "1 %", "median", "mean", "99 %", "most");
  for (const LabelStatistics& s : all.labels)
    text += fmt::format("{:<23} {:>11} {:>7.2f}% {:>11.5g} {:>11.5g} {:>11.5g} {:>11.5g} {:>11.5g} {:>11.5g}\n", s.channel.empty() ? s.label : s.label + "." + s.channel, s.values,
                        s.values ? 100.0 * static_cast<double>(s.not_finite) / static_cast<double>(s.values) : 0.0, s.least, s.p1, s.median, s.mean, s.p99, s.most);
  for (const LabelStatistics& s : all.labels)
    for (const auto& [id, share] : s.classes) text += fmt::format("class {:>2} {:<16} {:>7.3f} % of the pixels\n", id, class_name(id), 100 * share);
  for (const std::string& problem : all.problems) text += "unreadable: " + problem + "\n";
  return text;
}

std::string statistics_json(const SetStatistics& all) {
  const auto number = [](double v) { return std::isfinite(v) ? nlohmann::json(v) : nlohmann::json("NaN"); };
  nlohmann::json labels = nlohmann::json::array();
  for (const LabelStatistics& s : all.labels) {
    nlohmann::json row = {{"label", s.label},          {"channel", s.channel},     {"values", s.values},           {"not_finite", s.not_finite}, {"least", number(s.least)},
                          {"p1", number(s.p1)},        {"median", number(s.median)}, {"mean", number(s.mean)},     {"p99", number(s.p99)},       {"most", number(s.most)}};
    for (const auto& [id, share] : s.classes) row["classes"].push_back({{"id", id}, {"name", class_name(id)}, {"share", share}});
    labels.push_back(std::move(row));
  }
  return nlohmann::json{{"frames", all.frames}, {"labels", labels}, {"problems", all.problems}}.dump(1) + "\n";
}

}  // namespace simulacra::inspector
