// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/kinds.h"

#include <algorithm>

#include "dataset/audit/audit.h"
#include "render/base/error.h"

namespace simulacra {

std::vector<std::string> audit_kinds() {
  std::vector<std::string> names(auditing::kGroups.begin(), auditing::kGroups.end());
  for (std::size_t i = 0; i < auditing::kNumImageKinds; ++i) names.emplace_back(kLabels[i].name);
  return names;
}

namespace auditing {

Kinds::Kinds(const std::vector<std::string>& names) : all_(names.empty()) {
  const std::vector<std::string> known = audit_kinds();
  for (const std::string& name : names) {
    if (name == "all") {
      all_ = true;
      continue;
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string list;
      for (const std::string& k : known) list += k + ", ";
      fail_usage("no kind is called '{}'; the kinds are {}all", name, list);
    }
    names_.insert(name);
    for (std::size_t i = 0; i < kNumImageKinds; ++i)
      if (folder_name(kLabels[i].folder) == name) names_.insert(std::string(kLabels[i].name));
  }
}

}  // namespace auditing
}  // namespace simulacra
