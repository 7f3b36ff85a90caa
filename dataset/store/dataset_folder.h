// SPDX-License-Identifier: Apache-2.0
// The folder of a data set while it is being made.
//
// Every file is written to .simulacra/tmp, synced and renamed into place; then its line is appended to the
// manifest and synced. So at every moment each file below the folder is either complete or absent, and the
// manifest never lists what is not there. finish() rewrites the manifest in its fixed order, marked complete,
// and removes .simulacra.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/schema/manifest.h"
#include "dataset/store/output_file.h"
#include "render/base/parallel.h"

namespace simulacra {

class DatasetFolder {
 public:
  /// Looks at `root` and changes nothing. Throws UsageError when it cannot be used for a set of this plan: a file,
  /// a folder of other things, or a data set with another configuration or program version (the message says
  /// what differs).
  DatasetFolder(std::filesystem::path root, DatasetRecord plan, std::string config_yaml);
  ~DatasetFolder();
  DatasetFolder(const DatasetFolder&) = delete;
  DatasetFolder& operator=(const DatasetFolder&) = delete;

  /// Makes the folder, takes its lock (Error when another run holds it) and forgets manifest lines of files that
  /// are absent or do not verify. Call once, before everything below. Returns the number of files that verified.
  std::size_t open(const ParallelFor& parallel_for);

  /// True when the scene's record and every file of its _detail folder that was put with it are there and verified.
  bool has_scene(const std::string& scene) const;
  /// True when every file of the frame is there and verified, or was put by this run.
  bool has_frame(const FrameName& name) const;
  bool has_file(const std::string& path) const { return manifest_.files.contains(path); }
  /// True when the set was complete and every file verified.
  bool is_complete() const;
  const Manifest& manifest() const { return manifest_; }
  const std::filesystem::path& root() const { return root_; }

  /// Writes the files and appends their lines, then `records`' lines, in one synced write.
  void put(std::vector<OutputFile> files, std::uint64_t seed, std::vector<ManifestRecord> records,
           const ParallelFor& parallel_for);
  /// The same for files of which those that are there with the same bytes stay as they are.
  void put_changed(std::vector<OutputFile> files, std::uint64_t seed, std::vector<ManifestRecord> records,
                   const ParallelFor& parallel_for);
  /// The set is complete: see above.
  void finish();

 private:
  std::filesystem::path staged(const std::string& path) const;
  void forget_damaged(const ParallelFor& parallel_for);
  void write_manifest();
  void append(std::string_view text);

  std::filesystem::path root_;
  DatasetRecord plan_;
  std::string config_yaml_;
  Manifest manifest_;
  bool was_complete_ = false;
  int lock_ = -1, journal_ = -1;
};

}  // namespace simulacra
