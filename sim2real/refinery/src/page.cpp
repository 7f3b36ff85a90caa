// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "learning/record/scalar_log.h"
#include "render/base/base64.h"
#include "render/base/html.h"
#include "render/texture/texture.h"
#include "sim2real/refinery/src/page_style.h"

namespace simulacra::sim2real {
namespace {

constexpr std::int64_t kShownSide = 320;   ///< px: of larger pictures the middle

std::string picture(const torch::Tensor& image, const char* alt) {
  const std::int64_t rows = std::min(image.size(1), kShownSide * 3 / 4), columns = std::min(image.size(2), kShownSide);
  const torch::Tensor middle = image.slice(1, (image.size(1) - rows) / 2, (image.size(1) + rows) / 2).slice(2, (image.size(2) - columns) / 2, (image.size(2) + columns) / 2);
  const torch::Tensor bytes = ((middle + 1) * 127.5).clamp(0, 255).round().permute({1, 2, 0}).to(torch::kUInt8).contiguous();
  const auto* first = bytes.const_data_ptr<std::uint8_t>();
  const auto png = encode_png(static_cast<int>(bytes.size(1)), static_cast<int>(bytes.size(0)), static_cast<int>(bytes.size(2)),
                              std::span(first, static_cast<std::size_t>(bytes.numel())));
  return fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">", alt, base64(png));
}

std::string chart(const std::filesystem::path& run, const char* name, const char* title, const char* note, double limit = std::numeric_limits<double>::quiet_NaN()) {
  constexpr double kWidth = 340, kHeight = 170, kLeft = 52, kTop = 10, kBottom = 24;
  const auto curve = read_curve(run, name);
  if (curve.empty()) return {};
  double lo = 0, hi = std::isfinite(limit) ? limit : 0;
  for (const auto& [step, v] : curve) lo = std::min(lo, v), hi = std::max(hi, v);
  if (!(hi > lo)) hi = lo + 1;
  const double first = static_cast<double>(curve.front().first), last = std::max(static_cast<double>(curve.back().first), first + 1);
  const auto x = [&](double step) { return kLeft + (step - first) / (last - first) * (kWidth - kLeft - 10); };
  const auto y = [&](double v) { return kHeight - kBottom - (v - lo) / (hi - lo) * (kHeight - kBottom - kTop); };
  std::string points;
  for (const auto& [step, v] : curve) points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "M" : "L", x(static_cast<double>(step)), y(v));
  if (curve.size() == 1) points += "h3";
  const std::string line = std::isfinite(limit) ? fmt::format("<path class=\"limit\" d=\"M{},{:.1f}H{}\"/>", kLeft, y(limit), kWidth - 10) : "";
  return fmt::format("<div class=\"card\"><h3>{}</h3><svg width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"><path class=\"axis\" d=\"M{},{}V{}H{}\"/>"
                     "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.2g}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.2g}</text><text x=\"{}\" y=\"{}\">{}</text>"
                     "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">step {}</text>{}<path d=\"{}\"/></svg><p>{}</p></div>",
                     title, kWidth, kHeight, kWidth, kHeight, title, kLeft, kTop, kHeight - kBottom, kWidth - 10, kLeft - 5, kTop + 8, hi, kLeft - 5, kHeight - kBottom, lo,
                     kLeft, kHeight - 7, curve.front().first, kWidth - 10, kHeight - 7, curve.back().first, line, points, note);
}

std::string losses(const PageFacts& f) {
  std::string html = chart(f.run, "discriminator/loss", "Discriminator, a cell", "0.69 is guessing; near 0 it always knows.");
  html += chart(f.run, "refiner/adversarial", "Refiner, a cell", "Cross entropy of refined cells taken for real.");
  html += chart(f.run, "refiner/cycle", "There and back", "Mean distance after both refiners.");
  html += chart(f.run, "refiner/change", "Change of the picture", "Mean over values of what is to be kept, in the range −1 to 1.");
  html += chart(f.run, "histogram/moved", "Change of the histogram", "Mean shift of quantiles, in the range −1 to 1.");
  return "<div class=\"cards\">" + html + "</div>";
}

std::string drift(const PageFacts& f) {
  const DriftOptions& o = f.options.drift;
  std::string rows, charts;
  for (std::size_t k = 0; k < kBorderKinds.size(); ++k) {
    const DriftReading::Kind& r = f.drift.kinds[k];
    rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{:.2f}</td><td class=\"n\">{:.2f}</td><td class=\"n\">{:.2f}</td></tr>", kBorderKinds[k], r.tiles,
                        r.median_px, r.tail_px, r.correlation);
    charts += chart(f.run, fmt::format("drift/{}_median_px", kBorderKinds[k]).c_str(), fmt::format("Median shift at {}, px", kBorderKinds[k]).c_str(), "Dashed: the limit.", o.limit_px);
  }
  return fmt::format("<div class=\"cards\"><div class=\"card table\"><h3>Shift of edges at borders of</h3><table><tr><th></th><th>tiles</th><th>median, px</th><th>quantile {:g}, px</th><th>correlation</th></tr>{}"
                     "<tr><td>limit</td><td class=\"n\"></td><td class=\"n\">{:.2f}</td><td class=\"n\">{:.2f}</td><td class=\"n\">{:.2f}</td></tr></table></div>{}</div>",
                     o.tail, rows, o.limit_px, o.tail_limit_px, o.least_correlation, charts);
}

}  // namespace

std::string refinement_page(const PageFacts& f) {
  std::string html = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">";
  html += fmt::format("<title>Refinement</title><style>{}</style></head><body><main><h1>Refinement</h1>", kRefinementStyle);
  html += fmt::format("<p class=\"line\">{} of {}, method {}, towards {}</p>", f.options.input.kind, html_escaped(f.options.data), f.options.method, html_escaped(f.options.real));
  html += f.verdict.empty() ? "<p class=\"verdict good\">No limit of drift was passed.</p>"
                            : fmt::format("<p class=\"verdict bad\">Stopped: {}. No refined copy was written.</p>", html_escaped(f.verdict));
  html += "<h2>Before and after</h2><div class=\"pairs\">";
  for (const auto& [before, after] : f.pairs)
    html += fmt::format("<div class=\"pair\"><span>before</span><span>after</span>{}{}</div>", picture(before, "before"), picture(after, "after"));
  html += "</div><h2>Real pictures</h2><div class=\"pictures\">";
  for (const torch::Tensor& image : f.real) html += picture(image, "real");
  html += "</div><h2>Did labels move</h2>" + drift(f) + "<h2>Losses</h2>" + losses(f);
  return html + "</main></body></html>\n";
}

}  // namespace simulacra::sim2real
