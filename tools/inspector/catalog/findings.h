// SPDX-License-Identifier: Apache-2.0
// The audit's findings, each with the frame and the pixel that it is about.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dataset/audit/audit.h"
#include "tools/inspector/catalog/frame_list.h"

namespace simulacra::inspector {

/// [{"check", "frame" (index, or null), "scene", "label", "row", "column", "path", "expected", "found"}] of failures from
/// `from` on. `places` maps frame indices to those of the page, for a report of a sample; null = as they are.
std::string findings_json(const std::vector<AuditFailure>& failures, std::size_t from, const FrameList& list,
                          const std::map<std::size_t, std::size_t>* places = nullptr);

/// The frame that a file of the data set belongs to, and its label; index npos when it is about no frame of `list`.
struct FindingPlace {
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  std::size_t frame_idx = npos;
  std::string scene, label;
};
FindingPlace place_of(const std::string& path, const FrameList& list);

/// The result of `simulacra audit --json`, read back. Throws UsageError naming the file when it is none.
AuditResult read_audit(const std::filesystem::path& json);

/// Audits a set in the background, some scenes at a time, so that findings appear early. Checksums of the manifest are left
/// to `simulacra audit`.
class AuditScan {
 public:
  /// `list` must live longer. `given`: a result that is there already.
  explicit AuditScan(const FrameList& list);
  AuditScan(const FrameList& list, AuditResult given);
  ~AuditScan();
  AuditScan(const AuditScan&) = delete;
  AuditScan& operator=(const AuditScan&) = delete;

  /// {"state": "running" | "done" | "failed", "scenes_done", "scenes", "total" (failures so far), "from", "findings", "checks":
  /// {id: title} (when done), "problem"}
  std::string json(std::size_t from) const;

 private:
  void run();
  void add(AuditResult result);
  const FrameList& list_;
  mutable std::mutex mutex_;
  AuditResult result_;
  std::size_t scenes_done_ = 0;
  bool done_ = false;
  std::string problem_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace simulacra::inspector
