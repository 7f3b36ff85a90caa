// SPDX-License-Identifier: Apache-2.0
// A transformer's features are its pooled token, under whatever names its weights come.
#include <torch/torch.h>

#include "sim2real/vit_features/vit_features.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "learning/nn/weights.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "sim2real/gap/distances.h"
#include "tests/sim2real/gap/pictures.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;
using namespace test;
using ::testing::HasSubstr;

nn::Model small_model(const char* pixels, double norm_eps = 1e-6) {
  torch::manual_seed(5);
  nn::ModelOptions o;
  o.vit.image_size = 32, o.vit.patch_size = 8, o.vit.dim = 128, o.vit.depth = 2, o.vit.heads = 2, o.vit.pixels = pixels, o.vit.norm_eps = norm_eps;
  o.tasks = {"depth"};
  nn::Model model(o);
  model->eval();
  return model;
}

TEST(VitFeatures, AreThePooledTokenOfThePicture) {
  const TempDir temp;
  nn::Model model = small_model("imagenet");
  nn::save_model(temp.path() / "model.safetensors", model);
  const gap::FeatureMap map = vit_features(temp.path());
  EXPECT_THAT(map.name, HasSubstr(temp.path().string()));
  const Plane image = soft_scenes(1, 32, 3, 0.02, 3)[0];   // of the transformer's own size: nothing is resampled
  const torch::NoGradGuard no_gradients;
  torch::Tensor x = torch::empty({1, 3, 32, 32});
  for (int r = 0; r < 32; ++r)
    for (int c = 0; c < 32; ++c)
      for (int k = 0; k < 3; ++k) x[0][k][r][c] = image.f[image.at(r, c, k)];
  const torch::Tensor expected = model->backbone()->pooled(model->backbone()->forward(x.clamp(0, 1)))[0];
  const std::vector<double> features = map.of(image);
  ASSERT_EQ(features.size(), 128u);
  for (std::int64_t i = 0; i < 128; ++i) EXPECT_NEAR(features[static_cast<std::size_t>(i)], expected[i].item<double>(), 1e-5);
}

TEST(VitFeatures, FilesOfTimmAndHuggingFaceGiveTheSame) {
  const TempDir temp;
  const Plane image = soft_scenes(1, 50, 1, 0.02, 3)[0];
  // The two differ in the epsilon of their norms.
  for (const auto& [naming, eps] : {std::pair{nn::Naming::timm, 1e-6}, std::pair{nn::Naming::hugging_face, 1e-12}}) {
    const nn::Model model = small_model("centered", eps);
    nn::save_model(temp.path() / "own.safetensors", model);
    nn::TensorFile file;
    for (const auto& [key, tensor] : nn::weights_of(model))
      if (key.starts_with("vit.")) file.tensors.emplace(key, tensor);
    file.tensors = nn::to_foreign_names(file.tensors, naming);
    nn::write_tensors(temp.path() / "foreign.safetensors", file);
    const std::vector<double> own = vit_features(temp.path() / "own.safetensors").of(image);
    EXPECT_THAT(vit_features(temp.path() / "foreign.safetensors").of(image), ::testing::Pointwise(::testing::DoubleNear(1e-5), own));
    EXPECT_NE(vit_features(temp.path() / "foreign.safetensors", "as_given").of(image), own) << "pixels count where no file tells them";
  }
  nn::Model model = small_model("centered");
  nn::save_model(temp.path() / "own.safetensors", model);
  nn::save_encoder(temp.path() / "encoder.safetensors", model->backbone());
  EXPECT_EQ(vit_features(temp.path() / "encoder.safetensors").of(image), vit_features(temp.path() / "own.safetensors").of(image));
}

TEST(VitFeatures, PicturesOfOtherSizesAreShrunkAndThreadsGiveTheSameBits) {
  const TempDir temp;
  nn::save_model(temp.path() / "model.safetensors", small_model("as_given"));
  const gap::FeatureMap map = vit_features(temp.path());
  // A smooth picture of four times the size, shrunk, is nearly the same: the features move far less than by another picture.
  const auto wave = [](int side, double turns) {
    return plane_of(side, side, 3, [=](int r, int c, int k) { return 0.5 + 0.2 * std::sin(turns * 6.28 * (c + 0.5) / side + k) + 0.2 * (r + 0.5) / side; });
  };
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
  };
  EXPECT_LT(distance(map.of(wave(128, 1)), map.of(wave(32, 1))), 0.1 * distance(map.of(wave(32, 2.5)), map.of(wave(32, 1))));
  const auto pictures = soft_scenes(6, 48, 3, 0.02, 9);
  EXPECT_EQ(gap::features_of(pictures, map, on_threads(2)).values, gap::features_of(pictures, map).values);
}

TEST(VitFeatures, WhatIsNoTransformerIsRefusedByName) {
  const TempDir temp;
  EXPECT_THAT(message_of([&] { vit_features(temp.path()); }), HasSubstr("neither model.safetensors nor encoder.safetensors"));
  EXPECT_THAT(message_of([&] { vit_features(temp.path() / "none"); }), HasSubstr("none: there is no such file"));
  write_text_atomically(temp.path() / "text.safetensors", "no tensors here");
  EXPECT_THROW(vit_features(temp.path() / "text.safetensors"), UsageError);
  EXPECT_THAT(message_of([&] { vit_features(temp.path() / "text.safetensors"); }), HasSubstr("text.safetensors"));
  nn::TensorFile file;
  file.tensors["vit.patch_embed.proj.weight"] = torch::zeros({128, 3, 8, 8});
  nn::write_tensors(temp.path() / "old.safetensors", file);
  EXPECT_THAT(message_of([&] { vit_features(temp.path() / "old.safetensors"); }), HasSubstr("old.safetensors: its metadata holds no options"));
  file.tensors.clear();
  file.tensors["patch_embed.proj.weight"] = torch::zeros({100, 3, 8, 8});
  nn::write_tensors(temp.path() / "odd.safetensors", file);
  EXPECT_THAT(message_of([&] { vit_features(temp.path() / "odd.safetensors"); }), HasSubstr("odd.safetensors: its width of 100 is no multiple of 64"));
}

}  // namespace
}  // namespace simulacra::sim2real
