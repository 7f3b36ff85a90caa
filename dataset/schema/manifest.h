// SPDX-License-Identifier: Apache-2.0
// manifest.jsonl: what a data set consists of. One JSON object a line, its kind in "record":
//
//   dataset  first line: program version, configuration, seed, how much was asked for, complete or not
//   derivation  of a copy with changed labels: what changed them (a sensor, …); several in the order in which they were made
//   scene    a scene's source and seed
//   frame    a frame's seed and what was counted in it
//   file     a file's path, size and checksum, with the seed, configuration and version it was made by
//
// While a set is being made lines are appended and synced; the last line may be torn by a kill and is then
// ignored, and of several lines about one thing the last one holds. A finished set's manifest is rewritten in
// a fixed order with "complete": true. Keys that end in "seconds" are wall or CPU times: all else is
// the same for every run of one configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataset/schema/layout.h"

namespace simulacra {

inline constexpr int kManifestFormat = 1;

struct DatasetRecord {
  int format = kManifestFormat;
  std::string version;         ///< of the program
  std::string config_sha256;   ///< of config.yaml
  std::uint64_t seed = 0;
  int scenes = 0;              ///< asked for
  int cameras = 0;             ///< per scene
  int frames = 0;              ///< per camera
  int width = 0, height = 0;   ///< pixels
  bool complete = false;
  bool operator==(const DatasetRecord&) const = default;
};

/// One step that made this set out of another: see dataset/derive.
struct DerivationRecord {
  std::string what;            ///< "photographed", …
  std::string version;         ///< of the program
  std::string config_file;     ///< of the copy: "sensor.yaml"
  std::string config_sha256;
  std::string source_sha256;   ///< of the names and sizes of the source's frames
  std::uint64_t seed = 0;
  bool operator==(const DerivationRecord&) const = default;
};

struct SceneRecord {
  std::string scene;           ///< "ai_900_001"
  std::string source;          ///< the scene file's name, or the generator's
  std::string scene_type;      ///< as in metadata_camera_trajectories.csv
  std::string content_sha256;  ///< fingerprint of the imported scene
  std::uint64_t seed = 0;
  int objects = 0, instances = 0;
  int unlabelled_objects = 0;
  std::vector<std::string> warnings;  ///< of import and annotation
  double seconds = 0;          ///< to import or make it and to prepare it for tracing
  bool operator==(const SceneRecord&) const = default;
};

struct FrameRecord {
  FrameName name;
  std::uint64_t seed = 0;
  int spp = 0;
  std::string view;            ///< where its pose came from: "scene camera …", "pose 3", "sampler", …
  std::uint64_t nan_samples = 0, limited_pixels = 0, unlabelled_pixels = 0, empty_pixels = 0;
  double max_identity_error = 0, max_identity_error_steps = 0;
  std::uint64_t rays = 0;
  /// Pixels per object without a class, by object name.
  std::map<std::string, std::uint64_t> unlabelled;
  double seconds = 0;          ///< from the pose to the last synced file
  double color_seconds = 0, label_seconds = 0, color_cpu_seconds = 0, label_cpu_seconds = 0, store_seconds = 0;
  bool operator==(const FrameRecord&) const = default;
};

struct FileRecord {
  std::string path;            ///< relative to the data set's folder, with '/'
  std::uint64_t bytes = 0;
  std::string sha256;
  std::uint64_t seed = 0;      ///< of the frame, scene or data set it belongs to
  std::string config_sha256;
  std::string version;
  double seconds = 0;          ///< to encode and write it
  bool operator==(const FileRecord&) const = default;
};

using ManifestRecord = std::variant<DatasetRecord, DerivationRecord, SceneRecord, FrameRecord, FileRecord>;

/// One line, with its line end.
std::string manifest_line(const ManifestRecord& record);

/// A whole manifest, by key.
struct Manifest {
  std::optional<DatasetRecord> dataset;
  std::vector<DerivationRecord> derivations;   ///< in the order in which they were made
  std::map<std::string, SceneRecord> scenes;   ///< by scene name
  std::map<std::string, FrameRecord> frames;   ///< by frame_key()
  std::map<std::string, FileRecord> files;     ///< by path
  bool torn = false;                           ///< the last line was incomplete and was left out

  void add(ManifestRecord record);
  /// All lines in fixed order: data set, scenes, frames, files, each sorted by key.
  std::string text() const;
};

/// Throws Error "name:line: …" for anything but a torn last line.
Manifest parse_manifest(std::string_view text, const std::string& name);
Manifest read_manifest(const std::filesystem::path& path);

}  // namespace simulacra
