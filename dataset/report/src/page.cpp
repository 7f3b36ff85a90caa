// SPDX-License-Identifier: Apache-2.0
#include "dataset/report/src/page.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "dataset/annotate/nyu40.h"

namespace simulacra::reporting {
namespace {

std::string number(std::string_view name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
}

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string bytes_text(std::uint64_t bytes) {
  const double mb = static_cast<double>(bytes) / 1e6;
  return mb < 1000 ? fmt::format("{:.1f} MB", mb) : fmt::format("{:.2f} GB", mb / 1000);
}

std::string color_of(std::size_t semantic) {
  if (semantic < 1 || semantic > 40) return semantic == 0 ? "#000000" : "#282a30";
  const auto& c = kNyu40[semantic - 1].color;
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

std::string class_name(std::size_t semantic) {
  return semantic == 0 ? "unlabelled" : semantic == 41 ? "no surface" : std::string(kNyu40[semantic - 1].name);
}

/// A bar of all pixels by class and a chip a class, largest first.
std::string classes_html(const ClassPixels& classes) {
  std::uint64_t total = 0;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    total += classes[i];
    if (classes[i] > 0) order.push_back(i);
  }
  if (total == 0) return {};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return classes[a] > classes[b]; });
  std::string bar, chips;
  for (const std::size_t i : order) {
    const double share = 100 * static_cast<double>(classes[i]) / static_cast<double>(total);
    bar += fmt::format("<div style=\"width:{:.3f}%;background:{}\" title=\"{} {:.2f} %\"></div>", share, color_of(i), class_name(i), share);
    chips += fmt::format("<span class=\"chip\"><i style=\"background:{}\"></i>{}<span>{}</span></span>", color_of(i), class_name(i),
                         share < 0.1 ? std::string("&lt; 0.1 %") : fmt::format("{:.1f} %", share));
  }
  return "<div class=\"bar\">" + bar + "</div><div class=\"chips\">" + chips + "</div>";
}

ClassPixels classes_of(const ScenePage& scene) {
  ClassPixels sum{};
  for (const FramePage& frame : scene.frames)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += frame.classes[i];
  return sum;
}

std::string_view group_of(Look look) {
  switch (look) {
    case Look::light:
    case Look::albedo: return "light";
    case Look::depth:
    case Look::normal:
    case Look::position:
    case Look::texture: return "geometry";
    case Look::entity:
    case Look::semantic:
    case Look::instance:
    case Look::material:
    case Look::bits: break;
  }
  return "ids";
}

std::string figure_html(const Modality& m, const Cell& cell, const FramePage& frame) {
  std::string html = fmt::format("<figure class=\"{}\">", group_of(m.look));
  if (cell.source.empty()) {
    html += fmt::format("<div class=\"none\" style=\"aspect-ratio:{}/{}\">{}</div>", std::max(1, frame.width), std::max(1, frame.height),
                        escaped(cell.problem));
  } else {
    html += fmt::format("<img loading=\"lazy\" decoding=\"async\" width=\"{}\" height=\"{}\" alt=\"{}\"{} src=\"{}\">", frame.width,
                        frame.height, m.title, m.smooth ? "" : " class=\"ids\"", escaped(cell.source));
  }
  html += "<figcaption>";
  if (!cell.file.empty()) html += fmt::format("<a href=\"{}\" title=\"the stored values\">hdf5</a>", escaped(cell.file));
  html += fmt::format("<b>{}</b><span>{}</span>", m.title, m.unit);
  if (m.look == Look::depth && !cell.source.empty()) html += "<div class=\"scale\"></div>";
  else if (!cell.range.empty()) html += "<br>";
  if (!cell.range.empty()) html += "<span>" + escaped(cell.range) + "</span>";
  return html + "</figcaption></figure>";
}

std::string frame_line(const FramePage& frame) {
  std::string line = fmt::format("{} × {}", frame.width, frame.height);
  const auto add = [&](const std::string& name, const std::string& value) { line += fmt::format(" · {} <b>{}</b>", name, value); };
  add("instances seen", fmt::format("{}", frame.instances));
  if (!frame.record) return line;
  const FrameRecord& r = *frame.record;
  add("samples", fmt::format("{}", r.spp));
  add("time", duration(r.seconds));
  add("NaN samples", fmt::format("{}", r.nan_samples));
  add("limited pixels", fmt::format("{}", r.limited_pixels));
  add("largest identity error", fmt::format("{:.2g} ({:.2f} float16 steps)", r.max_identity_error, r.max_identity_error_steps));
  add("unlabelled pixels", fmt::format("{}", r.unlabelled_pixels));
  add("empty pixels", fmt::format("{}", r.empty_pixels));
  add("seed", fmt::format("{}", r.seed));
  if (!r.view.empty()) add("view", escaped(r.view));
  return line;
}

std::string frame_html(const FramePage& frame) {
  const std::string name = fmt::format("{} {} frame {:04}", frame.name.scene, frame.name.camera, frame.name.frame);
  std::string html = fmt::format("<section class=\"card frame\" data-name=\"{}\"><h3>{} · frame {:04}</h3><p class=\"line\">{}</p><div class=\"grid\">",
                                 escaped(name), escaped(frame.name.camera), frame.name.frame, frame_line(frame));
  for (std::size_t m = 0; m < kModalities.size(); ++m)
    if (!frame.cells[m].source.empty() || !frame.cells[m].file.empty() || spec(kModalities[m].label).profile == Profile::hypersim)
      html += figure_html(kModalities[m], frame.cells[m], frame);
  return html + "</div></section>";
}

std::string unlabelled_html(const ScenePage& scene) {
  std::map<std::string, std::uint64_t> pixels;
  std::uint64_t total = 0;
  for (const FramePage& frame : scene.frames) {
    total += static_cast<std::uint64_t>(frame.width) * static_cast<std::uint64_t>(frame.height);
    if (frame.record)
      for (const auto& [name, count] : frame.record->unlabelled) pixels[name] += count;
  }
  if (pixels.empty() || total == 0) return {};
  std::vector<std::pair<std::string, std::uint64_t>> order(pixels.begin(), pixels.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string rows;
  for (const auto& [name, count] : order)
    rows += fmt::format("<tr><td class=\"n\">{:.2f} %</td><td>{}</td></tr>", 100 * static_cast<double>(count) / static_cast<double>(total), escaped(name));
  return fmt::format("<details><summary>objects without a class ({})</summary><table>{}</table></details>", order.size(), rows);
}

std::string scene_html(const ScenePage& scene) {
  std::string about;
  std::string html = fmt::format("<h2 id=\"{0}\">{0}", escaped(scene.name));
  if (scene.record) html += fmt::format("<small>{}</small>", escaped(scene.record->source));
  html += "</h2><section class=\"card\"><dl class=\"numbers\">" + number("frames", fmt::format("{}", scene.frames.size()));
  if (scene.meters_per_unit > 0) html += number("metres per unit", fmt::format("{:g}", scene.meters_per_unit));
  if (scene.record) {
    const SceneRecord& r = *scene.record;
    if (!r.scene_type.empty()) html += number("type", escaped(r.scene_type));
    html += number("objects", fmt::format("{}", r.objects)) + number("instances", fmt::format("{}", r.instances)) +
            number("unlabelled objects", fmt::format("{}", r.unlabelled_objects)) + number("seed", fmt::format("{}", r.seed)) +
            number("prepared in", duration(r.seconds));
    std::string warnings;
    for (const std::string& w : r.warnings) warnings += escaped(w) + "\n";
    if (!warnings.empty())
      about += fmt::format("<details><summary>warnings of import and labelling ({})</summary><pre>{}</pre></details>", r.warnings.size(), warnings);
  }
  html += "</dl>" + classes_html(classes_of(scene)) + unlabelled_html(scene) + about;
  if (!scene.credits.empty()) html += "<details><summary>credits</summary><pre>" + escaped(scene.credits) + "</pre></details>";
  html += "</section>";
  for (const FramePage& frame : scene.frames) html += frame_html(frame);
  return html;
}

std::string audit_html(const AuditResult& audit) {
  std::string rows, failures;
  for (const AuditCheck& c : audit.checks) {
    if (c.checked == 0 && c.not_applicable == 0) continue;
    rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n {}\">{}</td><td>{}</td></tr>", c.id, c.checked,
                        c.failed ? "bad" : "", c.failed, escaped(c.title));
  }
  std::size_t shown = 0;
  for (const AuditFailure& f : audit.failures)
    if (++shown <= 40)
      failures += fmt::format("{}  {}\n    expected {}\n    found    {}\n", f.check, escaped(f.path), escaped(f.expected), escaped(f.found));
  if (shown > 40) failures += fmt::format("… and {} more\n", shown - 40);
  std::string html = fmt::format("<details{}><summary>audit: {}</summary>", audit.ok() ? "" : " open",
                                 audit.ok() ? "all checks hold" : fmt::format("{} failures", audit.failures.size()));
  if (!failures.empty()) html += "<pre>" + failures + "</pre>";
  return html + "<table><tr><th>check</th><th>made</th><th>failed</th><th>what must hold</th></tr>" + rows + "</table></details>";
}

std::string overview_html(const DatasetPage& page, const AuditResult* audit) {
  std::size_t frames = 0;
  double seconds = 0, error_steps = 0;
  std::uint64_t nan = 0, limited = 0;
  bool recorded = false;
  ClassPixels classes{};
  for (const ScenePage& scene : page.scenes) {
    frames += scene.frames.size();
    const ClassPixels own = classes_of(scene);
    for (std::size_t i = 0; i < own.size(); ++i) classes[i] += own[i];
    for (const FramePage& frame : scene.frames)
      if (frame.record) {
        recorded = true;
        seconds += frame.record->seconds;
        nan += frame.record->nan_samples, limited += frame.record->limited_pixels;
        error_steps = std::max(error_steps, frame.record->max_identity_error_steps);
      }
  }
  std::string html = "<section class=\"card\"><dl class=\"numbers\">" + number("scenes", fmt::format("{}", page.scenes.size())) +
                     number("frames", fmt::format("{}", frames));
  if (page.bytes > 0) html += number("on disk", bytes_text(page.bytes));
  if (recorded)
    html += number("rendering", duration(seconds)) + number("NaN samples", fmt::format("{}", nan)) +
            number("limited pixels", fmt::format("{}", limited)) +
            number("identity error", fmt::format("{:.2f} steps", error_steps));
  if (page.record) html += number("seed", fmt::format("{}", page.record->seed)) + number("version", escaped(page.record->version));
  html += "</dl>" + (page.scenes.size() > 1 ? classes_html(classes) : std::string{});
  for (const std::string& problem : page.problems) html += "<p class=\"bad\">" + escaped(problem) + "</p>";
  if (audit) html += audit_html(*audit);
  return html + "</section>";
}

std::string header_html(const DatasetPage& page, const AuditResult* audit) {
  std::string scenes, badge;
  for (const ScenePage& scene : page.scenes) scenes += fmt::format("<option value=\"{0}\">{0}</option>", escaped(scene.name));
  if (audit)
    badge = audit->ok() ? "<span class=\"badge good\">audit passed</span>"
                        : fmt::format("<span class=\"badge bad\">audit: {}{} failures</span>", audit->incomplete ? "incomplete, " : "", audit->failures.size());
  else if (page.record && !page.record->complete)
    badge = "<span class=\"badge bad\">incomplete</span>";
  return fmt::format(
      "<header><h1>{}</h1>{}<span class=\"grow\"></span>"
      "<label>scene <select id=\"scene\">{}</select></label>"
      "<span><button data-show=\"all\" aria-pressed=\"true\">all</button> <button data-show=\"light\" aria-pressed=\"false\">light</button> "
      "<button data-show=\"geometry\" aria-pressed=\"false\">geometry</button> <button data-show=\"ids\" aria-pressed=\"false\">labels</button></span>"
      "<label>size <input id=\"thumb\" type=\"range\" min=\"120\" max=\"640\" step=\"8\" value=\"208\"></label>"
      "<button id=\"theme\" title=\"light or dark\">◐</button></header>",
      escaped(page.title), badge, scenes);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string page_html(const DatasetPage& page, const AuditResult* audit) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{}</title><style>{}</style></head>\n<body data-show=\"all\">",
      escaped(page.title), kPageStyle);
  html += header_html(page, audit) + "<main>" + overview_html(page, audit);
  for (const ScenePage& scene : page.scenes) html += scene_html(scene);
  html += "</main><div id=\"large\"><img alt=\"\"><p></p></div>";
  return html + "<script>" + kPageScript + "</script></body></html>\n";
}

}  // namespace simulacra::reporting
