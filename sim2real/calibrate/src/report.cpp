// SPDX-License-Identifier: Apache-2.0
#include "sim2real/calibrate/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "render/base/base64.h"
#include "render/base/html.h"
#include "render/texture/texture.h"

namespace simulacra::calibrate {
namespace {

using Json = nlohmann::ordered_json;

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(); }

std::string picture_tag(const Plane& image) {
  return fmt::format("<img alt=\"\" src=\"data:image/png;base64,{}\">", base64(encode_png(image.width, image.height, image.channels, display_bytes(image))));
}

std::string row_of_pictures(std::string_view title, const std::vector<Plane>& images) {
  std::string html = fmt::format("<h3>{}</h3><div class=\"row\">", title);
  for (const Plane& image : images) html += picture_tag(image);
  return html + "</div>\n";
}

/// Deviations of one trace before and after, as bars around 0.
std::string bars(const Fit& fit, Trace trace) {
  std::string marks;
  int count = 0;
  const auto z = [&](const Measured& m, std::size_t k) {
    return (m.value[k] - fit.real.value[k]) / spread_of(k, fit.real.variance[k], fit.start.variance[k]);
  };
  for (std::size_t k = 0; k < statistic_rows().size(); ++k) {
    if (statistic_rows()[k].trace != trace) continue;
    const double x = 8 + 16 * count++;
    for (const auto& [m, color, shift] : {std::tuple(&fit.start, "#c2c8d0", 0.0), std::tuple(&fit.end, "#2b6cb0", 6.0)}) {
      const double v = z(*m, k);
      if (!std::isfinite(v)) continue;
      const double height = std::min(40.0, 40 * std::log1p(std::abs(v)) / std::log(60.0));
      marks += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"5\" height=\"{:.1f}\" fill=\"{}\"><title>{:+.2f}</title></rect>", x + shift,
                           v > 0 ? 45 - height : 45, std::max(height, 0.5), color, v);
    }
  }
  const int width = 16 + 16 * count;
  return fmt::format("<figure><svg width=\"{0}\" height=\"90\" viewBox=\"0 0 {0} 90\"><line x1=\"0\" x2=\"{0}\" y1=\"45\" y2=\"45\" stroke=\"#888\"/>{1}</svg>"
                     "<figcaption>{2}</figcaption></figure>", width, marks, name_of(trace));
}

constexpr const char* kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1c2430}table{border-collapse:collapse;margin:1rem 0}"
    "td,th{padding:.25rem .8rem;border-bottom:1px solid #dde2e8;text-align:right}td:first-child,th:first-child{text-align:left}"
    ".row{display:flex;flex-wrap:wrap;gap:6px}.row img{width:200px;image-rendering:pixelated}figure{display:inline-block;margin:0 1rem 1rem 0}"
    "figcaption{font-size:13px;color:#566}.weak{color:#889}.good{color:#1a7f37}";

std::string better(const MeterRow& r) { return std::isfinite(r.after) && r.after < r.before ? "good" : ""; }

std::string parameter_table(const Fit& fit) {
  std::string html = "<table><tr><th>parameter</th><th>start</th><th>fitted</th><th>68 % interval</th></tr>\n";
  for (const FittedParameter& p : fit.parameters)
    html += fmt::format("<tr{}><td>camera.{}</td><td>{:.4g}</td><td>{:.4g}</td><td>{}</td></tr>\n", p.told ? "" : " class=\"weak\"", html_escaped(p.name), p.start,
                        p.value, p.told ? fmt::format("{:.4g} – {:.4g}", p.lo, p.hi) : "the pictures do not tell");
  return html + "</table>\n";
}

std::string meter_table(const FitFacts& f) {
  std::string html = "<table><tr><th>meter</th><th>renders as they are</th><th>through the camera</th><th>floor</th><th></th></tr>\n";
  for (const MeterRow& r : meter_rows(f.before, f.after))
    html += fmt::format("<tr><td>{}</td><td>{:.4g}</td><td class=\"{}\">{:.4g}</td><td>{:.4g}</td><td>{}</td></tr>\n", r.name, r.before, better(r), r.after, r.floor, r.unit);
  return html + "</table>\n";
}

}  // namespace

std::vector<MeterRow> meter_rows(const gap::Gap& before, const gap::Gap& after) {
  const gap::Distances &b = before.distances, &a = after.distances, &f = before.floor;
  std::vector<MeterRow> rows = {{"noise", "octaves", b.noise, a.noise, f.noise},
                                {"spectrum", "dB", b.spectrum, a.spectrum, f.spectrum},
                                {"color histogram", "display values", b.color.histogram, a.color.histogram, f.color.histogram},
                                {"chromaticity", "share", b.color.chromaticity, a.color.chromaticity, f.color.chromaticity},
                                {"edges", "octaves", b.edges, a.edges, f.edges}};
  for (std::size_t l = 0; l < b.patches.size() && l < a.patches.size(); ++l)
    rows.push_back({fmt::format("patches, level {}", l), "deviations", b.patches[l], a.patches[l], l < f.patches.size() ? f.patches[l] : 0});
  rows.push_back({"Fréchet", "squared", b.frechet, a.frechet, f.frechet});
  rows.push_back({"kernel", "MMD²", b.kernel.mmd2, a.kernel.mmd2, f.kernel.mmd2});
  rows.push_back({"classifier", "area", b.classifier.value, a.classifier.value, f.classifier.value});
  return rows;
}

std::string fit_text(const FitFacts& f) {
  std::string text = fmt::format("fitted on {} pictures of {}, judged on {} others; renders of {}{}\nJPEG: {}\nobjective {:.1f} -> {:.1f} in {} steps, {} pictures taken\n\n",
                                 f.fitted_on, f.real, f.judged_on, f.renders, f.shrunk > 1 ? fmt::format(", made smaller by {}", f.shrunk) : "", f.jpeg, f.fit.before,
                                 f.fit.after, f.fit.steps, f.fit.simulated);
  text += fmt::format("{:<28} {:>10} {:>10}   68 % interval\n", "parameter", "start", "fitted");
  for (const FittedParameter& p : f.fit.parameters)
    text += fmt::format("{:<28} {:>10.4g} {:>10.4g}   {}\n", "camera." + p.name, p.start, p.value,
                        p.told ? fmt::format("{:.4g} to {:.4g}", p.lo, p.hi) : "the pictures do not tell");
  text += fmt::format("\n{:<28} {:>10} {:>10} {:>10}\n", "meter", "before", "after", "floor");
  for (const MeterRow& r : meter_rows(f.before, f.after)) text += fmt::format("{:<28} {:>10.4g} {:>10.4g} {:>10.4g} {}\n", r.name, r.before, r.after, r.floor, r.unit);
  return text;
}

std::string fit_json(const FitFacts& f) {
  Json json = {{"renders", f.renders}, {"real", f.real}, {"fitted_on", f.fitted_on}, {"judged_on", f.judged_on}, {"shrunk", f.shrunk}, {"jpeg", f.jpeg},
               {"objective_before", number(f.fit.before)}, {"objective_after", number(f.fit.after)}, {"steps", f.fit.steps}, {"simulated", f.fit.simulated}};
  for (const FittedParameter& p : f.fit.parameters)
    json["parameters"]["camera." + p.name] = {{"start", number(p.start)}, {"value", number(p.value)}, {"lo", number(p.lo)}, {"hi", number(p.hi)}, {"told", p.told}};
  for (const MeterRow& r : meter_rows(f.before, f.after))
    json["meters"][r.name] = {{"unit", r.unit}, {"before", number(r.before)}, {"after", number(r.after)}, {"floor", number(r.floor)}};
  return json.dump(2) + "\n";
}

std::string fit_page(const FitFacts& f) {
  std::string html = fmt::format("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Fitted sensor</title><style>{}</style>\n<h1>Fitted sensor</h1>\n", kStyle);
  html += fmt::format("<p>{} pictures of <b>{}</b> were fitted; the meters below judge on {} others. Renders: <b>{}</b>{}. JPEG: {}.</p>\n", f.fitted_on,
                      html_escaped(f.real), f.judged_on, html_escaped(f.renders), f.shrunk > 1 ? fmt::format(", made smaller by {}", f.shrunk) : "", html_escaped(f.jpeg));
  html += parameter_table(f.fit);
  html += "<h2>Gap to pictures that the fit did not see</h2>\n" + meter_table(f);
  html += "<p>Floor: the same meter between two halves of the judging pictures. Differences of content (furniture, light, windows) remain.</p>\n";
  html += row_of_pictures("Real", f.examples) + row_of_pictures("Renders, tone-mapped", f.plain) + row_of_pictures("The same through the fitted camera", f.photographed);
  html += "<h2>Statistics</h2>\n<p>Deviations from the real set, gray before and blue after, on a logarithmic scale (hover for the number).</p>\n";
  for (const Trace trace : {Trace::tone, Trace::noise, Trace::spectrum, Trace::edges, Trace::shading, Trace::aberration, Trace::blocks}) html += bars(f.fit, trace);
  return html + "</html>\n";
}

}  // namespace simulacra::calibrate
