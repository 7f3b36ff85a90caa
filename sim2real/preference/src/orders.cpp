// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/orders.h"

#include <algorithm>

#include "render/base/error.h"

namespace simulacra::preference {

std::vector<std::vector<int>> balanced_orders(int k) {
  if (k < 2) fail("balanced orders take two conditions or more; there are {}", k);
  // First row 0, 1, k-1, 2, k-2, …: its neighbor differences are all different, so its k shifts hold each ordered pair once
  // (even k), or together with the reversed rows twice (odd k).
  std::vector<int> first = {0};
  for (int i = 1; static_cast<int>(first.size()) < k; ++i) {
    first.push_back(i);
    if (static_cast<int>(first.size()) < k) first.push_back(k - i);
  }
  std::vector<std::vector<int>> rows;
  for (int shift = 0; shift < k; ++shift) {
    rows.push_back(first);
    for (int& c : rows.back()) c = (c + shift) % k;
  }
  if (k % 2 == 1)
    for (int shift = 0; shift < k; ++shift) rows.emplace_back(rows[static_cast<std::size_t>(shift)].rbegin(), rows[static_cast<std::size_t>(shift)].rend());
  return rows;
}

}  // namespace simulacra::preference
