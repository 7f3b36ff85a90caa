// SPDX-License-Identifier: Apache-2.0
// What a data set is made from. A configuration file has these groups:
//
//   seed: 1
//   scene: {…}      a scene of our own (configs/README.md), or
//   rooms: {…}      seeded furnished rooms
//   cameras: {…}    where to look from
//   render: {…}     how to render
//   dataset: {…}    what to write
//   labels: {…}     rules from names to classes
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/annotate/label_rules.h"
#include "dataset/rooms/rooms.h"
#include "dataset/trajectory/views.h"
#include "render/config/config.h"

namespace simulacra {

struct RenderGroup {
  int spp = 64;
  int max_depth = 0;           ///< 0 = what the scene file says, else 17
  int roulette_depth = 5;
};
void fields(config::Fields& f, RenderGroup& o);

struct DatasetGroup {
  int width = 1024, height = 768;
  int scenes = 1;              ///< rooms only
  int volume = 900, first_scene = 1;   ///< of ai_VVV_NNN
  std::string scene_type;      ///< empty = the room's type, "Other" for a scene file
  std::string credits;         ///< text for CREDITS.txt
  bool previews = true;
  int jpeg_quality = 90;
  int compression_level = 1;
  int max_mesh_triangles = 5'000'000;
};
void fields(config::Fields& f, DatasetGroup& o);

/// The groups above.
struct GenerateOptions {
  std::uint64_t seed = 0;
  config::Node scene;          ///< null for rooms
  RoomOptions rooms;
  ViewOptions cameras;
  RenderGroup render;
  DatasetGroup dataset;
  LabelRules labels = default_label_rules();
};
void fields(config::Fields& f, GenerateOptions& o);

enum class SourceKind : std::uint8_t { rooms, scene_file, config };

/// A request that was checked as far as possible without reading scene files.
struct GenerateRequest {
  SourceKind kind = SourceKind::rooms;
  std::filesystem::path input;   ///< scene file or configuration
  GenerateOptions options;
  std::string config_yaml;       ///< the effective configuration, as it is stored; without paths of this machine
};

/// A value that stands above the configuration file.
struct Assignment {
  std::string text;            ///< "cameras.frames=20"
  std::string origin;          ///< what the user typed, "--frames 20"; empty = "--set TEXT"
  Assignment(std::string text_, std::string origin_ = {}) : text(std::move(text_)), origin(std::move(origin_)) {}
  Assignment(const char* text_) : text(text_) {}
};

/// Reads INPUT: `rooms`, a YAML configuration or a scene file. `assignments` stand above the
/// file. Throws UsageError naming file, line or option, and what is possible.
GenerateRequest read_generate_request(const std::string& input, const std::vector<Assignment>& assignments);

}  // namespace simulacra
