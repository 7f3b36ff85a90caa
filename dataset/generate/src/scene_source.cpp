// SPDX-License-Identifier: Apache-2.0
#include "dataset/generate/src/scene_source.h"

#include <array>

#include "dataset/schema/checksum.h"
#include "render/import/import.h"
#include "render/import/scene_yaml.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

struct RoomTypeName {
  std::string_view type, name;
};
// As metadata_camera_trajectories.csv of the public set has them.
constexpr std::array kRoomTypes = {
    RoomTypeName{"living", "Living room"}, RoomTypeName{"bedroom", "Bedroom"},       RoomTypeName{"kitchen", "Kitchen"},
    RoomTypeName{"bathroom", "Bathroom"},  RoomTypeName{"office", "Office (home)"},  RoomTypeName{"dining", "Dining room"},
    RoomTypeName{"hall", "Hall"},
};

/// Only `scene: {file: …}`: nothing was added to the file.
bool is_plain_file(const GenerateRequest& request) {
  return request.kind == SourceKind::scene_file && request.options.scene.entries.size() == 1;
}

}  // namespace

std::string scene_type_of_room(const std::string& room_type) {
  for (const RoomTypeName& row : kRoomTypes)
    if (row.type == room_type) return std::string(row.name);
  return "Other";
}

SourcedScene SceneSource::room(std::uint64_t seed, Diagnostics& diagnostics) {
  if (!rooms_) rooms_ = std::make_unique<RoomMaker>(request_.options.rooms);
  Room room = rooms_->make(seed, diagnostics);
  SourcedScene scene;
  scene.description = std::move(room.scene);
  scene.source = "rooms";
  scene.scene_type = scene_type_of_room(room.room_type);
  scene.credits = std::move(room.credits);
  scene.seed = seed;
  return scene;
}

SourcedScene SceneSource::imported(Diagnostics& diagnostics) const {
  SourcedScene scene;
  const fs::path folder = request_.input.has_parent_path() ? request_.input.parent_path() : fs::path(".");
  scene.description = is_plain_file(request_) ? import_scene(request_.input, diagnostics)
                                              : import_scene_node(request_.options.scene, folder, diagnostics);
  if (scene.description.name.empty()) scene.description.name = request_.input.stem().string();
  scene.source = request_.input.filename().string();
  scene.scene_type = "Other";
  scene.seed = request_.options.seed;
  return scene;
}

SourcedScene SceneSource::make(int index, Diagnostics& diagnostics) {
  const GenerateOptions& o = request_.options;
  const std::array<std::uint64_t, 2> parts{o.seed, static_cast<std::uint64_t>(index)};
  SourcedScene scene =
      request_.kind == SourceKind::rooms ? room(mix_seed(parts), diagnostics) : imported(diagnostics);
  to_world(scene.description);
  make_names_unique(scene.description);
  annotate(scene.description, o.labels, scene.annotation);
  if (!o.dataset.scene_type.empty()) scene.scene_type = o.dataset.scene_type;
  if (!o.dataset.credits.empty()) scene.credits = o.dataset.credits + "\n" + scene.credits;
  return scene;
}

}  // namespace simulacra
