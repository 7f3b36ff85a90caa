// SPDX-License-Identifier: Apache-2.0
// Color and its split.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dataset/audit/src/frame_images.h"

namespace simulacra::auditing {
namespace {

void judge_range(const FrameImages& f, Label label, const char* check, double top, bool closed, std::string_view wish, Findings& to) {
  const Image* image = f.get(label);
  if (!image) return to.none(check);
  BadPixels bad;
  for (std::size_t i = 0; i < image->f.size(); ++i) {
    const double v = image->f[i];
    if (!(v >= 0 && (v < top || (closed && v == top)))) bad.add(i / 3);
  }
  to.pixels(check, f.path(label), bad, f.width, f.pixels(), wish, [&](std::size_t p) { return image->text(p); });
}

struct Identity {
  double gap = 0, allow = 0;   ///< |color - (ρE + R)| and what rounding explains
};

Identity identity_of(const FrameImages& f, std::size_t p, std::size_t c) {
  const Image &color = *f.get(Label::color), &rho = *f.get(Label::diffuse_reflectance);
  const Image &light = *f.get(Label::diffuse_illumination), &rest = *f.get(Label::residual);
  const double col = color.at(p, c), r = rho.at(p, c), e = light.at(p, c), s = rest.at(p, c), product = r * e;
  const double loose = 2e-3 * (std::abs(col) + std::abs(product) + std::abs(s)) + 1e-4;
  const double exact = color.step(p, c) + rho.step(p, c) * std::abs(e) + light.step(p, c) * std::abs(r) + rest.step(p, c);
  // Like a maximum in which NaN wins: what is not finite is for F9.range to tell.
  return {std::abs(col - (product + s)), std::isnan(exact) ? exact : std::max(loose, exact)};
}

void judge_identity(const FrameImages& f, Findings& to) {
  const Image& color = *f.get(Label::color);
  BadPixels bad;
  double peak = -std::numeric_limits<double>::infinity(), squares = 0;
  std::size_t used = 0;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    bool broken = false, usable = true;
    double worst = 0, sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const Identity d = identity_of(f, p, c);
      broken = broken || d.gap > d.allow;
      usable = usable && std::isfinite(d.gap) && color.at(p, c) < 65504;
      worst = std::max(worst, d.gap);
      sum += d.gap * d.gap;
    }
    if (broken) bad.add(p, worst);
    if (!usable) continue;
    ++used;
    squares += sum;
    for (std::size_t c = 0; c < 3; ++c) peak = std::max(peak, static_cast<double>(color.at(p, c)));
  }
  to.pixels("F9.identity", f.path(Label::color), bad, f.width, f.pixels(), "reflectance * illumination + residual", [&](std::size_t p) {
    std::string sum;
    for (std::size_t c = 0; c < 3; ++c)
      sum += fmt::format(" {:.5g}", f.get(Label::diffuse_reflectance)->at(p, c) * f.get(Label::diffuse_illumination)->at(p, c) +
                                        f.get(Label::residual)->at(p, c));
    return "color " + color.text(p) + " against" + sum;
  });
  if (used == 0) return;
  const double error = squares / (3 * static_cast<double>(used));
  const double ratio = error == 0 ? std::numeric_limits<double>::infinity()
                                  : 10 * std::log10(std::pow(std::max(peak, 1e-6), 2) / error);
  to.test("F9.psnr", f.path(Label::color), ratio >= 40, ">= 40 dB (peak = largest value)", [&] { return fmt::format("{:.1f} dB", ratio); });
}

/// The mask without what lies within three pixels (in rows or columns) of its edge or of the image's.
std::vector<bool> eroded(std::vector<bool> mask, std::size_t width, std::size_t height) {
  for (int n = 0; n < 3; ++n) {
    std::vector<bool> inner(mask.size());
    for (std::size_t r = 1; r + 1 < height; ++r)
      for (std::size_t c = 1; c + 1 < width; ++c) {
        const std::size_t p = r * width + c;
        inner[p] = mask[p] && mask[p - 1] && mask[p + 1] && mask[p - width] && mask[p + width];
      }
    mask = std::move(inner);
  }
  return mask;
}

}  // namespace

void judge_light(const FrameImages& f, Findings& to) {
  for (const Label label : {Label::color, Label::diffuse_illumination, Label::residual})
    judge_range(f, label, "F9.range", 65504, false, "0 <= value < 65504", to);
  judge_range(f, Label::diffuse_reflectance, "F9.reflectance", 1, true, "0 <= value <= 1", to);
  const bool all = f.get(Label::color) && f.get(Label::diffuse_reflectance) && f.get(Label::diffuse_illumination) && f.get(Label::residual);
  if (all) judge_identity(f, to);
  else to.none("F9.identity", "F9.psnr");

  const std::vector<bool> inside = f.empty ? eroded(*f.empty, f.width, f.height) : std::vector<bool>{};
  const bool any_inside = std::find(inside.begin(), inside.end(), true) != inside.end();
  for (const Label label : {Label::diffuse_reflectance, Label::diffuse_illumination}) {
    const Image* image = f.get(label);
    if (!image || !any_inside) {
      to.none("F9.background");
      continue;
    }
    BadPixels bad;
    for (std::size_t p = 0; p < f.pixels(); ++p)
      if (inside[p] && (image->at(p, 0) != 0 || image->at(p, 1) != 0 || image->at(p, 2) != 0)) bad.add(p);
    to.pixels("F9.background", f.path(label), bad, f.width, f.pixels(), "0 three pixels or more inside empty regions",
              [&](std::size_t p) { return image->text(p); });
  }
}

}  // namespace simulacra::auditing
