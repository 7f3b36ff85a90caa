// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/rooms.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "dataset/rooms/src/credits.h"
#include "dataset/rooms/src/models.h"
#include "dataset/rooms/src/planner.h"
#include "dataset/rooms/src/scene_builder.h"
#include "dataset/rooms/src/style.h"
#include "render/base/error.h"

namespace simulacra {

using namespace rooms;  // NOLINT: this file joins the parts

namespace {

constexpr std::string_view kTypeChoices[] = {"any", "living", "bedroom", "kitchen", "office", "bathroom"};
constexpr std::string_view kLightChoices[] = {"any", "day", "night"};
constexpr std::uint64_t kMaxModelBytes = 3'000'000;  ///< larger OBJ files take seconds to read and megabytes to keep

std::string joined(const auto& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

RoomType room_type(const RoomOptions& options, Random random) {
  for (std::size_t i = 0; i < kRoomTypes.size(); ++i)
    if (options.type == kRoomTypes[i]) return static_cast<RoomType>(i);
  if (options.type != "any") fail_usage("rooms.type: '{}', expected one of {}", options.type, joined(kTypeChoices));
  // Bathrooms are small and seldom; the others are as frequent as each other.
  constexpr RoomType kDraw[] = {RoomType::living,
                                RoomType::living,
                                RoomType::bedroom,
                                RoomType::bedroom,
                                RoomType::kitchen,
                                RoomType::kitchen,
                                RoomType::office,
                                RoomType::office,
                                RoomType::bathroom};
  return kDraw[random.below(std::size(kDraw))];
}

/// Puts the models into the scene: geometry once for each model, objects once for each placement.
class Furnisher {
 public:
  Furnisher(SceneDescription& scene, const Catalogue& catalogue, ModelStore& models, const Lighting& lighting,
            Diagnostics& diagnostics)
      : scene_(scene), catalogue_(catalogue), models_(models), lighting_(lighting), diagnostics_(diagnostics) {}

  void place(const Placement& placement) {
    const auto index = static_cast<std::size_t>(placement.piece);
    const Model* model = models_.find(index);
    SIM_CHECK(model != nullptr);
    models_.report(index, diagnostics_);
    const std::vector<ObjectDescription>& templates = templates_of(index, *model);
    const std::string name = fmt::format("{} #{}", placement.name, ++counts_[placement.name]);
    const Vec2d right = placement.box.right, back = placement.box.back();
    const Affine3d world_from_piece{Mat3d::from_columns({right.x, right.y, 0}, {back.x, back.y, 0}, {0, 0, 1}),
                                    {placement.box.center.x, placement.box.center.y, placement.box.z0}};
    for (const ObjectDescription& part : templates) {
      ObjectDescription object = part;
      object.name = templates.size() == 1 ? name : fmt::format("{} {}", name, part.name);
      object.path = "room/furniture/" + name;
      object.world_from_object = world_from_piece * model->piece_from_part * part.world_from_object;
      object.instance_key = name;
      object.class_hint = placement.semantic;
      scene_.objects.push_back(std::move(object));
    }
    if (placement.semantic == "lamp" && lighting_.bulb_flux > 0)
      add_bulbs(catalogue_.pieces[index], name, world_from_piece);
  }

 private:
  const std::vector<ObjectDescription>& templates_of(std::size_t index, const Model& model) {
    const auto found = templates_.find(index);
    if (found != templates_.end()) return found->second;
    const std::size_t before = scene_.objects.size();
    append_scene(scene_, model.part, Affine3d{}, "");
    const auto first = scene_.objects.begin() + static_cast<std::ptrdiff_t>(before);
    std::vector<ObjectDescription> parts(std::make_move_iterator(first), std::make_move_iterator(scene_.objects.end()));
    scene_.objects.erase(first, scene_.objects.end());
    return templates_.emplace(index, std::move(parts)).first->second;
  }

  /// The catalogue says where a lamp's bulbs are; the model has no light of its own.
  void add_bulbs(const Piece& piece, const std::string& name, const Affine3d& world_from_piece) {
    if (piece.lights.empty()) return;
    const auto bulbs = static_cast<double>(piece.lights.size());
    MeshBuilder mesh;
    double area = 0;
    for (const LightSource& light : piece.lights) {
      const double radius = std::clamp(light.diameter_m / 2, 0.015, 0.05);
      const Vec3d c = light.center_m;  // x right, y up, z to the front
      mesh.sphere({c.x, -c.z, std::clamp(c.y, radius, std::max(radius, piece.height_m - radius))}, radius);
      area += 4 * kPiD * radius * radius;
    }
    const int material =
        add_emitter(scene_, name + " bulb", Rgb{1.0f, 0.8f, 0.58f}, lighting_.bulb_flux * std::min(bulbs, 3.0), area);
    add_part(scene_, mesh, {name, "lamp", "furniture"}, "bulb", material, world_from_piece);
  }

  SceneDescription& scene_;
  const Catalogue& catalogue_;
  ModelStore& models_;
  const Lighting& lighting_;
  Diagnostics& diagnostics_;
  std::map<std::size_t, std::vector<ObjectDescription>> templates_;
  std::map<std::string, int> counts_;
};

}  // namespace

void fields(config::Fields& f, RoomOptions& o) {
  f.field(
      "catalogue",
      o.catalogue,
      "folder of .sh3f libraries or of models with a catalogue CSV; empty = the Debian package sweethome3d-furniture");
  f.field("licences", o.licences, "use only models under these licences, e.g. [CC0-1.0]; empty = all");
  f.field("include", o.include, "categories that are left out otherwise: characters, exterior, vehicles");
  f.field("type", o.type, "what kind of room", kTypeChoices);
  f.field("light", o.light, "daylight or lamps at night", kLightChoices);
  f.field("clutter", o.clutter, "small things on furniture, as a multiple of the usual number", {0, 5});
  f.field("cache", o.cache, "folder to which models are unpacked and kept; empty = a temporary one");
}

namespace rooms {

std::vector<std::size_t> usable_pieces(const Catalogue& catalogue, const RoomOptions& options) {
  std::vector<std::string> included;
  for (const std::string& word : options.include) {
    included.push_back(lower(word));
    if (std::find(std::begin(kIncludable), std::end(kIncludable), included.back()) == std::end(kIncludable))
      fail_usage("rooms.include: no category '{}'; the categories are {}", word, joined(kIncludable));
  }
  std::set<std::string> licences;
  for (const Piece& piece : catalogue.pieces) licences.insert(piece.licence);
  std::set<std::string> wanted;
  for (const std::string& licence : options.licences) {
    const auto found = std::find_if(
        licences.begin(), licences.end(), [&](const std::string& l) { return lower(l) == lower(licence); });
    if (found == licences.end())
      fail_usage("rooms.licences: no model in {} is under '{}'; the licences are {}",
                 catalogue.location.string(),
                 licence,
                 joined(licences));
    wanted.insert(*found);
  }
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < catalogue.pieces.size(); ++i) {
    const Piece& piece = catalogue.pieces[i];
    if (is_left_out(piece, included) || piece.model_bytes > kMaxModelBytes) continue;
    if (!wanted.empty() && !wanted.contains(piece.licence)) continue;
    if (meaning_of(piece).role != Role::none) usable.push_back(i);
  }
  if (usable.empty())
    fail_usage("rooms.catalogue: {}: holds no furniture that can be placed", catalogue.location.string());
  return usable;
}

RoomPlan plan_room(const Catalogue& catalogue, const std::vector<std::size_t>& usable, const RoomOptions& options,
                   std::uint64_t seed, const Tops& tops) {
  const Random random(seed);
  RoomPlan plan;
  plan.type = room_type(options, random.fork(1));
  plan_shell(plan, random.fork(2));
  Planner planner(catalogue, usable, options, tops, plan, random.fork(3));
  if (plan.type == RoomType::living) furnish_living(planner);
  if (plan.type == RoomType::bedroom) furnish_bedroom(planner);
  if (plan.type == RoomType::kitchen) furnish_kitchen(planner);
  if (plan.type == RoomType::office) furnish_office(planner);
  if (plan.type == RoomType::bathroom) furnish_bathroom(planner);
  return plan;
}

}  // namespace rooms

struct RoomMaker::State {
  RoomOptions options;
  Catalogue catalogue;
  std::vector<std::size_t> usable;
  std::unique_ptr<ModelStore> models;
};

RoomMaker::RoomMaker(RoomOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->catalogue = read_catalogue(state_->options.catalogue);
  state_->usable = usable_pieces(state_->catalogue, state_->options);
  state_->models = std::make_unique<ModelStore>(state_->catalogue, state_->options.cache);
}
RoomMaker::~RoomMaker() = default;
RoomMaker::RoomMaker(RoomMaker&&) noexcept = default;
RoomMaker& RoomMaker::operator=(RoomMaker&&) noexcept = default;

const Catalogue& RoomMaker::catalogue() const { return state_->catalogue; }

Room RoomMaker::make(std::uint64_t seed, Diagnostics& diagnostics) {
  const Random random(seed);
  const Tops tops = [&](std::size_t piece) -> const TopMap* {
    const Model* model = state_->models->find(piece);
    if (!model) state_->models->report(piece, diagnostics);
    return model ? &model->top : nullptr;
  };
  Room room;
  room.plan = plan_room(state_->catalogue, state_->usable, state_->options, seed, tops);
  room.room_type = std::string(room_type_name(room.plan.type));
  const Shell& shell = room.plan.shell;
  room.interior.add(Vec3d{-shell.width / 2, -shell.depth / 2, 0});
  room.interior.add(Vec3d{shell.width / 2, shell.depth / 2, shell.height});

  SceneDescription& scene = room.scene;
  scene.name = fmt::format("room-{}-{}", room.room_type, seed);
  scene.up = std::string("z");
  const RoomStyle style = make_style(scene, room.plan.type, random.fork(4));
  const Lighting lighting = make_lighting(scene, room.plan, state_->options.light, random.fork(5));
  room.light = lighting.day ? "day" : "night";
  build_shell(scene, room.plan, style, lighting);
  build_fixtures(scene, room.plan, style, lighting, random.fork(6));
  Furnisher furnisher(scene, state_->catalogue, *state_->models, lighting, diagnostics);
  for (const Placement& placement : room.plan.placements)
    if (placement.piece >= 0) furnisher.place(placement);
  make_names_unique(scene);
  room.credits = credits_text(state_->catalogue, room.plan);
  return room;
}

Room make_room(const RoomOptions& options, std::uint64_t seed, Diagnostics& diagnostics) {
  return RoomMaker(options).make(seed, diagnostics);
}

}  // namespace simulacra
