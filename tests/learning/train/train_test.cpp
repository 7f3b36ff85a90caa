// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/train.h"

#include <gmock/gmock.h>

#include <atomic>

#include "learning/record/scalar_log.h"
#include "learning/train/checkpoint.h"
#include "learning/train/model_files.h"
#include "learning/train/pretrain.h"
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
  EXPECT_THAT(message_of([&] { small_training(data_, {"schedule.totl=3"}); }), HasSubstr("total"));
  TrainOptions nowhere = small_training("/nowhere");
  EXPECT_THAT(message_of([&] { train(nowhere, into(temp_.path() / "run")); }), HasSubstr("/nowhere"));
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
