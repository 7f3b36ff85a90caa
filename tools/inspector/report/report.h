// SPDX-License-Identifier: Apache-2.0
// The inspector without a server: a folder that a static host or file:// shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/audit/audit.h"
#include "render/base/parallel.h"
#include "tools/inspector/catalog/index.h"

namespace simulacra::inspector {

struct ReportRequest {
  std::size_t frames = 12;              ///< at most
  std::vector<std::string> labels{};    ///< names; empty = all
  const AuditResult* audit = nullptr;   ///< shown where it is given, and its findings decide which frames are taken first
  std::string start{};                  ///< part of the page's address behind '#': what it shows first
  ParallelFor parallel = serial_for;
};

struct ReportSize {
  std::size_t frames = 0, files = 0;
  std::uint64_t bytes = 0;
};

/// Up to `count` frames: those with findings (no more than half of them, unless nothing else is left), else evenly spread.
std::vector<std::size_t> sample_of(const FrameList& list, std::size_t count, const AuditResult* audit);

/// Throws UsageError when `out` is something else than an empty or absent folder or an earlier report, or a label is unknown
/// to every frame.
void check_report_folder(const std::filesystem::path& out);

/// Writes `out`/index.html and `out`/data. The folder appears when it is complete; an earlier report there is replaced. Files
/// of the set that cannot be read are named on the page.
ReportSize write_static_report(const Sets& sets, const std::filesystem::path& out, const ReportRequest& request);

}  // namespace simulacra::inspector
