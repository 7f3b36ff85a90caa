// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/base/error.h"

namespace simulacra {

std::span<const std::string_view> target_names() {
  static constexpr auto names = [] {
    std::array<std::string_view, kTargets.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kTargets[i].name;
    return all;
  }();
  return names;
}

Target target_from_name(std::string_view name) {
  for (const TargetSpec& target : kTargets)
    if (target.name == name) return target.id;
  fail_usage("no label of a batch is called '{}'; there are {}", name, fmt::join(target_names(), ", "));
}

}  // namespace simulacra
