// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/report/page.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "dataset/annotate/nyu40.h"
#include "learning/record/scalar_log.h"
#include "learning/report/src/page_style.h"
#include "learning/report/src/pictures.h"
#include "learning/train/run_folder.h"
#include "render/base/html.h"

namespace simulacra::learning {
namespace {

std::string value_text(double v) { return std::isfinite(v) ? fmt::format("{:.4g}", v) : "none"; }

/// "depth/abs_rel" -> one card "depth" with a line "abs rel".
std::string score_cards(const Scores& scores) {
  std::map<std::string, std::string> cards;
  for (const auto& [name, value] : scores.scalars()) {
    const auto slash = name.find('/');
    std::string what = name.substr(slash + 1);
    std::replace(what.begin(), what.end(), '_', ' ');
    cards[name.substr(0, slash)] += fmt::format("<dt>{}</dt><dd>{}</dd>", html_escaped(what), value_text(value));
  }
  std::string html;
  for (const auto& [task, lines] : cards) html += fmt::format("<div class=\"card\"><h3>{}</h3><dl>{}</dl></div>", html_escaped(task), lines);
  return "<div class=\"cards\">" + html + "</div>";
}

using Curve = std::vector<std::pair<std::int64_t, double>>;

/// A chart of one curve; the value axis is logarithmic where all values are positive and span more than a decade.
std::string chart(const std::string& name, const Curve& all) {
  constexpr double kWidth = 420, kHeight = 190, kLeft = 52, kRight = 8, kTop = 10, kBottom = 24;
  Curve curve;
  for (const auto& point : all)
    if (std::isfinite(point.second)) curve.push_back(point);
  if (curve.size() < 2) return {};
  const auto [least, most] = std::minmax_element(curve.begin(), curve.end(), [](auto& a, auto& b) { return a.second < b.second; });
  double lo = least->second, hi = most->second;
  const bool logarithmic = lo > 0 && hi > 10 * lo;
  if (hi == lo) hi = lo + 1;
  const auto scaled = [&](double v) { return logarithmic ? std::log(v / lo) / std::log(hi / lo) : (v - lo) / (hi - lo); };
  const double first = static_cast<double>(curve.front().first), last = static_cast<double>(curve.back().first);
  const auto x_of = [&](double step) { return kLeft + (step - first) / (last - first) * (kWidth - kLeft - kRight); };
  const auto y_of = [&](double v) { return kHeight - kBottom - scaled(v) * (kHeight - kBottom - kTop); };
  std::string path;
  for (const auto& [step, value] : curve)
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", x_of(static_cast<double>(step)), y_of(value));
  const double bottom = kHeight - kBottom;
  return fmt::format(
      "<div class=\"card\"><h3>{}{}</h3><svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"{} by step\">"
      "<line class=\"axis\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/><line class=\"axis\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
      "<text x=\"{}\" y=\"{}\">step {}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><path d=\"{}\"/></svg></div>",
      html_escaped(name), logarithmic ? " <span class=\"soft\">(log)</span>" : "", kWidth, kHeight, html_escaped(name), kLeft, bottom, kWidth - kRight, bottom,
      kLeft, kTop, kLeft, bottom, kLeft - 6, kTop + 8, value_text(hi), kLeft - 6, bottom, value_text(lo), kLeft, kHeight - 8,
      curve.front().first, kWidth - kRight, kHeight - 8, curve.back().first, path);
}

std::string curves_html(const EvaluationFacts& facts) {
  std::vector<std::string> names = {"train/loss"};
  for (const char* task : {"depth", "normals", "semantics", "albedo", "shading"}) names.push_back(std::string("train/") + task);
  for (const auto& [name, value] : facts.scores.scalars()) names.push_back(name);
  std::string html;
  if (std::filesystem::exists(facts.run / "scalars.csv"))
    for (const std::string& name : names) html += chart(name, read_curve(facts.run, name));
  return html.empty() ? std::string() : "<h2>Curves</h2><div class=\"cards\">" + html + "</div>";
}

std::string frame_html(const ShownFrame& f) {
  std::string rows = "<span></span><span class=\"head\">label</span><span class=\"head\">prediction</span><span class=\"head\">error</span>";
  for (const auto& [task, predicted] : f.predicted) {
    const torch::Tensor& target = f.target.at(task);
    const torch::Tensor& mask = f.mask.at(task);
    const Look look = look_of(task, target, mask);
    rows += fmt::format("<span class=\"what\">{}</span><img alt=\"label\" src=\"{}\"><img alt=\"prediction\" src=\"{}\">"
                        "<img alt=\"error\" title=\"brightest: {} and more\" src=\"{}\">",
                        task, picture_uri(target, mask, look), picture_uri(predicted, torch::ones_like(mask), look), error_scale(task),
                        error_uri(task, predicted, target, mask));
  }
  return fmt::format("<div class=\"card frame\"><h3>{} {} frame {}</h3><div class=\"row\"><span class=\"what\">image</span><img alt=\"image\" src=\"{}\">"
                     "<span></span><span></span>{}</div></div>",
                     html_escaped(f.name.scene), html_escaped(f.name.camera), f.name.frame, image_uri(f.image), rows);
}

/// IoU of each class that occurs, and what it is most often taken for.
std::string classes_html(const SemanticScore& s) {
  std::string rows;
  for (std::size_t i = 0; i < s.iou.size() && i < kNyu40.size(); ++i) {
    if (!std::isfinite(s.iou[i])) continue;
    torch::Tensor row = s.confusion[static_cast<std::int64_t>(i)].clone();
    const auto pixels = row.sum().item<std::int64_t>();
    row[static_cast<std::int64_t>(i)] = 0;
    const auto other = static_cast<std::size_t>(row.argmax().item<std::int64_t>());
    const auto mistaken = row.max().item<std::int64_t>();
    const auto& color = kNyu40[i].color;
    rows += fmt::format("<tr><td><i style=\"background:#{:02x}{:02x}{:02x}\"></i>{}</td><td class=\"n\">{:.3f}</td><td style=\"width:180px\"><div class=\"bar\" "
                        "style=\"width:{:.1f}%\"></div></td><td class=\"n\">{}</td><td>{}</td></tr>",
                        color[0], color[1], color[2], kNyu40[i].name, s.iou[i], 100 * s.iou[i], pixels,
                        mistaken > 0 ? fmt::format("{} ({:.0f} %)", kNyu40[other].name, 100.0 * static_cast<double>(mistaken) / static_cast<double>(pixels))
                                     : std::string());
  }
  return "<h2>Classes</h2><div class=\"card\"><table><tr><th>class</th><th>IoU</th><th></th><th>pixels</th><th>most often taken for</th></tr>" + rows +
         "</table></div>";
}

}  // namespace

std::string evaluation_page(const EvaluationFacts& facts) {
  std::string html = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">";
  html += fmt::format("<title>{}</title><style>{}</style></head><body><main>", html_escaped(facts.run.filename().string()), kPageStyle);
  html += fmt::format("<h1>{}</h1><p class=\"line\">{} frames of {}, judged in {}</p>", html_escaped(facts.run.filename().string()), facts.scores.frames,
                      html_escaped(facts.data), duration_text(facts.scores.seconds));
  html += score_cards(facts.scores) + curves_html(facts);
  html += "<h2>Predictions</h2>";
  for (const ShownFrame& f : facts.shown) html += frame_html(f);
  if (facts.scores.semantics) html += classes_html(*facts.scores.semantics);
  return html + "</main></body></html>\n";
}

}  // namespace simulacra::learning
