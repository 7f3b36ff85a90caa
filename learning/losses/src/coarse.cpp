// SPDX-License-Identifier: Apache-2.0
// The dense losses of coarse maps, by the kernels of learning/kernels/coarse_losses.h.
#include <torch/torch.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <functional>

#include <fmt/ranges.h>

#include "learning/kernels/coarse_losses.h"
#include "learning/losses/dense.h"
#include "render/base/error.h"

namespace simulacra::learning {
namespace {

namespace coarse = kernels::coarse;
using torch::Tensor;

/// Sum and gradient of it, the latter written unless nullptr.
using Kernel = std::function<coarse::Sum(const coarse::Shape&, const float* map, float* gradient)>;

void parallel(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

bool has_kernel(const Tensor& map) { return map.device().is_cpu() && map.scalar_type() != torch::kDouble; }

/// The mean over the counted pixels, whose gradient the kernel gives beside the sum.
class CoarseLoss : public torch::autograd::Function<CoarseLoss> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& map, const Kernel& kernel, std::int64_t height,
                        std::int64_t width, bool with_gradient, std::int64_t* count) {
    const Tensor dense = map.detach().to(torch::kFloat).permute({0, 2, 3, 1}).contiguous();
    const coarse::Shape shape{map.size(0), map.size(2), map.size(3), map.size(1), height, width};
    Tensor gradient = with_gradient ? torch::empty_like(dense) : Tensor();
    const coarse::Sum sum = kernel(shape, dense.const_data_ptr<float>(), with_gradient ? gradient.data_ptr<float>() : nullptr);
    *count = sum.count;
    const double share = 1 / static_cast<double>(std::max<std::int64_t>(sum.count, 1));
    if (with_gradient) context->save_for_backward({gradient.mul_(share).permute({0, 3, 1, 2})});
    context->saved_data["dtype"] = static_cast<std::int64_t>(map.scalar_type());
    return torch::full({}, sum.sum * share, torch::kFloat);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, const torch::autograd::variable_list& grads) {
    const auto dtype = static_cast<torch::ScalarType>(context->saved_data["dtype"].toInt());
    return {(context->get_saved_variables()[0] * grads[0]).to(dtype), {}, {}, {}, {}, {}};
  }
};

DenseLoss loss_of(const Tensor& map, std::int64_t height, std::int64_t width, const Kernel& kernel) {
  DenseLoss loss;
  loss.value = CoarseLoss::apply(map, kernel, height, width, map.requires_grad() && torch::GradMode::is_enabled(), &loss.num_valid);
  return loss;
}

void need_map(const char* loss, const Tensor& map, std::int64_t channels, const Tensor& labels) {
  if (map.dim() != 4 || (channels > 0 && map.size(1) != channels) || !map.is_floating_point() || labels.dim() < 3 || labels.dim() > 4 ||
      labels.size(0) != map.size(0) || (labels.dim() == 4 && labels.size(1) != (channels > 0 ? channels : 1)))
    fail("{}: prediction is {} [{}], labels [{}]; expected one map of [batch, {}, height, width] for each image of labels", loss,
         c10::toString(map.scalar_type()), fmt::join(map.sizes(), ", "), fmt::join(labels.sizes(), ", "),
         channels > 0 ? std::to_string(channels) : "classes");
}

/// Dense booleans [B, H, W], or nothing.
Tensor counted(const char* loss, const Tensor& valid, const Tensor& labels) {
  if (!valid.defined()) return {};
  const std::int64_t height = labels.size(-2), width = labels.size(-1);
  if (valid.scalar_type() != torch::kBool || valid.numel() != labels.size(0) * height * width || valid.size(-1) != width || valid.size(-2) != height)
    fail("{}: mask is {} [{}], expected Bool [{}, 1, {}, {}]", loss, c10::toString(valid.scalar_type()), fmt::join(valid.sizes(), ", "),
         labels.size(0), height, width);
  return valid.contiguous();
}

const bool* flags(const Tensor& t) { return t.defined() ? t.const_data_ptr<bool>() : nullptr; }

}  // namespace

Tensor enlarged(const Tensor& map, std::int64_t height, std::int64_t width) {
  return at::upsample_bilinear2d(map, {height, width}, /*align_corners=*/false);
}

DenseLoss scale_invariant_log_loss_of_coarse(const Tensor& log_prediction, const Tensor& target_m, const Tensor& valid, double lambda) {
  need_map("depth loss", log_prediction, 1, target_m);
  const std::int64_t height = target_m.size(-2), width = target_m.size(-1);
  if (!has_kernel(log_prediction)) return scale_invariant_log_loss(enlarged(log_prediction, height, width), target_m, valid, lambda);
  const Tensor target = target_m.to(torch::kFloat).contiguous(), mask = counted("depth loss", valid, target_m);
  return loss_of(log_prediction, height, width, [&](const coarse::Shape& shape, const float* map, float* gradient) {
    return coarse::scale_invariant_log(shape, map, target.const_data_ptr<float>(), flags(mask), lambda, gradient, parallel);
  });
}

DenseLoss angular_loss_of_coarse(const Tensor& prediction, const Tensor& target, const Tensor& valid) {
  need_map("normal loss", prediction, 3, target);
  const std::int64_t height = target.size(-2), width = target.size(-1);
  if (!has_kernel(prediction)) return angular_loss(enlarged(prediction, height, width), target, valid);
  const Tensor dense = target.to(torch::kFloat).contiguous(), mask = counted("normal loss", valid, target);
  return loss_of(prediction, height, width, [&](const coarse::Shape& shape, const float* map, float* gradient) {
    return coarse::angle(shape, map, dense.const_data_ptr<float>(), flags(mask), gradient, parallel);
  });
}

DenseLoss semantic_loss_of_coarse(const Tensor& logits, const Tensor& labels, const Tensor& valid) {
  need_map("semantic loss", logits, 0, labels);
  const std::int64_t height = labels.size(-2), width = labels.size(-1);
  if (!has_kernel(logits)) return semantic_loss(enlarged(logits, height, width), labels, valid);
  if (c10::isFloatingType(labels.scalar_type())) fail("semantic loss: labels are {}, expected integers", c10::toString(labels.scalar_type()));
  const Tensor classes = labels.to(torch::kLong).contiguous(), mask = counted("semantic loss", valid, labels);
  return loss_of(logits, height, width, [&](const coarse::Shape& shape, const float* map, float* gradient) {
    return coarse::cross_entropy(shape, map, classes.const_data_ptr<std::int64_t>(), flags(mask), gradient, parallel);
  });
}

}  // namespace simulacra::learning
