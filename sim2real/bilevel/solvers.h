// SPDX-License-Identifier: Apache-2.0
// v = H^-1 g where H is only known by its products with vectors, symmetric and positive definite: what an implicit gradient
// needs of an inner problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace simulacra::bilevel {

/// v -> H v.
using Product = std::function<std::vector<double>(std::span<const double>)>;
/// Told after each step (counted from 1) with the iterate; true ends the iteration.
using Watch = std::function<bool(std::size_t step, std::span<const double> v)>;

/// Conjugate gradients from 0 (Hestenes and Stiefel 1952). Also ends when the residual is 0, or when a direction of no positive
/// curvature is met: H is then not positive definite, and the iterate so far is returned.
std::vector<double> conjugate_gradients(const Product& h, std::span<const double> g, std::size_t steps, const Watch& watch = {});

/// v <- v + (g - H v) / lipschitz from 0: the truncated Neumann series; converges where `lipschitz` is above half of the largest
/// eigenvalue. One step is g / lipschitz, the identity for a Hessian.
std::vector<double> neumann(const Product& h, std::span<const double> g, double lipschitz, std::size_t steps, const Watch& watch = {});

/// The largest eigenvalue by `steps` power iterations from a seeded start: a lower bound that is close after twenty.
double largest_eigenvalue(const Product& h, std::size_t size, std::size_t steps, std::uint64_t seed);

}  // namespace simulacra::bilevel
