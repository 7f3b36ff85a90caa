// SPDX-License-Identifier: Apache-2.0
// Judges a data set in Hypersim layout, ours or another's, by reading what is on disk.
//
// A check has an id "F5.depth": the family F1..F15 of the format contract and a word; "M.*" are about the
// manifest and "X.*" about our further label files. Each check counts how often it was made, how often it
// failed and how often it did not apply.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/base/parallel.h"

namespace simulacra {

struct AuditOptions {
  /// Image kinds and groups to demand and judge; empty = everything. audit_kinds() lists them.
  std::vector<std::string> kinds{};
  /// Check ids or families that are not made: "F15", "F13.canonical".
  std::vector<std::string> skip{};
  /// Only scenes whose name matches one of these (`*` and `?`); empty = all.
  std::vector<std::string> scenes{};
  /// Demand 1024x768, object-aligned boxes and tonemap.jpg, which are else judged only where present.
  bool complete = false;
  /// Judges frames and checksums at the same time.
  ParallelFor parallel = serial_for;
};

struct AuditCheck {
  std::string id;
  std::string title;               ///< what must hold
  std::size_t checked = 0, failed = 0;
  std::size_t not_applicable = 0;  ///< what the check needs was not there
  bool skipped = false;
};

struct AuditFailure {
  std::string check;               ///< id
  std::string path;                ///< of the file or folder, relative to the data set, with '/'
  std::string expected, found;
  int row = -1, column = -1;       ///< the worst pixel, where the check is about pixels
};

struct AuditResult {
  std::string root;
  std::size_t scenes = 0, cameras = 0, frames = 0;
  std::vector<AuditCheck> checks;      ///< every check there is, in order
  std::vector<AuditFailure> failures;  ///< in the order of checks, then of scenes and frames
  std::vector<std::string> notes;      ///< worth knowing, but no failure
  bool ok() const { return failures.empty(); }
  /// The set was begun and not finished (or holds no scene at all).
  bool incomplete = false;
};

/// Every group ("geometry", "camera", …) and image kind ("depth_meters", …) that AuditOptions::kinds may name.
std::vector<std::string> audit_kinds();

/// Throws UsageError when `root` is no folder, or for an unknown kind, check or scene, with what is possible.
/// Anything wrong inside the data set is a failure in the result, never an exception.
AuditResult audit(const std::filesystem::path& root, const AuditOptions& options);

/// One line a check, notes, then failures with path, expected and found: at most `max_list` of each check.
std::string audit_as_text(const AuditResult& result, std::size_t max_list = 10);
/// Everything, as one JSON object.
std::string audit_as_json(const AuditResult& result);

}  // namespace simulacra
