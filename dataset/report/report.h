// SPDX-License-Identifier: Apache-2.0
// A page to look at a data set: every modality of every frame, classes, credits, numbers of the manifest and
// the audit's result. One HTML file with relative links to the previews of the data set; what has no preview
// on disk is inside the page. Needs no network and no server.
#pragma once

#include <filesystem>
#include <optional>

#include "dataset/audit/audit.h"
#include "render/base/parallel.h"

namespace simulacra {

struct ReportOptions {
  ParallelFor parallel = serial_for;
  /// Shown on the page where it is given.
  std::optional<AuditResult> audit{};
};

/// Writes the page, atomically. Works on any set in Hypersim layout; parts that are missing or cannot be read
/// are named on the page. Throws UsageError when `root` is no folder or holds no scene, Error when the page
/// cannot be written.
void write_report(const std::filesystem::path& root, const std::filesystem::path& out_html,
                  const ReportOptions& options = {});

}  // namespace simulacra
