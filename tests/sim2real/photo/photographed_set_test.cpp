// SPDX-License-Identifier: Apache-2.0
#include "sim2real/photo/photographed_set.h"

#include <gmock/gmock.h>

#include "dataset/audit/audit.h"
#include "dataset/derive/derived_set.h"
#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/layout.h"
#include "dataset/store/tone_map.h"
#include "render/base/files.h"
#include "render/texture/texture.h"
#include "tests/dataset/derive/complete_set.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using test::message_of;

class PhotographedSet : public ::testing::Test {
 protected:
  void SetUp() override { test::write_complete_set(source_, 2, 96, 72); }
  fs::path take(const sensor::SensorOptions& sensor, const std::string& name) const {
    photograph_set(scan_frames(source_), sensor, {.out = temp_.path() / name, .version = "1.0", .config = "seed: 1\n"});
    return temp_.path() / name;
  }
  void expect_good(const fs::path& set) const {
    const AuditResult result = audit(set, {.skip = {"F15"}});
    EXPECT_TRUE(result.ok()) << audit_as_text(result);
    EXPECT_FALSE(result.incomplete);
  }
  const test::TempDir temp_;
  const fs::path source_ = temp_.path() / "set";
};

sensor::SensorOptions noisy() {
  sensor::SensorOptions s;
  s.camera.pixel.full_well_e = 800, s.camera.pixel.read_noise_e = 6;
  s.camera.blur.psf_sigma_px = 0.6;
  s.camera.develop.jpeg_quality = 80;
  return s;
}

TEST_F(PhotographedSet, PassesTheAuditAndKeepsLabelsByteForByteWithoutDistortion) {
  const fs::path out = take(noisy(), "photo");
  expect_good(out);
  const FrameName name{"ai_900_001", "cam_00", 1};
  for (const Label label : {Label::position, Label::semantic, Label::diffuse_reflectance, Label::depth_planar_meters})
    EXPECT_EQ(read_file(out / label_path(name, label)), read_file(source_ / label_path(name, label)));
  EXPECT_NE(read_file(out / label_path(name, Label::color)), read_file(source_ / label_path(name, Label::color)));
  EXPECT_FALSE(fs::exists(out / label_source_path("ai_900_001")));
}

TEST_F(PhotographedSet, AReadersToneMapShowsThePhotographUpToExposure) {
  const fs::path out = take(noisy(), "photo");
  const Frame frame = read_frame(scan_frames(out), 0, ~LabelSet{0});
  const Picture picture = read_picture(out / kPhotographs / "ai_900_001_cam_00_0000.png");
  const Plane& color = frame.plane(Label::color);
  ASSERT_EQ(picture.pixels.size(), color.f.size());
  // One factor for the whole frame, from its brightest values, explains all of them.
  double most_color = 0, most_shown = 0;
  for (std::size_t k = 0; k < color.f.size(); ++k)
    if (static_cast<double>(picture.pixels[k]) > most_shown) most_shown = static_cast<double>(picture.pixels[k]), most_color = static_cast<double>(color.f[k]);
  for (std::size_t k = 0; k < color.f.size(); ++k)
    ASSERT_NEAR(most_shown * std::pow(static_cast<double>(color.f[k]) / most_color, 1 / 2.2), picture.pixels[k], 1.5e-3) << k;
}

TEST_F(PhotographedSet, ALensMovesEveryLabelWithThePixels) {
  sensor::SensorOptions lens;
  lens.camera.lens.k1 = -0.2, lens.camera.lens.k2 = 0.03;
  lens.camera.pixel.full_well_e = 1e6, lens.camera.pixel.mosaic = "none", lens.camera.pixel.adc_bits = 16;
  lens.camera.develop.bits = 0;
  for (const double zoom : {0.0, 0.8}) {   // nothing beyond the render; much of it
    lens.camera.lens.zoom = zoom;
    const fs::path out = take(lens, "lens" + std::to_string(zoom));
    expect_good(out);
    const hdf5::Array source = hdf5::read(out / label_source_path("ai_900_001"));
    const FrameIndex before = scan_frames(source_), after = scan_frames(out);
    const Frame a = read_frame(before, 0, ~LabelSet{0}), b = read_frame(after, 0, ~LabelSet{0});
    std::size_t moved = 0, lost = 0;
    for (std::size_t p = 0; p < source.size(); ++p) {
      const auto from = static_cast<std::ptrdiff_t>(source.at(p));
      if (from < 0) {
        ++lost;
        EXPECT_EQ(b.plane(Label::render_entity_id).i[p], -1);
        EXPECT_TRUE(std::isnan(b.plane(Label::depth_meters).f[p]));
        continue;
      }
      const auto q = static_cast<std::size_t>(from);
      moved += q != p;
      EXPECT_EQ(b.plane(Label::semantic).i[p], a.plane(Label::semantic).i[q]);
      const float depth = a.plane(Label::depth_meters).f[q];
      if (!std::isnan(depth)) {
        EXPECT_EQ(b.plane(Label::depth_meters).f[p], depth);
      }
    }
    EXPECT_GT(moved, source.size() / 2);
    EXPECT_EQ(lost > 0, zoom == 0.8) << zoom;
  }
}

TEST_F(PhotographedSet, TheAuditFindsLabelsThatDidNotMove) {
  sensor::SensorOptions lens;
  lens.camera.lens.k1 = -0.2, lens.camera.lens.zoom = 0;
  const fs::path out = take(lens, "lens");
  fs::remove(out / label_source_path("ai_900_001"));
  const AuditResult result = audit(out, {.skip = {"F15", "M.files"}});
  EXPECT_FALSE(result.ok());
  const auto is_ray = [](const AuditFailure& f) { return f.check == "F6.ray"; };
  EXPECT_GT(std::ranges::count_if(result.failures, is_ray), 0);
}

TEST_F(PhotographedSet, TheSameSeedGivesTheSameBytesAndAnotherSeedOthers) {
  sensor::SensorOptions sensor = noisy();
  const fs::path a = take(sensor, "a"), b = take(sensor, "b");
  sensor.seed = 2;
  const fs::path c = take(sensor, "c");
  const std::string file = std::string(kPhotographs) + "/ai_900_001_cam_00_0001.png";
  EXPECT_EQ(read_file(a / file), read_file(b / file));
  EXPECT_NE(read_file(a / file), read_file(c / file));
  EXPECT_EQ(read_text_file(a / kManifestFile), read_text_file(b / kManifestFile));
}

TEST_F(PhotographedSet, ADepthSensorWritesItsDepthBesideTheExactOne) {
  sensor::SensorOptions sensor;
  sensor.depth.kind = "structured_light", sensor.depth.min_m = 0.1, sensor.depth.max_m = 20;
  const fs::path out = take(sensor, "depth");
  expect_good(out);
  const FrameName name{"ai_900_001", "cam_00", 0};
  std::string measured = label_path(name, Label::depth_planar_meters);
  measured.replace(measured.rfind("depth_planar_meters"), 19, kMeasuredDepth);
  const hdf5::Array a = hdf5::read(out / label_path(name, Label::depth_planar_meters)), b = hdf5::read(out / measured);
  std::size_t close = 0, both = 0;
  for (std::size_t p = 0; p < a.size(); ++p)
    if (!std::isnan(a.at(p)) && !std::isnan(b.at(p))) ++both, close += std::abs(a.at(p) - b.at(p)) < 0.2 * a.at(p);
  EXPECT_GT(both, a.size() / 2);
  EXPECT_GT(static_cast<double>(close), 0.9 * static_cast<double>(both));
}

TEST_F(PhotographedSet, RefusesWhatCannotBePhotographed) {
  sensor::SensorOptions lens;
  lens.camera.lens.k1 = -0.2, lens.camera.lens.zoom = 0;
  const fs::path out = take(lens, "lens");
  const auto refusal = [&](const fs::path& set, const sensor::SensorOptions& sensor) {
    return message_of([&] { photograph_set(scan_frames(set), sensor, {.out = temp_.path() / "no"}); });
  };
  EXPECT_THAT(refusal(out, lens), HasSubstr("moved pixels"));
  for (int i = 0; i < 2; ++i) fs::remove(source_ / label_path({"ai_900_001", "cam_00", i}, Label::depth_planar_meters));
  sensor::SensorOptions depth;
  depth.depth.kind = "time_of_flight";
  EXPECT_THAT(refusal(source_, depth), HasSubstr("depth_planar_meters"));
  EXPECT_FALSE(fs::exists(temp_.path() / "no"));
  EXPECT_FALSE(fs::exists(temp_.path() / "no.partial"));
}

}  // namespace
}  // namespace simulacra::sim2real
