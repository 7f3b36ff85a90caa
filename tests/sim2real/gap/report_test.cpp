// SPDX-License-Identifier: Apache-2.0
// Folders in, numbers and a page out.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/texture/texture.h"
#include "sim2real/gap/report.h"
#include "tests/sim2real/gap/pictures.h"
#include "tests/support/shared_data.h"

namespace simulacra::gap {
namespace {

namespace fs = std::filesystem;
using namespace test;
using ::testing::HasSubstr;

void write_png(const fs::path& file, const Plane& p) {
  std::vector<std::uint8_t> bytes;
  for (const float v : p.f) bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(v, 0.0f, 1.0f))));
  write_file_atomically(file, encode_png(p.width, p.height, p.channels, bytes));
}

void write_set(const fs::path& folder, const std::vector<Plane>& planes) {
  fs::create_directories(folder);
  for (std::size_t i = 0; i < planes.size(); ++i) write_png(folder / (std::to_string(i) + ".png"), planes[i]);
}

ImageSet set_of(const std::string& name, std::vector<Plane> planes) {
  ImageSet set{name, std::move(planes), {}};
  for (std::size_t i = 0; i < set.images.size(); ++i) set.names.push_back(std::to_string(i) + ".png");
  return set;
}

std::string refusal(const fs::path& folder) {
  try {
    read_images(folder);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "none";
}

TEST(Folders, ValuesComeBackToAStep) {
  const TempDir temp;
  const auto planes = soft_scenes(8, 40, 3, 0.01, 1);
  write_set(temp.path(), planes);
  const ImageSet set = read_images(temp.path());
  ASSERT_EQ(set.images.size(), 8u);
  for (std::size_t i = 0; i < planes[3].f.size(); ++i) ASSERT_NEAR(set.images[3].f[i], planes[3].f[i], 0.5 / 255 + 1e-6);
}

TEST(Folders, WhatCannotBeMeasuredIsRefusedInOneLineThatNamesIt) {
  const TempDir temp;
  const auto folder = [&](const char* name) { return temp.path() / name; };
  EXPECT_THAT(refusal(folder("absent")), HasSubstr("absent: is no folder"));
  fs::create_directory(folder("empty"));
  EXPECT_THAT(refusal(folder("empty")), HasSubstr("empty: 0 PNG, JPEG or EXR pictures, but the gap meters need at least 8"));
  write_set(folder("torn"), soft_scenes(9, 40, 3, 0.01, 1));
  write_text_atomically(folder("torn") / "4.png", "no picture");
  EXPECT_THAT(refusal(folder("torn")), HasSubstr("4.png"));
  write_set(folder("tiny"), soft_scenes(8, 20, 3, 0.01, 1));
  EXPECT_THAT(refusal(folder("tiny")), HasSubstr("20 x 20 pixels, but the gap meters need at least 32 x 32"));
  write_set(folder("mixed"), soft_scenes(8, 40, 3, 0.01, 1));
  write_png(folder("mixed") / "5.png", soft_scenes(1, 40, 1, 0.01, 1)[0]);
  EXPECT_THAT(refusal(folder("mixed")), HasSubstr("5.png is gray"));
  for (const char* name : {"absent", "empty", "torn", "tiny", "mixed"}) EXPECT_EQ(refusal(folder(name)).find('\n'), std::string::npos);
}

TEST(Folders, GrayIsNotComparedWithColor) {
  EXPECT_THROW(measure_gap(set_of("a", soft_scenes(8, 40, 1, 0.01, 1)), set_of("b", soft_scenes(8, 40, 3, 0.01, 1))), UsageError);
}

GapOptions quick() {
  GapOptions o;
  o.patches = {.levels = 2, .patches = 500, .projections = 16};
  o.permutations = 49;
  return o;
}

TEST(Report, EqualSetsAreAtTheFloorAndNoisyOnesAreNot) {
  const ImageSet real = set_of("real", soft_scenes(40, 48, 3, 0.01, 1)), same = set_of("same", soft_scenes(40, 48, 3, 0.01, 900));
  const ImageSet noisy = set_of("noisy", soft_scenes(40, 48, 3, 0.03, 900));
  const Gap equal = measure_gap(same, real, quick()), apart = measure_gap(noisy, real, quick());
  EXPECT_LE(equal.distances.classifier.lo, 0.5);
  EXPECT_GE(equal.distances.classifier.hi, 0.5);
  EXPECT_GT(equal.distances.kernel.p, 0.02);
  EXPECT_GT(apart.distances.classifier.value, 0.99);
  EXPECT_DOUBLE_EQ(apart.distances.kernel.p, 1.0 / 50);
  // log2(0.0311/0.0111) = 1.5 octaves.
  EXPECT_NEAR(apart.distances.noise, 1.48, 0.2);
  EXPECT_LT(equal.distances.noise, 0.2);
  EXPECT_GT(apart.distances.patches[0], 10 * equal.distances.patches[0]);
}

TEST(Report, TheSameBitsOnAnyNumberOfThreadsAndAPageThatLoadsNothing) {
  const ImageSet real = set_of("a <real>", soft_scenes(12, 40, 3, 0.01, 1)), synthetic = set_of("s", soft_scenes(10, 40, 3, 0.0, 5));
  GapOptions options = quick();
  options.parallel = on_threads(2);
  const Gap two = measure_gap(synthetic, real, options), one = measure_gap(synthetic, real, quick());
  EXPECT_EQ(gap_json(two), gap_json(one));
  const auto json = nlohmann::json::parse(gap_json(one));
  EXPECT_EQ(json["distances"]["classifier_auc"]["value"], one.distances.classifier.value);
  EXPECT_TRUE(json["floor"].contains("noise_octaves"));
  const std::string page = gap_page(one, synthetic, real);
  EXPECT_THAT(page, HasSubstr("a &lt;real>"));
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_THAT(page, HasSubstr("data:image/png;base64,"));
}

// With GAP_PAGE set, a page of given photographs to look at.
TEST(Report, InteriorPhotographsAgainstFlatScenes) {
  SIM_NEED_SHARED_DATA(shared);
  ReadOptions few;
  few.most_images = 40;
  const ImageSet real = read_images(shared / "data/real/interior-crops", few), synthetic = set_of("waves", soft_scenes(40, 120, 3, 0.0, 5));
  GapOptions options = quick();
  options.patches.levels = 3;
  const Gap gap = measure_gap(synthetic, real, options);
  EXPECT_GT(gap.distances.classifier.value, 0.95);
  EXPECT_LT(gap.floor.classifier.lo, 0.5);
  EXPECT_GT(gap.distances.frechet, 3 * gap.floor.frechet);
  // Photographs of rooms: between -3.5 and -1.5 (Torralba and Oliva 2003).
  EXPECT_NEAR(gap.real.spectrum.slope, -2.5, 1);
  if (const char* file = std::getenv("GAP_PAGE")) write_text_atomically(file, gap_page(gap, synthetic, real));
}

}  // namespace
}  // namespace simulacra::gap
