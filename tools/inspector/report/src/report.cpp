// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/report/report.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <span>

#include <nlohmann/json.hpp>

#include "render/base/base64.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tools/inspector/catalog/findings.h"
#include "tools/inspector/catalog/planes.h"
#include "tools/inspector/catalog/scene_tables.h"
#include "tools/inspector/catalog/statistics.h"
#include "tools/inspector/page/page.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kThumbnailWidth = 160;
constexpr int kLevel = 6;   ///< of deflate: a report is written once and copied about

/// The folder while it is being made; removed again unless it is kept.
class Staging {
 public:
  explicit Staging(fs::path out) : out_(std::move(out)), folder_(out_.parent_path() / ("." + out_.filename().string() + ".partial")) {
    std::error_code failed;
    fs::remove_all(folder_, failed);
    fs::create_directories(folder_ / "data", failed);
    if (failed) fail("{}: cannot be made: {}", folder_.string(), failed.message());
  }
  ~Staging() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(folder_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const fs::path& folder() const { return folder_; }
  /// A script that hands bytes to the page under a key.
  void give(const std::string& key, const std::string& packed) {
    const auto bytes = std::as_bytes(std::span(packed));
    put("data/" + key + ".js", "simulacraReport.give(\"" + key + "\",\"" +
                                   base64({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}) + "\");\n");
  }
  void put(const std::string& name, const std::string& text) {
    write_text_atomically(folder_ / name, text);
    size_.bytes += text.size();
    ++size_.files;
  }
  void keep() {
    std::error_code failed;
    fs::remove_all(out_, failed);
    fs::rename(folder_, out_);
    kept_ = true;
  }
  std::uint64_t bytes() const { return size_.bytes; }
  std::size_t files() const { return size_.files; }

 private:
  struct {
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::size_t> files{0};
  } size_;
  fs::path out_, folder_;
  bool kept_ = false;
};

class Writer {
 public:
  Writer(const Sets& sets, const ReportRequest& request, Staging& to) : sets_(sets), request_(request), to_(to) {
    chosen_ = sample_of(sets.lists.front(), request.frames, request.audit);
  }

  std::size_t write() {
    const FrameList& list = sets_.lists.front();
    to_.put("index.html", html());
    to_.give("index", pack_json(index_json(sets_, &chosen_), kLevel));
    std::set<std::uint32_t> scenes;
    for (const std::size_t i : chosen_) scenes.insert(list.frames[i].scene_idx);
    for (const std::uint32_t s : scenes) to_.give(fmt::format("scene.{}", s), pack_json(scene_json(list, s), kLevel));
    std::vector<FrameStatistics> statistics(chosen_.size());
    request_.parallel(chosen_.size(), [&](std::size_t k) {
      statistics[k] = statistics_of(list, chosen_[k]);
      for (std::size_t s = 0; s < sets_.lists.size(); ++s) write_frame(s, chosen_[k]);
    });
    to_.give("statistics", pack_json(statistics_json(statistics, 0, chosen_.size(), chosen_.size()), kLevel));
    to_.give("findings", pack_json(findings(), kLevel));
    return chosen_.size();
  }

 private:
  std::string html() const {
    std::string page = page_in_one_file();
    const std::string script = "<script>window.simulacraReport = " + Json{{"start", request_.start}}.dump() + ";</script>\n";
    const std::size_t at = page.find("</head>");
    SIM_CHECK(at != std::string::npos);
    return page.insert(at, script);
  }

  bool is_wanted(const std::string& label) const {
    return request_.labels.empty() || std::find(request_.labels.begin(), request_.labels.end(), label) != request_.labels.end();
  }

  /// Facts, planes and thumbnail. A plane that cannot be read becomes a problem in the facts, as a server would answer.
  void write_frame(std::size_t set, std::size_t first) {
    const auto frame = sets_.frame_in(set, first);
    if (!frame) return;
    const FrameList& list = sets_.lists[set];
    Json facts = Json::parse(frame_json(list, *frame, readers_));
    facts["previews"] = Json::array();
    for (auto label = facts["labels"].begin(); label != facts["labels"].end();) {
      if (is_wanted(label.key())) ++label;
      else label = facts["labels"].erase(label);
    }
    for (auto& [label, about] : facts["labels"].items()) {
      if (about.contains("problem")) continue;
      try {
        to_.give(fmt::format("plane.{}.{}.{}", set, first, label), pack(read_plane(label_file(list, *frame, label)), kLevel));
      } catch (const std::exception& e) {
        about["problem"] = e.what();
      }
    }
    to_.give(fmt::format("frame.{}.{}", set, first), pack_json(facts.dump(-1, ' ', false, Json::error_handler_t::replace), kLevel));
    if (set == 0) write_thumbnail(list, first);
  }

  void write_thumbnail(const FrameList& list, std::size_t frame) {
    for (const std::string_view label : kThumbnailLabels) {
      const fs::path file = label_file(list, frame, label);
      if (file.empty()) continue;
      try {
        const std::vector<std::uint8_t> jpeg = thumbnail(file, label, kThumbnailWidth);
        to_.put(fmt::format("data/thumbnail.{}.jpg", frame), std::string(jpeg.begin(), jpeg.end()));
        return;
      } catch (const std::exception&) {   // the frame's card tells
      }
    }
  }

  std::string findings() const {
    Json out = {{"state", request_.audit ? "done" : "off"}, {"from", 0}, {"checks", Json::object()}, {"findings", Json::array()}, {"total", 0}};
    if (!request_.audit) return out.dump();
    std::map<std::size_t, std::size_t> places;
    for (std::size_t k = 0; k < chosen_.size(); ++k) places[chosen_[k]] = k;
    for (const AuditCheck& c : request_.audit->checks) out["checks"][c.id] = c.title;
    out["findings"] = Json::parse(findings_json(request_.audit->failures, 0, sets_.lists.front(), &places));
    out["total"] = out["findings"].size();
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  const Sets& sets_;
  const ReportRequest& request_;
  Staging& to_;
  std::vector<std::size_t> chosen_;
  PixelReaders readers_;
};

bool is_report(const fs::path& folder) {
  return fs::is_regular_file(folder / "index.html") && fs::is_regular_file(folder / "data" / "index.js");
}

}  // namespace

std::vector<std::size_t> sample_of(const FrameList& list, std::size_t count, const AuditResult* audit) {
  std::set<std::size_t> taken;
  const std::size_t all = list.frames.size();
  if (audit)
    for (const AuditFailure& f : audit->failures) {
      if (taken.size() >= (all > count ? (count + 1) / 2 : count)) break;
      if (const FindingPlace place = place_of(f.path, list); place.frame_idx != FindingPlace::npos) taken.insert(place.frame_idx);
    }
  const std::size_t rest = std::min(count, all) - taken.size();
  for (std::size_t k = 0; k < rest; ++k) {
    std::size_t i = rest == 1 ? 0 : k * (all - 1) / (rest - 1);
    while (taken.contains(i)) i = (i + 1) % all;
    taken.insert(i);
  }
  return {taken.begin(), taken.end()};
}

void check_report_folder(const fs::path& out) {
  std::error_code ignored;
  if (!fs::exists(out, ignored) || (fs::is_directory(out) && (fs::is_empty(out) || is_report(out)))) return;
  fail_usage("{}: is there already, and is no earlier report; name a new folder", out.string());
}

ReportSize write_static_report(const Sets& sets, const fs::path& given, const ReportRequest& request) {
  const fs::path out = (fs::absolute(given) / "").lexically_normal().parent_path();
  check_report_folder(out);
  Staging staging(out);
  ReportSize size;
  size.frames = Writer(sets, request, staging).write();
  size.files = staging.files(), size.bytes = staging.bytes();
  staging.keep();
  return size;
}

}  // namespace simulacra::inspector
