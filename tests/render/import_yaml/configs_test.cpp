// SPDX-License-Identifier: Apache-2.0
// The scenes of configs/ over the shared data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/config/config.h"
#include "render/import/import.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

SceneDescription import_config(const char* name, Diagnostics& diagnostics) {
  return import_scene(fs::path(SIMULACRA_SOURCE_DIR) / "configs/dataset" / name, diagnostics);
}

/// Box of the objects whose name begins with `prefix`.
Box3d box_of(SceneDescription scene, const std::string& prefix) {
  std::erase_if(scene.objects, [&](const ObjectDescription& o) { return !o.name.starts_with(prefix); });
  return world_box(scene);
}

TEST(Configs, TheLivingRoomIsFurnished) {
  SIM_NEED_SHARED_DATA(shared);
  Diagnostics diagnostics;
  const SceneDescription scene = import_config("drake_living_room.yaml", diagnostics);
  const Box3d room = world_box(scene);
  EXPECT_NEAR(room.lo.z, 0, 0.05);    // the floor; door mat and frames reach a little lower
  EXPECT_NEAR(room.size().z, 3.2, 0.1);
  EXPECT_NEAR(room.size().x, 6, 0.3);
  EXPECT_NEAR(room.size().y, 6, 0.5);
  for (const char* piece : {"sofa/", "stool/", "table/"}) {
    const Box3d box = box_of(scene, piece);
    EXPECT_NEAR(box.lo.z, 0, 0.01) << piece;   // stands on the floor: models have millimetres of slack
    EXPECT_GT(box.lo.x, -3) << piece;
    EXPECT_GT(box.lo.y, -3) << piece;
    EXPECT_LT(box.hi.x, 3) << piece;
    EXPECT_LT(box.hi.y, 3) << piece;
  }
  EXPECT_FALSE(box_of(scene, "curtains/").empty());
  ASSERT_TRUE(scene.environment.has_value());
  EXPECT_GE(scene.environment->texture, 0);
  std::string warnings;
  for (const ImportWarning& w : diagnostics.warnings()) warnings += w.culprit + ": " + w.text + "\n";
  for (const char* absent : {"cabinet:", "bookshelves:", "tall_cabinet:"}) EXPECT_THAT(warnings, HasSubstr(absent));
  EXPECT_THAT(warnings, HasSubstr("wood_table_worn_nor_gl_1k"));  // an image of the room that is absent too
  EXPECT_EQ(diagnostics.warnings().size(), 4u) << warnings;
}

TEST(Configs, TheCornellBoxIsRoomSizedAndLit) {
  SIM_NEED_SHARED_DATA(shared);
  Diagnostics diagnostics;
  const SceneDescription scene = import_config("cornell_multimaterial.yaml", diagnostics);
  const Box3d box = world_box(scene);
  EXPECT_NEAR(box.size().z, 2.744, 0.01);  // 548.8 units of half a centimetre
  bool emits = false;
  for (const MaterialDescription& m : scene.materials) emits |= !is_black(m.emission.factor);
  EXPECT_TRUE(emits);
}

TEST(Configs, TheMitsubaScenesKeepTheirCameras) {
  SIM_NEED_SHARED_DATA(shared);
  for (const char* name : {"modern_hall.yaml", "veach_mis.yaml"}) {
    Diagnostics diagnostics;
    const SceneDescription scene = import_config(name, diagnostics);
    EXPECT_EQ(scene.cameras.size(), 1u) << name;
    EXPECT_FALSE(scene.objects.empty()) << name;
  }
}

TEST(Configs, EveryFileParsesAndEverySceneIsImported) {
  int num_scenes = 0;
  const bool has_data = test::shared_folder().has_value();
  for (const char* folder : {"dataset", "render"})
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(SIMULACRA_SOURCE_DIR) / "configs" / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const config::Node root = config::parse_file(entry.path());
      EXPECT_EQ(root.kind, config::Node::Kind::map) << entry.path();
      if (!has_data || root.find("scene") == nullptr) continue;
      Diagnostics diagnostics;
      EXPECT_FALSE(import_scene(entry.path(), diagnostics).objects.empty()) << entry.path();
      ++num_scenes;
    }
  EXPECT_GE(num_scenes, has_data ? 5 : 0);
}

}  // namespace
}  // namespace simulacra
