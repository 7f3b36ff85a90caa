// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/catalog/findings.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "render/base/files.h"
#include "tools/inspector/catalog/statistics.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Findings of one request: more are fetched by the next.
constexpr std::size_t kStep = 2000;

/// Scenes of one call of audit(): few calls on a large set, early findings on a small one.
std::size_t scenes_at_a_time(std::size_t scenes) { return std::max<std::size_t>(1, scenes / 100); }

std::string part(const std::string& path, std::size_t number) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < number && start != std::string::npos; ++i) {
    start = path.find('/', start);
    if (start != std::string::npos) ++start;
  }
  return start == std::string::npos ? "" : path.substr(start, path.find('/', start) - start);
}

}  // namespace

FindingPlace place_of(const std::string& path, const FrameList& list) {
  FindingPlace place;
  std::size_t first = 0;
  if (part(path, 0) == "scenes") first = 1;
  place.scene = part(path, first);
  if (part(path, first + 1) != "images") return place;
  const std::string folder_name = part(path, first + 2), file_name = part(path, first + 3);
  const auto folder = parse_image_folder_name(folder_name);
  const auto file = parse_image_file_name(file_name);
  if (!folder || !file) return place;
  place.label = file->kind;
  const FrameName name{place.scene, folder->camera, file->frame};
  place.frame_idx = list.find(name).value_or(FindingPlace::npos);
  return place;
}

std::string findings_json(const std::vector<AuditFailure>& failures, std::size_t from, const FrameList& list,
                          const std::map<std::size_t, std::size_t>* places) {
  Json out = Json::array();
  for (std::size_t i = from; i < std::min(failures.size(), from + kStep); ++i) {
    const AuditFailure& f = failures[i];
    const FindingPlace place = place_of(f.path, list);
    Json frame;
    if (place.frame_idx != FindingPlace::npos) {
      if (!places) frame = place.frame_idx;
      else if (const auto at = places->find(place.frame_idx); at != places->end()) frame = at->second;
    }
    Json one = {{"check", f.check}, {"frame", frame}, {"scene", place.scene}, {"label", place.label}, {"path", f.path},
                {"expected", f.expected}, {"found", f.found}};
    if (f.row >= 0) one["row"] = f.row, one["column"] = f.column;
    out.push_back(one);
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

AuditResult read_audit(const fs::path& path) {
  AuditResult result;
  try {
    const Json json = Json::parse(read_text_file(path));
    for (const auto& [id, check] : json.at("checks").items()) {
      AuditCheck& c = result.checks.emplace_back();
      c.id = id, c.title = check.at("title"), c.checked = check.at("checked"), c.failed = check.at("failed");
    }
    for (const Json& f : json.at("failures"))
      result.failures.push_back({f.at("check"), f.at("path"), f.at("expected"), f.at("found"), f.value("row", -1), f.value("column", -1)});
  } catch (const Json::exception&) {
    fail_usage("{}: this is not what `simulacra audit --json` prints", path.string());
  }
  return result;
}

AuditScan::AuditScan(const FrameList& list) : list_(list) {
  thread_ = std::thread([this] { run(); });
}

AuditScan::AuditScan(const FrameList& list, AuditResult given)
    : list_(list), result_(std::move(given)), scenes_done_(list.scenes.size()), done_(true) {}

AuditScan::~AuditScan() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void AuditScan::run() {
  lower_priority();
  const std::size_t step = scenes_at_a_time(list_.scenes.size());
  for (std::size_t i = 0; i < list_.scenes.size() && !stop_; i += step) {
    AuditOptions options;
    options.skip = {"M"};   // every file's checksum, each time
    for (std::size_t s = i; s < std::min(list_.scenes.size(), i + step); ++s) options.scenes.push_back(list_.scenes[s].name);
    try {
      AuditResult part_result = audit(list_.root, options);
      const std::lock_guard lock(mutex_);
      add(std::move(part_result));
      scenes_done_ = std::min(list_.scenes.size(), i + step);
    } catch (const std::exception& e) {   // a folder that is no whole data set
      const std::lock_guard lock(mutex_);
      problem_ = e.what();
      break;
    }
  }
  const std::lock_guard lock(mutex_);
  done_ = true;
}

/// Tables of the whole set are judged with every part: what they failed once is not told again.
void AuditScan::add(AuditResult result) {
  const auto same = [](const AuditFailure& a, const AuditFailure& b) { return a.check == b.check && a.path == b.path && a.found == b.found; };
  for (AuditFailure& f : result.failures) {
    const bool of_all = place_of(f.path, list_).frame_idx == FindingPlace::npos;
    const bool known = of_all && std::any_of(result_.failures.begin(), result_.failures.end(), [&](const AuditFailure& o) { return same(o, f); });
    if (!known) result_.failures.push_back(std::move(f));
  }
  if (result_.checks.empty()) result_.checks = std::move(result.checks);
}

std::string AuditScan::json(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  const std::size_t start = std::min(from, result_.failures.size());
  Json out = {{"state", !problem_.empty() ? "failed" : done_ ? "done" : "running"}, {"scenes_done", scenes_done_},
              {"scenes", list_.scenes.size()}, {"total", result_.failures.size()}, {"from", start}, {"problem", problem_}};
  out["checks"] = Json::object();
  for (const AuditCheck& c : result_.checks) out["checks"][c.id] = c.title;
  out["findings"] = Json::parse(findings_json(result_.failures, start, list_));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace simulacra::inspector
