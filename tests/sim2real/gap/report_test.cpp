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

ImageSet set_of(const std::string& name, std::vector<Plane> planes) {
  ImageSet set{name, std::move(planes), {}};
  for (std::size_t i = 0; i < set.images.size(); ++i) set.names.push_back(std::to_string(i) + ".png");
  return set;
}

GapOptions quick() {
  GapOptions o;
  o.patches = {.levels = 2, .patches = 500, .projections = 16};
  o.permutations = 49;
  return o;
}

TEST(Report, GrayIsNotComparedWithColor) {
  EXPECT_THROW(measure_gap(set_of("a", soft_scenes(8, 40, 1, 0.01, 1)), set_of("b", soft_scenes(8, 40, 3, 0.01, 1))), UsageError);
}

TEST(Report, FramesOfOneSceneAreNotTakenForIndependent) {
  // Six scenes a side; all frames of one are equally bright. Levels of both sides come from one distribution.
  const auto scenes = [](const char* name, std::uint64_t seed) {
    ImageSet set = set_of(name, {});
    for (std::size_t scene = 0; scene < 6; ++scene) {
      const double level = 0.25 + 0.5 * Random(seed, scene).uniform();
      for (Plane& p : noise_planes(6, 40, 1, level, 0.01, seed + 100 * scene)) {
        set.images.push_back(p), set.groups.push_back(scene), set.names.push_back(std::to_string(set.names.size()));
      }
    }
    return set;
  };
  ImageSet a = scenes("a", 1), b = scenes("b", 2);
  const Area grouped = measure_gap(a, b, quick()).distances.classifier;
  a.groups.clear(), b.groups.clear();
  const Area alone = measure_gap(a, b, quick()).distances.classifier;
  EXPECT_LT(alone.hi - alone.lo, 0.7 * (grouped.hi - grouped.lo));
  EXPECT_LT(grouped.lo, 0.5);
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
  // The synthetic set has no noise: its picture's deviation lies far below that of the real one.
  ASSERT_EQ(json["shifts"].size(), 18u);
  const auto noise = std::ranges::find(one.shifts, "noise", &FeatureShift::name);
  EXPECT_LT(noise->shift, -5);
  EXPECT_GE(std::abs(one.shifts[0].shift), std::abs(one.shifts[17].shift));
  EXPECT_THAT(gap_text(one), HasSubstr("classifier's area"));
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
