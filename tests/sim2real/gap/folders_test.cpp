// SPDX-License-Identifier: Apache-2.0
// Folders and data sets in, pictures out.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>

#include "dataset/store/frame_files.h"
#include "render/base/error.h"
#include "sim2real/gap/images.h"
#include "tests/sim2real/gap/files.h"
#include "tests/sim2real/gap/pictures.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"

namespace simulacra::gap {
namespace {

namespace fs = std::filesystem;
using namespace test;
using ::testing::HasSubstr;

TEST(Folders, ValuesComeBackToAStepInTheOrderOfNames) {
  const TempDir temp;
  const auto planes = soft_scenes(9, 40, 3, 0.01, 1);
  write_set(temp.path(), planes);
  ReadOptions options;
  options.parallel = on_threads(2);
  const ImageSet set = read_images(temp.path(), options);
  ASSERT_EQ(set.images.size(), 9u);
  for (std::size_t image = 0; image < 9; ++image)
    for (std::size_t i = 0; i < planes[image].f.size(); ++i) ASSERT_NEAR(set.images[image].f[i], planes[image].f[i], 0.5 / 255 + 1e-6);
}

TEST(Folders, ALargerPictureIsItsMiddleAndALargerFolderASeededChoice) {
  const TempDir temp;
  write_set(temp.path(), std::vector<Plane>(20, plane_of(64, 48, 1, [](int r, int c, int) { return (2 * r + c) / 255.0; })));
  ReadOptions few;
  few.most_images = 10, few.most_side_px = 40;
  const ImageSet set = read_images(temp.path(), few), again = read_images(temp.path(), few);
  ASSERT_EQ(set.images.size(), 10u);
  EXPECT_EQ(set.names, again.names);
  EXPECT_EQ(std::pair(set.images[0].width, set.images[0].height), std::pair(40, 40));
  EXPECT_NEAR(set.images[0].f[0], (2 * 4 + 12) / 255.0, 1e-6);
  few.seed = 2;
  EXPECT_NE(read_images(temp.path(), few).names, set.names);
}

TEST(Folders, AnExrFileIsLinearLightUnderTheDisplayCurve) {
  const TempDir temp;
  write_set(temp.path(), soft_scenes(8, 40, 3, 0.01, 1));
  // 0.18 is displayed as 0.4614 (IEC 61966-2-1); light above 1 is white.
  write_exr_picture(temp.path() / "0.exr", plane_of(40, 40, 3, [](int r, int, int) { return r == 0 ? 7.0 : r == 1 ? 0.0 : 0.18; }));
  const ImageSet set = read_images(temp.path());
  ASSERT_EQ(set.names[0], "0.exr");
  const Plane& image = set.images[0];
  EXPECT_FLOAT_EQ(image.f[image.at(0, 5, 1)], 1);
  EXPECT_FLOAT_EQ(image.f[image.at(1, 5, 1)], 0);
  EXPECT_NEAR(image.f[image.at(20, 5, 2)], 0.4614, 2e-4);
}

TEST(Folders, WhatCannotBeMeasuredIsRefusedInOneLineThatNamesIt) {
  const TempDir temp;
  const auto folder = [&](const char* name) { return temp.path() / name; };
  const auto refusal = [&](const char* name) {
    const std::string message = message_of([&] { read_images(folder(name)); });
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message;
  };
  EXPECT_THAT(refusal("absent"), HasSubstr("absent: is no folder"));
  fs::create_directory(folder("empty"));
  EXPECT_THAT(refusal("empty"), HasSubstr("empty: 0 PNG, JPEG or EXR pictures, but at least 8 are needed"));
  write_set(folder("torn"), soft_scenes(9, 40, 3, 0.01, 1));
  write_text_atomically(folder("torn") / "4.png", "no picture");
  fs::resize_file(folder("torn") / "7.png", 90);
  EXPECT_THAT(refusal("torn"), HasSubstr("4.png")) << "the first by name";
  write_set(folder("tiny"), soft_scenes(8, 20, 3, 0.01, 1));
  EXPECT_THAT(refusal("tiny"), HasSubstr("20 x 20 pixels, but at least 32 x 32 are needed"));
  write_set(folder("mixed"), soft_scenes(8, 40, 3, 0.01, 1));
  write_png(folder("mixed") / "5.png", soft_scenes(1, 40, 1, 0.01, 1)[0]);
  EXPECT_THAT(refusal("mixed"), HasSubstr("5.png is gray"));
  for (const float odd : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    write_set(folder("odd"), soft_scenes(8, 40, 3, 0.01, 1));
    Plane hole = constant_plane(40, 40, 3, 0.5);
    hole.f[77] = odd;
    write_exr_picture(folder("odd") / "3.exr", hole);
    EXPECT_THAT(refusal("odd"), HasSubstr("3.exr: holds values that are not finite"));
  }
}

/// Frames of one camera in each of two scenes, with previews; pixels in the last column are empty.
void write_dataset(const fs::path& root, int frames) {
  for (const char* scene : {"ai_900_001", "ai_900_002"})
    for (int n = 0; n < frames; ++n) {
      Frame frame;
      frame.width = 96, frame.height = 64;
      Plane& color = frame.allocate(Label::color);
      Plane& id = frame.allocate(Label::render_entity_id);
      for (int r = 0; r < frame.height; ++r)
        for (int c = 0; c < frame.width; ++c) {
          const bool empty = c == frame.width - 1;
          id.i[id.at(r, c)] = empty ? -1 : 1;
          for (int k = 0; k < 3; ++k) color.f[color.at(r, c, k)] = empty ? 0 : static_cast<float>(c + 1) / 64 * static_cast<float>(n + 1);
        }
      for (const OutputFile& file : frame_files(frame, {scene, "cam_00", n}, {}, serial_for)) {
        fs::create_directories((root / file.path).parent_path());
        write_file_atomically(root / file.path, file.bytes);
      }
    }
}

TEST(DataSets, FramesAreToneMappedAsTheirPreviewsAndScenesAreGroups) {
  const TempDir temp;
  write_dataset(temp.path(), 5);
  EXPECT_TRUE(is_dataset(temp.path()));
  const ImageSet set = read_any_images(temp.path());
  ASSERT_EQ(set.images.size(), 10u);
  EXPECT_EQ(set.groups, (std::vector<std::size_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(set.names[6], "ai_900_002/cam_00/0001");
  // 95 columns of 64 equal pixels rise evenly; rank 0.9 * 6079 = 5471 lies in the 86th, which is shown as 0.8, and the x-th
  // as 0.8 (x / 86)^(1/2.2), whatever the exposure; 8 bits cut off up to 1/255.
  for (const std::size_t image : {std::size_t{0}, std::size_t{9}})
    for (const int c : {10, 50, 84}) {
      const double expected = 0.8 * std::pow((c + 1) / 86.0, 1 / 2.2);
      EXPECT_NEAR(set.images[image].f[set.images[image].at(30, c, 1)], expected - 0.5 / 255, 0.6 / 255) << c;
    }
  const Picture preview = read_picture(temp.path() / preview_path({"ai_900_001", "cam_00", 0}, Preview::tonemap));
  double difference = 0;
  for (std::size_t i = 0; i < preview.pixels.size(); ++i)
    difference += std::abs(static_cast<double>(preview.pixels[i] - set.images[0].f[i])) / static_cast<double>(preview.pixels.size());
  EXPECT_LT(difference, 2.0 / 255) << "a JPEG of quality 90 of a smooth picture";
}

TEST(DataSets, TooFewFramesOrADamagedOneAreRefused) {
  const TempDir temp;
  write_dataset(temp.path() / "few", 3);
  EXPECT_THAT(message_of([&] { read_any_images(temp.path() / "few"); }), HasSubstr("6 frames with color, but at least 8 are needed"));
  write_dataset(temp.path() / "torn", 4);
  fs::resize_file(temp.path() / "torn" / label_path({"ai_900_002", "cam_00", 1}, Label::color), 100);
  EXPECT_THROW(read_any_images(temp.path() / "torn"), UsageError);
  EXPECT_THAT(message_of([&] { read_any_images(temp.path() / "torn"); }), HasSubstr("frame.0001.color.hdf5"));
}

}  // namespace
}  // namespace simulacra::gap
