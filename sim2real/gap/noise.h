// SPDX-License-Identifier: Apache-2.0
// Noise against intensity, from single pictures.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "render/image/frame.h"

namespace simulacra::gap {

struct NoiseBin {
  double intensity = 0;     ///< mean of the local means
  double sigma = 0;         ///< standard deviation of a pixel
  std::size_t pixels = 0;
};

/// variance = read_variance + shot * intensity.
struct NoiseLine {
  double read_variance = 0, shot = 0;
};

struct NoiseOptions {
  int bins = 24;                   ///< over intensities 0.02 .. 0.95: what lies beyond is clipped
  double smooth_share = 0.3;       ///< pixels of a picture that count: those of the smallest gradients
  std::size_t least_pixels = 400;  ///< of a bin; emptier ones are left out. sigma's relative error is some 1.1/sqrt(2 * 400) = 4 %
  std::size_t most_pixels = 4'000'000;   ///< of a set; beyond, every n-th pixel counts
};

struct Noise {
  std::vector<NoiseBin> bins;      ///< those with enough pixels, by intensity
  NoiseLine line;                  ///< zero with fewer than two bins
};

/// Residuals of the mask (1 -2 1) x (1 -2 1) / 6 (Immerkaer, "Fast noise variance estimation", CVIU 1996), which takes away
/// every surface a + b x + c y + d x y + e x^2 + f y^2 and keeps the variance of white noise. sigma is that of normal values with the
/// same mean of the lowest 60 % of |residual|, per bin of the 3 x 3 mean. Only the smoothest pixels by Sobel's gradient count. Mask, mean and gradient are orthogonal, so
/// for white Gaussian noise neither the choice nor the binning biases sigma. The line: least squares of variances, weighted by
/// pixels/variance^2, iterated.
/// Of 8-bit pictures sigma holds the rounding's own noise, sqrt(sigma^2 + 1/12) in steps of 1/255, within 5 % from half a step on;
/// below, flat surfaces hide noise and sigma falls to 0.
/// Bias: texture that is left raises sigma (an upper bound); noise that is correlated, as after demosaicing or JPEG, is seen
/// through the mask's high frequencies only; a tone curve bends the line, which holds for linear values. Of color pictures
/// green counts. Values in 0 .. 1.
Noise measure_noise(std::span<const Plane> images, const NoiseOptions& options = {});
NoiseLine fit_noise_line(std::span<const NoiseBin> bins);

/// Root mean square over the bins of log2((sigma_a + e)/(sigma_b + e)), e = the rounding noise of 8 bits, 1/(255 sqrt(12)); b's
/// sigma is interpolated at a's intensities where they overlap. In octaves; not a number without an overlap.
double noise_distance(const Noise& a, const Noise& b);

}  // namespace simulacra::gap
