// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/catalog/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tools/inspector/catalog/index.h"
#include "tools/inspector/catalog/planes.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void add_depth(const hdf5::Array& depth, FrameStatistics& out) {
  std::size_t empty = 0;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const auto d = static_cast<float>(depth.at(i));
    if (!std::isfinite(d)) {
      ++empty;
      continue;
    }
    if (!(out.near <= d)) out.near = d;
    if (!(out.far >= d)) out.far = d;
  }
  out.empty_share = static_cast<float>(static_cast<double>(empty) / static_cast<double>(depth.size()));
}

void add_classes(const hdf5::Array& semantic, FrameStatistics& out) {
  std::map<int, std::size_t> counts;
  for (std::size_t i = 0; i < semantic.size(); ++i) ++counts[static_cast<int>(semantic.at(i))];
  for (const auto& [id, count] : counts)
    out.classes.emplace_back(id, static_cast<float>(static_cast<double>(count) / static_cast<double>(semantic.size())));
}

int distinct(const hdf5::Array& ids) {
  std::set<int> seen;
  int last = 0;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (const int id = static_cast<int>(ids.at(i)); id != last && id >= 1) seen.insert(last = id);
  return static_cast<int>(seen.size());
}

/// Null where it is no number.
Json number(float v) { return std::isfinite(v) ? Json(std::round(static_cast<double>(v) * 1e4) / 1e4) : Json(); }

}  // namespace

FrameStatistics statistics_of(const FrameList& list, std::size_t frame_idx) {
  FrameStatistics out;
  const auto with = [&](std::string_view label, auto&& body) {
    const fs::path file = label_file(list, frame_idx, label);
    if (file.empty()) return;
    try {
      body(read_plane(file));
    } catch (const std::exception&) {   // the frame's card tells what is wrong
      out.damaged = true;
    }
  };
  with("depth_meters", [&](const hdf5::Array& a) { add_depth(a, out); });
  with("semantic", [&](const hdf5::Array& a) { add_classes(a, out); });
  with("semantic_instance", [&](const hdf5::Array& a) { out.instances = distinct(a); });
  return out;
}

std::string statistics_json(const std::vector<FrameStatistics>& all, std::size_t from, std::size_t to, std::size_t total) {
  Json out = {{"done", all.size()}, {"total", total}, {"from", from}, {"near", Json::array()}, {"far", Json::array()}, {"empty", Json::array()},
              {"instances", Json::array()}, {"damaged", Json::array()}, {"classes", Json::array()}};
  for (std::size_t i = from; i < to; ++i) {
    const FrameStatistics& s = all[i];
    out["near"].push_back(number(s.near));
    out["far"].push_back(number(s.far));
    out["empty"].push_back(number(s.empty_share));
    out["instances"].push_back(s.instances);
    out["damaged"].push_back(s.damaged ? 1 : 0);
    Json classes = Json::array();
    for (const auto& [id, share] : s.classes) classes.push_back(id), classes.push_back(number(share));
    out["classes"].push_back(classes);
  }
  return out.dump();
}

StatisticsScan::StatisticsScan(const FrameList& list, std::function<void()> pause) : list_(list), pause_(std::move(pause)) {
  thread_ = std::thread([this] { run(); });
}

StatisticsScan::~StatisticsScan() {
  stop_ = true;
  thread_.join();
}

void StatisticsScan::run() {
  lower_priority();
  for (std::size_t i = 0; i < list_.frames.size() && !stop_; ++i) {
    if (pause_) pause_();
    FrameStatistics one = statistics_of(list_, i);
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(one));
  }
}

std::string StatisticsScan::json(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  const std::size_t start = std::min(from, done_.size());
  return statistics_json(done_, start, std::min(done_.size(), start + kStep), list_.frames.size());
}

void lower_priority() { ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 10); }

}  // namespace simulacra::inspector
