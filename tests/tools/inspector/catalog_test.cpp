// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <libdeflate.h>
#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"
#include "tests/tools/inspector/small_set.h"
#include "tools/inspector/catalog/findings.h"
#include "tools/inspector/catalog/index.h"
#include "tools/inspector/catalog/planes.h"
#include "tools/inspector/catalog/scene_tables.h"
#include "tools/inspector/catalog/statistics.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(FindScenes, TakesARootAFolderOfScenesAndASingleScene) {
  const TempDir dir;
  test::write_small_set(dir.path() / "set");
  test::write_small_set(dir.path() / "deep" / "scenes");
  for (const fs::path& root : {dir.path() / "set", dir.path() / "deep"}) EXPECT_EQ(find_scenes(root).scenes.size(), 2u) << root;
  const FoundScenes one = find_scenes(dir.path() / "set" / "ai_900_002");
  ASSERT_EQ(one.scenes.size(), 1u);
  EXPECT_EQ(one.scenes[0].name, "ai_900_002");
}

TEST(FindScenes, SaysWhatIsNotThere) {
  const TempDir dir;
  EXPECT_THAT(test::message_of([&] { find_scenes(dir.path() / "none"); }), HasSubstr("there is no such folder"));
  EXPECT_THAT(test::message_of([&] { find_scenes(dir.path()); }), HasSubstr("no scene here"));
}

TEST(FindScenes, PutsTheTreesOfThePublicSetTogether) {
  SIM_NEED_SHARED_DATA(shared);
  const FrameList list = list_frames(shared / "data" / "hypersim");
  const auto scene = std::find_if(list.scenes.begin(), list.scenes.end(), [](const auto& s) { return s.name == "ai_037_002"; });
  ASSERT_NE(scene, list.scenes.end());
  EXPECT_EQ(scene->images.size(), 1u);
  EXPECT_EQ(scene->details.size(), 2u) << "poses from one tree, mesh tables from the other";
  EXPECT_TRUE(list.camera_parameters.has_value());
  EXPECT_TRUE(list.find({"ai_037_002", "cam_00", 0}).has_value());
  EXPECT_TRUE(list.find({"ai_001_001", "cam_00", 0}).has_value()) << "only previews";
  const Json json = Json::parse(scene_json(list, static_cast<std::size_t>(scene - list.scenes.begin())));
  EXPECT_EQ(json["cameras"][0]["frames"].size(), 100u);
  EXPECT_FALSE(json["lens"]["assumed"].get<bool>());
  EXPECT_GT(json["meters_per_unit"].get<double>(), 0);
  EXPECT_TRUE(json["problems"].empty()) << json["problems"];
}

std::string manifest_of(const std::vector<FrameName>& frames, bool complete) {
  std::string text = manifest_line(DatasetRecord{.version = "1", .config_sha256 = {}, .seed = 1, .scenes = 1, .cameras = 1, .frames = 1, .width = 8, .height = 6, .complete = complete});
  for (const FrameName& name : frames) {
    FrameRecord record;
    record.name = name;
    record.max_identity_error_steps = 0.5;
    text += manifest_line(record);
    text += manifest_line(FileRecord{.path = label_path(name, Label::color), .bytes = 1, .sha256 = "x", .seed = 1, .config_sha256 = "x", .version = "1", .seconds = 1});
  }
  return text;
}

TEST(ListFrames, TakesTheManifestsWordAndAddsWhatIsOnDiskWhileItIsIncomplete) {
  const TempDir dir;
  test::write_small_set(dir.path());
  const std::vector<FrameName> listed = {{"ai_900_001", "cam_00", 0}, {"ai_900_001", "cam_00", 7}, {"ai_900_002", "cam_00", 1}};
  write_text_atomically(dir.path() / "manifest.jsonl", manifest_of(listed, true));
  FrameList list = list_frames(dir.path());
  ASSERT_EQ(list.frames.size(), 3u) << "frame 7 is listed though it is not on disk; frame 1 of the first scene is not listed";
  EXPECT_EQ(frame_key(list.name(1)), "ai_900_001/cam_00/0007");
  ASSERT_TRUE(list.frames[0].record.has_value());
  EXPECT_EQ(list.frames[0].record->max_identity_error_steps, 0.5);
  write_text_atomically(dir.path() / "manifest.jsonl", manifest_of(listed, false));
  list = list_frames(dir.path());
  EXPECT_EQ(list.frames.size(), 5u);
  EXPECT_EQ(std::count_if(list.frames.begin(), list.frames.end(), [](const FrameEntry& f) { return f.record.has_value(); }), 3);
}

TEST(ListFrames, ADamagedManifestIsAProblemNotTheEnd) {
  const TempDir dir;
  test::write_small_set(dir.path());
  write_text_atomically(dir.path() / "manifest.jsonl", "{\"record\":\"frame\"\n" + manifest_of({{"ai_900_001", "cam_00", 0}}, true));
  const FrameList list = list_frames(dir.path());
  EXPECT_EQ(list.frames.size(), 4u);
  ASSERT_EQ(list.problems.size(), 1u);
  EXPECT_THAT(list.problems[0], HasSubstr("manifest.jsonl"));
}

/// The payload of a packed text, as the page reads it.
std::pair<Json, std::vector<std::uint8_t>> unpacked(const std::string& packed, std::size_t size) {
  EXPECT_EQ(packed.substr(0, 4), "SIM1");
  std::uint32_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(packed[static_cast<std::size_t>(4 + i)]);
  std::vector<std::uint8_t> payload(size);
  std::size_t got = 0;
  libdeflate_decompressor* inflate = libdeflate_alloc_decompressor();
  EXPECT_EQ(libdeflate_zlib_decompress(inflate, packed.data() + 8 + length, packed.size() - 8 - length, payload.data(), size, &got), LIBDEFLATE_SUCCESS);
  libdeflate_free_decompressor(inflate);
  EXPECT_EQ(got, size);
  return {Json::parse(packed.substr(8, length)), payload};
}

TEST(Pack, HoldsTheBytesOfThePlaneBySignificance) {
  const TempDir dir;
  test::write_small_set(dir.path());
  const hdf5::Array plane = read_plane(dir.path() / label_path({"ai_900_001", "cam_00", 1}, Label::depth_meters));
  const auto [header, payload] = unpacked(pack(plane), plane.bytes.size());
  EXPECT_EQ(header["dtype"], "float16");
  EXPECT_EQ(header["shape"], (std::vector<std::size_t>{6, 8}));
  const std::size_t count = plane.size();
  for (std::size_t p = 0; p < count; ++p) {
    const auto bits = static_cast<std::uint16_t>(payload[p] | payload[count + p] << 8);
    EXPECT_EQ(float_from_half(bits), test::small_depth(1, p));
  }
}

TEST(ReadPlane, RefusesWhatIsNoPictureOrTooLarge) {
  const TempDir dir;
  test::write_array<float>(dir.path() / "line.hdf5", hdf5::Element::f32, {1, 1, 5}, std::vector<float>(5));
  EXPECT_THAT(test::message_of([&] { read_plane(dir.path() / "line.hdf5"); }), HasSubstr("is no picture"));
  const std::vector<std::uint8_t> bytes(20000);
  hdf5::write(dir.path() / "wide.hdf5", hdf5::Element::u8, std::vector<std::size_t>{1, 20000}, std::as_bytes(std::span(bytes)));
  EXPECT_THAT(test::message_of([&] { read_plane(dir.path() / "wide.hdf5"); }), HasSubstr("more than can be shown"));
}

TEST(PixelReaders, ReadOnePixelOfEachLabelAndNoticeChanges) {
  const TempDir dir;
  test::write_small_set(dir.path());
  const FrameList list = list_frames(dir.path());
  PixelReaders readers;
  const Json pixel = Json::parse(pixel_json(list, 1, 3, 2, readers));
  EXPECT_EQ(pixel["depth_meters"][0].get<double>(), test::small_depth(1, 2 * test::kSmallWidth + 3));
  EXPECT_EQ(pixel["color"].size(), 3u);
  EXPECT_EQ(pixel["semantic"][0].get<int>(), 5);
  EXPECT_THAT(Json::parse(pixel_json(list, 1, 8, 2, readers))["semantic"]["problem"].get<std::string>(), HasSubstr("there is no pixel (8, 2) in 8 x 6"));
  std::ofstream(label_file(list, 1, "semantic")) << "no longer HDF5";
  EXPECT_THAT(Json::parse(pixel_json(list, 1, 3, 2, readers))["semantic"]["problem"].get<std::string>(), HasSubstr("semantic.hdf5"));
}

TEST(FrameJson, NamesWhatIsDamaged) {
  const TempDir dir;
  test::write_small_set(dir.path());
  const FrameList list = list_frames(dir.path());
  fs::resize_file(label_file(list, 0, "color"), 700);
  PixelReaders readers;
  const Json frame = Json::parse(frame_json(list, 0, readers));
  EXPECT_THAT(frame["labels"]["color"]["problem"].get<std::string>(), HasSubstr("frame.0000.color.hdf5"));
  EXPECT_EQ(frame["labels"]["depth_meters"]["shape"], (std::vector<std::size_t>{6, 8}));
}

TEST(Statistics, CountClassesAndDepths) {
  const TempDir dir;
  test::write_small_set(dir.path());
  const FrameList list = list_frames(dir.path());
  const FrameStatistics s = statistics_of(list, 1);
  EXPECT_FLOAT_EQ(s.near, test::small_depth(1, 0));
  EXPECT_FLOAT_EQ(s.far, test::small_depth(1, 47));
  ASSERT_EQ(s.classes.size(), 2u);
  EXPECT_EQ(s.classes[1].first, 5);
  EXPECT_NEAR(static_cast<double>(s.classes[1].second), 38.0 / 48, 1e-6);
  EXPECT_FALSE(s.damaged);
}

TEST(Findings, LeadToFrameLabelAndPixel) {
  const TempDir dir;
  test::write_small_set(dir.path());
  const FrameList list = list_frames(dir.path());
  const std::string path = label_path({"ai_900_002", "cam_00", 1}, Label::depth_meters);
  EXPECT_EQ(place_of(path, list).frame_idx, 3u);
  EXPECT_EQ(place_of("scenes/" + path, list).label, "depth_meters");
  EXPECT_EQ(place_of("ai_900_002/_detail/metadata_scene.csv", list).frame_idx, FindingPlace::npos);
  for (const char* odd : {"", "/", "ai_900_002/images", "ai_900_002/images/scene_cam_00_final_hdf5/frame.00", "a/images/b/frame.xxxx.color.hdf5"})
    EXPECT_EQ(place_of(odd, list).frame_idx, FindingPlace::npos) << odd;
  const Json json = Json::parse(findings_json({{"F5.depth", path, "a", "b", 2, 3}, {"F1.names", "x", "a", "b", -1, -1}}, 0, list));
  EXPECT_EQ(json[0]["frame"], 3);
  EXPECT_EQ(json[0]["column"], 3);
  EXPECT_TRUE(json[1]["frame"].is_null());
  EXPECT_FALSE(json[1].contains("row"));
}

TEST(Sets, FindTheSameFrameInAnotherSet) {
  const TempDir dir;
  test::write_small_set(dir.path() / "a");
  test::write_small_frame(dir.path() / "b", {"ai_900_001", "cam_00", 1});
  Sets sets;
  sets.lists.push_back(list_frames(dir.path() / "a"));
  sets.lists.push_back(list_frames(dir.path() / "b"));
  EXPECT_EQ(sets.frame_in(1, 1), 0u);
  EXPECT_EQ(sets.frame_in(1, 0), std::nullopt);
  EXPECT_EQ(Json::parse(index_json(sets))["sets"][1]["absent"], (std::vector<int>{0, 2, 3}));
}

TEST(Weights, AreReadByName) {
  const TempDir dir;
  write_text_atomically(dir.path() / "w.csv", "scene_name,camera_name,frame_id,weight\nai_900_001,cam_00,1,0.25\n");
  EXPECT_EQ(read_weights(dir.path() / "w.csv"), (FrameWeights{{"ai_900_001/cam_00/0001", 0.25}}));
  write_text_atomically(dir.path() / "odd.csv", "a,b\n1,2\n");
  EXPECT_THAT(test::message_of([&] { read_weights(dir.path() / "odd.csv"); }), HasSubstr("odd.csv"));
}

}  // namespace
}  // namespace simulacra::inspector
