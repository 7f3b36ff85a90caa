// SPDX-License-Identifier: Apache-2.0
// What page and terminal show of a comparison, one row a meter.
#pragma once

#include <string>
#include <vector>

#include "sim2real/gap/report.h"

namespace simulacra::gap {

struct MeterRow {
  std::string name;
  double value = 0, floor = 0;
  std::string meaning;
  bool is_ratio = true;   ///< value / floor says something
};
std::vector<MeterRow> meter_rows(const Gap& gap);

/// Three digits, or "none" for what is no number.
std::string shown(double value);

/// "noise -1.9, sharpness -1.2": the largest of the shifts.
std::string largest_shifts(const Gap& gap, std::size_t most);

}  // namespace simulacra::gap
