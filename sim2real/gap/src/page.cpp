// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "render/base/base64.h"
#include "render/base/html.h"
#include "render/texture/texture.h"
#include "sim2real/gap/report.h"
#include "sim2real/gap/src/page_style.h"
#include "sim2real/gap/src/random.h"
#include "sim2real/gap/src/rows.h"

namespace simulacra::gap {
namespace {

constexpr std::size_t kShown = 12;
constexpr int kShownSide = 240;
constexpr std::uint64_t kPictures = 2000;   // stream of the choice of pictures

std::string table(const Gap& gap) {
  std::string rows;
  for (const MeterRow& r : meter_rows(gap))
    rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"f\">{}</td><td class=\"s\">{}</td></tr>", r.name, shown(r.value), shown(r.floor), r.meaning);
  return "<div class=\"card table\"><table><tr><th>meter</th><th>gap</th><th>floor</th><th></th></tr>" + rows +
         "</table><p>The floor is the same meter between two halves of the real set: what no gap at all comes to with half as many pictures.</p>" +
         fmt::format("<p>Differs most, in deviations of the real set: {}.</p></div>", largest_shifts(gap, 5));
}

using Curve = std::vector<std::pair<double, double>>;

struct Range {
  double lo = INFINITY, hi = -INFINITY;
  void add(double v) { lo = std::min(lo, v), hi = std::max(hi, v); }
  double share(double v) const { return hi > lo ? (v - lo) / (hi - lo) : 0.5; }
};

/// Two curves; `decades`: the axes carry log10 and are labelled with powers of ten undone.
std::string chart(std::string_view title, std::string_view note, const Curve& a, const Curve& b, bool decades, std::string_view x_name) {
  constexpr double kWidth = 460, kHeight = 220, kLeft = 56, kRight = 10, kTop = 10, kBottom = 26;
  if (a.size() < 2 && b.size() < 2) return {};
  Range x, y;
  for (const Curve* curve : {&a, &b})
    for (const auto& [px, py] : *curve) x.add(px), y.add(py);
  const auto label = [decades](double v) { return fmt::format("{:.2g}", decades ? std::pow(10, v) : v); };
  const auto path = [&](const Curve& curve, char name) {
    std::string points;
    for (const auto& [px, py] : curve)
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "M" : "L", kLeft + x.share(px) * (kWidth - kLeft - kRight),
                            kHeight - kBottom - y.share(py) * (kHeight - kBottom - kTop));
    return fmt::format("<path class=\"{}\" d=\"{}\"/>", name, points);
  };
  const double bottom = kHeight - kBottom;
  return fmt::format(
      "<div class=\"card\"><h3>{}</h3><svg width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">"
      "<path class=\"axis\" d=\"M{},{}V{}H{}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
      "<text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
      "{}{}</svg><p>{}</p></div>",
      title, kWidth, kHeight, kWidth, kHeight, title, kLeft, kTop, bottom, kWidth - kRight, kLeft - 6, kTop + 8, label(y.hi), kLeft - 6, bottom,
      label(y.lo), kLeft, kHeight - 9, label(x.lo), (kLeft + kWidth) / 2, kHeight - 9, x_name, kWidth - kRight, kHeight - 9, label(x.hi),
      path(a, 'a'), path(b, 'b'), note);
}

Curve noise_curve(const SetFacts& f) {
  Curve c;
  for (const NoiseBin& b : f.noise.bins) c.emplace_back(b.intensity, 255 * b.sigma);
  return c;
}

Curve spectrum_curve(const SetFacts& f) {
  Curve c;
  for (std::size_t i = 0; i < f.spectrum.power.size(); ++i)
    c.emplace_back(std::log10(f.spectrum.frequency[i]), std::log10(std::max(1e-12, f.spectrum.power[i])));
  return c;
}

Curve histogram_curve(const Histogram& h, double lo, double hi) {
  Curve c;
  for (std::size_t i = 0; i < h.size(); ++i) c.emplace_back(lo + (hi - lo) * (static_cast<double>(i) + 0.5) / static_cast<double>(h.size()), 100 * h[i]);
  return c;
}

std::string charts(const SetFacts& a, const SetFacts& b) {
  const auto line = [](const SetFacts& f) { return fmt::format("{} + {} x intensity", shown(f.noise.line.read_variance), shown(f.noise.line.shot)); };
  std::string html = chart("Noise against intensity, in steps of 1/255",
                           fmt::format("variance, <span class=\"a\">synthetic</span> {}; <span class=\"b\">real</span> {}", line(a), line(b)),
                           noise_curve(a), noise_curve(b), false, "intensity");
  html += chart("Power against frequency", fmt::format("slopes {:.2f} and {:.2f}; photographs are near -2", a.spectrum.slope, b.spectrum.slope),
                spectrum_curve(a), spectrum_curve(b), true, "cycles per pixel, both axes logarithmic");
  html += chart("Gradients, % of pixels", fmt::format("sharpness {} and {}; white noise has 20", shown(a.edges.sharpness), shown(b.edges.sharpness)),
                histogram_curve(a.edges.gradients, -kGradientOctaves, 0), histogram_curve(b.edges.gradients, -kGradientOctaves, 0), false, "log2 of the gradient");
  constexpr std::string_view kNames[] = {"Red", "Green", "Blue"};
  for (std::size_t k = 0; k < a.colors.channels.size(); ++k)
    html += chart(fmt::format("{}, % of pixels", a.channels == 1 ? "Gray" : kNames[k]),
                  fmt::format("means {:.3f} and {:.3f}", a.colors.mean[k], b.colors.mean[k]), histogram_curve(a.colors.channels[k], 0, 1),
                  histogram_curve(b.colors.channels[k], 0, 1), false, "display value");
  return "<div class=\"cards\">" + html + "</div>";
}

/// The middle of a picture, pixel by pixel: noise stays as it is.
std::string picture_uri(const Plane& image) {
  const int width = std::min(image.width, kShownSide), height = std::min(image.height, kShownSide * 3 / 4);
  return "data:image/png;base64," + base64(encode_png(width, height, image.channels, display_bytes(middle_of(image, width, height))));
}

std::string pictures(const ImageSet& set, std::uint64_t seed) {
  std::vector<std::size_t> order = Random(seed, kPictures).permutation(set.images.size());
  order.resize(std::min(order.size(), kShown));
  std::ranges::sort(order);
  std::string html;
  for (const std::size_t i : order) html += fmt::format("<img alt=\"{0}\" title=\"{0}\" src=\"{1}\">", html_escaped(set.names[i]), picture_uri(set.images[i]));
  return "<div class=\"pictures\">" + html + "</div>";
}

}  // namespace

std::string gap_page(const Gap& gap, const ImageSet& synthetic, const ImageSet& real) {
  std::string html = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">";
  html += fmt::format("<title>Gap</title><style>{}</style></head><body><main><h1>How far apart</h1>", kPageStyle);
  html += fmt::format("<p class=\"line\"><b class=\"a\">synthetic</b> {} ({} pictures) and <b class=\"b\">real</b> {} ({} pictures); {} features, seed {}</p>",
                      html_escaped(gap.synthetic.name), gap.synthetic.images, html_escaped(gap.real.name), gap.real.images, html_escaped(gap.features), gap.seed);
  html += table(gap) + "<h2>Curves</h2>" + charts(gap.synthetic, gap.real);
  html += "<h2 class=\"a\">Synthetic</h2>" + pictures(synthetic, gap.seed) + "<h2 class=\"b\">Real</h2>" + pictures(real, gap.seed);
  return html + "</main></body></html>\n";
}

}  // namespace simulacra::gap
