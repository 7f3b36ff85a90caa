// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/options.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "render/base/files.h"
#include "sim2real/refinery/method.h"

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kRoot = SIMULACRA_SOURCE_DIR;

TEST(RefineOptions, EveryExampleMakesAMethod) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "configs/sim2real")) {
    if (!entry.path().filename().string().starts_with("refine_")) continue;
    RefineOptions o;
    config::read(config::parse_file(entry.path()), o);
    o.data = "a", o.real = "b";
    EXPECT_GT(make_method(o, o.train.rows, o.train.columns)->steps(), 0) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 5);
}

TEST(RefineOptions, TheTableOfKeysIsTheOneInTheReadme) {
  EXPECT_THAT(read_text_file(kRoot / "sim2real/refinery/README.md"), HasSubstr(config::document<RefineOptions>()));
}

TEST(RefineOptions, KeysReachTheNetworksAndTheLoss) {
  RefineOptions o;
  config::read(config::parse_text("network: {name: hand, all_filters_7: true, padding: reflect, slope: 0}\n"
                                  "loss: {lambda: 3, keep: derivative}\ninput: {kind: depth}\ntrain: {refiner_steps: 2, discriminator_steps: 3, history: 0}", "x"), o);
  const RefinerOptions r = refiner_options(o);
  EXPECT_EQ(r.block_filter, 7);
  EXPECT_EQ(r.image_channels, 1);
  EXPECT_EQ(r.padding, Padding::reflect);
  EXPECT_EQ(r.slope, 0);
  const TrainingOptions t = training_options(o, 224, 224);
  EXPECT_DOUBLE_EQ(t.lambda, lambda_for_sums(3, 224 * 224, 49));
  EXPECT_EQ(t.refiner_steps, 2);
  EXPECT_EQ(t.discriminator_steps, 3);
  EXPECT_EQ(t.history, 0);
  o.loss.lambda_of = "sums";
  EXPECT_EQ(training_options(o, 224, 224).lambda, 3);
  // Sums need no correction for a judgement of one cell; means do.
  o.network.discriminator = "global";
  EXPECT_EQ(training_options(o, 96, 96).lambda, 3);
  o.loss.lambda_of = "means";
  EXPECT_DOUBLE_EQ(training_options(o, 96, 96).lambda, lambda_for_sums(3, 96 * 96, 1));
}

}  // namespace
}  // namespace simulacra::sim2real
