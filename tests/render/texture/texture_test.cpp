// SPDX-License-Identifier: Apache-2.0
#include "render/texture/texture.h"

#include <cmath>
#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using testing::HasSubstr;

/// Value of a texel that tells where it is: 8-bit code of channel c at (column, row).
std::uint8_t code_at(int column, int row, int channel) {
  return static_cast<std::uint8_t>((37 * column + 101 * row + 59 * channel + 11) % 256);
}

std::vector<std::uint8_t> coded_pixels(int width, int height, int channels) {
  std::vector<std::uint8_t> pixels;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      for (int c = 0; c < channels; ++c) pixels.push_back(code_at(column, row, c));
  return pixels;
}

TextureDescription embedded_png(int width, int height, int channels) {
  TextureDescription t;
  t.name = "coded";
  t.encoded = std::make_shared<const std::vector<std::uint8_t>>(
      encode_png(width, height, channels, coded_pixels(width, height, channels)));
  return t;
}

TextureSet set_of(std::vector<TextureDescription> textures, std::uint64_t cap = 1u << 30) {
  Diagnostics diagnostics;
  TextureSet set(textures, cap, diagnostics);
  EXPECT_TRUE(diagnostics.warnings().empty());
  return set;
}

/// UV of a texel's center: v runs upwards, rows downwards.
Vec2 center(int column, int row, int width, int height) {
  return {(static_cast<float>(column) + 0.5f) / static_cast<float>(width),
          1.0f - (static_cast<float>(row) + 0.5f) / static_cast<float>(height)};
}

float linear8(int column, int row, int channel) { return static_cast<float>(code_at(column, row, channel)) / 255.0f; }

// Coordinates are computed in float: a center may be missed by 2^-22 of the image, times its 7 texels.
constexpr float kTexelTolerance = 2e-5f;

TEST(TextureSet, ReturnsEachTexelAtItsCenterWithRowZeroOnTop) {
  for (const int channels : {1, 3, 4})
    for (const TextureFilter filter : {TextureFilter::bilinear, TextureFilter::nearest}) {
      TextureDescription t = embedded_png(7, 5, channels);
      t.filter = filter;
      const TextureSet set = set_of({t});
      for (int row = 0; row < 5; ++row)
        for (int column = 0; column < 7; ++column) {
          const Vec4 v = set.sample(0, center(column, row, 7, 5));
          EXPECT_NEAR(v.x, linear8(column, row, 0), kTexelTolerance);
          EXPECT_NEAR(v.z, linear8(column, row, channels == 1 ? 0 : 2), kTexelTolerance);
          EXPECT_NEAR(v.w, channels == 4 ? linear8(column, row, 3) : 1.0f, kTexelTolerance);
        }
    }
}

TEST(TextureSet, InterpolatesHalfWayBetweenCenters) {
  const TextureSet set = set_of({embedded_png(7, 5, 3)});
  const Vec4 v = set.sample(0, {3.0f / 7, 1.0f - 2.0f / 5});  // the corner of four texels
  const float expected = (linear8(2, 1, 1) + linear8(3, 1, 1) + linear8(2, 2, 1) + linear8(3, 2, 1)) / 4;
  EXPECT_NEAR(v.y, expected, kTexelTolerance);
}

TEST(TextureSet, WrapsAsTold) {
  struct Case {
    WrapMode mode;
    float u;
    float same_as;
  };
  for (const Case& c : {Case{WrapMode::repeat, 1.3f, 0.3f}, Case{WrapMode::repeat, -0.25f, 0.75f},
                        Case{WrapMode::mirror, 1.3f, 0.7f}, Case{WrapMode::mirror, -0.25f, 0.25f},
                        Case{WrapMode::clamp, 1.3f, 1.0f}, Case{WrapMode::clamp, -0.25f, 0.0f}}) {
    TextureDescription t = embedded_png(8, 4, 3);
    t.wrap_u = c.mode;
    const TextureSet set = set_of({t});
    EXPECT_NEAR(set.sample(0, {c.u, 0.4f}).x, set.sample(0, {c.same_as, 0.4f}).x, 1e-4f) << c.u;
  }
}

TEST(TextureSet, RepeatingBlendsLastAndFirstTexelAtTheSeamAndClampingDoesNot) {
  TextureDescription repeated = embedded_png(7, 5, 3), clamped = repeated;
  clamped.wrap_u = clamped.wrap_v = WrapMode::clamp;
  const TextureSet set = set_of({repeated, clamped});
  const float v = center(0, 2, 7, 5).y;
  EXPECT_NEAR(set.sample(0, {0, v}).x, (linear8(0, 2, 0) + linear8(6, 2, 0)) / 2, kTexelTolerance);
  EXPECT_NEAR(set.sample(1, {0, v}).x, linear8(0, 2, 0), kTexelTolerance);
}

TEST(TextureSet, AppliesTheUvTransform) {
  TextureDescription plain = embedded_png(7, 5, 3), moved = plain;
  moved.uv_linear = {0, 2, -1, 0.5f};
  moved.uv_offset = {0.25f, 0.125f};
  const TextureSet set = set_of({plain, moved});
  const Vec2 uv{0.3f, 0.6f};
  const Vec4 expected = set.sample(0, {2 * uv.y + 0.25f, -uv.x + 0.5f * uv.y + 0.125f});
  EXPECT_NEAR(set.sample(1, uv).y, expected.y, 1e-4f);
}

TEST(TextureSet, DecodesSrgbColorButNotAlpha) {
  TextureDescription t = embedded_png(4, 4, 4);
  t.color_space = ColorSpace::srgb;
  const TextureSet set = set_of({t});
  const float code = linear8(2, 1, 0);
  const double linear = code <= 0.04045f ? code / 12.92 : std::pow((static_cast<double>(code) + 0.055) / 1.055, 2.4);
  const Vec4 v = set.sample(0, center(2, 1, 4, 4));
  EXPECT_NEAR(v.x, linear, kTexelTolerance);
  EXPECT_NEAR(v.w, linear8(2, 1, 3), kTexelTolerance);
  EXPECT_TRUE(set.has_alpha(0));
}

TEST(TextureSet, KeepsColorsThatAreTransparent) {
  TextureDescription t;
  t.encoded = std::make_shared<const std::vector<std::uint8_t>>(
      encode_png(1, 1, 4, std::vector<std::uint8_t>{255, 102, 51, 0}));
  const Vec4 v = set_of({t}).sample(0, {0.5f, 0.5f});
  EXPECT_EQ(v.x, 1.0f);
  EXPECT_NEAR(v.y, 0.4f, 1e-6f);
  EXPECT_EQ(v.w, 0.0f);
}

TEST(TextureSet, KnowsMeanSizeAndAlpha) {
  const TextureSet set = set_of({embedded_png(7, 5, 3), embedded_png(3, 2, 4)});
  double sum = 0;
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 7; ++column) sum += static_cast<double>(linear8(column, row, 1));
  EXPECT_NEAR(set.mean(0).y, sum / 35, 1e-6);
  int width = 0, height = 0;
  set.resolution(0, width, height);
  EXPECT_EQ(width, 7);
  EXPECT_EQ(height, 5);
  EXPECT_FALSE(set.has_alpha(0));
  EXPECT_TRUE(set.has_alpha(1));
}

TEST(TextureSet, CheckerboardHasTheFirstColorWhereBothHalvesAgree) {
  TextureDescription t;
  t.kind = TextureDescription::Kind::checkerboard;
  t.color0 = Rgb(1, 0.5f, 0.25f);
  t.color1 = Rgb(0.1f);
  const TextureSet set = set_of({t});
  EXPECT_FALSE(set.missing(0));
  EXPECT_EQ(set.sample(0, {0.2f, 0.3f}).y, 0.5f);
  EXPECT_EQ(set.sample(0, {0.7f, 0.9f}).y, 0.5f);
  EXPECT_EQ(set.sample(0, {0.7f, 0.3f}).y, 0.1f);
  EXPECT_EQ(set.sample(0, {-0.3f, 0.3f}).y, 0.1f);
  EXPECT_NEAR(set.mean(0).x, 0.55f, 1e-6f);
}

TEST(TextureSet, BeyondTheCapTexturesGiveTheSameValuesFromTiles) {
  std::vector<TextureDescription> textures = {embedded_png(150, 130, 3), embedded_png(20, 10, 4),
                                              embedded_png(200, 90, 1)};
  textures[0].color_space = ColorSpace::srgb;
  const TextureSet all = set_of(textures), few = set_of(textures, 1000);
  EXPECT_GT(all.resident_bytes(), 150u * 130 * 3);
  EXPECT_LE(few.resident_bytes(), 1000u);
  for (int texture = 0; texture < 3; ++texture)
    for (int i = 0; i < 2000; ++i) {
      const Vec2 uv{static_cast<float>(i) * 0.0137f, static_cast<float>(i) * 0.00731f};
      EXPECT_EQ(all.sample(texture, uv), few.sample(texture, uv)) << texture << " " << uv.x << " " << uv.y;
    }
  EXPECT_EQ(all.picture(0).pixels, few.picture(0).pixels);
}

TEST(TextureSet, AMissingFileIsAWarningThatNamesItAndSamplesAsWhite) {
  TextureDescription t;
  t.name = "wood";
  t.file = "/nonexistent/wood.png";
  Diagnostics diagnostics;
  const TextureSet set(std::vector{t}, 1 << 20, diagnostics);
  ASSERT_EQ(diagnostics.warnings().size(), 1u);
  EXPECT_EQ(diagnostics.warnings()[0].file, "/nonexistent/wood.png");
  EXPECT_EQ(diagnostics.warnings()[0].culprit, "wood");
  EXPECT_THAT(diagnostics.warnings()[0].text, HasSubstr("No such file"));
  EXPECT_TRUE(set.missing(0));
  EXPECT_EQ(set.sample(0, {0.3f, 0.3f}), (Vec4{1, 1, 1, 1}));
}

TEST(TextureSet, ANumberThatIsNoCoordinateIsSurvived) {
  const TextureSet set = set_of({embedded_png(7, 5, 3)});
  for (const float u : {NAN, INFINITY, -INFINITY, 3e38f, -1e-30f, 1e-40f})
    EXPECT_TRUE(std::isfinite(set.sample(0, {u, u}).x)) << u;
}

TEST(TextureSet, AFormatWithoutReaderIsNamed) {
  const test::TempDir folder;
  const std::string ktx("\xabKTX 20\xbb\r\n\x1a\n rest", 17);
  write_text_atomically(folder.path() / "a.ktx2", ktx);
  TextureDescription t;
  t.file = folder.path() / "a.ktx2";
  Diagnostics diagnostics;
  const TextureSet set(std::vector{t}, 1 << 20, diagnostics);
  ASSERT_EQ(diagnostics.warnings().size(), 1u);
  EXPECT_THAT(diagnostics.warnings()[0].text, HasSubstr("KTX2 images cannot be read; the formats are"));
}

TEST(Picture, ReadsValuesAsTheyStand) {
  const test::TempDir folder;
  const auto file = folder.path() / "a.png";
  write_file_atomically(file, encode_png(6, 4, 3, coded_pixels(6, 4, 3)));
  const Picture p = read_picture(file);
  ASSERT_EQ(p.width, 6);
  ASSERT_EQ(p.height, 4);
  ASSERT_EQ(p.channels, 3);
  EXPECT_EQ(p.pixels[(2 * 6 + 5) * 3 + 1], linear8(5, 2, 1));
}

TEST(Picture, AnUndecodableFileIsOneLineThatNamesIt) {
  const test::TempDir folder;
  const auto file = folder.path() / "half.png";
  std::vector<std::uint8_t> bytes = encode_png(60, 40, 3, coded_pixels(60, 40, 3));
  bytes.resize(bytes.size() / 2);
  write_file_atomically(file, bytes);
  try {
    read_picture(file);
    FAIL() << "half a PNG was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("half.png: the image cannot be decoded ("));
    EXPECT_EQ(std::strchr(error.what(), '\n'), nullptr);
  }
}

TEST(Encoders, JpegIsBaselineWithHalvedChroma) {
  std::vector<std::uint8_t> pixels;
  for (int row = 0; row < 48; ++row)
    for (int column = 0; column < 64; ++column)
      for (int c = 0; c < 3; ++c) pixels.push_back(static_cast<std::uint8_t>(2 * column + row + 20 * c));
  const std::vector<std::uint8_t> jpeg = encode_jpeg(64, 48, pixels, 95);
  // SOF0 (0xffc0) is baseline; its first component's sampling factors are 2 x 2 for 4:2:0.
  std::size_t sof = 0;
  for (std::size_t i = 0; i + 12 < jpeg.size() && sof == 0; ++i)
    if (jpeg[i] == 0xff && jpeg[i + 1] == 0xc0) sof = i;
  ASSERT_NE(sof, 0u);
  EXPECT_EQ(jpeg[sof + 11], 0x22);
  // A smooth ramp survives quality 95 to within a few codes.
  const test::TempDir folder;
  write_file_atomically(folder.path() / "a.jpg", jpeg);
  const Picture p = read_picture(folder.path() / "a.jpg");
  ASSERT_EQ(p.pixels.size(), pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i)
    EXPECT_NEAR(p.pixels[i] * 255, static_cast<float>(pixels[i]), 6.0f);
}

TEST(Encoders, PngIsExactAndRepeatable) {
  const auto pixels = coded_pixels(33, 17, 4);
  EXPECT_EQ(encode_png(33, 17, 4, pixels), encode_png(33, 17, 4, pixels));
}

}  // namespace
}  // namespace simulacra
