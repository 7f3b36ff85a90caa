// SPDX-License-Identifier: Apache-2.0
// Whole rooms: geometry, labels, light, credits.
#include "dataset/rooms/rooms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>

#include "dataset/annotate/nyu40.h"
#include "render/base/error.h"
#include "tests/dataset/rooms/plan_checks.h"
#include "tests/dataset/rooms/tiny_catalogue.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

bool package_installed() { return std::filesystem::exists(rooms::kPackageFolder); }

/// The package where it is installed, else boxes.
struct Source {
  test::TempDir folder;
  RoomOptions options;
  Source() {
    if (package_installed()) return;
    test::write_tiny_catalogue(folder.path());
    options.catalogue = folder.path().string();
  }
};

std::string refusal(const RoomOptions& options) {
  try {
    Diagnostics diagnostics;
    make_room(options, 1, diagnostics);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no usage error";
}

Box3d box_of(const SceneDescription& scene, const ObjectDescription& object) {
  Box3d box;
  for (const Vec3& p : scene.meshes[static_cast<std::size_t>(object.mesh)].positions)
    box.add(object.world_from_object.point(Vec3d(p)));
  return box;
}

void expect_labelled(const SceneDescription& scene) {
  std::set<std::string> names;
  for (const ObjectDescription& object : scene.objects) {
    EXPECT_GT(semantic_from_text(object.class_hint, object.name), 0);
    EXPECT_FALSE(object.instance_key.empty()) << object.name;
    EXPECT_TRUE(object.path.starts_with("room/")) << object.path;
    EXPECT_TRUE(names.insert(object.name).second) << object.name;
    EXPECT_EQ(object.name.find('@'), std::string::npos);
    EXPECT_GE(object.material, 0);
  }
}

/// Everything that was placed lies in its plan box, so that what holds for boxes holds for geometry.
void expect_in_boxes(const Room& room) {
  for (const ObjectDescription& object : room.scene.objects) {
    if (!object.path.starts_with("room/furniture/") && !object.path.starts_with("room/fixture/")) continue;
    const Box3d box = box_of(room.scene, object);
    bool inside = false;
    for (const rooms::Placement& p : room.plan.placements) {
      if (!object.instance_key.starts_with(p.name + " #")) continue;
      bool all = box.lo.z > p.box.z0 - 1e-3 && box.hi.z < p.box.z1 + 1e-3;  // a millimetre: models are floats
      for (const Vec3& v : room.scene.meshes[static_cast<std::size_t>(object.mesh)].positions) {
        const Vec3d w = object.world_from_object.point(Vec3d(v));
        const Vec2d local = Vec2d{w.x, w.y} - p.box.center;
        all &= std::abs(dot(local, p.box.right)) < p.box.width / 2 + 1e-3 &&
               std::abs(dot(local, p.box.back())) < p.box.depth / 2 + 1e-3;
        if (!all) break;
      }
      if (all) inside = true;
    }
    EXPECT_TRUE(inside) << object.name;
  }
}

TEST(Rooms, RoomsAreSoundLabelledAndInTheirBoxes) {
  const Source source;
  RoomMaker maker(source.options);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Diagnostics diagnostics;
    const Room room = maker.make(seed, diagnostics);
    test::expect_sound(room.plan, maker.catalogue(), room.scene.name);
    expect_labelled(room.scene);
    expect_in_boxes(room);
    EXPECT_EQ(room.scene.up, "z");
    std::set<std::string> classes;
    for (const ObjectDescription& object : room.scene.objects) classes.insert(object.class_hint);
    EXPECT_THAT(classes, ::testing::IsSupersetOf({"wall", "floor", "ceiling", "door", "window", "lamp"}));
    EXPECT_GE(classes.size(), 9u);
  }
}

TEST(Rooms, TheShellHasNoHoleButTheWindows) {
  const Source source;
  Diagnostics diagnostics;
  const Room room = make_room(source.options, 5, diagnostics);
  // Rays from the middle of the room in many directions meet a triangle of the shell: walls, slabs, door or panes.
  const Vec3d eye{0.013, 0.017, 1.2};
  int missed = 0;
  for (int i = 0; i < 400; ++i) {
    const double z = 1 - 2 * (i + 0.5) / 400, r = std::sqrt(1 - z * z), a = 2.399963 * i;  // a spiral over the sphere
    const Vec3d d{r * std::cos(a), r * std::sin(a), z};
    bool hit = false;
    for (const ObjectDescription& object : room.scene.objects) {
      if (!object.path.starts_with("room/shell/")) continue;
      const MeshDescription& mesh = room.scene.meshes[static_cast<std::size_t>(object.mesh)];
      for (const Triangle& t : mesh.triangles) {
        const auto p = [&](std::size_t k) { return object.world_from_object.point(Vec3d(mesh.positions[t[k]])); };
        const Vec3d e1 = p(1) - p(0), e2 = p(2) - p(0), h = cross(d, e2), s = eye - p(0);
        const double det = dot(e1, h);
        if (std::abs(det) < 1e-14) continue;
        const double u = dot(s, h) / det, v = dot(d, cross(s, e1)) / det, distance = dot(e2, cross(s, e1)) / det;
        if (u >= 0 && v >= 0 && u + v <= 1 && distance > 0) hit = true;
      }
    }
    missed += !hit;
  }
  EXPECT_EQ(missed, 0);
}

TEST(Rooms, FacesOfTheShellLookIntoTheRoom) {
  const Source source;
  Diagnostics diagnostics;
  const Room room = make_room(source.options, 5, diagnostics);
  // The volume a closed mesh encloses is positive when its faces look outward.
  for (const ObjectDescription& object : room.scene.objects) {
    if (object.path != "room/shell/floor" && object.path != "room/shell/wall 1" &&
        object.path != "room/shell/door/leaf")
      continue;
    const MeshDescription& mesh = room.scene.meshes[static_cast<std::size_t>(object.mesh)];
    double volume = 0;
    for (const Triangle& t : mesh.triangles)
      volume += dot(Vec3d(mesh.positions[t[0]]), cross(Vec3d(mesh.positions[t[1]]), Vec3d(mesh.positions[t[2]]))) / 6;
    EXPECT_GT(volume, 0) << object.path;
  }
}

TEST(Rooms, TheSameSeedGivesTheSameRoom) {
  const Source source;
  Diagnostics diagnostics;
  RoomMaker warm(source.options);
  warm.make(8, diagnostics);  // another room before must not matter
  const Room a = warm.make(7, diagnostics), b = make_room(source.options, 7, diagnostics),
             c = make_room(source.options, 8, diagnostics);

  ASSERT_EQ(a.scene.objects.size(), b.scene.objects.size());
  for (std::size_t i = 0; i < a.scene.objects.size(); ++i) {
    EXPECT_EQ(a.scene.objects[i].name, b.scene.objects[i].name);
    EXPECT_EQ(a.scene.objects[i].world_from_object, b.scene.objects[i].world_from_object);
    EXPECT_EQ(a.scene.meshes[static_cast<std::size_t>(a.scene.objects[i].mesh)].positions,
              b.scene.meshes[static_cast<std::size_t>(b.scene.objects[i].mesh)].positions);
  }
  ASSERT_EQ(a.scene.textures.size(), b.scene.textures.size());
  for (std::size_t i = 0; i < a.scene.textures.size(); ++i)
    if (a.scene.textures[i].encoded) {
      EXPECT_EQ(*a.scene.textures[i].encoded, *b.scene.textures[i].encoded);
    }
  EXPECT_EQ(a.credits, b.credits);
  EXPECT_NE(a.scene.objects.size(), c.scene.objects.size());
}

TEST(Rooms, NothingOfTheSceneLiesOnDisk) {
  const Source source;
  Diagnostics diagnostics;
  const Room room = make_room(source.options, 3, diagnostics);
  for (const TextureDescription& texture : room.scene.textures)
    EXPECT_TRUE(texture.missing || texture.encoded) << texture.name;
}

TEST(Rooms, NightHasLampsAndDayHasAWindowToTheSky) {
  const Source source;
  RoomOptions options = source.options;
  Diagnostics diagnostics;
  const auto emitters = [](const Room& room) {
    return std::count_if(room.scene.materials.begin(), room.scene.materials.end(), [](const MaterialDescription& m) {
      return m.name.find("#") != std::string::npos && m.emission.factor.r > 1;
    });
  };
  const auto outside = [](const Room& room) {
    for (const MaterialDescription& m : room.scene.materials)
      if (m.name == "outside") return m.emission.factor.g;
    return -1.0f;
  };
  options.light = "night";
  RoomMaker night(options);
  options.light = "day";
  RoomMaker day(options);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Room dark = night.make(seed, diagnostics), light = day.make(seed, diagnostics);
    EXPECT_EQ(dark.light, "night");
    EXPECT_GT(emitters(dark), 0);
    EXPECT_TRUE(dark.scene.directional_lights.empty());
    EXPECT_GT(outside(light), 50 * outside(dark));
    EXPECT_GT(outside(dark), 0);
  }
}

TEST(Rooms, CreditsNameEveryModel) {
  const Source source;
  Diagnostics diagnostics;
  RoomMaker maker(source.options);
  const Room room = maker.make(4, diagnostics);
  for (const rooms::Placement& p : room.plan.placements) {
    if (p.piece < 0) continue;
    const rooms::Piece& piece = maker.catalogue().pieces[static_cast<std::size_t>(p.piece)];
    EXPECT_THAT(
        room.credits,
        AllOf(HasSubstr(piece.name), HasSubstr(piece.creator), HasSubstr(piece.licence), HasSubstr(piece.model)));
  }
}

TEST(Rooms, OnlyTheLicencesAskedForAreUsed) {
  const Source source;
  RoomOptions options = source.options;
  options.licences = {"cc0-1.0"};
  RoomMaker maker(options);
  Diagnostics diagnostics;
  int pieces = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (const rooms::Placement& p : maker.make(seed, diagnostics).plan.placements)
      if (p.piece >= 0) {
        ++pieces;
        EXPECT_EQ(maker.catalogue().pieces[static_cast<std::size_t>(p.piece)].licence, "CC0-1.0");
      }
  EXPECT_GT(pieces, 12);
}

TEST(Rooms, BadOptionsAreAnsweredWithWhatIsPossible) {
  const Source source;
  RoomOptions licence = source.options, category = source.options, type = source.options, absent;
  licence.licences = {"GPL-3.0"};
  category.include = {"dragons"};
  type.type = "cellar";
  absent.catalogue = (source.folder.path() / "absent").string();
  EXPECT_THAT(refusal(licence), AllOf(HasSubstr("'GPL-3.0'"), HasSubstr("CC0-1.0")));
  EXPECT_THAT(refusal(category), AllOf(HasSubstr("'dragons'"), HasSubstr("characters, exterior, vehicles")));
  EXPECT_THAT(refusal(type), AllOf(HasSubstr("'cellar'"), HasSubstr("bedroom")));
  EXPECT_THAT(refusal(absent), HasSubstr("apt install sweethome3d-furniture"));
}

TEST(Rooms, AModelThatCannotBeReadIsReplacedByAnother) {
  const test::TempDir folder;
  test::write_tiny_catalogue(folder.path());
  std::filesystem::create_directories(folder.path() / "broken");
  std::ofstream(folder.path() / "broken" / "bed.obj") << "this is no model\n";
  std::ofstream(folder.path() / "catalogue.csv", std::ios::app)
      << "broken,1,Bed,Bedroom,160,205,90,,true,false,A,CC0-1.0,bed.obj,1,,,,,,\n";
  RoomOptions options;
  options.catalogue = folder.path().string();
  options.type = "bedroom";
  RoomMaker maker(options);
  int warned = 0, beds = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Diagnostics diagnostics;
    const Room room = maker.make(seed, diagnostics);
    for (const ImportWarning& w : diagnostics.warnings()) warned += w.file == "broken/bed.obj";
    for (const rooms::Placement& p : room.plan.placements) beds += p.semantic == "bed";
  }
  EXPECT_GT(warned, 0);
  EXPECT_GE(beds, 7);  // one bed a room, but for a room in which none of the tries fits
}

TEST(Rooms, OptionsAreReadFromYaml) {
  RoomOptions options;
  config::read(config::parse_text("type: office\nlicences: [CC0-1.0]\nclutter: 2\n", "rooms.yaml"), options);
  EXPECT_EQ(options.type, "office");
  EXPECT_EQ(options.licences, std::vector<std::string>{"CC0-1.0"});
  EXPECT_EQ(options.clutter, 2);
  EXPECT_THROW(config::read(config::parse_text("type: cellar\n", "rooms.yaml"), options), UsageError);
}

}  // namespace
}  // namespace simulacra
