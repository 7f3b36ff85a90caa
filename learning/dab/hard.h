// SPDX-License-Identifier: Apache-2.0
// Functions without a useful gradient, for the bridge or its baselines.
//
//  - Element-wise unless said otherwise; the result has the shape and type of z.
//  - NaN stays NaN: no function turns it into a decision.
#pragma once

#include <functional>
#include <string_view>

#include <torch/torch.h>

namespace simulacra::learning {

/// Any map whose output has dim 0, the samples, in common with its input.
using HardFunction = std::function<torch::Tensor(const torch::Tensor& z)>;

namespace hard {

torch::Tensor signum(const torch::Tensor& z, double margin = 0.5);   ///< 1 above margin, -1 below -margin, else 0 (also on them)
torch::Tensor minus_sign(const torch::Tensor& z);                    ///< -sign z
torch::Tensor binary(const torch::Tensor& z);                        ///< 1 above 0, else -1
torch::Tensor parity(const torch::Tensor& z, double frequency = 4);  ///< sign of sin(frequency z)
torch::Tensor quantise(const torch::Tensor& z, double step = 0.25);  ///< nearest multiple of step, halves upwards
/// A sensor's converter: z clipped to 0 … white, then the nearest of 2^bits equally spaced levels, both ends among them.
torch::Tensor sensor(const torch::Tensor& z, int bits = 8, double white = 1);
torch::Tensor sort(const torch::Tensor& z);    ///< the last dimension ascending, NaN last
torch::Tensor argmax(const torch::Tensor& z);  ///< 1 at the first largest of the last dimension, else 0; a row with NaN is NaN

}  // namespace hard

/// "signum", "minus_sign", "binary", "parity", "quantise", "sensor", "sort", "argmax" with their defaults. Throws
/// UsageError that lists the names.
HardFunction hard_function(std::string_view name);

}  // namespace simulacra::learning
