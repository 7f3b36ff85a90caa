// SPDX-License-Identifier: Apache-2.0
#include "dataset/report/report.h"

#include "dataset/report/src/page.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra {

void write_report(const std::filesystem::path& root, const std::filesystem::path& out_html, const ReportOptions& options) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(root)) fail_usage("{}: is no folder, expected a data set", root.string());
  const fs::path folder = out_html.has_parent_path() ? out_html.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) fail_usage("{}: there is no folder {}", out_html.string(), folder.string());
  const reporting::DatasetPage page = reporting::gather(root, folder, options.parallel);
  if (page.scenes.empty()) fail_usage("{}: holds no scene, expected folders ai_VVV_NNN with images", root.string());
  write_text_atomically(out_html, reporting::page_html(page, options.audit ? &*options.audit : nullptr));
}

}  // namespace simulacra
