// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/refinery.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include "dataset/audit/audit.h"
#include "dataset/frames/frame_index.h"
#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/manifest.h"
#include "learning/record/scalar_log.h"
#include "learning/train/checkpoint.h"
#include "render/base/cancelled.h"
#include "render/base/error.h"
#include "sim2real/refinery/refined_copy.h"
#include "sim2real/refinery/sources.h"
#include "tests/sim2real/refinery/small_set.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"

#include <nlohmann/json.hpp>

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using test::message_of;
using torch::Tensor;

/// One rendered set and one folder of photographs for all tests of this file.
struct Folders {
  Folders() {
    test::make_small_set(temp.path(), temp.path() / "data");
    test::make_photographs(temp.path() / "photos", 9, 72, 56, 3);
  }
  test::TempDir temp;
  fs::path operator/(const char* name) const { return temp.path() / name; }
};
const Folders& folders() {
  static const Folders made;
  return made;
}

RefineOptions options(std::initializer_list<const char*> sets = {}) {
  config::Node tree = config::parse_text(test::kSmallRefinement, "small.yaml");
  for (const char* set : sets) config::apply_set(tree, set);
  RefineOptions o;
  config::read(tree, o);
  o.data = (folders() / "data").string(), o.real = (folders() / "photos").string();
  return o;
}

RefineControl into(const fs::path& out) {
  RefineControl control;
  control.out = out, control.version = "1.0.0";
  return control;
}

std::map<std::string, std::string> tree(const fs::path& root) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), root).string()] = read_text_file(entry.path());
  return files;
}

std::vector<std::string> failures_of_audit(const fs::path& root) {
  std::vector<std::string> all;
  for (const AuditFailure& f : audit(root, {}).failures) all.push_back(f.check + " " + f.path + ": " + f.expected + ", found " + f.found);
  return all;
}

bool holds_light(const std::string& path) {
  for (const char* kind : {".color.", ".residual.", ".diffuse_illumination.", ".gamma.", ".lambertian.", ".diff.", ".tonemap.", ".non_lambertian."})
    if (path.find(kind) != std::string::npos) return true;
  return false;
}

void expect_only_light_changed(const fs::path& before, const fs::path& after) {
  const auto a = tree(before), b = tree(after);
  int changed = 0;
  for (const auto& [path, bytes] : a) {
    ASSERT_TRUE(b.contains(path)) << path;
    const bool same = b.at(path) == bytes;
    const bool may_change = holds_light(path) || path == "manifest.jsonl" || path == "CONVENTIONS.md";
    EXPECT_TRUE(same || may_change) << path;
    if (path.find(".color.hdf5") != std::string::npos && !same) ++changed;
  }
  EXPECT_EQ(changed, 3);
  EXPECT_EQ(b.size(), a.size() + 2) << "refinement.yaml and refinement.json";
}

TEST(Refinery, WritesACopyThatPassesTheAuditAndSaysWhatItIs) {
  const test::TempDir temp;
  const fs::path out = temp.path() / "refined";
  const RefineResult result = refine(options(), into(out));
  EXPECT_EQ(result.frames, 3u);
  EXPECT_TRUE(failures_of_audit(folders() / "data").empty());
  EXPECT_EQ(failures_of_audit(out), failures_of_audit(folders() / "data"));
  expect_only_light_changed(folders() / "data", out);

  const auto facts = nlohmann::json::parse(read_text_file(out / kRefinementFacts));
  EXPECT_EQ(facts.at("real"), "photos");
  EXPECT_EQ(facts.at("weights_sha256"), result.weights_sha256);
  EXPECT_GT(facts.at("drift").size(), 0u);
  EXPECT_THAT(read_text_file(out / "CONVENTIONS.md"), HasSubstr("## Refined"));
  const Manifest manifest = read_manifest(out / "manifest.jsonl");
  ASSERT_EQ(manifest.derivations.size(), 1u);
  EXPECT_EQ(manifest.derivations[0].what, "refined");
  for (const auto& [key, frame] : manifest.frames) EXPECT_LE(frame.max_identity_error_steps, 0.5) << key;
  EXPECT_FALSE(fs::exists(out.string() + ".partial"));
  EXPECT_THAT(read_text_file(result.page), HasSubstr("No limit of drift was passed"));
  EXPECT_EQ(read_curve(result.run, "refiner/adversarial").size(), 6u);
}

/// Color of frame 1 of a set, as stored.
std::vector<double> color_of(const fs::path& root) {
  const hdf5::Array array = hdf5::read(root / "ai_900_001/images/scene_cam_00_final_hdf5/frame.0001.color.hdf5");
  std::vector<double> values;
  for (std::size_t i = 0; i < array.size(); ++i) values.push_back(array.at(i));
  return values;
}

/// A copy in which each frame is what `change` makes of it.
std::vector<double> color_of_copy(const fs::path& out, const std::function<Tensor(const Tensor&)>& change) {
  const FrameIndex frames = scan_frames(folders() / "data");
  RefinedCopy copy(frames, out, options(), "a: 1\n", {"1.0.0", "", "photos", "", {}});
  WholeFrames whole(frames, options().input);
  for (std::size_t i = 0; i < frames.size(); ++i) copy.put(i, change(whole.next()));
  copy.finish();
  return color_of(out);
}

TEST(RefinedCopy, ColorIsTheDisplayValueAtTheFramesExposure) {
  const test::TempDir temp;
  const std::vector<double> before = color_of(folders() / "data");
  // Nothing changed: up to rounding of 32-bit display values and of float16, whose step is 1/1024 of a value at most.
  const std::vector<double> same = color_of_copy(temp.path() / "same", [](const Tensor& x) { return x; });
  for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(same[i], before[i], 1.5e-3 * before[i] + 1e-6) << i;
  // Display values at 0.8: radiance at 0.8^2.2, except what the display cuts off, which stays on top.
  const std::vector<double> dim = color_of_copy(temp.path() / "dim", [](const Tensor& x) { return 0.8 * (x + 1) - 1; });
  WholeFrames whole(scan_frames(folders() / "data"), options().input);
  whole.next();
  const Tensor shown = whole.next().squeeze(0).permute({1, 2, 0}).flatten().contiguous();
  int compared = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_LE(dim[i], before[i] * (1 + 1.5e-3) + 1e-6);
    if (shown.const_data_ptr<float>()[i] > 0.999f) continue;
    ASSERT_NEAR(dim[i], std::pow(0.8, 2.2) * before[i], 3e-3 * before[i] + 1e-6) << i;
    ++compared;
  }
  EXPECT_GT(compared, 64 * 48);
  EXPECT_EQ(failures_of_audit(temp.path() / "dim"), failures_of_audit(folders() / "data"));
}

TEST(Refinery, AStoppedRunEndsWithTheSameBytes) {
  const test::TempDir temp;
  refine(options(), into(temp.path() / "whole"));
  for (const std::int64_t stop_after : {30, 61, 66}) {   // in each of the three phases
    SCOPED_TRACE(stop_after);
    const fs::path out = temp.path() / ("stopped" + std::to_string(stop_after));
    std::atomic<bool> stop{false};
    RefineControl control = into(out);
    control.cancel = &stop;
    control.progress = [&](const learning::StepReport& r) { stop = r.step == stop_after; };
    EXPECT_THROW(refine(options(), control), Cancelled);
    EXPECT_FALSE(fs::exists(out));
    refine(options(), into(out));
    auto a = tree(temp.path() / "whole"), b = tree(out);
    a.erase("manifest.jsonl"), b.erase("manifest.jsonl");   // holds times
    EXPECT_TRUE(a == b);
    EXPECT_EQ(read_curve(out.string() + ".run", "discriminator/loss"), read_curve((temp.path() / "whole").string() + ".run", "discriminator/loss"));
  }
}

TEST(Refinery, StopsWhenLabelsMove) {
  // An untrained refiner without a regulariser makes other pictures: where edges are has nothing to do with where they were.
  const test::TempDir temp;
  const fs::path out = temp.path() / "refined";
  const RefineOptions o = options({"train.refiner_warmup=0", "loss.lambda=0", "drift.least_correlation=0.97", "drift.limit_px=0.05", "drift.every=2"});
  const std::string message = message_of([&] { refine(o, into(out)); });
  EXPECT_THAT(message, HasSubstr("labels moved at step 5"));
  EXPECT_FALSE(fs::exists(out));
  EXPECT_FALSE(fs::exists(out.string() + ".partial"));
  EXPECT_THAT(read_text_file(out.string() + ".run/page.html"), HasSubstr("Stopped: "));
  // Again the same, not past it.
  EXPECT_EQ(message_of([&] { refine(o, into(out)); }), message);
}

TEST(DriftMeter, KnowsAShiftFromABrighterPicture) {
  const RefineOptions o = options({"drift.limit_px=0.5", "drift.tail_limit_px=1.5", "drift.least_correlation=0.3"});
  const DriftMeter meter(scan_frames(folders() / "data"), o);
  const DriftReading brighter = meter.measure([](const Tensor& x) { return (0.8 * x + 0.1).clamp(-1, 1); });
  EXPECT_EQ(broken_limit(brighter, o.drift), "");
  const DriftReading moved = meter.measure([](const Tensor& x) { return torch::roll(x, {2}, {3}); });
  EXPECT_THAT(broken_limit(moved, o.drift), HasSubstr("drift.limit_px"));
  EXPECT_GE(moved.kinds[0].tiles, kLeastTiles);
  EXPECT_NEAR(moved.kinds[0].tail_px, 2, 0.7);   // tiles with a slanted edge alone say less or, by their corners, more
  const DriftReading gone = meter.measure([](const Tensor& x) { return torch::rand(x.sizes(), at::detail::createCPUGenerator(3)); });
  EXPECT_NE(broken_limit(gone, o.drift), "");
}

TEST(Refinery, CycleGanAndGlobalDiscriminatorRun) {
  const test::TempDir temp;
  refine(options({"method=cycle_gan", "train.rounds=2", "train.refiner_warmup=2", "input.noise=0.02"}), into(temp.path() / "cycle"));
  EXPECT_EQ(failures_of_audit(temp.path() / "cycle"), failures_of_audit(folders() / "data"));
  EXPECT_EQ(read_curve((temp.path() / "cycle").string() + ".run", "refiner/cycle").size(), 2u);
  refine(options({"network.discriminator=global", "network.name=gaze", "train.rounds=1", "train.refiner_warmup=1", "loss.keep=derivative", "train.history=0"}),
         into(temp.path() / "global"));
}

TEST(Refinery, DepthIsWrittenBesideTheExactOne) {
  const test::TempDir temp;
  const fs::path out = temp.path() / "refined";
  RefineOptions o = options({"input.kind=depth", "input.far_m=6", "network.name=hand", "train.rounds=2", "real_pictures.from=data_set"});
  o.real = o.data;   // another set of depth frames, whatever it is
  refine(o, into(out));
  EXPECT_EQ(failures_of_audit(out), failures_of_audit(folders() / "data"));
  const fs::path file = out / "ai_900_001/images/scene_cam_00_geometry_hdf5" / ("frame.0001." + std::string(kRefinedDepth) + ".hdf5");
  const hdf5::Array depth = hdf5::read(file);
  EXPECT_EQ(depth.shape, (std::vector<std::size_t>{48, 64}));
  for (std::size_t i = 0; i < depth.size(); ++i) ASSERT_TRUE(depth.at(i) >= o.input.near_m && depth.at(i) <= o.input.far_m + 1e-5) << depth.at(i);
  const auto a = tree(folders() / "data"), b = tree(out);
  for (const auto& [path, bytes] : a) EXPECT_TRUE(b.at(path) == bytes || path == "manifest.jsonl" || path == "CONVENTIONS.md") << path;
  EXPECT_TRUE(read_manifest(out / "manifest.jsonl").files.contains(fs::relative(file, out).string()));
}

TEST(Sources, DepthGoesThereAndBack) {
  InputOptions input{.kind = "depth", .near_m = 0.5, .far_m = 4.5};
  const Tensor metres = torch::tensor({0.5f, 2.5f, 4.5f, 9.f, 1.f}), valid = torch::tensor({true, true, true, true, false});
  const Tensor x = depth_to_range(metres, valid, input);
  EXPECT_TRUE(torch::allclose(x, torch::tensor({-1.f, 0.f, 1.f, 1.f, 1.f}))) << x;
  EXPECT_TRUE(torch::allclose(range_to_depth(x, input), torch::tensor({0.5f, 2.5f, 4.5f, 4.5f, 4.5f})));
}

TEST(Sources, RealBatchesGoOnFromAPosition) {
  const RefineOptions o = options({"real_pictures.exposure=tone_mapped"});
  const CropOptions crops{.batch = 4, .rows = 24, .columns = 40, .seed = 3};
  const auto a = open_real(o, crops), b = open_real(o, crops);
  for (int i = 0; i < 3; ++i) a->next();
  const Tensor position = a->position(), next = a->next();
  EXPECT_EQ(next.sizes(), (std::vector<std::int64_t>{4, 3, 24, 40}));
  b->seek(position);
  EXPECT_TRUE(torch::equal(b->next(), next));
  EXPECT_FALSE(torch::equal(b->next(), next));
  EXPECT_EQ(a->digest(), b->digest());
  EXPECT_NE(a->digest(), open_real(options(), crops)->digest());
}

/// The message of a refinement that must not begin.
std::string refusal(RefineOptions o, const fs::path& temp) {
  const fs::path out = temp / "refined";
  std::string message = "nothing was refused";
  try {
    refine(o, into(out));
  } catch (const UsageError& e) {
    message = e.what();
  }
  EXPECT_FALSE(fs::exists(out) || fs::exists(out.string() + ".partial") || fs::exists(out.string() + ".run")) << message;
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  return message;
}

TEST(Refinery, RefusesFoldersThatDoNotFitAndLeavesNothing) {
  const test::TempDir temp;
  const auto with_real = [&](const fs::path& real, std::initializer_list<const char*> sets = {}) {
    RefineOptions o = options(sets);
    o.real = real.string();
    return refusal(o, temp.path());
  };
  EXPECT_THAT(with_real(temp.path() / "nowhere"), HasSubstr("nowhere"));
  fs::create_directories(temp.path() / "empty");
  EXPECT_THAT(with_real(temp.path() / "empty"), HasSubstr("0 PNG"));
  test::make_photographs(temp.path() / "few", 3, 72, 56, 3);
  EXPECT_THAT(with_real(temp.path() / "few"), HasSubstr("at least 8"));
  test::make_photographs(temp.path() / "gray", 9, 72, 56, 1);
  EXPECT_THAT(with_real(temp.path() / "gray"), HasSubstr("gray, but color is refined"));
  test::make_photographs(temp.path() / "small", 9, 40, 33, 3);
  EXPECT_THAT(with_real(temp.path() / "small", {"train.rows=48", "train.columns=48"}), HasSubstr("smaller than a crop"));
  test::make_photographs(temp.path() / "corrupt", 9, 72, 56, 3);
  fs::resize_file(temp.path() / "corrupt/photo_04.png", 200);
  EXPECT_THAT(with_real(temp.path() / "corrupt"), HasSubstr("photo_04.png"));
  EXPECT_THAT(with_real(temp.path() / "gray", {"input.kind=depth", "network.name=hand"}), HasSubstr("8-bit"));
  EXPECT_THAT(with_real(folders() / "photos", {"train.rows=200", "train.columns=200"}), HasSubstr("do not fit frames"));
  EXPECT_THAT(with_real(folders() / "photos", {"method=dann"}), HasSubstr("features"));
  EXPECT_THAT(with_real(folders() / "photos", {"train.batch=5"}), HasSubstr("even"));
}

TEST(Refinery, RefusesDataThatDoesNotFitAndLeavesNothing) {
  const test::TempDir temp;
  RefineOptions o = options();
  fs::copy(folders() / "data", temp.path() / "colorless", fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(temp.path() / "colorless"))
    if (entry.path().filename().string().find(".color.hdf5") != std::string::npos) fs::remove(entry.path());
  o.data = (temp.path() / "colorless").string();
  EXPECT_THAT(refusal(o, temp.path()), HasSubstr("color"));
  o.data = (temp.path() / "nowhere").string();
  EXPECT_THAT(refusal(o, temp.path()), HasSubstr("nowhere"));
  // A refined copy is not refined again, nothing is written over, and not into the source.
  const fs::path once = temp.path() / "once";
  refine(options({"method=histogram_matching"}), into(once));
  o.data = once.string();
  EXPECT_THAT(refusal(o, temp.path()), HasSubstr("is a refined copy"));
  EXPECT_THAT(message_of([&] { refine(options({"method=histogram_matching"}), into(once)); }), HasSubstr("not empty"));
  EXPECT_THAT(message_of([&] { refine(options(), into(folders() / "data" / "inside")); }), HasSubstr("in one another"));
}

TEST(Refinery, AnotherRunInTheRunsFolderIsRefused) {
  const test::TempDir temp;
  refine(options({"method=histogram_matching"}), into(temp.path() / "a"));
  fs::remove_all(temp.path() / "a");
  EXPECT_THAT(message_of([&] { refine(options({"method=histogram_matching", "seed=2"}), into(temp.path() / "a")); }), HasSubstr("seed: "));
}

}  // namespace
}  // namespace simulacra::sim2real
