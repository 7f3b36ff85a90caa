// SPDX-License-Identifier: Apache-2.0
// Each meter against pictures whose statistics are known in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "render/base/error.h"
#include "sim2real/gap/color.h"
#include "sim2real/gap/noise.h"
#include "sim2real/gap/patches.h"
#include "sim2real/gap/spectrum.h"
#include "sim2real/sensor/options.h"
#include "sim2real/sensor/raw.h"
#include "tests/sim2real/gap/pictures.h"

namespace simulacra::gap {
namespace {

using namespace test;

TEST(Noise, TheDeviationOfWhiteNoiseIsFoundOnASlopedSurface) {
  Random random(1, 0);
  // A plane that rises by 0.4 over the picture: its slope is below the noise's, and the mask takes it away.
  const Plane plane = plane_of(256, 256, 1, [&](int r, int c, int) { return 0.3 + 0.0008 * r + 0.0008 * c + 0.01 * random.normal(); });
  const Noise noise = measure_noise({&plane, 1});
  ASSERT_GT(noise.bins.size(), 5u);
  double weighted = 0, pixels = 0;
  for (const NoiseBin& b : noise.bins) weighted += b.sigma * static_cast<double>(b.pixels), pixels += static_cast<double>(b.pixels);
  // 19000 residuals that overlap: deviation of the estimate some 1.1/sqrt(2 * 19000) = 0.6 %, doubled for the overlap; four of it.
  EXPECT_NEAR(weighted / pixels / 0.01, 1, 0.05);
}

TEST(Noise, RoundingToEightBitsDoesNotMakeItMoveInSteps) {
  // A slope of one step in seven pixels, so that every phase of the rounding occurs; noise of 0.5 to 2 steps in eight per octave.
  double last = 0;
  for (double steps = 0.5; steps < 2.1; steps *= std::exp2(1.0 / 8)) {
    Random random(11, static_cast<std::uint64_t>(1000 * steps));
    const Plane plane = plane_of(256, 256, 1, [&](int r, int c, int) { return std::round(80 + 0.11 * c + 0.09 * r + steps * random.normal()) / 255; });
    const Noise noise = measure_noise({&plane, 1});
    double sum = 0, pixels = 0;
    for (const NoiseBin& b : noise.bins) sum += b.sigma * static_cast<double>(b.pixels), pixels += static_cast<double>(b.pixels);
    const double sigma = 255 * sum / pixels, expected = std::sqrt(steps * steps + 1.0 / 12);
    // 19000 residuals: 1.2 % with the overlap, as above, and up to 2 % by the grid. The median would be off by 20 %.
    EXPECT_NEAR(sigma / expected, 1, 0.05) << steps;
    EXPECT_GT(sigma, 1.02 * last) << "an eighth of an octave is 9 %, at half a step 7 %";
    last = sigma;
  }
}

TEST(Noise, ShotAndReadNoiseOfASimulatedSensorAreRecovered) {
  sensor::PixelOptions pixel;
  pixel.full_well_e = 4000, pixel.read_noise_e = 12, pixel.black_level_dn = 64, pixel.gain_dn_per_e = 0.9, pixel.mosaic = "none";
  std::vector<Plane> images;
  for (std::uint32_t frame = 0; frame < 4; ++frame) {
    // Steps of 16 columns each, 3900 electrons at most.
    const Plane electrons = plane_of(512, 128, 1, [](int, int c, int) { return 100.0 + 3800.0 * (c / 16) / 31; });
    Plane raw = sensor::digitise(electrons, pixel, 0.01, 5, frame);
    for (float& v : raw.f) v = (v - 64) / 4096;
    images.push_back(raw);
  }
  const NoiseLine line = measure_noise(images).line;
  // In units of 4096 numbers: variance = gain * mean + gain^2 read^2 + 1/12. Each bin has some 2000 pixels (2.6 % in sigma, 5 % in
  // variance), 20 bins: slope to 2 %, and the intercept hangs at a lever of ten of its size.
  EXPECT_NEAR(line.shot * 4096 / 0.9, 1, 0.08);
  EXPECT_NEAR(line.read_variance * 4096 * 4096, 0.81 * 144 + 1.0 / 12, 45);
}

TEST(Noise, ALineIsFittedExactly) {
  std::vector<NoiseBin> bins;
  for (int i = 1; i < 10; ++i) bins.push_back({0.1 * i, std::sqrt(4e-5 + 3e-4 * 0.1 * i), 100u * static_cast<std::size_t>(i)});
  const NoiseLine line = fit_noise_line(bins);
  EXPECT_NEAR(line.read_variance, 4e-5, 1e-12);
  EXPECT_NEAR(line.shot, 3e-4, 1e-12);
}

TEST(Noise, TwiceTheNoiseIsAnOctaveAwayAndDisjointIntensitiesAreNoNumber) {
  const Noise a{{{0.2, 0.04, 1000}, {0.8, 0.08, 1000}}, {}}, b{{{0.2, 0.02, 1000}, {0.8, 0.04, 1000}}, {}}, c{{{0.9, 0.02, 1000}}, {}};
  // The rounding noise of 0.0011 beside 0.02 takes some hundredths of an octave.
  EXPECT_NEAR(noise_distance(a, b), 1, 0.07);
  EXPECT_NEAR(noise_distance(a, b), noise_distance(b, a), 1e-12);
  EXPECT_EQ(noise_distance(a, a), 0);
  EXPECT_TRUE(std::isnan(noise_distance(a, c)));
}

TEST(Spectrum, TheTransformIsTheDefinition) {
  Random random(3, 0);
  std::vector<std::complex<double>> x(16);
  for (auto& v : x) v = {random.normal(), random.normal()};
  std::vector<std::complex<double>> y = x;
  fft(y);
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::complex<double> sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k) / 16);
    EXPECT_LT(std::abs(y[k] - sum), 1e-13);
  }
}

TEST(Spectrum, WhiteNoiseIsFlatAtItsVariance) {
  const Spectrum s = measure_spectrum(noise_planes(16, 64, 1, 0.5, 0.1, 4), 64);
  ASSERT_EQ(s.power.size(), 32u);
  EXPECT_DOUBLE_EQ(s.frequency.back(), 0.5);
  for (std::size_t i = 3; i < s.power.size(); ++i)
    // A ring has 2 pi k values in each of 16 tiles, half of them independent; five deviations.
    EXPECT_NEAR(s.power[i] / 0.01, 1, 5 * 1.5 / std::sqrt(std::numbers::pi * static_cast<double>(i + 1) * 16)) << i;
  EXPECT_NEAR(s.slope, 0, 0.1);
}

TEST(Spectrum, ASlopeThatWasPutInComesOut) {
  // Waves of random phase with amplitude 1/f in every direction: power f^-2.
  std::vector<Plane> images;
  constexpr int kSide = 128;
  for (std::uint64_t image = 0; image < 12; ++image) {
    std::vector<std::complex<double>> x(kSide * kSide);
    Random random(9, image);
    for (int r = 0; r < kSide; ++r)
      for (int c = 0; c < kSide; ++c) {
        const double fy = r < kSide / 2 ? r : r - kSide, fx = c < kSide / 2 ? c : c - kSide, f = std::hypot(fx, fy);
        if (f > 0) x[static_cast<std::size_t>(r * kSide + c)] = std::polar(0.01 / f, 2 * std::numbers::pi * random.uniform());
      }
    for (std::size_t r = 0; r < kSide; ++r) fft(std::span(x).subspan(r * kSide, kSide));
    for (std::size_t c = 0; c < kSide; ++c) {
      std::vector<std::complex<double>> column(kSide);
      for (std::size_t r = 0; r < kSide; ++r) column[r] = x[r * kSide + c];
      fft(column);
      for (std::size_t r = 0; r < kSide; ++r) x[r * kSide + c] = column[r];
    }
    images.push_back(plane_of(kSide, kSide, 1, [&](int r, int c, int) { return 0.5 + x[static_cast<std::size_t>(r * kSide + c)].real(); }));
  }
  // Rings from the fourth on: leakage adds 4 % there, 300 windowed values spread by 6 %.
  EXPECT_NEAR(measure_spectrum(images, kSide).slope, -2, 0.1);
}

TEST(Spectrum, TenTimesThePowerIsTenDecibels) {
  Spectrum a{{0.1, 0.2}, {1e-3, 2e-4}, 0}, b{{0.1, 0.2}, {1e-4, 2e-5}, 0};
  EXPECT_NEAR(spectrum_distance(a, b), 10, 1e-12);
  EXPECT_EQ(spectrum_distance(a, a), 0);
  b.power.push_back(1);
  EXPECT_THROW(spectrum_distance(a, b), Error);
}

TEST(Spectrum, TilesAreTheLargestPowerOfTwoThatFits) {
  const std::vector<Plane> images = {constant_plane(160, 120, 1, 0), constant_plane(500, 400, 1, 0)};
  EXPECT_EQ(tile_size(images), 64);
  EXPECT_EQ(tile_size({&images[1], 1}), 256);
}

TEST(Colors, AShiftOfTheHistogramIsItsDistance) {
  const std::vector<Plane> a = {plane_of(64, 64, 3, [](int r, int c, int) { return (r * 64 + c) / 8192.0; })};
  std::vector<Plane> b = a;
  for (float& v : b[0].f) v += 0.25f;
  const ColorDistance d = color_distance(measure_colors(a), measure_colors(b));
  EXPECT_NEAR(d.histogram, 0.25, 1e-12);
  EXPECT_NEAR(d.frechet, 3 * 0.25 * 0.25, 1e-6);
  EXPECT_EQ(d.chromaticity, 0);
}

TEST(Colors, MomentsAreThoseOfThePixels) {
  const std::vector<Plane> a = {plane_of(2, 1, 3, [](int, int c, int k) { return c == 0 ? 0.2 + 0.1 * k : 0.6; })};
  const Colors colors = measure_colors(a);
  EXPECT_NEAR(colors.mean[2], 0.5, 1e-7);
  EXPECT_NEAR(colors.covariance(0, 0), 0.04, 1e-7);
  EXPECT_NEAR(colors.covariance(0, 2), 0.02, 1e-7);
}

TEST(Colors, OtherHuesHaveNothingInCommon) {
  const std::vector<Plane> red = {plane_of(8, 8, 3, [](int, int, int k) { return k == 0 ? 0.8 : 0.1; })};
  const std::vector<Plane> blue = {plane_of(8, 8, 3, [](int, int, int k) { return k == 2 ? 0.8 : 0.1; })};
  EXPECT_NEAR(color_distance(measure_colors(red), measure_colors(blue)).chromaticity, 1, 1e-12);
  const std::vector<Plane> gray = {constant_plane(8, 8, 1, 0.3)};
  EXPECT_EQ(color_distance(measure_colors(gray), measure_colors(gray)).chromaticity, 0);
}

TEST(Edges, SharpnessOfWhiteNoiseAndOfASine) {
  // 65536 terms that depend on their neighbours: about one per cent.
  EXPECT_NEAR(measure_edges(noise_planes(1, 256, 1, 0.5, 0.05, 2)).sharpness, 20, 0.6);
  const double w = std::numbers::pi / 8;
  const Plane sine = plane_of(258, 32, 1, [w](int, int c, int) { return 0.5 + 0.3 * std::sin(w * c); });
  EXPECT_NEAR(measure_edges({&sine, 1}).sharpness, 4 * std::pow(std::tan(w / 2), 2), 1e-4);
}

TEST(Edges, TwiceTheContrastIsOneOctave) {
  const auto a = soft_scenes(2, 64, 1, 0.002, 7);
  std::vector<Plane> b = a;
  for (Plane& p : b)
    for (float& v : p.f) v = 2 * v;
  // Values in the first and last bin cannot move out.
  EXPECT_NEAR(edge_distance(measure_edges(a), measure_edges(b)), 1, 0.02);
}

TEST(Patches, ThePyramidGoesBackToTheImage) {
  Random random(1, 1);
  const Plane image = plane_of(75, 66, 3, [&](int, int, int) { return random.uniform(); });
  const std::vector<Plane> pyramid = laplacian_pyramid(image, 4);
  ASSERT_EQ(pyramid.size(), 3u);   // 66 px, 33 and 17
  const Plane back = collapsed(pyramid);
  for (std::size_t i = 0; i < image.f.size(); ++i) ASSERT_NEAR(back.f[i], image.f[i], 1e-6);
}

TEST(Patches, AConstantHasNoDetail) {
  const std::vector<Plane> pyramid = laplacian_pyramid(constant_plane(65, 48, 1, 0.4), 2);
  for (const float v : pyramid[0].f) ASSERT_NEAR(v, 0, 1e-6);
  for (const float v : pyramid[1].f) ASSERT_NEAR(v, 0.4, 1e-6);
}

TEST(Patches, AShiftHasTheDistanceOfTheClosedForm) {
  constexpr std::size_t kDimension = 12, kRows = 500;
  Random random(5, 0);
  std::vector<float> a, b;
  for (std::size_t i = 0; i < kRows * kDimension; ++i) {
    a.push_back(static_cast<float>(random.normal()));
    b.push_back(a.back() + (i % kDimension == 3 ? 2.0f : 0.0f));
  }
  const double d = static_cast<double>(kDimension);
  const double expected = 2 * std::tgamma(d / 2) / (std::sqrt(std::numbers::pi) * std::tgamma((d + 1) / 2));
  // |cos| has a deviation of 0.17 in twelve dimensions, 4000 directions: 0.0056 for a shift of 2; four deviations.
  EXPECT_NEAR(sliced_wasserstein(a, b, kDimension, 4000, 1), expected, 0.023);
  EXPECT_EQ(sliced_wasserstein(a, a, kDimension, 10, 1), 0);
}

TEST(Patches, NoiseIsSeenInTheFinestLevelAndEqualSetsAreAtTheFloor) {
  const auto a = soft_scenes(12, 64, 1, 0.01, 1), b = soft_scenes(12, 64, 1, 0.01, 1), noisy = soft_scenes(12, 64, 1, 0.03, 1);
  const PatchOptions options{.levels = 3, .patches = 2000, .projections = 64};
  const auto same = patch_distance(a, b, options), apart = patch_distance(noisy, b, options);
  ASSERT_EQ(same.size(), 3u);
  // Normal values of three times the deviation: W1 = 2 E|z| = 1.6 in units of the real deviation. Equal sets: 1.8/sqrt(2000) = 0.04.
  EXPECT_NEAR(apart[0], 1.6, 0.16);
  EXPECT_NEAR(same[0], 0.04, 0.015);
  EXPECT_GT(apart[0], 10 * apart[2]);
}

TEST(Patches, TheSeedFixesTheBitsOnAnyNumberOfThreads) {
  const auto a = soft_scenes(9, 48, 3, 0.01, 1), b = soft_scenes(10, 56, 3, 0.02, 2);
  PatchOptions options{.levels = 3, .patches = 300, .projections = 20};
  const auto one = patch_distance(a, b, options, on_threads(1)), two = patch_distance(a, b, options, on_threads(2));
  EXPECT_EQ(one, two);
  options.seed = 2;
  EXPECT_NE(one, patch_distance(a, b, options));
}

}  // namespace
}  // namespace simulacra::gap
