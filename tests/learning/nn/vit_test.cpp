// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gmock/gmock.h>

#include <cmath>

#include "learning/nn/model.h"
#include "render/config/config.h"
#include "tests/support/message_of.h"

namespace simulacra::nn {
namespace {

using ::testing::HasSubstr;
using test::message_of;

VitOptions small_vit() {
  VitOptions o;
  o.image_size = 12, o.patch_size = 4, o.dim = 16, o.depth = 2, o.heads = 2, o.mlp_ratio = 2;
  return o;
}

/// Also biases and gains are drawn: at their start some terms would not be seen.
template <typename Module>
void shake(Module& module) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(5);
  for (torch::Tensor& p : module->parameters()) p.add_(torch::randn_like(p) * 0.2);
}

/// Every option that changes the arithmetic.
std::vector<std::pair<std::string, VitOptions>> variants() {
  std::vector<std::pair<std::string, VitOptions>> all;
  const auto add = [&](const char* name, auto change) {
    VitOptions o = small_vit();
    change(o);
    all.emplace_back(name, o);
  };
  add("softmax", [](auto&) {});
  add("no class token, registers", [](auto& o) { o.class_token = false, o.registers = 2; });
  add("class token and registers", [](auto& o) { o.registers = 2; });
  add("sincos, hybrid norm", [](auto& o) { o.position = "sincos", o.hybrid_norm = true; });
  add("rope2d, qk norm, gains", [](auto& o) { o.position = "rope2d", o.qk_norm = true, o.layer_scale = 0.5; });
  add("sigmoid -ln n", [](auto& o) { o.attention = "sigmoid"; });
  add("sigmoid fixed, no bias of qkv", [](auto& o) { o.attention = "sigmoid", o.sigmoid_bias = "fixed", o.sigmoid_bias_value = -2, o.qkv_bias = false; });
  add("sigmoid learnable, rope2d", [](auto& o) { o.attention = "sigmoid", o.sigmoid_bias = "learnable", o.position = "rope2d"; });
  return all;
}

// timm's numbers for vit_{tiny,small,base,large}_patch16_224, whose classifier has 1000 classes.
TEST(Vit, ParameterCountsAreThoseOfTimm) {
  for (const auto& [name, with_head, without] : {std::tuple{"tiny", 5717416, 5524416}, {"small", 22050664, 21665664},
                                                 {"base", 86567656, 85798656}}) {
    ModelOptions o;
    o.vit = vit_preset(name);
    EXPECT_EQ(count_parameters(*VisionTransformer(o.vit)), without) << name;
    o.image_classes = 1000;
    EXPECT_EQ(count_parameters(*Model(o)), with_head) << name;
  }
  EXPECT_EQ(vit_preset("large").depth, 24);
  EXPECT_THAT(message_of([] { vit_preset("huge"); }), HasSubstr("'huge'; there are tiny, small, base, large"));
}

TEST(Vit, ShapesFollowTheOptionsAndTheImage) {
  for (const auto& [name, o] : variants())
    for (const auto& [height, width] : {std::pair{12, 12}, {8, 20}}) {
      VisionTransformer vit(o);
      const std::int64_t patches = (height / 4) * (width / 4);
      const auto seen = vit->features(torch::randn({3, 3, height, width}), {0, 1});
      EXPECT_EQ(seen.tokens.sizes(), (at::IntArrayRef{3, o.prefix_tokens() + patches, 16})) << name;
      ASSERT_EQ(seen.maps.size(), 2u);
      EXPECT_EQ(seen.maps[0].sizes(), (at::IntArrayRef{3, 16, height / 4, width / 4})) << name;
      EXPECT_EQ(vit->pooled(seen.tokens).sizes(), (at::IntArrayRef{3, 16})) << name;
    }
}

/// Central differences along random directions of all inputs at once. With steps of 1e-5, rounding of values around 100 leaves
/// 1e-9 and the third derivative about as much, times its size; a missing term would be of the order of 1.
void check_gradient(const std::function<torch::Tensor()>& value, std::vector<torch::Tensor> inputs) {
  const std::vector<torch::Tensor> gradients = torch::autograd::grad({value()}, inputs);
  const torch::NoGradGuard no_grad;
  const double step = 1e-5;
  for (int direction = 0; direction < 3; ++direction) {
    double expected = 0;
    std::vector<torch::Tensor> along;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      along.push_back(torch::randn_like(inputs[i]));
      expected += (gradients[i] * along[i]).sum().item<double>();
    }
    const auto shifted = [&](double by) {
      for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].add_(along[i], by);
      const double v = value().item<double>();
      for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].sub_(along[i], by);
      return v;
    };
    const double found = (shifted(step) - shifted(-step)) / (2 * step);
    EXPECT_NEAR(found, expected, 1e-6 * (1 + std::abs(expected)));
  }
}

TEST(Vit, GradientsAreThoseOfDifferences) {
  for (const auto& [name, o] : variants()) {
    SCOPED_TRACE(name);
    VisionTransformer vit(o);
    shake(vit);
    vit->to(torch::kDouble);
    torch::Tensor image = torch::randn({2, 3, 8, 12}, torch::kDouble).requires_grad_(true);
    const torch::Tensor weights = torch::randn({2, o.prefix_tokens() + 6, 16}, torch::kDouble);
    std::vector<torch::Tensor> inputs = vit->parameters();
    inputs.push_back(image);
    check_gradient([&] { return (vit->forward(image) * weights).sum(); }, inputs);
  }
}

TEST(Model, GradientsOfTheHeadsAreThoseOfDifferences) {
  ModelOptions o;
  o.vit = small_vit();
  o.tasks = {"depth", "normals", "semantics", "albedo", "shading"};
  o.decoder_width = 8, o.semantic_classes = 5, o.image_classes = 3;
  Model model(o);
  shake(model);
  model->to(torch::kDouble);
  const torch::Tensor image = torch::randn({2, 3, 12, 8}, torch::kDouble);
  const auto value = [&] {
    torch::Tensor sum = torch::zeros({}, torch::kDouble);
    for (const auto& [task, prediction] : model->forward(image)) sum = sum + (prediction * (0.3 + prediction)).sum();
    return sum;
  };
  check_gradient(value, model->parameters());
}

// The switch changes the attention and nothing else: the same parameters, other outputs.
TEST(Vit, PixelsAreBroughtToTheRangeThatIsAskedFor) {
  VitOptions o = vit_preset("tiny");
  o.image_size = 32, o.depth = 1;
  const torch::Tensor image = torch::rand({2, 3, 32, 32});
  const auto tokens = [&](const char* pixels, const torch::Tensor& x) {
    torch::manual_seed(1);
    o.pixels = pixels;
    return VisionTransformer(o)->forward(x);
  };
  EXPECT_TRUE(torch::equal(tokens("centered", image), tokens("as_given", 2 * image - 1)));
  // The mean color, one standard deviation brighter in green.
  const torch::Tensor mean = torch::tensor({0.485f, 0.456f + 0.224f, 0.406f}).view({1, 3, 1, 1}).expand({1, 3, 32, 32});
  const torch::Tensor green = torch::tensor({0.f, 1.f, 0.f}).view({1, 3, 1, 1}).expand({1, 3, 32, 32});
  EXPECT_TRUE(torch::allclose(tokens("imagenet", mean), tokens("as_given", green), 1e-5, 1e-5));
}

TEST(Vit, AttentionIsASwitch) {
  VitOptions soft = small_vit(), sigmoid = small_vit();
  sigmoid.attention = "sigmoid";
  VisionTransformer a(soft), b(sigmoid);
  const torch::NoGradGuard no_grad;
  shake(a);
  for (auto& item : b->named_parameters()) item.value().copy_(a->named_parameters()[item.key()]);
  ASSERT_EQ(a->parameters().size(), b->parameters().size());
  const torch::Tensor image = torch::randn({2, 3, 12, 12});
  EXPECT_GT((a->forward(image) - b->forward(image)).abs().max().item<float>(), 1e-3f);
}

// Written out with the formula of the spec, in double.
TEST(Vit, SigmoidAttentionIsTheFormula) {
  for (const auto& bias : {"minus_ln_n", "fixed", "learnable"}) {
    VitOptions o = small_vit();
    o.attention = "sigmoid", o.sigmoid_bias = bias, o.sigmoid_bias_value = -1.5;
    Attention attention(o);
    shake(attention);
    attention->to(torch::kDouble);
    auto p = attention->named_parameters();
    const torch::Tensor x = torch::randn({2, 7, 16}, torch::kDouble);
    const auto qkv = torch::linear(x, p["qkv.weight"], p["qkv.bias"]).view({2, 7, 3, 2, 8}).permute({2, 0, 3, 1, 4});
    torch::Tensor b = torch::full({2}, std::string(bias) == "fixed" ? -1.5 : -std::log(7.0), torch::kDouble);
    if (p.contains("bias")) b = p["bias"];
    const auto weights = torch::sigmoid(qkv[0].matmul(qkv[1].transpose(-1, -2)) / std::sqrt(8.0) + b.view({2, 1, 1}));
    const auto expected = torch::linear(weights.matmul(qkv[2]).transpose(1, 2).reshape({2, 7, 16}), p["proj.weight"], p["proj.bias"]);
    EXPECT_TRUE(torch::allclose(attention->forward(x, {}), expected, 1e-11, 1e-12)) << bias;
  }
}

TEST(Positions, RopeKeepsLengthsAndSeesDifferencesOnly) {
  const auto exact = torch::TensorOptions(torch::kDouble);
  const Grid grid{5, 7};
  const Rotation r = rope2d(grid, 16, 10000, exact);
  torch::manual_seed(2);
  const torch::Tensor q = torch::randn({16}, exact), k = torch::randn({16}, exact);
  const auto everywhere = [&](const torch::Tensor& x) { return rotated(x.expand({1, 1, grid.count(), 16}), r)[0][0]; };
  const torch::Tensor qs = everywhere(q), ks = everywhere(k), scores = qs.mm(ks.t());
  EXPECT_TRUE(torch::allclose(qs.norm(2, 1), q.norm().expand({grid.count()}), 1e-13, 1e-13));
  EXPECT_TRUE(torch::allclose(qs[0], q));
  const auto at = [&](int row, int column) { return row * 7 + column; };
  const auto score = [&](int a, int b) { return scores[a][b].item<double>(); };
  EXPECT_NEAR(score(at(0, 0), at(2, 3)), score(at(2, 1), at(4, 4)), 1e-12);   // the same step
  EXPECT_GT(std::abs(score(at(0, 0), at(2, 3)) - score(at(0, 0), at(3, 2))), 1e-3);  // rows are no columns
  EXPECT_GT(std::abs(score(at(0, 0), at(2, 3)) - score(at(2, 3), at(0, 0))), 1e-3);  // nor is there no direction
}

TEST(Positions, TokensBeforeThePatchesAreNotTurned) {
  const torch::Tensor x = torch::randn({1, 2, 9, 8});
  const torch::Tensor y = rotated(x, rope2d({2, 3}, 8, 100, x.options()));
  EXPECT_TRUE(torch::equal(x.slice(2, 0, 4), y.slice(2, 0, 4)));  // three of them, and the patch at 0, 0
  EXPECT_GT((x - y).slice(2, 4).abs().amax(3).min().item<float>(), 0.f);
}

TEST(Positions, SinesOfAPlaceDoNotDependOnTheGrid) {
  const torch::Tensor a = sincos_positions({3, 4}, 8, torch::kDouble), b = sincos_positions({6, 9}, 8, torch::kDouble);
  EXPECT_TRUE(torch::allclose(a.view({3, 4, 8}), b.view({6, 9, 8}).slice(0, 0, 3).slice(1, 0, 4)));
  EXPECT_NEAR(b[1 * 9 + 2][0].item<double>(), std::sin(2.0), 1e-15);
  EXPECT_NEAR(b[1 * 9 + 2][4].item<double>(), std::sin(1.0), 1e-15);
  EXPECT_NEAR(b[1 * 9 + 2][7].item<double>(), std::cos(0.01), 1e-15);
}

// What any interpolation keeps: constants, symmetry between rows and columns, the tokens before the map. The values are
// those of transformers in weights_test.cpp.
TEST(Positions, ResampledTheyKeepConstantsAndAxes) {
  torch::manual_seed(4);
  const torch::Tensor first = torch::full({1, 1, 2}, 9.0, torch::kDouble), map = torch::randn({1, 4, 6, 2}, torch::kDouble);
  const auto resampled = [&](const torch::Tensor& m, Grid to) {
    return resampled_positions(torch::cat({first, m.flatten(1, 2)}, 1), 1, {m.size(1), m.size(2)}, to);
  };
  const torch::Tensor big = resampled(map, {7, 9});
  EXPECT_EQ(big.sizes(), (at::IntArrayRef{1, 1 + 63, 2}));
  EXPECT_TRUE(torch::equal(big.slice(1, 0, 1), first));
  const torch::Tensor turned = resampled(map.transpose(1, 2), {9, 7}).slice(1, 1).view({1, 9, 7, 2});
  EXPECT_TRUE(torch::allclose(turned.transpose(1, 2), big.slice(1, 1).view({1, 7, 9, 2}), 1e-12, 1e-12));
  EXPECT_TRUE(torch::allclose(resampled(torch::full({1, 4, 6, 2}, 3.0, torch::kDouble), {5, 5}).slice(1, 1),
                              torch::full({1, 25, 2}, 3.0, torch::kDouble), 1e-12, 1e-12));
  EXPECT_TRUE(torch::equal(resampled(map, {4, 6}).slice(1, 1), map.flatten(1, 2)));
}

TEST(Model, PredictionsAreWhatTheyAreSaidToBe) {
  ModelOptions o;
  o.vit = small_vit();
  o.tasks = {"depth", "normals", "semantics", "albedo", "shading"};
  o.decoder_width = 8;
  Model model(o);
  shake(model);
  Predictions out = model->forward(torch::randn({2, 3, 20, 16}));
  for (const auto& [task, channels] : {std::pair{"depth", 1}, {"normals", 3}, {"semantics", 40}, {"albedo", 3}, {"shading", 3}})
    EXPECT_EQ(out.at(task).sizes(), (at::IntArrayRef{2, channels, 20, 16})) << task;
  EXPECT_TRUE(torch::allclose(out.at("normals").norm(2, 1), torch::ones({2, 20, 16}), 1e-5, 1e-5));
  EXPECT_GE(out.at("albedo").min().item<float>(), 0);
  EXPECT_LE(out.at("albedo").max().item<float>(), 1);
  EXPECT_EQ(out.size(), 5u);
}

TEST(Model, WrongRequestsGiveOneLine) {
  VisionTransformer vit(small_vit());
  EXPECT_THAT(message_of([&] { vit->forward(torch::zeros({2, 3, 13, 12})); }),
              HasSubstr("the image is [2, 3, 13, 12], expected [batch, 3, height, width] with height and width multiples of 4"));
  EXPECT_THAT(message_of([&] { vit->forward(torch::zeros({2, 1, 12, 12})); }), HasSubstr("[2, 1, 12, 12]"));
  EXPECT_THAT(message_of([&] { vit->features(torch::zeros({1, 3, 12, 12}), {2}); }), HasSubstr("layer 2"));
  const auto refused = [](auto change) {
    ModelOptions o;
    o.vit = small_vit();
    o.tasks = {"depth"};
    change(o);
    return message_of([&] { Model model(o); });
  };
  EXPECT_THAT(refused([](auto& o) { o.tasks = {"dept"}; }), HasSubstr("'dept'; there are depth, normals"));
  EXPECT_THAT(refused([](auto& o) { o.tasks = {"depth", "depth"}; }), HasSubstr("twice"));
  EXPECT_THAT(refused([](auto& o) { o.tasks.clear(); }), HasSubstr("predicts nothing"));
  EXPECT_THAT(refused([](auto& o) { o.layers = {1, 0}; }), HasSubstr("layers = [1, 0]"));
  EXPECT_THAT(refused([](auto& o) { o.vit.heads = 3; }), HasSubstr("dim = 16 is no multiple of heads = 3"));
  EXPECT_THAT(refused([](auto& o) { o.vit.attention = "relu"; }), HasSubstr("attention = 'relu', expected one of softmax, sigmoid"));
  EXPECT_THAT(refused([](auto& o) { o.vit.position = "rope2d", o.vit.heads = 8; }), HasSubstr("multiple of 4"));
}

TEST(Model, OptionsRoundTripThroughYaml) {
  ModelOptions o, read;
  o.vit = small_vit();
  o.vit.attention = "sigmoid";
  o.tasks = {"depth", "normals"};
  config::read(config::parse_text(config::to_yaml(config::write(o)), "test"), read);
  EXPECT_EQ(config::to_yaml(config::write(read)), config::to_yaml(config::write(o)));
  EXPECT_EQ(read.tasks, o.tasks);
}

// A model that cannot learn eight pictures by heart has a wrong gradient or a blocked path.
TEST(Model, LearnsOneBatchByHeart) {
  torch::set_num_threads(1);  // the matrices are small
  torch::manual_seed(1);
  ModelOptions o;
  o.vit = small_vit();
  o.vit.attention = "sigmoid", o.vit.qk_norm = true;
  o.tasks = {"depth"};
  o.decoder_width = 16;
  Model model(o);
  const torch::Tensor image = torch::randn({8, 3, 12, 12}), target = torch::randn({8, 1, 3, 3}).repeat_interleave(4, 2).repeat_interleave(4, 3);
  torch::optim::Adam adam(model->parameters(), 3e-3);
  double first = 0, last = 0;
  for (int t = 0; t < 150; ++t) {
    adam.zero_grad();
    const torch::Tensor loss = (model->forward(image).at("depth") - target).pow(2).mean();
    loss.backward();
    adam.step();
    (t == 0 ? first : last) = loss.item<double>();
  }
  EXPECT_LT(last, 0.25 * first);
}

}  // namespace
}  // namespace simulacra::nn
