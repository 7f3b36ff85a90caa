// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/report/src/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dataset/store/colors.h"
#include "render/base/base64.h"
#include "render/texture/texture.h"

namespace simulacra::learning {
namespace {

using torch::Tensor;

constexpr Color8 kMasked = {52, 55, 62};

std::string png_uri(std::int64_t height, std::int64_t width, const std::vector<std::uint8_t>& rgb) {
  return "data:image/png;base64," + base64(encode_png(static_cast<int>(width), static_cast<int>(height), 3, rgb));
}

/// Paints every pixel by color(row, column); masked ones gray.
template <typename ColorOf>
std::string painted(const Tensor& mask, const ColorOf& color) {
  const Tensor counts = mask.reshape({mask.size(-2), mask.size(-1)}).contiguous();
  const auto m = counts.accessor<bool, 2>();
  std::vector<std::uint8_t> rgb;
  rgb.reserve(static_cast<std::size_t>(counts.numel()) * 3);
  for (std::int64_t r = 0; r < counts.size(0); ++r)
    for (std::int64_t c = 0; c < counts.size(1); ++c) {
      const Color8 pixel = m[r][c] ? color(r, c) : kMasked;
      rgb.insert(rgb.end(), pixel.begin(), pixel.end());
    }
  return png_uri(counts.size(0), counts.size(1), rgb);
}

/// The value that a share of the label's counted values lies below.
double quantile(const Tensor& values, const Tensor& mask, double share) {
  const Tensor counted = values.masked_select(mask.expand_as(values)).to(torch::kFloat32);
  if (counted.numel() == 0) return 0;
  const Tensor sorted = std::get<0>(counted.sort());
  return sorted[static_cast<std::int64_t>(share * static_cast<double>(counted.numel() - 1))].item<double>();
}

/// Linear light as a monitor shows it.
std::uint8_t shown_light(double x) { return to_byte(std::pow(std::clamp(x, 0.0, 1.0), 1 / 2.2)); }

Tensor error_of(const std::string& task, const Tensor& predicted, const Tensor& target) {
  if (task == "depth") return (predicted - target).abs() / target.clamp_min(1e-6) / 0.25;
  if (task == "normals") return (predicted * target).sum(0, true).clamp(-1, 1).acos() * (180 / M_PI / 45);
  if (task == "semantics") return predicted.ne(target).to(torch::kFloat32);
  if (task == "shading") return ((predicted + 1e-3).log() - (target + 1e-3).log()).abs().mean(0, true) / std::log(2.0);
  return (predicted - target).abs().mean(0, true) / 0.25;
}

}  // namespace

Look look_of(const std::string& task, const Tensor& target, const Tensor& mask) {
  Look look{.task = task};
  if (task == "depth") look.lo = quantile(target, mask, 0.01), look.hi = quantile(target, mask, 0.99);
  if (task == "shading") look.hi = quantile(target, mask, 0.9) / 0.8;
  if (!(look.hi > look.lo)) look.hi = look.lo + 1;
  return look;
}

std::string picture_uri(const Tensor& values, const Tensor& mask, const Look& look) {
  if (look.task == "semantics") {
    const Tensor classes = values.reshape({values.size(-2), values.size(-1)}).to(torch::kInt64).contiguous();
    const auto v = classes.accessor<std::int64_t, 2>();
    return painted(mask, [&](std::int64_t r, std::int64_t c) { return semantic_color(static_cast<int>(v[r][c])); });
  }
  const Tensor floats = values.to(torch::kFloat32).contiguous();
  const auto v = floats.accessor<float, 3>();
  if (look.task == "depth")
    return painted(mask, [&](std::int64_t r, std::int64_t c) { return viridis((static_cast<double>(v[0][r][c]) - look.lo) / (look.hi - look.lo)); });
  return painted(mask, [&](std::int64_t r, std::int64_t c) {
    Color8 pixel{};
    for (std::int64_t k = 0; k < 3; ++k) {
      const double x = static_cast<double>(v[k][r][c]);
      pixel[static_cast<std::size_t>(k)] = look.task == "normals" ? to_byte(0.5 + 0.5 * x) : shown_light(x / look.hi);
    }
    return pixel;
  });
}

std::string image_uri(const Tensor& image) {
  const Tensor bytes = image.clamp(0, 1).mul(255).add(0.5).to(torch::kUInt8).permute({1, 2, 0}).contiguous();
  const auto* first = bytes.data_ptr<std::uint8_t>();
  return png_uri(bytes.size(0), bytes.size(1), std::vector<std::uint8_t>(first, first + bytes.numel()));
}

std::string error_uri(const std::string& task, const Tensor& predicted, const Tensor& target, const Tensor& mask) {
  const Tensor error = error_of(task, predicted, target).to(torch::kFloat32).reshape({mask.size(-2), mask.size(-1)}).contiguous();
  const auto e = error.accessor<float, 2>();
  return painted(mask, [&](std::int64_t r, std::int64_t c) {
    const double t = std::clamp(static_cast<double>(e[r][c]), 0.0, 1.0);
    return Color8{to_byte(std::min(1.0, 1.6 * t)), to_byte(t * t), to_byte(0.25 * t * (1 - t) * 4 * 0.4)};
  });
}

std::string error_scale(const std::string& task) {
  if (task == "depth") return "25 %";
  if (task == "normals") return "45°";
  if (task == "semantics") return "another class";
  if (task == "shading") return "a factor of 2";
  return "0.25";
}

}  // namespace simulacra::learning
