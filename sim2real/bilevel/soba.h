// SPDX-License-Identifier: Apache-2.0
// A bilevel problem in a single loop (SOBA: Dagréou, Ablin, Vaiter, Moreau 2022): the inner variable x, the solution v of the
// linear system of the implicit gradient, and the outer variable y all move at once.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace simulacra::bilevel {

/// inner g(x, y), outer f(x); of whole sets or of batches.
struct TwoLevels {
  using Vector = std::vector<double>;
  using View = std::span<const double>;
  std::function<Vector(View x, View y)> inner_gradient;            ///< grad_x g
  std::function<Vector(View x, View y, View v)> inner_hessian;     ///< grad2_xx g . v
  std::function<Vector(View x, View y, View v)> cross;             ///< (grad2_xy g)^T v
  std::function<Vector(View x)> outer_gradient;                    ///< grad_x f
};

/// At rest v = -(grad2_xx g)^-1 grad f, and the direction of y is the hypergradient.
struct SobaState {
  std::vector<double> x, v, y;
};

/// x -= rho grad_x g, v -= rho (grad2_xx g v + grad f), y -= gamma (grad2_xy g)^T v, all at the old point.
void soba_step(SobaState& state, const TwoLevels& problem, double rho, double gamma);

/// What v moves against: (1 - regularisation) H v + regularisation v + g. Regularisation 1 without the v term is the
/// Hessian-free variant, for which call it with `hessian_free`.
std::vector<double> auxiliary_direction(std::span<const double> hessian_v, std::span<const double> v, std::span<const double> g,
                                        double regularisation = 0, bool hessian_free = false);

}  // namespace simulacra::bilevel
