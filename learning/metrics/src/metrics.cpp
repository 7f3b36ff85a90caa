// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/metrics/metrics.h"

#include <cmath>
#include <limits>

#include "render/base/error.h"

namespace simulacra {
namespace {

using torch::Tensor;
namespace F = torch::nn::functional;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void need_shapes(const char* meter, const Tensor& predicted, const Tensor& target, const Tensor& mask) {
  if (predicted.dim() != 4 || predicted.sizes() != target.sizes())
    fail("{}: predictions and targets are [N, C, H, W] of one shape, not {} and {}", meter, c10::str(predicted.sizes()),
         c10::str(target.sizes()));
  const auto s = predicted.sizes();
  if (mask.scalar_type() != torch::kBool || mask.dim() != 4 || mask.size(0) != s[0] || mask.size(1) != 1 || mask.size(2) != s[2] ||
      mask.size(3) != s[3])
    fail("{}: the mask is bool [N, 1, H, W], not {} {}", meter, c10::toString(mask.scalar_type()), c10::str(mask.sizes()));
}

double number(const Tensor& t) { return t.item<double>(); }
double share(const Tensor& condition) { return number(condition.to(torch::kFloat64).mean()); }

double delta1(const Tensor& d, const Tensor& target) { return share(torch::maximum(d / target, target / d) < 1.25); }
double abs_rel(const Tensor& d, const Tensor& target) { return number(((d - target).abs() / target).mean()); }

/// Mean squared error of the best multiple of `d`; `weight` is 1 where a value counts. Sums over all but the first dimension.
Tensor best_multiple_error(const Tensor& d, const Tensor& target, const Tensor& weight) {
  const Tensor dd = (weight * d * d).flatten(1).sum(1), dt = (weight * d * target).flatten(1).sum(1);
  const Tensor factor = torch::where(dd > 0, dt / dd.clamp_min(1e-300), torch::zeros_like(dd));
  const Tensor off = d * factor.view({-1, 1, 1, 1}) - target;
  return (weight * off * off).flatten(1).sum(1);
}

/// Windows of 20 pixels every 10, as a batch: [windows, C, 20, 20].
Tensor windows(const Tensor& image) {
  const std::int64_t c = image.size(1);
  return F::unfold(image, F::UnfoldFuncOptions({20, 20}).stride(10)).squeeze(0).t().reshape({-1, c, 20, 20});
}

}  // namespace

void DepthMeter::add(const Tensor& predicted, const Tensor& target, const Tensor& mask) {
  need_shapes("depth", predicted, target, mask);
  for (std::int64_t n = 0; n < predicted.size(0); ++n) {
    const Tensor d = predicted[n].masked_select(mask[n]).to(torch::kFloat64).clamp_min(1e-3);
    const Tensor t = target[n].masked_select(mask[n]).to(torch::kFloat64);
    if (t.numel() == 0) continue;
    const Tensor aligned = d * (t.median() / d.median());
    const double values[] = {abs_rel(d, t), std::sqrt(number((d - t).square().mean())), delta1(d, t), abs_rel(aligned, t),
                             delta1(aligned, t)};
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += values[i];
    ++images_;
  }
}

DepthScore DepthMeter::score() const {
  const double n = images_ > 0 ? static_cast<double>(images_) : kNaN;
  return {sums_[0] / n, sums_[1] / n, sums_[2] / n, sums_[3] / n, sums_[4] / n, images_};
}

void NormalMeter::add(const Tensor& predicted, const Tensor& target, const Tensor& mask) {
  need_shapes("normals", predicted, target, mask);
  const Tensor counts = mask.squeeze(1);
  const Tensor p = predicted.to(torch::kFloat64), t = target.to(torch::kFloat64);
  const Tensor cosine = (p * t).sum(1) / (p.square().sum(1).sqrt() * t.square().sum(1).sqrt()).clamp_min(1e-12);
  const Tensor deg = (cosine.clamp(-1, 1).acos() * (180 / M_PI)).masked_select(counts).cpu();
  pixels_ += deg.numel();
  sum_deg_ += number(deg.sum());
  constexpr double limits[] = {11.25, 22.5, 30};
  for (std::size_t i = 0; i < 3; ++i) within_[i] += (deg < limits[i]).sum().item<std::int64_t>();
  const Tensor bin = (deg * 100).floor().to(torch::kInt64).clamp(0, kBins - 1);
  histogram_ += torch::bincount(bin, {}, kBins);
}

NormalScore NormalMeter::score() const {
  NormalScore s;
  s.pixels = pixels_;
  const double n = pixels_ > 0 ? static_cast<double>(pixels_) : kNaN;
  s.mean_deg = sum_deg_ / n;
  s.within_11_25 = static_cast<double>(within_[0]) / n;
  s.within_22_5 = static_cast<double>(within_[1]) / n;
  s.within_30 = static_cast<double>(within_[2]) / n;
  if (pixels_ == 0) {
    s.median_deg = kNaN;
    return s;
  }
  const Tensor below = histogram_.cumsum(0);
  const Tensor first = torch::searchsorted(below, torch::tensor({(pixels_ + 1) / 2}));
  s.median_deg = (static_cast<double>(first.item<std::int64_t>()) + 0.5) / 100;
  return s;
}

SemanticMeter::SemanticMeter(std::int64_t num_classes)
    : num_classes_(num_classes), confusion_(torch::zeros({num_classes, num_classes}, torch::kInt64)) {}

void SemanticMeter::add(const Tensor& predicted, const Tensor& target) {
  if (predicted.sizes() != target.sizes())
    fail("semantics: predictions and targets are [N, H, W] of one shape, not {} and {}", c10::str(predicted.sizes()),
         c10::str(target.sizes()));
  const Tensor counts = (target >= 0) & (target < num_classes_);
  const Tensor p = predicted.masked_select(counts).cpu(), t = target.masked_select(counts).cpu();
  if (p.numel() == 0) return;
  if (number(p.min()) < 0 || number(p.max()) >= static_cast<double>(num_classes_))
    fail("semantics: a predicted class is outside 0 to {}", num_classes_ - 1);
  confusion_ += torch::bincount(t * num_classes_ + p, {}, num_classes_ * num_classes_).view({num_classes_, num_classes_});
}

SemanticScore SemanticMeter::score() const {
  SemanticScore s;
  s.confusion = confusion_.clone();
  const Tensor c = confusion_.to(torch::kFloat64);
  const Tensor correct = c.diagonal(), either = c.sum(0) + c.sum(1) - correct;
  const Tensor occurs = either > 0;
  const Tensor iou = torch::where(occurs, correct / either.clamp_min(1), torch::full_like(correct, kNaN));
  s.iou.assign(iou.data_ptr<double>(), iou.data_ptr<double>() + iou.numel());
  s.mean_iou = occurs.any().item<bool>() ? number(iou.masked_select(occurs).mean()) : kNaN;
  s.pixel_accuracy = number(c.sum()) > 0 ? number(correct.sum() / c.sum()) : kNaN;
  return s;
}

void IntrinsicMeter::add(const Tensor& predicted, const Tensor& target, const Tensor& mask) {
  need_shapes("intrinsic", predicted, target, mask);
  for (std::int64_t n = 0; n < predicted.size(0); ++n) {
    const Tensor d = predicted.slice(0, n, n + 1).to(torch::kFloat64), t = target.slice(0, n, n + 1).to(torch::kFloat64);
    const Tensor weight = mask.slice(0, n, n + 1).to(torch::kFloat64).expand_as(d);
    const double total = number(weight.sum());
    if (total == 0) continue;
    sums_[0] += number((weight * (d - t).square()).sum()) / total;
    sums_[1] += number(best_multiple_error(d, t, weight)) / total;
    ++images_;
    if (d.size(2) < 20 || d.size(3) < 20) continue;
    const Tensor dw = windows(d), tw = windows(t), ww = windows(weight.contiguous());
    const double zero_error = number((ww * tw * tw).sum());
    if (zero_error == 0) continue;
    sums_[2] += number(best_multiple_error(dw, tw, ww).sum()) / zero_error;
    ++local_images_;
  }
}

IntrinsicScore IntrinsicMeter::score() const {
  const double n = images_ > 0 ? static_cast<double>(images_) : kNaN;
  return {sums_[0] / n, sums_[1] / n, local_images_ > 0 ? sums_[2] / static_cast<double>(local_images_) : kNaN, images_};
}

}  // namespace simulacra
