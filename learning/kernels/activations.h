// SPDX-License-Identifier: Apache-2.0
// The Gaussian error linear unit, x Phi(x), with Phi the normal distribution function, and its gradient [Hendrycks, Gimpel
// 2016]. Phi and its density come from one exponential: erfc by Abramowitz & Stegun 7.1.26, |error| <= 1.5e-7, which in
// float32 is what rounding leaves of 1 + erf. Arrays may be the same; the results do not depend on how a range is cut.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simulacra::kernels {

void gelu(const float* x, float* y, std::size_t n);
/// dx = dy (Phi(x) + x phi(x)).
void gelu_backward(const float* x, const float* dy, float* dx, std::size_t n);
/// The same on the upper halves of floats (bfloat16), computed in float, rounded to the nearest even.
void gelu(const std::uint16_t* x, std::uint16_t* y, std::size_t n);
void gelu_backward(const std::uint16_t* x, const std::uint16_t* dy, std::uint16_t* dx, std::size_t n);

}  // namespace simulacra::kernels
