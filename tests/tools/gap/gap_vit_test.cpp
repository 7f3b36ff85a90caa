// SPDX-License-Identifier: Apache-2.0
// `simulacra gap … --features vit`: simulacra hands it to the executable with LibTorch.
#include <torch/torch.h>

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "learning/nn/weights.h"
#include "tests/sim2real/gap/files.h"
#include "tests/sim2real/gap/pictures.h"
#include "tests/support/program.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using namespace test;
using ::testing::HasSubstr;

TEST(GapVerb, FeaturesOfATransformerTellColorsApart) {
  const TempDir dir;
  torch::manual_seed(3);
  nn::ModelOptions o;
  o.vit.image_size = 32, o.vit.patch_size = 8, o.vit.dim = 64, o.vit.depth = 2, o.vit.heads = 1;
  o.tasks = {"depth"};
  fs::create_directory(dir.path() / "run");
  nn::save_model(dir.path() / "run/model.safetensors", nn::Model(o));
  write_set(dir.path() / "a", soft_scenes(12, 48, 3, 0.01, 1));
  write_set(dir.path() / "b", soft_scenes(12, 48, 3, 0.01, 500));
  auto blue = soft_scenes(12, 48, 3, 0.01, 900);
  for (Plane& p : blue)
    for (std::size_t i = 0; i < p.f.size(); i += 3) p.f[i] *= 0.2f;
  write_set(dir.path() / "blue", blue);
  const auto run = [&](const std::string& arguments) { return run_program_in(dir.path(), SIMULACRA_PROGRAM, "gap " + arguments); };
  const Outcome same = run("a b --features vit run --json"), apart = run("blue b --features vit run/model.safetensors --json -o gap.html");
  ASSERT_EQ(same.exit_code, 0) << same.err;
  ASSERT_EQ(apart.exit_code, 0) << apart.err;
  const auto near = nlohmann::json::parse(same.out), far = nlohmann::json::parse(apart.out);
  EXPECT_EQ(near["features"], "ViT run");
  EXPECT_GT(far["distances"]["classifier_auc"]["value"], 0.95);
  EXPECT_LE(near["distances"]["classifier_auc"]["lo"], 0.5);
  EXPECT_GT(far["distances"]["features_frechet"], 3 * near["distances"]["features_frechet"].get<double>());
  EXPECT_LT(far["distances"]["features_kernel_mmd2"]["p"], 0.01);
  EXPECT_THAT(read_text_file(dir.path() / "gap.html"), HasSubstr("ViT run/model.safetensors"));

  write_text_atomically(dir.path() / "torn.safetensors", "no tensors");
  const auto before = names_below(dir.path());
  for (const char* wrong : {"a b --features vit absent", "a b --features vit torn.safetensors", "a b --features vit a", "a absent --features vit run"}) {
    const Outcome refused = run(std::string(wrong) + " -o page.html");
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_EQ(names_below(dir.path()), before) << wrong;
  }
}

}  // namespace
}  // namespace simulacra
