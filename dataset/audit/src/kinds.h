// SPDX-License-Identifier: Apache-2.0
// What of a data set is to be judged: the 14 image kinds of the format, and groups of them or of tables.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/schema/layout.h"
#include "render/labels/labels.h"

namespace simulacra::auditing {

/// The labels of the public format come first in kLabels.
inline constexpr std::size_t kNumImageKinds = 14;
constexpr bool image_kinds_come_first() {
  for (std::size_t i = 0; i < kNumLabels; ++i)
    if ((kLabels[i].profile == Profile::hypersim) != (i < kNumImageKinds)) return false;
  return true;
}
static_assert(image_kinds_come_first());

inline constexpr std::array<std::string_view, 9> kGroups = {"geometry", "final", "scene",   "camera", "mesh",
                                                            "boxes",    "preview", "csv", "manifest"};

class Kinds {
 public:
  /// Empty = everything. Throws UsageError for an unknown name.
  explicit Kinds(const std::vector<std::string>& names);
  bool all() const { return all_; }
  bool has(std::string_view name) const { return all_ || names_.contains(name); }
  bool has(Label label) const { return has(spec(label).name); }

 private:
  bool all_ = false;
  std::set<std::string, std::less<>> names_;
};

constexpr std::string_view folder_name(Folder folder) { return folder == Folder::final_pass ? "final" : "geometry"; }

}  // namespace simulacra::auditing
