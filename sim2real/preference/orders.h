// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace simulacra::preference {

/// Orders of k conditions in which each stands equally often in every place and follows every other equally often (Williams
/// 1949): k rows for an even k, 2 k for an odd one.
std::vector<std::vector<int>> balanced_orders(int k);

}  // namespace simulacra::preference
