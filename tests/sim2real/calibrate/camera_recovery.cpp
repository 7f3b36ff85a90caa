// SPDX-License-Identifier: Apache-2.0
// Simulated cameras with known parameters, fitted from pictures of other scenes: the recovery table of sim2real/RESULTS.md.
//   build/tests/bin/sim2real_camera_recovery [pictures a side] [cameras]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "sim2real/calibrate/fit.h"
#include "sim2real/calibrate/jpeg_traces.h"
#include "sim2real/sensor/random.h"
#include "tests/sim2real/calibrate/scenes.h"

namespace {

using namespace simulacra;

/// A camera drawn around phones and webcams.
sensor::CameraOptions drawn(std::uint32_t number) {
  sensor::Stream random(99, number, sensor::Purpose::motion, 1);
  const auto between = [&](double lo, double hi) { return lo + (hi - lo) * random.uniform(); };
  sensor::CameraOptions c;
  c.pixel.full_well_e = std::exp(between(std::log(500.0), std::log(8000.0)));
  c.pixel.read_noise_e = c.pixel.full_well_e * std::exp(between(std::log(0.001), std::log(0.02)));
  c.blur.psf_sigma_px = between(0.2, 1.4);
  const double loss = between(0, 0.5);
  c.lens.corner_loss = {loss, loss * 0.9, loss * 0.95};
  c.lens.red_px_at_corner = between(-1, 1), c.lens.blue_px_at_corner = between(-1, 1);
  c.exposure.auto_level = between(0.35, 0.95);
  c.develop.white_gains = {between(0.8, 1.3), 1, between(0.8, 1.3)};
  c.develop.contrast = between(0, 0.6);
  c.develop.jpeg_quality = static_cast<int>(between(45, 92));
  return c;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 60;
  const int cameras = argc > 2 ? std::atoi(argv[2]) : 6;
  std::map<std::string, std::vector<double>> errors;   // on the parameter's scale, over cameras
  std::map<std::string, int> held, told;
  for (int number = 0; number < cameras; ++number) {
    const sensor::CameraOptions truth = drawn(static_cast<std::uint32_t>(number));
    const auto real = calibrate::photographs(test::scenes(count, 160, 120, 1000 + static_cast<std::uint64_t>(number)), truth, 5);
    const auto renders = test::scenes(count, 160, 120, 2000 + static_cast<std::uint64_t>(number));
    sensor::CameraOptions start;
    start.pixel.full_well_e = 4000, start.pixel.read_noise_e = 8, start.blur.psf_sigma_px = 0.5, start.develop.contrast = 0.2;
    const auto quality = calibrate::jpeg_quality_of_pictures(real);
    start.develop.jpeg_quality = quality.value_or(0);
    const calibrate::Fit fit = calibrate::fit_camera(renders, real, start, {});
    std::printf("camera %d: objective %.1f -> %.1f in %d steps, JPEG quality %d for %d\n", number, fit.before, fit.after, fit.steps, quality.value_or(0),
                truth.develop.jpeg_quality);
    errors["JPEG quality"].push_back(quality.value_or(0) - truth.develop.jpeg_quality);
    for (const calibrate::Parameter& p : calibrate::parameters()) {
      for (const calibrate::FittedParameter& f : fit.parameters) {
        if (f.name != p.name) continue;
        const double is = p.get(truth);
        std::printf("  %-24s %9.4g -> %9.4g  (%.4g to %.4g)%s\n", f.name.c_str(), is, f.value, f.lo, f.hi, f.told ? "" : "  not told");
        errors[f.name].push_back(p.logarithm ? std::log(f.value / is) : f.value - is);
        held[f.name] += f.lo <= is && is <= f.hi;
        told[f.name] += f.told;
      }
    }
    std::fflush(stdout);
  }
  std::printf("\n| parameter | median error | largest | inside the interval | told |\n|---|---|---|---|---|\n");
  for (auto& [name, e] : errors) {
    std::vector<double> size;
    for (const double v : e) size.push_back(std::abs(v));
    std::sort(size.begin(), size.end());
    std::printf("| %s | %.3g | %.3g | %d of %zu | %d |\n", name.c_str(), size[size.size() / 2], size.back(), held[name], size.size(), told[name]);
  }
}
