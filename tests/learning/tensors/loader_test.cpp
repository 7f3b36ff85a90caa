// SPDX-License-Identifier: Apache-2.0
// What a batch holds, pixel by pixel, of sets whose values tell where they stand.
#include <torch/torch.h>

#include "learning/tensors/loader.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/schema/layout.h"
#include "dataset/store/tone_map.h"
#include "render/base/error.h"
#include "tests/learning/tensors/coded_set.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using test::coded_value;
using test::CodedSet;
using test::message_of;

const std::vector<std::string> kAllLabels = {"depth", "depth_planar", "normals", "semantics", "albedo", "shading", "residual", "positions"};

/// Crops and flips of linear color, whose red and green then are the column and the row of each pixel in the frame.
LoaderOptions coded_options(const std::vector<std::string>& labels) {
  LoaderOptions o;
  o.labels = labels;
  o.color = "linear";
  o.batch_size = 3;
  o.height = 40;
  o.width = 60;
  o.seed = 5;
  o.threads = 0;
  return o;
}

/// One pixel of a batch.
struct Pixel {
  const Batch& batch;
  std::int64_t n, i, j;
  float image(std::int64_t c) const { return batch.image.index({n, c, i, j}).item<float>(); }
  int column() const { return static_cast<int>(image(0)); }
  int row() const { return static_cast<int>(image(1)); }
  int number() const { return static_cast<int>(image(2)); }
  double value(Target target, std::int64_t c = 0) const {
    const torch::Tensor& values = batch.at(target).values;
    return spec(target).is_class ? static_cast<double>(values.index({n, i, j}).item<std::int64_t>()) : static_cast<double>(values.index({n, c, i, j}).item<float>());
  }
  bool mask(Target target) const { return batch.at(target).mask.index({n, 0, i, j}).item<bool>(); }
};

/// Calls body for some pixels of every row, edges included.
void for_pixels(const Batch& batch, const std::function<void(const Pixel&)>& body) {
  const std::int64_t rows = batch.image.size(2), columns = batch.image.size(3);
  for (std::int64_t n = 0; n < batch.image.size(0); ++n)
    for (std::int64_t i = 0; i < rows; i += i + 1 < rows ? std::min<std::int64_t>(7, rows - 1 - i) : 1)
      for (std::int64_t j = 0; j < columns; j += j + 1 < columns ? std::min<std::int64_t>(5, columns - 1 - j) : 1) body({batch, n, i, j});
}

TEST(Loader, EveryLabelBelongsToThePixelOfTheImage) {
  const test::TempDir temp;
  const CodedSet set;
  test::write_coded_set(temp.path(), set);
  Loader loader(scan_frames(temp.path()), coded_options(kAllLabels));
  int mirrored = 0, straight = 0;
  for (int b = 0; b < 4; ++b) {
    const Batch batch = loader.next();
    for (std::int64_t n = 0; n < 3; ++n) {
      const bool flip = Pixel{batch, n, 0, 1}.column() < Pixel{batch, n, 0, 0}.column();
      ++(flip ? mirrored : straight);
      EXPECT_EQ(Pixel({batch, n, 0, 0}).number(), batch.frames[static_cast<std::size_t>(n)].frame);
    }
    for_pixels(batch, [&](const Pixel& p) {
      const bool flip = Pixel{batch, p.n, 0, 1}.column() < Pixel{batch, p.n, 0, 0}.column();
      const float sign = flip ? -1.0f : 1.0f;
      const auto coded = [&](Label label, std::size_t c = 0) { return coded_value(label, p.row(), p.column(), c, p.number(), set); };
      // A crop is a rectangle of the frame, mirrored or not.
      ASSERT_EQ(p.row(), Pixel({batch, p.n, 0, 0}).row() + p.i);
      ASSERT_EQ(p.column(), Pixel({batch, p.n, 0, 0}).column() + (flip ? -p.j : p.j));

      const double depth = coded(Label::depth_meters);
      ASSERT_EQ(p.mask(Target::depth), !std::isnan(depth));
      ASSERT_EQ(p.value(Target::depth), std::isnan(depth) ? 0 : depth);
      ASSERT_EQ(p.value(Target::depth_planar), coded(Label::depth_planar_meters));
      ASSERT_EQ(p.value(Target::semantics), coded(Label::semantic));
      ASSERT_EQ(p.mask(Target::semantics), coded(Label::semantic) > 0);
      ASSERT_EQ(p.mask(Target::normals), p.row() != 0);
      const bool surface = coded(Label::render_entity_id) != -1;
      ASSERT_EQ(p.mask(Target::albedo), surface);
      ASSERT_EQ(p.mask(Target::shading), surface && coded(Label::diffuse_reflectance) > 0);
      for (std::int64_t c = 0; c < 3; ++c) {
        const auto k = static_cast<std::size_t>(c);
        ASSERT_EQ(p.value(Target::normals, c), (c == 0 ? sign : 1) * coded(Label::normal_cam, k));
        // Half a metre a unit; the camera stands at the origin without a turn.
        ASSERT_EQ(p.value(Target::positions, c), (c == 0 ? sign : 1) * 0.5 * coded(Label::position, k));
        ASSERT_EQ(p.value(Target::albedo, c), surface ? coded(Label::diffuse_reflectance, k) : 0);
        ASSERT_EQ(p.value(Target::shading, c), p.mask(Target::shading) ? coded(Label::diffuse_illumination, k) : 0);
        ASSERT_EQ(p.value(Target::residual, c), 1);
      }
    });
  }
  EXPECT_GT(mirrored, 0);
  EXPECT_GT(straight, 0);
}

TEST(Loader, ShapesAndTypesAreAsDocumented) {
  const test::TempDir temp;
  test::write_coded_set(temp.path(), {});
  Loader loader(scan_frames(temp.path()), coded_options(kAllLabels));
  const Batch batch = loader.next();
  EXPECT_EQ(batch.image.sizes(), (torch::IntArrayRef{3, 3, 40, 60}));
  EXPECT_EQ(batch.image.scalar_type(), torch::kFloat32);
  EXPECT_EQ(batch.at(Target::depth).values.sizes(), (torch::IntArrayRef{3, 1, 40, 60}));
  EXPECT_EQ(batch.at(Target::semantics).values.sizes(), (torch::IntArrayRef{3, 40, 60}));
  EXPECT_EQ(batch.at(Target::semantics).values.scalar_type(), torch::kInt64);
  EXPECT_EQ(batch.at(Target::normals).mask.sizes(), (torch::IntArrayRef{3, 1, 40, 60}));
  EXPECT_EQ(batch.at(Target::normals).mask.scalar_type(), torch::kBool);
  EXPECT_EQ(batch.cam_from_pixel.sizes(), (torch::IntArrayRef{3, 3, 3}));
  EXPECT_EQ(batch.frames.size(), 3u);
}

TEST(Loader, ShrinkingAveragesColorsAndPicksLabels) {
  const test::TempDir temp;
  const CodedSet set;
  test::write_coded_set(temp.path(), set);
  LoaderOptions o = coded_options({"depth_planar", "albedo"});
  o.scale_min = o.scale_max = 2;
  Loader loader(scan_frames(temp.path()), o);
  const Batch batch = loader.next();
  for_pixels(batch, [&](const Pixel& p) {
    // Red and green are means of two columns and rows; the label is that of the later of both.
    const double column = p.image(0) + 0.5, row = p.image(1) + 0.5;
    ASSERT_EQ(column, std::floor(column));
    ASSERT_EQ(p.value(Target::depth_planar), 1000 * (row + 1) + column);
    // 0.5 in one of two columns.
    ASSERT_EQ(p.value(Target::albedo, 1), p.mask(Target::albedo) ? 0.25 : 0);
  });
}

TEST(Loader, TheToneMapIsOfTheWholeFrame) {
  const test::TempDir temp;
  const CodedSet set;
  test::write_coded_set(temp.path(), set);
  LoaderOptions o = coded_options({"shading", "residual"});
  o.color = "tone_mapped";
  o.random_crop = false;
  o.flip = 0;
  o.shuffle = false;
  Loader loader(scan_frames(temp.path()), o);
  const Batch batch = loader.next();
  for (int n = 0; n < 3; ++n) {
    std::vector<float> rgb;
    std::vector<std::uint8_t> valid;
    for (int r = 0; r < set.height; ++r)
      for (int c = 0; c < set.width; ++c) {
        for (std::size_t k = 0; k < 3; ++k) rgb.push_back(static_cast<float>(coded_value(Label::color, r, c, k, n, set)));
        valid.push_back(coded_value(Label::render_entity_id, r, c, 0, n, set) != -1);
      }
    const double scale = tone_map_scale(rgb, valid);
    for (const std::int64_t i : {0, 20, 39})
      for (const std::int64_t j : {0, 31, 59}) {
        const int r = static_cast<int>(i) + 55, c = static_cast<int>(j) + 70;   // the middle of 150 x 200
        for (std::int64_t k = 0; k < 3; ++k) {
          const double light = scale * coded_value(Label::color, r, c, static_cast<std::size_t>(k), n, set);
          // 1e-6 of the tone map's power and a rounding of the scale.
          ASSERT_NEAR(batch.image.index({n, k, i, j}).item<double>(), std::min(1.0, std::pow(light, 1 / 2.2)), 2e-6);
        }
        ASSERT_NEAR(batch.at(Target::residual).values.index({n, 0, i, j}).item<double>(), scale, 1e-6 * scale);
      }
  }
}

TEST(Loader, BrightnessIsAnExposureOfColorShadingAndResidual) {
  const test::TempDir temp;
  CodedSet set;
  test::write_coded_set(temp.path(), set);
  for (const char* color : {"linear", "tone_mapped"}) {
    LoaderOptions o = coded_options({"shading", "residual"});
    o.color = color;
    const Batch plain = Loader(scan_frames(temp.path()), o).next();
    o.photometric.brightness = 0.4;
    const Batch bright = Loader(scan_frames(temp.path()), o).next();
    for (std::int64_t n = 0; n < 3; ++n) {
      const double factor = bright.at(Target::residual).values[n][0][0][0].item<double>() / plain.at(Target::residual).values[n][0][0][0].item<double>();
      EXPECT_NE(factor, 1);
      const double on_image = std::string(color) == "linear" ? factor : std::pow(factor, 1 / 2.2);
      EXPECT_TRUE(torch::allclose(bright.at(Target::shading).values[n], plain.at(Target::shading).values[n] * factor, 1e-5, 0));
      const torch::Tensor unclipped = (plain.image[n] < 0.7).logical_or(torch::full({}, std::string(color) == "linear"));
      EXPECT_TRUE(torch::allclose(bright.image[n].masked_select(unclipped), plain.image[n].masked_select(unclipped) * on_image, 1e-5, 1e-6));
    }
  }
}

TEST(Loader, ColorAugmentationLeavesLabelsAndStaysInRange) {
  const test::TempDir temp;
  test::write_coded_set(temp.path(), {});
  LoaderOptions o = coded_options({"depth", "albedo", "normals"});
  o.color = "tone_mapped";
  const Batch plain = Loader(scan_frames(temp.path()), o).next();
  o.photometric = {.brightness = 0.4, .contrast = 0.4, .saturation = 0.4, .grayscale = 0.2, .hue = 0.1, .noise = 0.02};
  const Batch changed = Loader(scan_frames(temp.path()), o).next();
  EXPECT_FALSE(torch::equal(plain.image, changed.image));
  EXPECT_GE(changed.image.min().item<float>(), 0);
  EXPECT_LE(changed.image.max().item<float>(), 1);
  for (const auto& [target, label] : plain.labels) {
    EXPECT_TRUE(torch::equal(label.values, changed.at(target).values)) << spec(target).name;
    EXPECT_TRUE(torch::equal(label.mask, changed.at(target).mask)) << spec(target).name;
  }
}

TEST(Loader, ViewsOfAFrameAreNeighboursAndDiffer) {
  const test::TempDir temp;
  test::write_coded_set(temp.path(), {});
  LoaderOptions o = coded_options({"depth"});
  o.views = 3;
  Loader loader(scan_frames(temp.path()), o);
  const Batch batch = loader.next();
  ASSERT_EQ(batch.image.size(0), 9);
  EXPECT_EQ(batch.num_samples(), 3);
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t v = 1; v < 3; ++v) {
      EXPECT_EQ(batch.frame_idx[3 * s + v], batch.frame_idx[3 * s]);
      EXPECT_FALSE(torch::equal(batch.image[static_cast<std::int64_t>(3 * s + v)], batch.image[static_cast<std::int64_t>(3 * s)]));
    }
}

TEST(Loader, APixelWithoutAColorIsMaskedEverywhere) {
  const test::TempDir temp;
  const CodedSet set;
  test::write_coded_set(temp.path(), set);
  test::write_label(temp.path() / label_path({"ai_900_001", "cam_00", 0}, Label::color), Label::color, set.width, set.height,
              [&](int r, int c, std::size_t k) { return r == 75 && c == 100 && k == 1 ? kNaN : r == 75 && c == 101 ? 1e6 : 1.0; });
  LoaderOptions o = for_evaluation(coded_options({"residual", "depth_planar"}));
  o.batch_size = 1;
  const Batch batch = Loader(scan_frames(temp.path()), o).next();
  EXPECT_EQ(batch.image.isnan().sum().item<std::int64_t>(), 0);
  EXPECT_EQ(batch.image[0][0][20][30].item<float>(), 0);
  EXPECT_EQ(batch.image[0][0][20][31].item<float>(), 65504) << "an infinity is the largest radiance";
  for (const auto& [target, label] : batch.labels) {
    EXPECT_EQ(label.mask.logical_not().sum().item<std::int64_t>(), 1) << spec(target).name;
    EXPECT_FALSE(label.mask[0][0][20][30].item<bool>()) << spec(target).name;
    EXPECT_EQ(label.values[0][0][20][30].item<float>(), 0) << spec(target).name;
  }
}

TEST(Loader, RefusesRequestsThatCannotBeMet) {
  const test::TempDir temp;
  CodedSet set;
  set.frames = 4;
  set.labels = {Label::color, Label::depth_meters, Label::position, Label::normal_world};
  set.labels.pop_back();
  set.poses = false;
  test::write_coded_set(temp.path(), set);
  const FrameIndex index = scan_frames(temp.path());
  const auto answer = [&](const std::function<void(LoaderOptions&)>& change, Shard shard = {}) {
    LoaderOptions o = coded_options({});
    change(o);
    return message_of([&] { Loader(index, o, shard); });
  };
  EXPECT_EQ(answer([](LoaderOptions&) {}), "");
  EXPECT_THAT(answer([](LoaderOptions& o) { o.labels = {"dept"}; }), AllOf(HasSubstr("'dept'"), HasSubstr("depth, depth_planar, normals")));
  EXPECT_THAT(answer([](LoaderOptions& o) { o.labels = {"depth", "semantics", "shading"}; }),
              AllOf(HasSubstr("4 of 4 frames"), HasSubstr("ai_900_001/cam_00/0000 lacks semantic (for semantics), diffuse_illumination (for shading)"),
                    HasSubstr("it has color, depth_meters, position")));
  EXPECT_THAT(answer([](LoaderOptions& o) { o.labels = {"positions"}; }), HasSubstr("lacks the camera's pose (for positions)"));
  EXPECT_THAT(answer([](LoaderOptions& o) { o.batch_size = 5; }), HasSubstr("4 frames do not fill one batch of 5"));
  EXPECT_THAT(answer([](LoaderOptions& o) { o.batch_size = 3; }, {0, 2}), HasSubstr("3 in each of 2 processes"));
  EXPECT_THAT(answer([](LoaderOptions&) {}, {2, 2}), HasSubstr("rank 2 of 2"));
  EXPECT_THAT(answer([](LoaderOptions& o) { o.scale_max = 4; }), HasSubstr("60 x 40 pixels at scale 4 do not fit into frames of 200 x 150"));
  EXPECT_THAT(answer([](LoaderOptions& o) { o.color = "srgb"; }), HasSubstr("'srgb'; it can be tone_mapped or linear"));

  std::filesystem::remove(index.file(1, Label::depth_meters));
  const FrameIndex partial = scan_frames(temp.path());
  LoaderOptions o = coded_options({"depth"});
  EXPECT_THAT(message_of([&] { Loader(partial, o); }), AllOf(HasSubstr("1 of 4 frames"), HasSubstr("0001 lacks depth_meters"), HasSubstr("skip_incomplete")));
  o.skip_incomplete = true;
  EXPECT_EQ(Loader(partial, o).index().size(), 3u);
  EXPECT_THAT(message_of([&] { Loader(partial, o).next().at(Target::normals); }), HasSubstr("no normals"));
}

TEST(Loader, NamesADamagedFileAndGoesOnWhenItIsReplaced) {
  for (const int threads : {0, 2}) {
    const test::TempDir temp;
    const CodedSet set;
    test::write_coded_set(temp.path(), set);
    LoaderOptions o = coded_options({"depth"});
    o.threads = threads;
    Loader loader(scan_frames(temp.path()), o);
    const auto file = loader.index().file(2, Label::depth_meters);
    const auto size = std::filesystem::file_size(file);
    std::filesystem::resize_file(file, size / 2);
    // Both batches of the epoch, in whichever frame 2 lies.
    const auto two = [&] { loader.next(); loader.next(); };
    EXPECT_THAT(message_of(two), HasSubstr("frame.0002.depth_meters.hdf5: "));
    const LoaderState at = loader.state();
    EXPECT_THAT(message_of(two), HasSubstr("frame.0002.depth_meters.hdf5: ")) << "asking again tries again";
    EXPECT_EQ(loader.state(), at);
    test::write_label(file, Label::depth_meters, set.width, set.height,
                [&](int r, int c, std::size_t k) { return coded_value(Label::depth_meters, r, c, k, 2, set); });
    EXPECT_EQ(message_of(two), "");
    test::write_label(file, Label::depth_meters, 30, 20, [](int, int, std::size_t) { return 1; });
    EXPECT_THAT(message_of([&] { two(); two(); two(); }),
                testing::AnyOf(HasSubstr("the array is [20, 30]; frames of this set are [150, 200]"), HasSubstr("has changed since it was first read")));
  }
}

TEST(Loader, AClassBeyondTheTableIsNamed) {
  const test::TempDir temp;
  const CodedSet set;
  test::write_coded_set(temp.path(), set);
  for (int f = 0; f < set.frames; ++f)
    test::write_label(temp.path() / label_path({"ai_900_001", "cam_00", f}, Label::semantic), Label::semantic, set.width, set.height,
                [](int, int, std::size_t) { return 57; });
  Loader loader(scan_frames(temp.path()), coded_options({"semantics"}));
  EXPECT_THAT(message_of([&] { loader.next(); }), AllOf(HasSubstr("semantic.hdf5: there is a class 57"), HasSubstr("1 to 40")));
}

}  // namespace
}  // namespace simulacra
