// SPDX-License-Identifier: Apache-2.0
// A copy of a data set in which some labels were made anew. All other files are the source's own: hard links where the file
// system takes them, else copies. The copy says in its manifest, in CONVENTIONS.md and in files of its own what made it.
//
// Everything is written below OUT.partial, which becomes OUT in one step: there is no half copy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "dataset/frames/frame_index.h"
#include "dataset/schema/manifest.h"
#include "dataset/store/frame_files.h"
#include "dataset/store/output_file.h"
#include "render/image/frame.h"

namespace simulacra {

/// Labels of a frame as they are stored. Throws Error naming the file when one is damaged or has another size.
Frame read_frame(const FrameIndex& frames, std::size_t frame_idx, LabelSet labels);

/// SHA-256 over names, sizes and label sets of the frames: what a copy says of its source.
std::string digest_of_frames(const FrameIndex& frames);

/// Which of the source's files the copy does not take over: labels, and previews that show them.
LabelSet labels_shown_by(Preview preview);

struct DerivationNote {
  std::string what;            ///< "photographed"
  std::string version;         ///< of the program
  std::string config_file;     ///< "sensor.yaml": name at the copy's root
  std::string config;          ///< its text
  std::uint64_t seed = 0;
  std::string conventions;     ///< a section of CONVENTIONS.md, with its heading
};

class DerivedSet {
 public:
  /// Throws UsageError, with nothing written, for what cannot be a copy's folder (a file, a folder that is not empty, one inside
  /// the source or around it), or a source that is not finished. `option` stands in messages: "--out".
  static void check_request(const FrameIndex& source, const std::filesystem::path& out, std::string_view option = "--out");

  /// Begins the copy: takes over everything but the labels `replaced` of the frames, and the previews that show them.
  DerivedSet(FrameIndex source, std::filesystem::path out, LabelSet replaced);
  /// Removes OUT.partial unless finish() was called.
  ~DerivedSet();
  DerivedSet(const DerivedSet&) = delete;
  DerivedSet& operator=(const DerivedSet&) = delete;

  /// Writes the replaced labels of a frame that the source has, and those of its previews that the source has and `frame` can
  /// show: `frame` may hold further labels for them.
  void put(std::size_t frame_idx, const Frame& frame, const FrameFilesOptions& options = {});
  /// Any further file; path relative to the data set's root.
  void write(OutputFile file, std::uint64_t seed);
  /// Path of a frame's or scene's file relative to the root, of one that label_path() and the like give.
  std::string path_of(std::string_view in_scenes_folder) const;
  const FrameIndex& source() const { return source_; }
  /// OUT is there, complete.
  void finish(const DerivationNote& note);

 private:
  void take_over(LabelSet replaced);
  void write_facts(const DerivationNote& note);

  FrameIndex source_;
  std::filesystem::path out_, partial_, prefix_;   ///< prefix: "" or "scenes"
  LabelSet replaced_;
  Manifest manifest_;                              ///< of the copy; without a dataset line where the source has none
  bool finished_ = false;
};

}  // namespace simulacra
