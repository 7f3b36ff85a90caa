// SPDX-License-Identifier: Apache-2.0
// How good predictions are, over a whole set. Every meter takes batches [N, C, H, W] with a bool mask [N, 1, H, W] of the
// pixels that count, on any device, and adds in double; the order of batches changes nothing but the last bits.
#pragma once

#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <vector>

namespace simulacra {

/// Means over images, each the mean over its pixels that count (Eigen, Puhrsch & Fergus 2014). Images without such a
/// pixel are left out. NaN when there is none.
struct DepthScore {
  double abs_rel = 0;          ///< |d - d*| / d*
  double rmse_m = 0;           ///< root mean squared error, metres
  double delta1 = 0;           ///< share of pixels with max(d / d*, d* / d) < 1.25
  double abs_rel_aligned = 0;  ///< the same after scaling each image by median(d*) / median(d)
  double delta1_aligned = 0;
  std::int64_t images = 0;
};
class DepthMeter {
 public:
  /// Metres, [N, 1, H, W]. Predictions that are not positive count as 1 mm.
  void add(const torch::Tensor& predicted, const torch::Tensor& target, const torch::Tensor& mask);
  DepthScore score() const;

 private:
  std::array<double, 5> sums_{};
  std::int64_t images_ = 0;
};

/// Over all pixels that count, degrees.
struct NormalScore {
  double mean_deg = 0, median_deg = 0;      ///< the median to a hundredth of a degree
  double within_11_25 = 0, within_22_5 = 0, within_30 = 0;  ///< shares
  std::int64_t pixels = 0;
};
class NormalMeter {
 public:
  /// [N, 3, H, W]; predictions are normalised here, targets are unit.
  void add(const torch::Tensor& predicted, const torch::Tensor& target, const torch::Tensor& mask);
  NormalScore score() const;

 private:
  static constexpr std::int64_t kBins = 18000;
  torch::Tensor histogram_ = torch::zeros({kBins}, torch::kInt64);
  std::array<std::int64_t, 3> within_{};
  double sum_deg_ = 0;
  std::int64_t pixels_ = 0;
};

/// Classes from 0. IoU of a class = correct / (predicted or true); the mean is over classes that occur in either.
struct SemanticScore {
  double mean_iou = 0, pixel_accuracy = 0;
  std::vector<double> iou;                  ///< by class; NaN where it does not occur
  torch::Tensor confusion;                  ///< int64 [true class, predicted class]
};
class SemanticMeter {
 public:
  explicit SemanticMeter(std::int64_t num_classes);
  /// int64 [N, H, W] both; a target outside 0 … num_classes - 1 does not count.
  void add(const torch::Tensor& predicted, const torch::Tensor& target);
  SemanticScore score() const;

 private:
  std::int64_t num_classes_;
  torch::Tensor confusion_;
};

/// Errors of one intrinsic layer (albedo, shading): means over images.
struct IntrinsicScore {
  double mse = 0;               ///< mean squared error
  double scale_invariant = 0;   ///< after the best factor for each image: min over a of mean (a d - d*)^2
  double local = 0;             ///< LMSE (Grosse et al. 2009): the same in windows of 20 pixels every 10, divided by the
                                ///  error of predicting 0
  std::int64_t images = 0;
};
class IntrinsicMeter {
 public:
  void add(const torch::Tensor& predicted, const torch::Tensor& target, const torch::Tensor& mask);
  IntrinsicScore score() const;

 private:
  std::array<double, 3> sums_{};
  std::int64_t images_ = 0, local_images_ = 0;
};

}  // namespace simulacra
