// SPDX-License-Identifier: Apache-2.0
// Labels of a batch against each other and the camera, after crop, flip and shrinking: a mirrored view must be what a
// camera sees in a mirrored room.
#include <torch/torch.h>

#include "learning/tensors/loader.h"

#include <gtest/gtest.h>

#include "tests/learning/tensors/room_set.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using torch::Tensor;

LoaderOptions room_options(const std::vector<std::string>& labels) {
  LoaderOptions o;
  o.labels = labels;
  o.batch_size = 2;
  o.height = 60;
  o.width = 80;
  o.threads = 0;
  o.seed = 3;
  return o;
}

/// [N, 3, H, W]: the ray of every pixel, of the image's own camera.
Tensor rays_of(const Batch& batch) {
  const std::int64_t h = batch.image.size(2), w = batch.image.size(3);
  const Tensor y = (torch::arange(h) + 0.5).view({h, 1}).expand({h, w}), x = (torch::arange(w) + 0.5).view({1, w}).expand({h, w});
  const Tensor pixel = torch::stack({x, y, torch::ones({h, w})}).view({3, h * w});
  return torch::matmul(batch.cam_from_pixel, pixel.to(torch::kFloat32)).view({-1, 3, h, w});
}

Tensor length_of(const Tensor& vectors) { return vectors.norm(2, 1, true); }

struct Case {
  double scale, flip;
};
class Geometry : public testing::TestWithParam<Case> {};

TEST_P(Geometry, DepthPositionsNormalsAndRaysAgree) {
  const test::TempDir temp;
  test::write_room_set(temp.path(), 2, 200, 150);
  // Without the stored planar depth it is computed: both ways must agree with positions.
  for (const bool computed : {false, true}) {
    FrameIndex index = scan_frames(temp.path());
    if (computed)
      for (FrameFacts& frame : index.frames) frame.labels &= ~label_bit(Label::depth_planar_meters);
    LoaderOptions o = room_options({"depth", "depth_planar", "positions", "normals"});
    o.scale_min = o.scale_max = GetParam().scale;
    o.flip = GetParam().flip;
    Loader loader(index, o);
    for (int b = 0; b < 4; ++b) {
      const Batch batch = loader.next();
      const Tensor mask = batch.at(Target::depth).mask;
      ASSERT_TRUE(torch::equal(mask, batch.at(Target::positions).mask));
      ASSERT_TRUE(torch::equal(mask, batch.at(Target::depth_planar).mask));
      ASSERT_GT(mask.sum().item<std::int64_t>(), 2000);
      const Tensor& position = batch.at(Target::positions).values;
      const Tensor& depth = batch.at(Target::depth).values;
      // Positions and depths are float16: steps up to 2^-10 (positions in world coordinates up to 3 m: 0.002) each.
      const double tolerance = 0.006;
      const auto worst = [&](const Tensor& error) { return error.abs().masked_select(mask.expand_as(error)).max().item<double>(); };
      EXPECT_LT(worst(length_of(position) - depth), tolerance);
      EXPECT_LT(worst(-position.slice(1, 2, 3) - batch.at(Target::depth_planar).values), tolerance);
      // Of a shrunk view the label is that of a pixel beside the center: half a frame pixel of the ray, times depth.
      const Tensor rays = rays_of(batch), on_ray = rays / length_of(rays) * depth;
      const double off_center = GetParam().scale == 1 ? 0 : 0.75 * GetParam().scale * 2 * 0.577 / 200 * 6;
      EXPECT_LT(worst(on_ray - position), tolerance + off_center);
    }
  }
}

TEST_P(Geometry, NormalsStandOnTheSurfaceThatPositionsSpan) {
  const test::TempDir temp;
  test::write_room_set(temp.path(), 2, 200, 150);
  LoaderOptions o = room_options({"positions", "normals", "semantics"});
  o.scale_min = o.scale_max = GetParam().scale;
  o.flip = GetParam().flip;
  for (const bool from_world : {false, true}) {
    FrameIndex index = scan_frames(temp.path());
    if (from_world)
      for (FrameFacts& frame : index.frames) frame.labels &= ~label_bit(Label::normal_cam);
    Loader loader(index, o);
    for (int b = 0; b < 4; ++b) {
      const Batch batch = loader.next();
      for (std::int64_t n = 0; n < batch.image.size(0); ++n) {
        const Tensor p = batch.at(Target::positions).values[n], normal = batch.at(Target::normals).values[n];
        const Tensor mask = batch.at(Target::positions).mask[n][0], classes = batch.at(Target::semantics).values[n];
        constexpr std::int64_t kStep = 8;   // pixels apart: float16 steps of 0.002 m hardly tilt the plane
        const auto at = [&](const Tensor& t, std::int64_t di, std::int64_t dj) {
          return t.slice(-2, di, t.size(-2) - kStep + di).slice(-1, dj, t.size(-1) - kStep + dj);
        };
        const Tensor across = at(p, 0, kStep) - at(p, 0, 0), down = at(p, kStep, 0) - at(p, 0, 0);
        Tensor spanned = torch::cross(across, down, 0);
        spanned = spanned / spanned.norm(2, 0, true).clamp_min(1e-9);
        spanned = -spanned * torch::sign((spanned * at(p, 0, 0)).sum(0, true));   // turned to the viewer
        const Tensor here = at(normal, 0, 0);
        // Inside one flat piece: the same class and normal at all three corners.
        const auto same = [&](const Tensor& other) { return (here * other).sum(0) > 0.9999; };
        const Tensor flat = at(mask, 0, 0) & at(mask, 0, kStep) & at(mask, kStep, 0) & same(at(normal, 0, kStep)) & same(at(normal, kStep, 0)) &
                            (at(classes, 0, 0) == at(classes, 0, kStep)) & (at(classes, 0, 0) == at(classes, kStep, 0)) & (at(classes, 0, 0) <= 2);
        const Tensor cosine = (here * spanned).sum(0).masked_select(flat);
        ASSERT_GT(cosine.numel(), 300);
        EXPECT_GT(cosine.min().item<double>(), 0.99) << "8 degrees";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Views, Geometry, testing::Values(Case{1, 0}, Case{1, 1}, Case{2, 0}, Case{2, 1}), [](const auto& tested) {
  return std::string(tested.param.scale == 1 ? "plain" : "shrunk") + (tested.param.flip == 1 ? "Mirrored" : "");
});

TEST(Colors, AlbedoTimesShadingPlusResidualIsTheImage) {
  const test::TempDir temp;
  test::write_room_set(temp.path(), 2, 200, 150);
  LoaderOptions o = room_options({"albedo", "shading", "residual"});
  o.photometric.brightness = 0.3;
  Loader loader(scan_frames(temp.path()), o);
  for (int b = 0; b < 3; ++b) {
    const Batch batch = loader.next();
    const Tensor light = batch.at(Target::albedo).values * batch.at(Target::shading).values + batch.at(Target::residual).values;
    const Tensor encoded = light.clamp(0, 1).pow(1 / 2.2);
    const Tensor mask = batch.at(Target::shading).mask.expand_as(light);
    // Four values rounded to float16: 2^-11 each, halved by the exponent of dark parts and not more elsewhere.
    EXPECT_LT((encoded - batch.image).abs().masked_select(mask).max().item<double>(), 3e-3);
    EXPECT_GT(mask.sum().item<std::int64_t>(), mask.numel() / 2);
  }
}

TEST(Places, ViewsOfAPlaceAreOtherFramesOfIt) {
  const test::TempDir temp;
  test::write_room_set(temp.path(), 6, 64, 48);
  LoaderOptions o = room_options({});
  o.height = 48;
  o.width = 64;
  o.views = 3;
  o.view_source = "places";
  o.min_overlap = 0.7;
  Loader loader(scan_frames(temp.path()), o);
  for (int b = 0; b < 6; ++b) {
    const Batch batch = loader.next();
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t v = 1; v < 3; ++v) {
        const int first = batch.frames[3 * s].frame, other = batch.frames[3 * s + v].frame;
        // 0 and 1 show one place, 2 and 3 another; 4 and 5 are alone, so their views are of themselves.
        EXPECT_EQ(other, first < 4 ? first ^ 1 : first);
      }
  }
}

}  // namespace
}  // namespace simulacra
