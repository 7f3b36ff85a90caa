// SPDX-License-Identifier: Apache-2.0
// Power against spatial frequency.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "render/base/parallel.h"
#include "render/image/frame.h"

namespace simulacra::gap {

/// In place, radix 2 (Cooley and Tukey 1965): X_k = sum_j x_j exp(-2 pi i j k / n). The size must be a power of two.
void fft(std::span<std::complex<double>> values);

struct Spectrum {
  std::vector<double> frequency;   ///< cycles per pixel, of rings one 1/size wide: 1/size .. 1/2
  std::vector<double> power;       ///< mean over ring, tiles and pictures; white noise of variance v gives v everywhere
  double slope = 0;                ///< of log power against log frequency over 0.03 .. 0.35 cycles per pixel
};

/// The largest power of two that fits in all pictures, at most 256.
int tile_size(std::span<const Plane> images);

/// Of luma in tiles of size x size side by side, minus the tile's mean, times Hann's window in both directions (Welch 1967):
/// |F|^2 / sum of window^2. Natural scenes have a slope near -2 (Field 1987). Bias: the window leaks over 1.5 rings, so the
/// lowest ring is too low for steep spectra. A ring at frequency f averages about pi f size^2 values a tile: relative
/// deviation of white noise 1/sqrt of that (times 1.4 for the window).
Spectrum measure_spectrum(std::span<const Plane> images, int size, const ParallelFor& parallel = serial_for);

/// Root mean square difference of 10 log10 power over the rings, in dB; powers below 1e-12 count as 1e-12. Throws Error for
/// different sizes.
double spectrum_distance(const Spectrum& a, const Spectrum& b);

}  // namespace simulacra::gap
