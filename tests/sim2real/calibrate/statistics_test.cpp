// SPDX-License-Identifier: Apache-2.0
#include "sim2real/calibrate/statistics.h"

#include <gmock/gmock.h>

#include <cmath>

#include "render/texture/texture.h"
#include "sim2real/calibrate/jpeg_traces.h"
#include "sim2real/sensor/develop.h"
#include "sim2real/sensor/random.h"
#include "tests/sim2real/calibrate/scenes.h"

namespace simulacra::calibrate {
namespace {

/// Values of one trace.
std::vector<double> of(const std::vector<double>& all, Trace trace) {
  std::vector<double> values;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (statistic_rows()[k].trace == trace) values.push_back(all[k]);
  return values;
}

std::vector<double> statistics(const std::vector<Plane>& images) {
  std::vector<Sums> sums;
  for (const Plane& image : images) sums.push_back(sums_of(image));
  return statistics_of(sums);
}

Plane gray_noise(double mean, double sigma, std::uint64_t seed) {
  Plane plane{128, 96, 3, {}, {}};
  sensor::Stream random(seed, 0, sensor::Purpose::read_noise, 0);
  for (int i = 0; i < 128 * 96; ++i) {
    const auto v = static_cast<float>(mean + sigma * random.normal());
    plane.f.insert(plane.f.end(), {v, v, v});
  }
  return plane;
}

sensor::CameraOptions clean() {
  sensor::CameraOptions c;
  c.pixel.full_well_e = 1e6, c.pixel.adc_bits = 16, c.pixel.black_level_dn = 0, c.pixel.mosaic = "none";
  return c;
}

std::vector<Plane> pictures(const sensor::CameraOptions& camera) { return photographs(test::scenes(8, 128, 96, 5), camera, 1); }

TEST(Statistics, NoiseIsTheOctaveOfTheDeviation) {
  // Twice the deviation is one octave more; the median of |normal| is 0.6745 deviations.
  const auto one = of(statistics({gray_noise(0.5, 0.02, 1)}), Trace::noise), two = of(statistics({gray_noise(0.5, 0.04, 1)}), Trace::noise);
  EXPECT_NEAR(one[3], std::log2(0.6745 * 0.02), 0.15);   // a bin is a quarter of an octave
  EXPECT_NEAR(two[3] - one[3], 1, 0.15);
  EXPECT_TRUE(std::isnan(one[0]));   // nothing is that dark
}

TEST(Statistics, ShadingIsTheLogarithmOfLight) {
  sensor::CameraOptions camera = clean();
  camera.exposure.auto_level = 0.2, camera.exposure.auto_percentile = 0.5;   // nothing is clipped
  const auto even = of(statistics(pictures(camera)), Trace::shading);
  camera.lens.corner_loss = {0.5, 0.5, 0.5};
  const auto dark = of(statistics(pictures(camera)), Trace::shading);
  // The outermost ring, of rho^2 over 5/6, has lost 0.46 and the innermost, below 1/6, 0.04. sRGB is 2.2 within 0.06.
  EXPECT_NEAR(dark[4] - even[4], std::log(0.54 / 0.96), 0.1);
}

TEST(Statistics, AberrationIsInPixelsAtTheCorner) {
  sensor::CameraOptions camera = clean();
  const auto none = of(statistics(pictures(camera)), Trace::aberration);
  camera.lens.red_px_at_corner = 0.8, camera.lens.blue_px_at_corner = -0.5;
  const auto some = of(statistics(pictures(camera)), Trace::aberration);
  // Slopes over two pixels and other colors on both sides of an edge make it less than one to one; its sign and order are what a
  // fit needs.
  EXPECT_NEAR(none[0], 0, 0.15);
  EXPECT_GT(some[0] - none[0], 0.35);
  EXPECT_LT(some[1] - none[1], -0.2);
}

TEST(Statistics, BlurTakesHighFrequenciesAndToneMovesQuantiles) {
  sensor::CameraOptions camera = clean();
  const auto sharp = statistics(pictures(camera));
  camera.blur.psf_sigma_px = 1.2;
  const auto soft = statistics(pictures(camera));
  EXPECT_LT(of(soft, Trace::spectrum)[6], of(sharp, Trace::spectrum)[6] - 0.5);
  EXPECT_NEAR(of(soft, Trace::spectrum)[0], of(sharp, Trace::spectrum)[0], 0.1);
  camera.exposure.auto_level = 0.35;
  EXPECT_LT(of(statistics(pictures(camera)), Trace::tone)[3], of(soft, Trace::tone)[3] - 0.05);
}

TEST(Statistics, BlocksShowWhereverThePictureWasCut) {
  sensor::CameraOptions camera = clean();
  const auto plain = of(statistics(pictures(camera)), Trace::blocks);
  camera.develop.jpeg_quality = 30;
  std::vector<Plane> cut;
  for (const Plane& image : pictures(camera)) {
    Plane part{image.width - 3, image.height - 5, 3, {}, {}};
    for (int r = 5; r < image.height; ++r)
      for (int c = 3; c < image.width; ++c)
        for (int k = 0; k < 3; ++k) part.f.push_back(image.f[image.at(r, c, k)]);
    cut.push_back(part);
  }
  const auto blocks = of(statistics(cut), Trace::blocks);
  EXPECT_GT(blocks[0], plain[0] + 0.2);
  EXPECT_GT(blocks[1], plain[1] + 0.2);
}

// The jackknife against what it estimates: the scatter of the statistic over sets.
TEST(Statistics, TheJackknifesVarianceIsThatOfSets) {
  const std::size_t sets = 12, each = 10;
  std::vector<std::vector<double>> values;
  std::vector<double> claimed;
  for (std::size_t s = 0; s < sets; ++s) {
    std::vector<Sums> sums;
    for (const Plane& image : photographs(test::scenes(each, 64, 48, 100 + s), clean(), 1)) sums.push_back(sums_of(image));
    const Measured m = measure(sums);
    values.push_back(m.value);
    claimed.push_back(m.variance[3]);   // the median of red
  }
  double mean = 0, variance = 0, told = 0;
  for (const auto& v : values) mean += v[3] / static_cast<double>(sets);
  for (const auto& v : values) variance += (v[3] - mean) * (v[3] - mean) / static_cast<double>(sets - 1);
  for (const double v : claimed) told += v / static_cast<double>(sets);
  // A variance of 12 values is off by sqrt(2/11) = 43 % of itself; three times that.
  EXPECT_GT(told, variance / 2.3);
  EXPECT_LT(told, variance * 2.3);
}

TEST(JpegTraces, ReadsQualityAndSubsamplingOfAFile) {
  const Plane picture = pictures(clean())[0];
  std::vector<std::uint8_t> bytes;
  for (const float v : picture.f) bytes.push_back(static_cast<std::uint8_t>(255 * std::min(v, 1.0f)));
  for (const int quality : {10, 49, 50, 75, 92, 100})
    for (const char* subsampling : {"4:4:4", "4:2:0"}) {
      const auto trace = jpeg_trace_of_file(encode_jpeg(picture.width, picture.height, bytes, quality, subsampling));
      ASSERT_TRUE(trace);
      EXPECT_EQ(trace->quality, quality);
      EXPECT_EQ(trace->subsampling, subsampling);
    }
  EXPECT_FALSE(jpeg_trace_of_file(encode_png(picture.width, picture.height, 3, bytes)));
  auto torn = encode_jpeg(picture.width, picture.height, bytes, 80);
  torn.resize(30);
  EXPECT_FALSE(jpeg_trace_of_file(torn));
}

TEST(JpegTraces, FindsTheQualityOfDecodedPictures) {
  sensor::CameraOptions camera = clean();
  camera.pixel.full_well_e = 3000;
  EXPECT_FALSE(jpeg_quality_of_pictures(pictures(camera)));
  for (const int quality : {40, 60, 75, 88}) {
    camera.develop.jpeg_quality = quality;
    const auto found = jpeg_quality_of_pictures(pictures(camera));
    ASSERT_TRUE(found) << quality;
    EXPECT_NEAR(*found, quality, 2) << quality;   // neighbours share most steps
  }
}

}  // namespace
}  // namespace simulacra::calibrate
