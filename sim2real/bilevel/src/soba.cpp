// SPDX-License-Identifier: Apache-2.0
#include "sim2real/bilevel/soba.h"

namespace simulacra::bilevel {
namespace {

void step_against(std::vector<double>& at, std::span<const double> direction, double length) {
  for (std::size_t i = 0; i < at.size(); ++i) at[i] -= length * direction[i];
}

}  // namespace

std::vector<double> auxiliary_direction(std::span<const double> hessian_v, std::span<const double> v, std::span<const double> g,
                                        double regularisation, bool hessian_free) {
  std::vector<double> direction(g.begin(), g.end());
  if (hessian_free) return direction;
  for (std::size_t i = 0; i < direction.size(); ++i) direction[i] += (1 - regularisation) * hessian_v[i] + regularisation * v[i];
  return direction;
}

void soba_step(SobaState& s, const TwoLevels& problem, double rho, double gamma) {
  const std::vector<double> of_x = problem.inner_gradient(s.x, s.y);
  const std::vector<double> of_v = auxiliary_direction(problem.inner_hessian(s.x, s.y, s.v), s.v, problem.outer_gradient(s.x));
  const std::vector<double> of_y = problem.cross(s.x, s.y, s.v);
  step_against(s.x, of_x, rho);
  step_against(s.v, of_v, rho);
  step_against(s.y, of_y, gamma);
}

}  // namespace simulacra::bilevel
