// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "render/base/html.h"
#include "sim2real/preference/analysis.h"
#include "sim2real/preference/src/page_text.h"

namespace simulacra::preference {
namespace {

using nlohmann::json;

constexpr double kLeft = 250, kWidth = 780, kRow = 22;

double x_of(double rate) { return kLeft + rate * (kWidth - kLeft - 20); }

std::string text_of(const json& value) { return html_escaped(value.get<std::string>()); }

std::string row(std::initializer_list<std::string> cells) {
  std::string html = "<tr>";
  for (const std::string& cell : cells) html += "<td>" + cell + "</td>";
  return html + "</tr>";
}

/// A row of the chart: an interval, or a point where lo = hi.
struct Bar {
  std::string name;
  double lo = 0, at = 0, hi = 0;
};

std::string bars(const std::vector<Bar>& rows) {
  const double height = kRow * static_cast<double>(rows.size()) + 30;
  std::string svg = fmt::format("<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">", kWidth, height);
  for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0})
    svg += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"0\" y2=\"{}\"/><text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{} %</text>",
                       tick == 0.5 ? "half" : "axis", x_of(tick), x_of(tick), height - 22, x_of(tick), height - 6, 100 * tick);
  double y = kRow / 2;
  for (const Bar& b : rows) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", kLeft - 14, y + 4, html_escaped(b.name));
    if (b.hi > b.lo) svg += fmt::format("<line class=\"range\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>", x_of(b.lo), x_of(b.hi), y, y);
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{}\" r=\"4.5\"/>", x_of(b.at), y);
    y += kRow;
  }
  return svg + "</svg>";
}

Bar bar(std::string name, const json& interval, double at) { return {std::move(name), interval[0], at, interval[1]}; }

std::string rate_card(const json& r) {
  const double rate = r.at("rate");
  const json& mixed = r.at("mixed");
  std::string html = fmt::format("<div class=\"card\"><div class=\"big\">{:.1f} %</div><p class=\"soft\">{} of {} answers; chance is 50 %</p>", 100 * rate,
                                 r.at("successes").get<int>(), r.at("trials").get<int>());
  html += bars({bar("exact, all answers independent", r.at("clopper_pearson"), rate),
                bar("mixed model, people differ", mixed.at("interval"), mixed.at("rate")),
                bar("bootstrap over participants", r.at("bootstrap_over_participants"), rate)});
  html += "<table>" + row({"p against chance, one-sided, all answers independent", fmt::format("{:.3g}", r.at("p_one_sided").get<double>())});
  html += row({"p of the mixed model, two-sided", fmt::format("{:.3g}; spread of people {:.2f} on the logit scale", mixed.at("p").get<double>(), mixed.at("sigma").get<double>())});
  html += row({fmt::format("p of lying within {} of chance (\"no difference\" is shown when small)", r.at("equivalence").at("margin").get<double>()),
               fmt::format("{:.3g}", r.at("equivalence").at("p").get<double>())});
  html += row({fmt::format("power at a true rate of {}", r.at("power").at("rate").get<double>()), fmt::format("{:.2f}", r.at("power").at("power").get<double>())});
  if (r.contains("d_prime")) html += row({"d'", fmt::format("{:.2f}", r.at("d_prime").get<double>())});
  html += "</table>";
  if (r.contains("participants")) {
    std::vector<Bar> people;
    for (const json& p : r.at("participants"))
      if (const int n = p.at("trials"); n > 0) {
        const double share = p.at("successes").get<double>() / n;
        people.push_back({p.at("participant").get<std::string>(), share, share, share});
      }
    html += "<h3>Participants</h3>" + bars(people);
  }
  return html + "</div>";
}

std::string preference_card(const json& p) {
  std::string html = "<div class=\"card\"><table><tr><th>condition</th><th>strength</th></tr>";
  for (std::size_t i = 0; i < p.at("conditions").size(); ++i)
    html += row({text_of(p.at("conditions")[i]), p.at("strengths").is_null() ? "not determined" : fmt::format("{:.3f}", p.at("strengths")[i].get<double>())});
  html += "</table>";
  if (p.at("strengths").is_null()) html += "<p class=\"soft\">" + text_of(p.at("why_no_strengths")) + "</p>";
  html += fmt::format("<p class=\"soft\">circular triples: {:.0f} %</p></div>", 100 * p.at("circular_share").get<double>());
  if (p.contains("first_over_second"))
    html += fmt::format("<h2>{} over {}</h2>", text_of(p.at("conditions")[0]), text_of(p.at("conditions")[1])) + rate_card(p.at("first_over_second"));
  return html;
}

std::string change_table(const json& changes) {
  std::string html = "<div class=\"card\"><table><tr><th>scale</th><th>first − second</th><th>mean difference</th><th>rank-biserial</th><th>p (Holm)</th></tr>";
  for (const json& r : changes)
    html += row({text_of(r.at("scale")), text_of(r.at("first")) + " − " + text_of(r.at("second")), fmt::format("{:+.2f}", r.at("mean_difference").get<double>()),
                 fmt::format("{:+.2f}", r.at("rank_biserial").get<double>()), fmt::format("{:.3g}", r.at("p_holm").get<double>())});
  return html + "</table></div>";
}

std::string style_card(const json& s) {
  const double share = s.at("prefer_chatty").get<double>() / s.at("participants").get<double>();
  std::string html = fmt::format("<div class=\"card\"><div class=\"big\">{} of {}</div><p class=\"soft\">prefer the chatty assistant</p>", s.at("prefer_chatty").get<int>(),
                                 s.at("participants").get<int>());
  html += bars({bar("share that prefers it, exact", s.at("share_interval"), share)}) + "</div><h2>Can the preference be predicted?</h2><div class=\"card\">";
  std::vector<Bar> rows;
  std::string table = "<table><tr><th>features</th><th>accuracy</th><th>balanced</th><th>area</th><th>log-loss</th></tr>";
  for (const json& p : s.at("predictors")) {
    rows.push_back(bar(p.at("features"), p.at("accuracy_interval"), p.at("accuracy")));
    table += row({text_of(p.at("features")), fmt::format("{:.2f}", p.at("accuracy").get<double>()), fmt::format("{:.2f}", p.at("balanced_accuracy").get<double>()),
                  fmt::format("{:.2f}", p.at("auc").get<double>()), fmt::format("{:.2f}", p.at("log_loss").get<double>())});
  }
  html += bars(rows) + table + "</table>";
  html += fmt::format("<p class=\"soft\">Everything is chosen with one participant left out. p of \"all\" by shuffled labels: {:.3g}. The majority of the others gets balanced "
                      "labels wrong by construction.</p></div>", s.at("permutation_p").get<double>());
  return html;
}

}  // namespace

std::string report_page(const json& report) {
  const std::string title = text_of(report.at("study"));
  std::string html = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">";
  html += fmt::format("<title>{}</title><style>{}</style></head><body><main><h1>Study {}</h1>", title, kReportCss, title);
  html += fmt::format("<p class=\"soft\">Design {}, seed {}, responses {}. {} invited, {} kept.</p>", text_of(report.at("design")), report.at("seed").dump(),
                      text_of(report.at("responses")), report.at("invited").get<int>(), report.at("kept").get<int>());
  html += "<ul>";
  for (const json& e : report.at("excluded")) html += fmt::format("<li>left out: {}, {}</li>", text_of(e.at("participant")), text_of(e.at("reason")));
  html += "</ul>";
  if (report.contains("correct")) html += "<h2>Right answers</h2>" + rate_card(report.at("correct"));
  if (report.contains("preferences")) html += "<h2>Preferences</h2>" + preference_card(report.at("preferences"));
  if (report.contains("style")) html += "<h2>Style</h2>" + style_card(report.at("style"));
  if (report.contains("ratings")) html += "<h2>Ratings</h2>" + change_table(report.at("ratings"));
  return html + "</main></body></html>\n";
}

}  // namespace simulacra::preference
