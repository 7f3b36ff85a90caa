// SPDX-License-Identifier: Apache-2.0
#include "dataset/generate/options.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "render/base/error.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRoomsWord = "rooms";

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_yaml(const fs::path& file) {
  const std::string extension = lower(file.extension().string());
  return extension == ".yaml" || extension == ".yml";
}

config::Node map_node() {
  config::Node node;
  node.kind = config::Node::Kind::map;
  return node;
}

SourceKind kind_of(const std::string& input) {
  if (input == kRoomsWord) return SourceKind::rooms;
  const fs::path file(input);
  if (!fs::exists(file)) fail_usage("{}: no such file; expected a configuration (.yaml), a scene file, or the word 'rooms'", input);
  if (fs::is_directory(file)) fail_usage("{}: a folder; expected a configuration (.yaml), a scene file, or the word 'rooms'", input);
  return is_yaml(file) ? SourceKind::config : SourceKind::scene_file;
}

/// The tree that the options are read from, before --set.
config::Node root_of(SourceKind kind, const fs::path& input) {
  if (kind == SourceKind::config) {
    config::Node root = config::parse_file(input);
    if (root.kind == config::Node::Kind::null) root = map_node();
    return root;
  }
  config::Node root = map_node();
  if (kind == SourceKind::scene_file) {
    config::Node& file = root.at_or_add("scene").at_or_add("file");
    file.kind = config::Node::Kind::scalar;
    file.quoted = true;
    file.text = input.filename().string();
  }
  return root;
}

void check(const GenerateOptions& o, SourceKind kind) {
  if (kind != SourceKind::rooms && o.dataset.scenes != 1)
    fail_usage("dataset.scenes (--scenes): {}, but one scene description makes one scene; only 'rooms' makes several", o.dataset.scenes);
  if (o.dataset.first_scene + o.dataset.scenes - 1 > 999)
    fail_usage("dataset.scenes: {} from number {} on exceed the 999 scenes of a volume", o.dataset.scenes, o.dataset.first_scene);
  if (kind == SourceKind::rooms && o.cameras.from == "scene")
    fail_usage("cameras.from: 'scene', but generated rooms have no cameras; expected auto, poses or sampler");
  check_view_options(o.cameras);
  check_label_rules(o.labels, "labels");
}

}  // namespace

void fields(config::Fields& f, RenderGroup& o) {
  f.field("spp", o.spp, "camera samples a pixel", {1, 1 << 20});
  f.field("max_depth", o.max_depth, "1 = emission only, 2 = direct light; 0 = what the scene file says, else 17", {0, 1024});
  f.field("roulette_depth", o.roulette_depth, "depth from which paths may end early by Russian roulette", {1, 1024});
}

void fields(config::Fields& f, DatasetGroup& o) {
  f.field("width", o.width, "pixels", {16, 16384});
  f.field("height", o.height, "pixels", {16, 16384});
  f.field("scenes", o.scenes, "number of rooms", {1, 999});
  f.field("volume", o.volume, "VVV in scene names ai_VVV_NNN", {0, 999});
  f.field("first_scene", o.first_scene, "NNN of the first scene", {0, 999});
  f.field("scene_type", o.scene_type, "kind of room as tables name it; empty = the room's own, 'Other' for a scene file");
  f.field("credits", o.credits, "authors and licences, for CREDITS.txt of the scene");
  f.field("previews", o.previews, "write pictures to look at, tonemap.jpg among them");
  f.field("jpeg_quality", o.jpeg_quality, "of previews", {1, 100});
  f.field("compression_level", o.compression_level, "of HDF5 images (deflate)", {1, 12});
  f.field("max_mesh_triangles", o.max_mesh_triangles, "scenes up to this size get mesh files; 0 = none", {0, 1'000'000'000});
}

void fields(config::Fields& f, GenerateOptions& o) {
  f.field("seed", o.seed, "of everything that is drawn: rooms, views, samples");
  f.field("scene", o.scene, "a scene of files, lights and labels");
  f.group("rooms", o.rooms, "seeded furnished rooms");
  f.group("cameras", o.cameras, "where to look from");
  f.group("render", o.render, "how to render");
  f.group("dataset", o.dataset, "what to write");
  f.group("labels", o.labels, "rules from names to semantic classes");
}

GenerateRequest read_generate_request(const std::string& input, const std::vector<Assignment>& assignments) {
  GenerateRequest request;
  request.kind = kind_of(input);
  if (request.kind != SourceKind::rooms) request.input = input;
  config::Node root = root_of(request.kind, request.input);
  const bool has_scene = root.find("scene") != nullptr, has_rooms = root.find("rooms") != nullptr;
  if (request.kind == SourceKind::config) {
    if (has_scene && has_rooms) fail_usage("{}: has both 'scene' and 'rooms'; expected one of them", input);
    if (!has_scene && !has_rooms)
      fail_usage("{}: has neither 'scene' nor 'rooms', so there is nothing to render", input);
    if (has_rooms) request.kind = SourceKind::rooms;
  }
  for (const Assignment& a : assignments) config::apply_set(root, a.text, a.origin);
  if (request.kind == SourceKind::rooms && root.find("scene") != nullptr)
    fail_usage("scene: set, but the rooms are generated; name a scene file instead of 'rooms'");
  if (request.kind != SourceKind::rooms && root.find("rooms") != nullptr)
    fail_usage("rooms: set, but {} describes its own scene; the group is for generated rooms", input);
  config::read(root, request.options);
  check(request.options, request.kind);

  // What is stored must not depend on where this machine keeps its models.
  GenerateOptions stored = request.options;
  stored.rooms.cache.clear();
  stored.rooms.catalogue = fs::path(stored.rooms.catalogue).filename().string();
  request.config_yaml = config::to_yaml(config::write(stored));
  return request;
}

}  // namespace simulacra
