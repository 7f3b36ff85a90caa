// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <nlohmann/json.hpp>

#include "dataset/audit/audit.h"
#include <fmt/core.h>

namespace simulacra {
namespace {

using Json = nlohmann::ordered_json;

std::string failures_as_text(const AuditResult& result, std::size_t max_list) {
  std::string text;
  std::map<std::string, std::size_t> shown;
  std::string last;
  const auto finish = [&] {
    if (!last.empty() && shown[last] > max_list) text += fmt::format("FAIL {}  ... and {} more\n", last, shown[last] - max_list);
  };
  for (const AuditFailure& f : result.failures) {
    if (f.check != last) finish();
    last = f.check;
    if (++shown[f.check] <= max_list)
      text += fmt::format("FAIL {}  {}\n     expected: {}\n     found:    {}\n", f.check, f.path, f.expected, f.found);
  }
  finish();
  return text;
}

}  // namespace

std::string audit_as_text(const AuditResult& result, std::size_t max_list) {
  std::string text = fmt::format("{}: {} scenes, {} cameras, {} frames\n{:<16} {:>8} {:>7} {:>7}  {}\n", result.root, result.scenes,
                                 result.cameras, result.frames, "check", "checked", "failed", "n/a", "what must hold");
  std::string failed;
  std::size_t num_failed = 0;
  for (const AuditCheck& c : result.checks) {
    text += fmt::format("{:<16} {:>8} {:>7} {:>7}  {}{}\n", c.id, c.checked, c.failed, c.not_applicable, c.title,
                        c.skipped ? " (skipped)" : "");
    if (c.failed == 0) continue;
    failed += (failed.empty() ? "" : ", ") + c.id;
    ++num_failed;
  }
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  text += failures_as_text(result, max_list);
  if (result.ok()) return text + "all checks hold\n";
  return text + fmt::format("{}{} failures in {} checks: {}\n", result.incomplete ? "the data set is incomplete; " : "",
                            result.failures.size(), num_failed, failed);
}

std::string audit_as_json(const AuditResult& result) {
  Json out;
  out["root"] = result.root;
  out["ok"] = result.ok();
  out["incomplete"] = result.incomplete;
  out["scenes"] = result.scenes;
  out["cameras"] = result.cameras;
  out["frames"] = result.frames;
  for (const AuditCheck& c : result.checks)
    out["checks"][c.id] = {{"title", c.title}, {"checked", c.checked}, {"failed", c.failed},
                           {"not_applicable", c.not_applicable}, {"skipped", c.skipped}};
  out["failures"] = Json::array();
  for (const AuditFailure& f : result.failures) {
    out["failures"].push_back({{"check", f.check}, {"path", f.path}, {"expected", f.expected}, {"found", f.found}});
    if (f.row >= 0) out["failures"].back()["row"] = f.row, out["failures"].back()["column"] = f.column;
  }
  out["notes"] = result.notes;
  // Names on disk may be in any encoding; the output is always valid UTF-8.
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace simulacra
