// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/dab/hard.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "render/base/error.h"

namespace simulacra::learning {
namespace hard {
namespace {

torch::Tensor keep_nan(const torch::Tensor& z, const torch::Tensor& y) { return torch::where(z.isnan(), z.detach(), y); }

}  // namespace

torch::Tensor signum(const torch::Tensor& z, double margin) {
  return keep_nan(z, (z > margin).to(z.scalar_type()) - (z < -margin).to(z.scalar_type()));
}

torch::Tensor minus_sign(const torch::Tensor& z) { return keep_nan(z, -torch::sign(z)); }

torch::Tensor binary(const torch::Tensor& z) { return keep_nan(z, (z > 0).to(z.scalar_type()) * 2 - 1); }

torch::Tensor parity(const torch::Tensor& z, double frequency) { return keep_nan(z, torch::sign(torch::sin(frequency * z))); }

torch::Tensor quantise(const torch::Tensor& z, double step) {
  if (!(step > 0)) fail("quantise: step is {}, expected more than 0", step);
  return torch::floor(z / step + 0.5) * step;
}

torch::Tensor sensor(const torch::Tensor& z, int bits, double white) {
  if (bits < 1 || bits > 16 || !(white > 0)) fail("sensor: {} bits up to {}, expected 1 to 16 bits and white above 0", bits, white);
  const double levels = std::exp2(bits) - 1;
  return torch::floor(z.clamp(0, white) * (levels / white) + 0.5) * (white / levels);
}

torch::Tensor sort(const torch::Tensor& z) { return std::get<0>(z.sort(-1)); }

torch::Tensor argmax(const torch::Tensor& z) {
  const torch::Tensor y = torch::zeros_like(z).scatter_(-1, z.argmax(-1, /*keepdim=*/true), 1);
  return y.masked_fill(z.isnan().any(-1, /*keepdim=*/true), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace hard

HardFunction hard_function(std::string_view name) {
  struct Named {
    std::string_view name;
    torch::Tensor (*function)(const torch::Tensor&);
  };
  static constexpr std::array<Named, 8> kFunctions = {{
      {"signum", [](const torch::Tensor& z) { return hard::signum(z); }},
      {"minus_sign", hard::minus_sign},
      {"binary", hard::binary},
      {"parity", [](const torch::Tensor& z) { return hard::parity(z); }},
      {"quantise", [](const torch::Tensor& z) { return hard::quantise(z); }},
      {"sensor", [](const torch::Tensor& z) { return hard::sensor(z); }},
      {"sort", hard::sort},
      {"argmax", hard::argmax},
  }};
  std::string known;
  for (const Named& f : kFunctions) {
    if (f.name == name) return f.function;
    known += (known.empty() ? "" : ", ") + std::string(f.name);
  }
  fail_usage("no hard function is called '{}'; there are {}", name, known);
}

}  // namespace simulacra::learning
