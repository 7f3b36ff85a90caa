// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/train.h"

#include <gmock/gmock.h>

#include <atomic>
#include <fstream>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "learning/record/scalar_log.h"
#include "learning/train/checkpoint.h"
#include "learning/train/model_files.h"
#include "learning/train/pretrain.h"
#include "learning/train/run_folder.h"
#include "render/base/cancelled.h"
#include "render/base/error.h"
#include "tests/learning/tensors/coded_set.h"
#include "tests/learning/train/small_run.h"
#include "tests/support/shared_data.h"

namespace simulacra::learning {
namespace {

using ::testing::HasSubstr;
using test::bytes_of;
using test::message_of;

TrainOptions small_training(const std::filesystem::path& data, std::initializer_list<const char*> sets = {}) {
  config::Node tree = config::parse_text(test::kSmallTraining, "small.yaml");
  for (const char* set : sets) config::apply_set(tree, set);
  TrainOptions o;
  config::read(tree, o);
  o.data = data.string();
  return o;
}

TrainControl into(const std::filesystem::path& folder) {
  TrainControl control;
  control.out = folder;
  return control;
}

class Training : public ::testing::Test {
 protected:
  void SetUp() override { test::write_coded_set(data_, {.scenes = 3, .frames = 4, .width = 64, .height = 48}); }
  const test::TempDir temp_;
  const std::filesystem::path data_ = temp_.path() / "data";
};

TEST_F(Training, LearnsWhatTheSetIs) {
  const TrainOptions o = small_training(data_, {"schedule.total=150", "tasks.normals=0", "tasks.semantics=0", "loader.random_crop=false",
                                                "loader.flip=0", "run.evaluate_every=0", "run.checkpoint_every=0", "average.rho=0"});
  train(o, into(temp_.path() / "run"));
  // The distance is a formula of the column alone, the same in every frame: what is left is a small share of the loss at first.
  const auto curve = read_curve(temp_.path() / "run", "train/loss");
  ASSERT_EQ(curve.size(), 150u);
  EXPECT_LT(curve.back().second, 0.2 * curve.front().second) << curve.front().second << " to " << curve.back().second;
}

TEST_F(Training, AStoppedRunEndsWithTheSameBits) {
  const TrainOptions o = small_training(data_);
  train(o, into(temp_.path() / "whole"));
  for (const std::int64_t stop_after : {1, 4, 5}) {
    SCOPED_TRACE(stop_after);
    const auto folder = temp_.path() / ("stopped" + std::to_string(stop_after));
    std::atomic<bool> stop{false};
    TrainControl control = into(folder);
    control.cancel = &stop;
    control.progress = [&](const StepReport& r) { stop = r.step == stop_after; };
    EXPECT_THROW(train(o, control), Cancelled);
    EXPECT_FALSE(std::filesystem::exists(folder / "model.safetensors"));
    train(o, into(folder));
    EXPECT_EQ(bytes_of(folder / "model.safetensors"), bytes_of(temp_.path() / "whole/model.safetensors"));
    EXPECT_EQ(read_curve(folder, "train/loss"), read_curve(temp_.path() / "whole", "train/loss"));
    EXPECT_EQ(read_curve(folder, "depth/abs_rel"), read_curve(temp_.path() / "whole", "depth/abs_rel"));
  }
}

TEST_F(Training, AccumulatedBatchesAreOneLargeBatch) {
  // In exact arithmetic equal; float32 sums in another order, over steps of an optimizer that divides by small numbers.
  train(small_training(data_, {"loader.batch_size=4", "run.accumulate=1"}), into(temp_.path() / "one"));
  train(small_training(data_, {"loader.batch_size=2", "run.accumulate=2"}), into(temp_.path() / "two"));
  const auto one = read_curve(temp_.path() / "one", "train/loss"), two = read_curve(temp_.path() / "two", "train/loss");
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(two[i].second, one[i].second, 1e-3 * one[i].second) << "step " << i + 1;
}

TEST_F(Training, AnotherRunInTheFolderIsRefusedWithWhatDiffers) {
  train(small_training(data_), into(temp_.path() / "run"));
  EXPECT_THAT(message_of([&] { train(small_training(data_, {"schedule.lr=0.5"}), into(temp_.path() / "run")); }), HasSubstr("lr: "));
  std::filesystem::remove(data_ / "ai_900_001/images/scene_cam_00_geometry_hdf5/frame.0000.depth_meters.hdf5");
  EXPECT_NE(message_of([&] { train(small_training(data_), into(temp_.path() / "run")); }), "");
}

TEST_F(Training, DamagedAndForeignCheckpointsAreNamed) {
  const TrainOptions o = small_training(data_);
  train(o, into(temp_.path() / "run"));
  const auto file = *newest_checkpoint(temp_.path() / "run");
  EXPECT_EQ(read_checkpoint(file, "train").step, 8);
  EXPECT_THAT(message_of([&] { read_checkpoint(file, "pretrain"); }), HasSubstr("'train', not of 'pretrain'"));
  EXPECT_THAT(message_of([&] { read_checkpoint(temp_.path() / "run/model.safetensors", "train"); }), HasSubstr("no checkpoint"));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THAT(message_of([&] { train(o, into(temp_.path() / "run")); }), HasSubstr(file.filename().string()));
}

TEST_F(Training, AChangedByteOfACheckpointIsNoticed) {
  const TrainOptions o = small_training(data_);
  train(o, into(temp_.path() / "run"));
  const auto file = *newest_checkpoint(temp_.path() / "run");
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(-100, std::ios::end);   // among the values, which are the end of the file
  const char other = static_cast<char>(bytes.get() ^ 1);
  bytes.seekp(-100, std::ios::end);
  bytes.put(other);
  bytes.close();
  EXPECT_THAT(message_of([&] { train(o, into(temp_.path() / "run")); }), ::testing::AllOf(HasSubstr("damaged"), HasSubstr("delete it")));
  std::filesystem::remove(file);
  train(o, into(temp_.path() / "run"));
}

TEST_F(Training, OnlyFilesNamedByAStepAreCheckpoints) {
  train(small_training(data_), into(temp_.path() / "run"));
  const auto folder = temp_.path() / "run/checkpoints";
  for (const char* name : {"step-zzzzzzzzz.safetensors", "step-9.safetensors", "step-000000009.safetensors.old"}) std::ofstream(folder / name) << "x";
  EXPECT_EQ(newest_checkpoint(temp_.path() / "run")->filename(), "step-000000008.safetensors");
}

TEST_F(Training, AFinishedRunIsLeftAsItIs) {
  const auto state = [&](const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files[entry.path().string()] = bytes_of(entry.path());
    return files;
  };
  const TrainResult first = train(small_training(data_), into(temp_.path() / "run"));
  const auto before = state(temp_.path() / "run");
  const TrainResult again = train(small_training(data_), into(temp_.path() / "run"));
  EXPECT_EQ(state(temp_.path() / "run"), before);
  EXPECT_EQ(again.scores.scalars(), first.scores.scalars());
}

TEST_F(Training, OneProcessWritesIntoAFolder) {
  const TrainOptions o = small_training(data_);
  std::string message;
  TrainControl control = into(temp_.path() / "run");
  control.progress = [&](const StepReport& r) { if (r.step == 3) message = message_of([&] { train(o, into(temp_.path() / "run")); }); };
  train(o, control);
  EXPECT_THAT(message, HasSubstr("another process"));
}

TEST_F(Training, AnotherNumberOfProcessesIsRefused) {
  train(small_training(data_), into(temp_.path() / "run"));
  Checkpoint c = read_checkpoint(*newest_checkpoint(temp_.path() / "run"), "train");
  EXPECT_EQ(c.processes, 1);
  c.processes = 2;
  write_checkpoint(temp_.path() / "run", c, 2);
  EXPECT_THAT(message_of([&] { train(small_training(data_), into(temp_.path() / "run")); }), HasSubstr("2 processes"));
}

TEST_F(Training, ATaskWithoutPixelsIsToldAndNoPixelsAreAnError) {
  for (int scene = 1; scene <= 3; ++scene)
    for (int frame = 0; frame < 4; ++frame)
      test::write_label(data_ / fmt::format("ai_900_{:03}/images/scene_cam_00_geometry_hdf5/frame.{:04}.depth_meters.hdf5", scene, frame),
                        Label::depth_meters, 64, 48, [](int, int, std::size_t) { return std::numeric_limits<double>::quiet_NaN(); });
  std::string said;
  TrainControl control = into(temp_.path() / "some");
  control.say = [&](const std::string& line) { said += line + '\n'; };
  train(small_training(data_), control);
  EXPECT_THAT(said, ::testing::AllOf(HasSubstr("no pixel of depth counted"), ::testing::Not(HasSubstr("normals"))));
  EXPECT_THAT(message_of([&] { train(small_training(data_, {"tasks.normals=0", "tasks.semantics=0"}), into(temp_.path() / "none")); }),
              HasSubstr("no pixel of depth counted"));
  EXPECT_FALSE(std::filesystem::exists(temp_.path() / "none/model.safetensors"));
}

TEST_F(Training, CurvesHaveTheLossOfEachTask) {
  train(small_training(data_), into(temp_.path() / "run"));
  const auto of = [&](const char* name) { return read_curve(temp_.path() / "run", name); };
  const auto all = of("train/loss"), depth = of("train/depth"), normals = of("train/normals"), semantics = of("train/semantics");
  ASSERT_EQ(depth.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i)   // the weights of kSmallTraining; the sum is taken in float32
    EXPECT_NEAR(all[i].second, depth[i].second + 0.5 * normals[i].second + 0.1 * semantics[i].second, 1e-5 * all[i].second);
}

TEST_F(Training, PathsAreTheSameFromEveryFolder) {
  const auto here = std::filesystem::current_path();
  EXPECT_EQ(settled_path("runs/./a/"), (here / "runs/a").string());
  EXPECT_EQ(settled_path("/data/x/../y/"), "/data/y");
  EXPECT_EQ(settled_path("/"), "/");
  EXPECT_EQ(settled_path(""), "");
  train(small_training(std::filesystem::relative(data_)), into(temp_.path() / "run"));
  train(small_training(data_ / ""), into(temp_.path() / "run"));   // no other run
}

TEST_F(Training, TheTrainedModelGivesTheScoresOfTheRun) {
  const TrainOptions o = small_training(data_);
  const TrainResult result = train(o, into(temp_.path() / "run"));
  nn::Model model = load_trained_model(temp_.path() / "run/model.safetensors", o);
  const Scores scores = evaluate(model, frames_of(o.data, o.split).held_back, o);
  EXPECT_EQ(scores.scalars(), result.scores.scalars());
  EXPECT_EQ(scores.frames, 4u);
  EXPECT_THAT(message_of([&] { load_trained_model(temp_.path() / "run/model.safetensors", small_training(data_, {"tasks.albedo=1"})); }),
              HasSubstr("albedo"));
}

TEST_F(Training, ADryRunWritesNothing) {
  TrainControl control = into(temp_.path() / "run");
  control.dry_run = true;
  std::string text;
  control.say = [&](const std::string& line) { text += line + '\n'; };
  train(small_training(data_), control);
  EXPECT_THAT(text, HasSubstr("parameters"));
  EXPECT_THAT(text, HasSubstr("[4, 3, 32, 32]"));
  EXPECT_FALSE(std::filesystem::exists(temp_.path() / "run"));
}

TEST_F(Training, RequestsThatMakeNoSenseAreRefused) {
  const auto message = [&](std::initializer_list<const char*> sets) {
    return message_of([&] { train(small_training(data_, sets), into(temp_.path() / "run")); });
  };
  EXPECT_THAT(message({"tasks.depth=0", "tasks.normals=0", "tasks.semantics=0"}), HasSubstr("tasks"));
  EXPECT_THAT(message({"loader.height=4096"}), HasSubstr("4096"));
  EXPECT_THAT(message({"run.start_from=/nowhere.safetensors"}), HasSubstr("run.start_from"));
  EXPECT_THAT(message({"model.vit.heads=3"}), HasSubstr("heads"));
  EXPECT_THAT(message({"loader.height=20"}), HasSubstr("loader.height: 20 is no multiple of the patch size 8"));
  EXPECT_THAT(message({"loader.width=0", "model.vit.patch_size=24", "model.vit.image_size=48", "loader.height=0"}), HasSubstr("loader.width: 64"));
  EXPECT_THAT(message({"model.vit.channels=1"}), HasSubstr("channels"));
  EXPECT_THAT(message({"model.semantic_classes=13"}), HasSubstr("semantic_classes"));
  EXPECT_THAT(message({"model.image_classes=10"}), HasSubstr("image_classes"));
  EXPECT_THAT(message({"model.vit.depth=200", "model.vit.dim=16384", "model.vit.heads=256"}), HasSubstr("this machine has"));
  EXPECT_THAT(message_of([&] { small_training(data_, {"schedule.totl=3"}); }), HasSubstr("total"));
  TrainOptions nowhere = small_training("/nowhere");
  EXPECT_THAT(message_of([&] { train(nowhere, into(temp_.path() / "run")); }), HasSubstr("/nowhere"));
  EXPECT_FALSE(std::filesystem::exists(temp_.path() / "run"));
}

constexpr const char* kSmallPretraining = R"(
loader: {batch_size: 4, views: 3, height: 32, width: 32, threads: 1, photometric: {brightness: 0.2}}
model: {image_size: 32, patch_size: 8, dim: 16, depth: 2, heads: 2, position: sincos, attention: sigmoid, class_token: false}
contrast: {hidden: 16, out: 8}
schedule: {lr: 3.0e-3, total: 6}
run: {log_every: 1, checkpoint_every: 2, precision: float32, threads: 1}
)";

TEST_F(Training, PretrainingGivesAnEncoderToStartFromAndResumesToTheSameBits) {
  PretrainOptions o;
  config::read(config::parse_text(kSmallPretraining, "pretrain.yaml"), o);
  o.data = data_.string();
  pretrain(o, into(temp_.path() / "whole"));
  std::atomic<bool> stop{false};
  TrainControl control = into(temp_.path() / "stopped");
  control.cancel = &stop;
  control.progress = [&](const StepReport& r) { stop = r.step == 3; };
  EXPECT_THROW(pretrain(o, control), Cancelled);
  pretrain(o, into(temp_.path() / "stopped"));
  const auto encoder = temp_.path() / "whole/encoder.safetensors";
  EXPECT_EQ(bytes_of(encoder), bytes_of(temp_.path() / "stopped/encoder.safetensors"));

  // The training begins with its weights: before a step, the encoders agree.
  const std::string start = "run.start_from=" + encoder.string();
  const TrainOptions with = small_training(data_, {start.c_str()}), without = small_training(data_);
  const auto first_kernel = [](nn::Model model) { return model->named_parameters()["vit.patch_embed.proj.weight"].clone(); };
  nn::Model pretrained = make_model(with);
  const std::string file = encoder.string();
  EXPECT_FALSE(torch::equal(first_kernel(pretrained), first_kernel(make_model(without))));
  nn::Model again = make_model(without);
  load_encoder(encoder, again);
  EXPECT_TRUE(torch::equal(first_kernel(pretrained), first_kernel(again)));
}

TEST_F(Training, AnEncoderOfOtherMeaningIsRefused) {
  PretrainOptions o;
  config::read(config::parse_text(kSmallPretraining, "pretrain.yaml"), o);
  o.data = data_.string();
  EXPECT_TRUE(pretrain(o, into(temp_.path() / "encoder")).took_steps);
  EXPECT_FALSE(pretrain(o, into(temp_.path() / "encoder")).took_steps);   // it had ended
  train(small_training(data_), into(temp_.path() / "trained"));
  for (const char* file : {"encoder/encoder.safetensors", "trained/model.safetensors"}) {
    const std::string start = "run.start_from=" + (temp_.path() / file).string();
    EXPECT_EQ(message_of([&] { make_model(small_training(data_, {start.c_str()})); }), "");
    for (const char* other : {"heads=4", "pixels=centered", "position=rope2d", "attention=softmax", "sigmoid_bias=fixed"}) {
      const std::string set = std::string("model.vit.") + other, key = std::string(other).substr(0, std::string(other).find('='));
      EXPECT_THAT(message_of([&] { make_model(small_training(data_, {start.c_str(), set.c_str()})); }), HasSubstr("with " + key + " = ")) << file;
    }
  }
  o.run.start_from = (temp_.path() / "trained/model.safetensors").string();
  EXPECT_THAT(message_of([&] { pretrain(o, into(temp_.path() / "x")); }), HasSubstr("run.start_from"));
}

TEST_F(Training, ViewsOfPlacesThatStandAloneAreTold) {
  const auto warnings_of = [&](const std::string& name, int scenes, int frames) {
    test::write_coded_set(temp_.path() / name, {.scenes = scenes, .frames = frames, .width = 64, .height = 48});
    PretrainOptions o;
    config::read(config::parse_text(kSmallPretraining, "pretrain.yaml"), o);
    o.loader.view_source = "places";
    o.data = (temp_.path() / name).string();
    std::string said;
    TrainControl control = into(temp_.path() / (name + "_run"));
    control.say = [&](const std::string& line) { said += line.starts_with("warning") ? line : ""; };
    pretrain(o, control);
    return said;
  };
  EXPECT_THAT(warnings_of("alone", 8, 1), HasSubstr("100 % of the views are of the same frame"));
  EXPECT_EQ(warnings_of("together", 2, 4), "");
}

TEST_F(Training, PlacesNeedPosesAndDepth) {
  test::write_coded_set(temp_.path() / "blind", {.scenes = 3, .frames = 4, .width = 64, .height = 48, .poses = false});
  PretrainOptions o;
  config::read(config::parse_text(kSmallPretraining, "pretrain.yaml"), o);
  o.loader.view_source = "places";
  o.data = (temp_.path() / "blind").string();
  EXPECT_THAT(message_of([&] { pretrain(o, into(temp_.path() / "x")); }), HasSubstr("view_source"));
  EXPECT_FALSE(std::filesystem::exists(temp_.path() / "x"));
  o.data = data_.string();
  EXPECT_TRUE(pretrain(o, into(temp_.path() / "x")).took_steps);
}

TEST_F(Training, PretrainingLeavesOutWhatATrainingHoldsBack) {
  PretrainOptions o;
  config::read(config::parse_text(kSmallPretraining, "pretrain.yaml"), o);
  o.data = data_.string();
  const auto frames = [&](const char* by) {
    std::string said;
    TrainControl control;
    control.dry_run = true;
    control.say = [&](const std::string& line) { if (line.starts_with("frames")) said = line; };
    o.split.by = by;
    pretrain(o, control);
    return said;
  };
  EXPECT_THAT(frames("scene"), HasSubstr(" 8, "));
  EXPECT_THAT(frames("none"), HasSubstr(" 12, "));
  EXPECT_THAT(message_of([&] { train(small_training(data_, {"split.by=none"}), {}); }), HasSubstr("it is for pretraining"));
}

}  // namespace
}  // namespace simulacra::learning
