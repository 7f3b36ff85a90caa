// SPDX-License-Identifier: Apache-2.0
// Hypergradients by the implicit function theorem for problems with one penalty a coordinate:
//
//   inner   x*(y) = argmin_x E(x, y) = data(x) + scale / 2 sum_j exp(y_j) x_j^2
//   outer   ell(x*(y))
//   Gamma(x, y) = -F_y^T F_x^-1 grad ell(x),   F = grad_x E, F_x its Hessian, F_y = diag(scale exp(y_j) x_j)
//
// Gamma is exact at x*, and off by C |x - x*| beside it. What makes the error smaller is one more step towards x* before Gamma is
// taken (Ye, Peyre, Cremers, Ablin 2024); after Newton's step it is of second order, and nothing for a quadratic problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sim2real/dense/dense.h"

namespace simulacra::bilevel {

/// A smooth convex loss of p parameters.
class Loss {
 public:
  virtual ~Loss() = default;
  virtual std::size_t size() const = 0;
  virtual double value(std::span<const double> x) const = 0;
  virtual std::vector<double> gradient(std::span<const double> x) const = 0;
  virtual dense::Matrix hessian(std::span<const double> x) const = 0;
};

/// factor / 2 |A x - b|^2.
class SquaredLoss : public Loss {
 public:
  SquaredLoss(dense::Matrix a, std::vector<double> b, double factor);
  std::size_t size() const override { return a_.columns; }
  double value(std::span<const double> x) const override;
  std::vector<double> gradient(std::span<const double> x) const override;
  dense::Matrix hessian(std::span<const double> x) const override;

 private:
  std::vector<double> residuals(std::span<const double> x) const;
  dense::Matrix a_;
  std::vector<double> b_;
  double factor_;
};

/// mean_i log(1 + exp(-l_i a_i.x)), labels +1 or -1.
class LogisticLoss : public Loss {
 public:
  LogisticLoss(dense::Matrix a, std::vector<double> labels);
  std::size_t size() const override { return a_.columns; }
  double value(std::span<const double> x) const override;
  std::vector<double> gradient(std::span<const double> x) const override;
  dense::Matrix hessian(std::span<const double> x) const override;

 private:
  dense::Matrix a_;
  std::vector<double> labels_;
};

/// b . x.
class LinearLoss : public Loss {
 public:
  explicit LinearLoss(std::vector<double> b) : b_(std::move(b)) {}
  std::size_t size() const override { return b_.size(); }
  double value(std::span<const double> x) const override { return dense::dot(b_, x); }
  std::vector<double> gradient(std::span<const double>) const override { return b_; }
  dense::Matrix hessian(std::span<const double>) const override { return {b_.size(), b_.size()}; }

 private:
  std::vector<double> b_;
};

enum class Estimator : std::uint8_t {
  vanilla,       ///< Gamma(x, y) as it stands
  jacobi,        ///< after x - diag(F_x)^-1 F
  newton,        ///< after x - F_x^-1 F
  reparam_diag,  ///< in z with x = z / diag(F_x(y)); for data of constant Hessian
  reparam_exp    ///< in z with x = sign(x) exp(z): no coordinate may be 0
};

/// References to the losses, which must outlive it.
class PenaltyTuning {
 public:
  PenaltyTuning(const Loss& data, const Loss& outer, double scale) : data_(data), outer_(outer), scale_(scale) {}
  /// By Newton's steps until they no longer change x.
  std::vector<double> solution(std::span<const double> y) const;
  std::vector<double> inner_gradient(std::span<const double> x, std::span<const double> y) const;
  dense::Matrix inner_hessian(std::span<const double> x, std::span<const double> y) const;
  double outer_loss(std::span<const double> x) const { return outer_.value(x); }
  /// An estimate of d ell(x*(y)) / dy from any x.
  std::vector<double> hypergradient(std::span<const double> x, std::span<const double> y, Estimator estimator = Estimator::vanilla) const;
  /// Gamma(x, y) with another way to v = F_x^-1 g.
  using Solver = std::function<std::vector<double>(const dense::Matrix& h, std::span<const double> g)>;
  std::vector<double> hypergradient(std::span<const double> x, std::span<const double> y, const Solver& solver) const;

 private:
  std::vector<double> penalties(std::span<const double> y) const;
  std::vector<double> reparameterised(std::span<const double> x, std::span<const double> y, bool exponential) const;
  const Loss &data_, &outer_;
  double scale_;
};

}  // namespace simulacra::bilevel
