// SPDX-License-Identifier: Apache-2.0
#include "dataset/derive/derived_set.h"

#include <gmock/gmock.h>

#include <fstream>

#include "dataset/audit/audit.h"
#include "dataset/derive/light.h"
#include "render/base/files.h"
#include "render/base/half.h"
#include "tests/dataset/derive/complete_set.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using test::message_of;

constexpr LabelSet kLight = label_bit(Label::color) | label_bit(Label::diffuse_illumination) | label_bit(Label::residual);

DerivationNote note() { return {"darkened", "9.9", "dark.yaml", "share: 0.5\n", 4, "## Darkened\n\nBy half.\n"}; }

/// A copy of `source` with half its light.
void darken(const fs::path& source, const fs::path& out) {
  const FrameIndex index = scan_frames(source);
  DerivedSet set(index, out, kLight);
  for (std::size_t i = 0; i < index.size(); ++i) {
    Frame frame = read_frame(index, i, ~LabelSet{0});
    std::vector<float> half = frame.plane(Label::color).f;
    for (float& v : half) v *= 0.5f;
    replace_color(frame, half);
    set.put(i, frame);
  }
  set.finish(note());
}

TEST(SplitLight, KeepsTheIdentityAndTakesFromTheResidualFirst) {
  for (const float rho : {0.0f, 0.125f, round_to_half(0.73f), 1.0f})
    for (const float light : {0.0f, round_to_half(0.013f), 1.0f, 300.0f})
      for (const double radiance : {0.0, 1e-4, 0.02, 0.8, 5.0, 900.0}) {
        const SplitLight s = split_light(radiance, rho, light);
        const double sum = static_cast<double>(rho * s.illumination) + static_cast<double>(s.residual);
        EXPECT_GE(s.residual, 0);
        // Half a step of residual or color: 2^-11 of the value, or of the smallest normal number.
        EXPECT_NEAR(s.color, sum, 5e-4 * sum + 4e-8);
        // An illumination that was lowered is off by a whole step, times the reflectance: 2^-10.
        EXPECT_NEAR(s.color, radiance, 1.5e-3 * radiance + 1e-7);
        EXPECT_LE(s.illumination, light);
        EXPECT_TRUE(s.illumination == light || static_cast<double>(rho * light) > radiance);
      }
}

TEST(SplitLight, StaysBelowWhatTheFormatHolds) { EXPECT_LT(split_light(1e9, 0.5f, 2).color, kHalfMax); }

TEST(DerivedSet, ACopyPassesTheAuditAndTellsWhatMadeIt) {
  const test::TempDir temp;
  const fs::path source = temp.path() / "set", out = temp.path() / "dark";
  test::write_complete_set(source, 2, 96, 72);
  ASSERT_TRUE(audit(source, {.skip = {"F15"}}).ok());
  darken(source, out);

  const AuditResult result = audit(out, {.skip = {"F15"}});
  EXPECT_TRUE(result.ok()) << audit_as_text(result);
  EXPECT_FALSE(result.incomplete);
  EXPECT_FALSE(fs::exists(out.string() + ".partial"));
  const Manifest manifest = read_manifest(out / kManifestFile);
  ASSERT_EQ(manifest.derivations.size(), 1u);
  EXPECT_EQ(manifest.derivations[0].what, "darkened");
  EXPECT_EQ(manifest.derivations[0].source_sha256, digest_of_frames(scan_frames(source)));
  EXPECT_EQ(parse_manifest(manifest.text(), "again").text(), manifest.text());
  EXPECT_THAT(read_text_file(out / "CONVENTIONS.md"), HasSubstr("## Darkened"));
  EXPECT_EQ(read_text_file(out / "dark.yaml"), "share: 0.5\n");

  const Frame before = read_frame(scan_frames(source), 1, kLight), after = read_frame(scan_frames(out), 1, kLight);
  for (std::size_t k = 0; k < before.plane(Label::color).f.size(); ++k)
    ASSERT_NEAR(after.plane(Label::color).f[k], before.plane(Label::color).f[k] / 2, 1.5e-3 * static_cast<double>(before.plane(Label::color).f[k]));
}

TEST(DerivedSet, TheSourceStaysAsItWas) {
  const test::TempDir temp;
  const fs::path source = temp.path() / "set", out = temp.path() / "dark";
  test::write_complete_set(source, 1, 64, 48);
  const std::string manifest = read_text_file(source / kManifestFile);
  const auto color = read_file(source / label_path({"ai_900_001", "cam_00", 0}, Label::color));
  darken(source, out);
  EXPECT_EQ(read_text_file(source / kManifestFile), manifest);
  EXPECT_EQ(read_file(source / label_path({"ai_900_001", "cam_00", 0}, Label::color)), color);
  EXPECT_EQ(fs::hard_link_count(source / label_path({"ai_900_001", "cam_00", 0}, Label::position)), 2u);
  EXPECT_TRUE(audit(source, {.skip = {"F15"}}).ok());
}

TEST(DerivedSet, AFailureOnTheWayLeavesNothing) {
  const test::TempDir temp;
  const fs::path source = temp.path() / "set", out = temp.path() / "dark";
  test::write_complete_set(source, 2, 64, 48);
  fs::resize_file(source / label_path({"ai_900_001", "cam_00", 1}, Label::residual), 100);
  EXPECT_THAT(message_of([&] { darken(source, out); }), HasSubstr("frame.0001.residual.hdf5"));
  EXPECT_FALSE(fs::exists(out));
  EXPECT_FALSE(fs::exists(out.string() + ".partial"));
}

TEST(DerivedSet, RefusesFoldersThatCannotBeACopy) {
  const test::TempDir temp;
  const fs::path source = temp.path() / "set";
  test::write_complete_set(source, 1, 64, 48);
  const FrameIndex index = scan_frames(source);
  fs::create_directories(temp.path() / "full/something");
  std::ofstream(temp.path() / "file") << "x";
  const auto refusal = [&](const fs::path& out) { return message_of([&] { DerivedSet::check_request(index, out); }); };
  EXPECT_THAT(refusal(""), HasSubstr("give a folder"));
  EXPECT_THAT(refusal(temp.path() / "file"), HasSubstr("is a file"));
  EXPECT_THAT(refusal(temp.path() / "full"), HasSubstr("not empty"));
  EXPECT_THAT(refusal(source / "inside"), HasSubstr("lie in one another"));
  fs::create_directories(source / kStateFolder);
  EXPECT_THAT(refusal(temp.path() / "new"), HasSubstr("is not finished"));
}

}  // namespace
}  // namespace simulacra
