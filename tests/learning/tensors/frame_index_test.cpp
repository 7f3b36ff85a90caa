// SPDX-License-Identifier: Apache-2.0
#include "dataset/frames/frame_index.h"

#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/schema/canonical.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/learning/tensors/coded_set.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using test::message_of;

test::CodedSet small_set(int scenes, int cameras, int frames) {
  test::CodedSet set;
  set.scenes = scenes;
  set.cameras = cameras;
  set.frames = frames;
  set.width = 20;
  set.height = 10;
  set.labels = {Label::color, Label::semantic};
  return set;
}

std::vector<std::string> keys_of(const FrameIndex& index) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < index.size(); ++i) keys.push_back(frame_key(index.name(i)));
  return keys;
}

TEST(FrameIndex, ListsFramesInOrderWithTheirLabels) {
  const test::TempDir temp;
  test::write_coded_set(temp.path(), small_set(2, 2, 3));
  fs::remove(temp.path() / label_path({"ai_900_002", "cam_01", 1}, Label::semantic));
  std::ofstream(temp.path() / "ai_900_001/images/scene_cam_00_final_hdf5/frame.0001.color.hdf5.part") << "x";
  const FrameIndex index = scan_frames(temp.path());
  ASSERT_EQ(index.size(), 12u);
  EXPECT_EQ(index.width, 20);
  EXPECT_EQ(index.height, 10);
  EXPECT_EQ(frame_key(index.name(0)), "ai_900_001/cam_00/0000");
  EXPECT_EQ(frame_key(index.name(11)), "ai_900_002/cam_01/0002");
  EXPECT_EQ(names_of(index.frames[0].labels), "color, semantic");
  EXPECT_EQ(names_of(index.frames[10].labels), "color");
  EXPECT_EQ(names_of(index.common_labels()), "color");
  EXPECT_EQ(index.scenes[0].meters_per_asset_unit, 0.5);
  ASSERT_NE(index.world_from_cam(4), nullptr);
  EXPECT_EQ(index.scenes[1].cam_from_uv, pinhole_cam_from_uv(20, 10));
  EXPECT_EQ(with_labels(index, label_bit(Label::semantic)).size(), 11u);
}

TEST(FrameIndex, TakesAFolderOfScenesOrOneThatHoldsIt) {
  const test::TempDir temp;
  test::write_coded_set(temp.path() / "scenes", small_set(1, 1, 2));
  EXPECT_EQ(scan_frames(temp.path()).size(), 2u);
  EXPECT_EQ(scan_frames(temp.path() / "scenes").size(), 2u);
}

TEST(FrameIndex, SaysWhatIsMissing) {
  const test::TempDir temp;
  EXPECT_THAT(message_of([&] { scan_frames(temp.path() / "none"); }), HasSubstr("none: there is no such folder"));
  EXPECT_THAT(message_of([&] { scan_frames(temp.path()); }), AllOf(HasSubstr("there are no frames"), HasSubstr("frame.0000.color.hdf5")));
  test::write_coded_set(temp.path(), small_set(1, 1, 2));
  EXPECT_THAT(message_of([&] { with_labels(scan_frames(temp.path()), label_bit(Label::depth_meters) | label_bit(Label::color)); }),
              AllOf(HasSubstr("missing everywhere: depth_meters"), HasSubstr("there are: color, semantic")));
}

TEST(FrameIndex, RefusesFramesOfTwoSizesAndNamesThem) {
  const test::TempDir temp;
  test::write_coded_set(temp.path(), small_set(2, 1, 2));
  const test::CodedSet set = small_set(1, 1, 1);
  for (int f = 0; f < 2; ++f)
    test::write_label(temp.path() / label_path({"ai_900_002", "cam_00", f}, Label::color), Label::color, 30, 10,
                [&](int r, int c, std::size_t k) { return coded_value(Label::color, r, c, k, 0, set); });
  EXPECT_THAT(message_of([&] { scan_frames(temp.path()); }),
              AllOf(HasSubstr("ai_900_001/images"), HasSubstr("20 x 10"), HasSubstr("ai_900_002/images"), HasSubstr("30 x 10")));
}

TEST(FrameIndex, RefusesAnotherSchemaAndDamagedFilesByName) {
  const test::TempDir temp;
  test::write_coded_set(temp.path(), small_set(1, 1, 2));
  write_text_atomically(temp.path() / "conventions.json", "{\"schema_version\": 99}");
  EXPECT_THAT(message_of([&] { scan_frames(temp.path()); }), AllOf(HasSubstr("conventions.json"), HasSubstr("99"), HasSubstr("reads version 1")));
  fs::remove(temp.path() / "conventions.json");
  const fs::path color = temp.path() / label_path({"ai_900_001", "cam_00", 0}, Label::color);
  fs::resize_file(color, 700);
  EXPECT_THAT(message_of([&] { scan_frames(temp.path()); }), HasSubstr("frame.0000.color.hdf5: "));
  const test::TempDir other;
  test::write_coded_set(other.path(), small_set(1, 1, 2));
  write_text_atomically(other.path() / "ai_900_001/_detail/cam_00/camera_keyframe_positions.hdf5", "not HDF5 at all");
  EXPECT_THAT(message_of([&] { scan_frames(other.path()); }), HasSubstr("camera_keyframe_positions.hdf5: "));
}

TEST(FrameIndex, SplitsByTableSceneAndShare) {
  const test::TempDir temp;
  test::write_coded_set(temp.path(), small_set(5, 1, 4));
  const FrameIndex index = scan_frames(temp.path());
  std::string table = "scene_name,camera_name,frame_id,included_in_public_release,exclude_reason,split_partition_name\n";
  for (int f = 0; f < 4; ++f) table += fmt::format("ai_900_003,cam_00,{},True,,{}\n", f, f == 2 ? "" : "val");
  EXPECT_THAT(message_of([&] { frames_of_partition(index, "val"); }), HasSubstr("there is no such split table"));
  fs::create_directories(temp.path() / "analysis");
  write_text_atomically(temp.path() / "analysis/metadata_images_split_scene_v1.csv", table);
  EXPECT_THAT(keys_of(frames_of_partition(index, "val")),
              testing::ElementsAre("ai_900_003/cam_00/0000", "ai_900_003/cam_00/0001", "ai_900_003/cam_00/0003"));
  EXPECT_THAT(message_of([&] { frames_of_partition(index, "test"); }), AllOf(HasSubstr("none 17"), HasSubstr("val 3")));

  const Split split = split_by_scene(index, 0.4, 7);
  EXPECT_EQ(split.first.size(), 8u);
  EXPECT_EQ(split.second.size(), 12u);
  std::set<std::string> first;
  for (std::size_t i = 0; i < split.first.size(); ++i) first.insert(split.first.scene_of(i).name);
  for (std::size_t i = 0; i < split.second.size(); ++i) EXPECT_FALSE(first.contains(split.second.scene_of(i).name));
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(keys_of(split_by_scene(index, 0.4, 7).first), keys_of(split.first));
}

TEST(FrameIndex, SmallerSharesAreInsideLargerOnes) {
  const test::TempDir temp;
  test::write_coded_set(temp.path(), small_set(4, 1, 5));
  const FrameIndex index = scan_frames(temp.path());
  const auto few = keys_of(fraction_of_frames(index, 0.1, 3)), many = keys_of(fraction_of_frames(index, 0.5, 3));
  EXPECT_EQ(few.size(), 2u);
  EXPECT_EQ(many.size(), 10u);
  for (const std::string& key : few) EXPECT_THAT(many, testing::Contains(key));
  EXPECT_NE(keys_of(fraction_of_frames(index, 0.5, 4)), many);
  const auto scenes = keys_of(split_by_scene(index, 0.25, 3).first), more = keys_of(split_by_scene(index, 0.75, 3).first);
  for (const std::string& key : scenes) EXPECT_THAT(more, testing::Contains(key));
}

// Genuine cameras, lenses and split of the public set; its images are not at hand, so coded ones stand in.
TEST(FrameIndex, ReadsCamerasLensesAndSplitOfThePublicSet) {
  SIM_NEED_SHARED_DATA(shared);
  const fs::path hypersim = shared / "data/hypersim";
  const test::TempDir temp;
  const test::CodedSet set = small_set(1, 1, 1);
  for (const auto& [scene, camera] : {std::pair{"ai_001_001", "cam_00"}, std::pair{"ai_048_008", "cam_03"}}) {
    const fs::path from = hypersim / "cameras" / (std::string(scene) + "-" + camera), to = temp.path() / camera_folder(scene, camera);
    fs::create_directories(to);
    for (const char* name : {"camera_keyframe_positions.hdf5", "camera_keyframe_orientations.hdf5"}) fs::copy_file(from / name, to / name);
    for (int f = 0; f < 100; f += 33)
      test::write_label(temp.path() / label_path({scene, camera, f}, Label::color), Label::color, set.width, set.height,
                  [&](int r, int c, std::size_t k) { return coded_value(Label::color, r, c, k, f, set); });
  }
  fs::copy_file(hypersim / "metadata/contrib/mikeroberts3000/metadata_camera_parameters.csv", temp.path() / "metadata_camera_parameters.csv");
  const FrameIndex index = scan_frames(temp.path());
  ASSERT_EQ(index.size(), 8u);
  for (std::size_t i = 0; i < index.size(); ++i) ASSERT_NE(index.world_from_cam(i), nullptr) << i;
  EXPECT_GT(index.cameras[0].world_from_cam.size(), 95u);
  // The first scene's row of the public table, next to the canonical pinhole of its own 4:3 frames.
  EXPECT_NEAR(index.scenes[0].cam_from_uv(0, 0), 0.57735, 0.05);
  EXPECT_NEAR(index.scenes[0].cam_from_uv(2, 2), -1, 0.05);
  const auto table = hypersim / "metadata/evermotion_dataset/analysis/metadata_images_split_scene_v1.csv";
  std::size_t known = 0;
  for (const char* partition : {"train", "val", "test"})
    known += message_of([&] { frames_of_partition(index, partition, table); }).empty() ? frames_of_partition(index, partition, table).size() : 0;
  EXPECT_GT(known, 4u);   // frames that the public release withheld have no partition
}

}  // namespace
}  // namespace simulacra
