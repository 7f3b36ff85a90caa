// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "tests/support/message_of.h"
#include "tests/support/program.h"
#include "tests/tools/inspector/small_set.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using namespace test;
using ::testing::HasSubstr;

hdf5::Array plane(const std::vector<float>& values, std::size_t width) {
  hdf5::Array array{hdf5::Element::f32, {values.size() / width, width}, {}};
  const auto bytes = std::as_bytes(std::span(values));
  array.bytes.assign(bytes.begin(), bytes.end());
  return array;
}

TEST(Compare, CountsWhatIsBeyondTheToleranceAndNamesTheWorst) {
  const LabelComparison c = compare_planes(plane({1, 2, 3, 4, 5, 100}, 3), plane({1, 2.05f, 3.2f, 4, 5, 101}, 3), {0.1, 0.02});
  EXPECT_EQ(c.values, 6u);
  EXPECT_EQ(c.differing, 3u);
  EXPECT_EQ(c.over, 1u) << "3 and 3.2 by 0.2 > 0.1 + 0.064; 100 and 101 are within 0.1 + 2.02";
  ASSERT_TRUE(c.worst);
  EXPECT_EQ(c.worst->x, 2u);
  EXPECT_EQ(c.worst->y, 0u);
  EXPECT_NEAR(c.worst->difference, 0.2, 1e-6);
}

TEST(Compare, NaNEqualsNaNAndNothingElse) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compare_planes(plane({nan, inf}, 2), plane({nan, inf}, 2), {}).differing, 0u);
  const LabelComparison c = compare_planes(plane({1, inf, 2}, 3), plane({nan, -inf, 2}, 3), {1e9, 1});
  EXPECT_EQ(c.over, 2u) << "no tolerance covers these";
  EXPECT_THAT(message_of([] { compare_planes(plane({1, 2}, 2), plane({1, 2}, 1), {}); }), HasSubstr("[1, 2] and [2, 1]"));
}

TEST(Compare, IdsMustBeEqual) {
  EXPECT_EQ(default_tolerance("semantic").absolute, 0);
  EXPECT_EQ(default_tolerance("unheard_of").relative, 0);
  EXPECT_GT(default_tolerance("depth_meters").absolute, 0);
}

class CompareVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    write_small_set(dir_.path() / "a");
    fs::copy(dir_.path() / "a", dir_.path() / "b", fs::copy_options::recursive);
  }
  Outcome run(const std::string& arguments) { return run_program_in(dir_.path(), SIMULACRA_PROGRAM, "diff " + arguments); }
  TempDir dir_;
};

TEST_F(CompareVerb, EqualSetsAgree) {
  const Outcome same = run("a b");
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr("4 frames agree"));
}

TEST_F(CompareVerb, OneChangedPixelIsFoundWithItsPlace) {
  const FrameName name{"ai_900_002", "cam_00", 1};
  std::vector<std::int16_t> semantic(kSmallWidth * kSmallHeight, 5);
  for (std::size_t p = 0; p < 10; ++p) semantic[p] = -1;
  semantic[kSmallWidth * 3 + 2] = 7;
  write_array(dir_.path() / "b" / label_path(name, Label::semantic), hdf5::Element::i16, {kSmallHeight, kSmallWidth}, semantic);
  const Outcome differs = run("a b --json");
  EXPECT_EQ(differs.exit_code, 1);
  const auto json = nlohmann::json::parse(differs.out);
  EXPECT_EQ(json["labels"]["semantic"]["over"], 1);
  EXPECT_EQ(json["labels"]["semantic"]["worst"]["frame"], "ai_900_002/cam_00/0001");
  EXPECT_EQ(json["labels"]["semantic"]["worst"]["x"], 2);
  EXPECT_EQ(json["labels"]["semantic"]["worst"]["y"], 3);
  EXPECT_EQ(json["labels"]["semantic"]["worst"]["b"], 7);
  EXPECT_EQ(json["labels"]["depth_meters"]["differing"], 0);
  EXPECT_EQ(run("a b --labels depth_meters,color").exit_code, 0) << "the changed label was left out";
  EXPECT_EQ(run("a b --frame ai_900_001/cam_00/0000").exit_code, 0) << "another frame";
  EXPECT_EQ(run("a b --tolerance semantic=2").exit_code, 0) << "within the tolerance given";
  const std::string file = label_path(name, Label::semantic);
  EXPECT_THAT(run("a/" + file + " b/" + file).out, HasSubstr("(2, 3): 5 and 7"));
}

TEST_F(CompareVerb, MissingAndDamagedFilesAreNamed) {
  fs::remove(dir_.path() / "b" / label_path({"ai_900_001", "cam_00", 0}, Label::color));
  fs::resize_file(dir_.path() / "b" / label_path({"ai_900_001", "cam_00", 1}, Label::depth_meters), 100);
  const Outcome differs = run("a b");
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_THAT(differs.out, HasSubstr("only in A   ai_900_001/cam_00/0000: color"));
  EXPECT_THAT(differs.out, HasSubstr("unreadable  ai_900_001/cam_00/0001: depth_meters"));
}

TEST_F(CompareVerb, WrongRequestsAreOneLine) {
  for (const char* wrong : {"a absent", "a b --tolerance depth_meters", "a b --tolerance nothing=1", "a b --tolerance color=-1",
                            "a b --frame ai_900_009/cam_00/0000"}) {
    const Outcome refused = run(wrong);
    EXPECT_EQ(refused.exit_code, 2) << wrong << refused.out;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
}

}  // namespace
}  // namespace simulacra::inspector
