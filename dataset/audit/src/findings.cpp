// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/findings.h"

#include <algorithm>
#include <iterator>

#include "render/base/error.h"

namespace simulacra::auditing {

std::size_t check_row(std::string_view id) {
  for (std::size_t i = 0; i < kChecks.size(); ++i)
    if (kChecks[i].id == id) return i;
  SIM_CHECK(!"a check that is in the table");
  return 0;
}

std::string_view family_of(std::string_view id) { return id.substr(0, id.find('.')); }

Skips::Skips(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bool known = false;
    for (std::size_t i = 0; i < kChecks.size(); ++i)
      if (kChecks[i].id == name || family_of(kChecks[i].id) == name) known = skipped_[i] = true;
    if (known) continue;
    std::string families;
    for (std::size_t i = 0; i < kChecks.size(); ++i)
      if (i == 0 || family_of(kChecks[i].id) != family_of(kChecks[i - 1].id))
        families += (families.empty() ? "" : ", ") + std::string(family_of(kChecks[i].id));
    fail_usage("no check is called '{}'; the families are {}, and a check is named like F13.canonical", name, families);
  }
}

void Findings::merge(Findings&& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    counts_[i].checked += other.counts_[i].checked;
    counts_[i].failed += other.counts_[i].failed;
    counts_[i].absent += other.counts_[i].absent;
  }
  std::move(other.failures_.begin(), other.failures_.end(), std::back_inserter(failures_));
  for (const auto& [text, count] : other.notes_) notes_[text] += count;
}

void Findings::write_to(AuditResult& result) const {
  for (std::size_t i = 0; i < kChecks.size(); ++i)
    result.checks.push_back({std::string(kChecks[i].id), std::string(kChecks[i].title), counts_[i].checked,
                             counts_[i].failed, counts_[i].absent, (*skips_)[i]});
  result.failures = failures_;
  std::stable_sort(result.failures.begin(), result.failures.end(), [](const AuditFailure& a, const AuditFailure& b) {
    return check_row(a.check) < check_row(b.check);
  });
  for (const auto& [text, count] : notes_)
    result.notes.push_back(count == 1 ? text : fmt::format("{} ({} times)", text, count));
}

}  // namespace simulacra::auditing
