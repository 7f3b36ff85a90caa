// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/layout.h"

#include <map>

#include <gmock/gmock.h>

namespace simulacra {
namespace {

TEST(Layout, NamesAreThoseOfTheFormat) {
  const FrameName name{scene_name(900, 1), camera_name(0), 7};
  EXPECT_EQ(label_path(name, Label::depth_meters),
            "ai_900_001/images/scene_cam_00_geometry_hdf5/frame.0007.depth_meters.hdf5");
  EXPECT_EQ(label_path(name, Label::color), "ai_900_001/images/scene_cam_00_final_hdf5/frame.0007.color.hdf5");
  EXPECT_EQ(preview_path(name, Preview::tonemap), "ai_900_001/images/scene_cam_00_final_preview/frame.0007.tonemap.jpg");
  EXPECT_EQ(preview_path(name, Preview::geometry_color),
            "ai_900_001/images/scene_cam_00_geometry_preview/frame.0007.color.jpg");
  EXPECT_EQ(preview_path(name, Preview::tex_coord),
            "ai_900_001/images/scene_cam_00_geometry_preview/frame.0007.tex_coord.png");
  EXPECT_EQ(rendering_job_name(name.scene, name.camera, "final"), "ai_900_001@scene_cam_00_final");
  EXPECT_EQ(trajectory_name(name.scene, name.camera), "ai_900_001_cam_00");
  EXPECT_EQ(box_path(name.scene, BoxType::object_aligned_2d, "extents"),
            "ai_900_001/_detail/mesh/metadata_semantic_instance_bounding_box_object_aligned_2d_extents.hdf5");
  EXPECT_EQ(frame_key(name), "ai_900_001/cam_00/0007");
}

TEST(Layout, KnowsItsOwnNamesFromOthers) {
  EXPECT_TRUE(is_scene_name("ai_055_123"));
  EXPECT_FALSE(is_scene_name("ai_55_123"));
  EXPECT_FALSE(is_scene_name("ai_055_12x"));
  EXPECT_TRUE(is_camera_name("cam_07"));
  EXPECT_FALSE(is_camera_name("cam_7"));
}

TEST(Layout, SplitSharesAreNearEightyTenTen) {
  std::map<std::string_view, int> count;
  for (int i = 0; i < 1000; ++i) ++count[split_partition(scene_name(900, i))];
  // Binomial with 1000 draws: four standard deviations are 51 and 38.
  EXPECT_NEAR(count["train"], 800, 51);
  EXPECT_NEAR(count["val"], 100, 38);
  EXPECT_NEAR(count["test"], 100, 38);
  EXPECT_EQ(split_partition("ai_900_001"), split_partition("ai_900_001"));
}

}  // namespace
}  // namespace simulacra
