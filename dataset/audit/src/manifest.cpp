// SPDX-License-Identifier: Apache-2.0
// Our own record of what a data set consists of.
#include <algorithm>
#include <filesystem>

#include "dataset/audit/src/judge.h"
#include "dataset/schema/checksum.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/manifest.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;

/// A manifest line must not lead out of the data set.
bool stays_inside(const std::string& path) {
  const fs::path p = fs::path(path).lexically_normal();
  return !p.empty() && p.is_relative() && *p.begin() != "..";
}

bool of_judged_scene(const DatasetFacts& data, const std::string& path) {
  if (data.all_scenes) return true;
  const std::string first = path.substr(0, path.find('/'));
  return !is_scene_name(first) || std::binary_search(data.scene_names.begin(), data.scene_names.end(), first);
}

void judge_file(const DatasetFacts& data, const FileRecord& record, Findings& to) {
  const std::string expected = fmt::format("{} bytes", record.bytes);
  if (!stays_inside(record.path)) {
    to.test("M.files", record.path, false, "a path inside the data set", "another path");
    return;
  }
  std::error_code error;
  const fs::path path = data.root / record.path;
  const std::uint64_t bytes = fs::is_regular_file(path) ? fs::file_size(path, error) : 0;
  const bool here = fs::is_regular_file(path) && !error;
  const bool whole = to.test("M.files", record.path, here && bytes == record.bytes, expected,
                             [&] { return here ? fmt::format("{} bytes", bytes) : std::string("no such file"); });
  if (!whole) return to.none("M.checksum");
  try {
    const std::string sum = sha256_of_file(path);
    to.test("M.checksum", record.path, sum == record.sha256, "sha256 " + record.sha256, sum);
  } catch (const Error& e) {
    to.test("M.checksum", record.path, false, "sha256 " + record.sha256, e.what());
  }
}

}  // namespace

bool judge_manifest(const DatasetFacts& data, const ParallelFor& parallel, Findings& to) {
  const std::string name(kManifestFile);
  const bool here = fs::is_regular_file(data.root / name);
  const bool begun = fs::is_directory(data.root / kStateFolder);
  if (!here && !begun) {
    to.none("M.complete", "M.files", "M.checksum");
    if (!data.scene_names.empty()) return false;
    to.test("M.complete", ".", false, "at least one scene", "incomplete: no scene folder and no manifest");
    return true;
  }
  if (!here) {
    to.test("M.complete", name, false, "a finished data set", "incomplete: a run was begun and wrote no manifest");
    return true;
  }
  Manifest manifest;
  try {
    manifest = parse_manifest(read_text_file(data.root / name), name);
  } catch (const Error& e) {
    to.test("M.complete", name, false, "a manifest that can be read", e.what());
    return true;
  }
  const bool complete = manifest.dataset && manifest.dataset->complete && !manifest.torn;
  to.test("M.complete", name, complete, "\"complete\": true", [&] {
    if (!manifest.dataset) return std::string("incomplete: no line about the data set");
    const DatasetRecord& d = *manifest.dataset;
    return fmt::format("incomplete: {} of {} frames are listed{}", manifest.frames.size(), d.scenes * d.cameras * d.frames,
                       manifest.torn ? ", and the last line is torn" : "");
  });
  std::vector<const FileRecord*> files;
  for (const auto& [path, record] : manifest.files)
    if (of_judged_scene(data, path)) files.push_back(&record);
  std::vector<Findings> found(files.size(), Findings(to.skips()));
  parallel(files.size(), [&](std::size_t i) { judge_file(data, *files[i], found[i]); });
  for (Findings& f : found) to.merge(std::move(f));
  return !complete;
}

}  // namespace simulacra::auditing
