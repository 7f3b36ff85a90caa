// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim2real/dense/dense.h"

namespace simulacra::dense {

struct Eigen {
  std::vector<double> values;   ///< ascending
  Matrix vectors;               ///< column i belongs to values[i]; orthonormal
};
/// Of a symmetric matrix, by cyclic Jacobi rotations (Golub and Van Loan, section 8.5): small matrices, full precision.
/// Only the lower triangle is read. Throws Error for values that are not finite.
Eigen symmetric_eigen(const Matrix& a);

}  // namespace simulacra::dense
