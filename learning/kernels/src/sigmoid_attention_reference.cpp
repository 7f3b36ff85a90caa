// SPDX-License-Identifier: Apache-2.0
// The specification: the header's formulas as they stand, every sum in double whatever the element type.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "learning/kernels/src/attention_visibility.h"
#include "learning/kernels/src/sigmoid_attention_paths.h"

namespace simulacra::kernels::attention::reference {
namespace {

double load(double x) { return x; }
double load(float x) { return static_cast<double>(x); }
double load(Bfloat16 x) { return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16)); }

void store(double& to, double x) { to = x; }
void store(float& to, double x) { to = static_cast<float>(x); }
/// To the nearest, ties to even. (By way of float: two roundings, which differ from one in 2^-15 of the ties' neighbours.)
void store(Bfloat16& to, double x) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  to.bits = static_cast<std::uint16_t>(std::isnan(x) ? 0x7fc0u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// exp(-|s|) never overflows, and neither half subtracts nearly equal numbers.
struct Sigmoid {
  double p, one_minus_p;

  explicit Sigmoid(double s) {
    const double e = std::exp(-std::abs(s));
    p = (s >= 0 ? 1 : e) / (1 + e);
    one_minus_p = (s >= 0 ? e : 1) / (1 + e);
  }
};

/// What is the same for all pairs of one batch element and head.
template <typename T>
struct Head {
  Head(const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& inputs, std::int64_t batch,
       std::int64_t head)
      : q(inputs.q.head(batch, head)), k(inputs.k.head(batch, kv_head_of(shape, head))), v(inputs.v.head(batch, kv_head_of(shape, head))),
        visible(shape, options, batch), scale(options.scale), bias(options.bias ? options.bias[head] : 0),
        slope(options.slopes ? options.slopes[head] : 0), d(shape.head_dim), in(inputs) {}

  double offset(std::int64_t i, std::int64_t j) const { return static_cast<double>(std::abs(i + visible.shift - j)); }

  Sigmoid pair(std::int64_t i, std::int64_t j) const {
    double dot = 0;
    for (std::int64_t c = 0; c < d; ++c) dot += load(q[i * in.q.row_stride + c]) * load(k[j * in.k.row_stride + c]);
    return Sigmoid(scale * dot - slope * offset(i, j) + bias);
  }

  const T *q, *k, *v;
  Visibility visible;
  double scale, bias, slope;
  std::int64_t d;
  const AttentionInputs<T>& in;
};

template <typename T>
void store_rows(const std::vector<double>& sums, std::int64_t rows, std::int64_t width, double factor, T* to, std::int64_t stride) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t c = 0; c < width; ++c) store(to[i * stride + c], factor * sums[static_cast<std::size_t>(i * width + c)]);
}

/// The sums of one key head.
struct Sums {
  std::vector<double> dk, dv;
};

/// Adds one query head to the sums of its key head, and writes its dq, dbias and dslope.
template <typename T>
void backward_head(const AttentionShape& shape, const Head<T>& head, const T* grad_o, std::int64_t grad_stride, T* dq,
                   std::int64_t dq_stride, Sums& sums, double& dbias, double& dslope) {
  const std::int64_t d = shape.head_dim, dv = shape.value_dim;
  std::vector<double> row(static_cast<std::size_t>(d));
  for (std::int64_t i = 0; i < shape.queries; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    const T* g = grad_o + i * grad_stride;
    const auto [begin, end] = head.visible.of_query(i);
    for (std::int64_t j = begin; j < end; ++j) {
      const Sigmoid sigmoid = head.pair(i, j);
      double dp = 0;
      for (std::int64_t c = 0; c < dv; ++c) {
        dp += load(g[c]) * load(head.v[j * head.in.v.row_stride + c]);
        sums.dv[static_cast<std::size_t>(j * dv + c)] += sigmoid.p * load(g[c]);
      }
      const double ds = sigmoid.p * sigmoid.one_minus_p * dp;
      dbias += ds;
      dslope -= head.offset(i, j) * ds;
      for (std::int64_t c = 0; c < d; ++c) {
        row[static_cast<std::size_t>(c)] += ds * load(head.k[j * head.in.k.row_stride + c]);
        sums.dk[static_cast<std::size_t>(j * d + c)] += ds * load(head.q[i * head.in.q.row_stride + c]);
      }
    }
    store_rows(row, 1, d, head.scale, dq + i * dq_stride, dq_stride);
  }
}

}  // namespace

template <typename T>
void forward(const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
             const HeadedRows<T>& o, const ParallelFor& parallel) {
  parallel(shape.batch * shape.heads, [&](std::int64_t task) {
    const std::int64_t b = task / shape.heads, h = task % shape.heads;
    const Head<T> head(shape, options, in, b, h);
    std::vector<double> row(static_cast<std::size_t>(shape.value_dim));
    for (std::int64_t i = 0; i < shape.queries; ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      const auto [begin, end] = head.visible.of_query(i);
      for (std::int64_t j = begin; j < end; ++j) {
        const double p = head.pair(i, j).p;
        for (std::int64_t c = 0; c < shape.value_dim; ++c)
          row[static_cast<std::size_t>(c)] += p * load(head.v[j * in.v.row_stride + c]);
      }
      store_rows(row, 1, shape.value_dim, 1, o.head(b, h) + i * o.row_stride, o.row_stride);
    }
  });
}

template <typename T>
void backward(const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
              const HeadedRows<const T>& grad_o, const AttentionGradients<T>& out, const ParallelFor& parallel) {
  const auto num_heads = static_cast<std::size_t>(shape.batch * shape.heads);
  std::vector<double> dbias(num_heads), dslope(num_heads);
  parallel(shape.batch * shape.kv_heads, [&](std::int64_t task) {
    const std::int64_t b = task / shape.kv_heads, group = task % shape.kv_heads;
    Sums sums{std::vector<double>(static_cast<std::size_t>(shape.keys * shape.head_dim)),
              std::vector<double>(static_cast<std::size_t>(shape.keys * shape.value_dim))};
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      if (kv_head_of(shape, h) != group) continue;
      const auto slot = static_cast<std::size_t>(b * shape.heads + h);
      backward_head(shape, Head<T>(shape, options, in, b, h), grad_o.head(b, h), grad_o.row_stride, out.q.head(b, h),
                    out.q.row_stride, sums, dbias[slot], dslope[slot]);
    }
    store_rows(sums.dk, shape.keys, shape.head_dim, options.scale, out.k.head(b, group), out.k.row_stride);
    store_rows(sums.dv, shape.keys, shape.value_dim, 1, out.v.head(b, group), out.v.row_stride);
  });
  for (std::int64_t h = 0; h < shape.heads; ++h) {
    double bias = 0, slope = 0;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      bias += dbias[static_cast<std::size_t>(b * shape.heads + h)];
      slope += dslope[static_cast<std::size_t>(b * shape.heads + h)];
    }
    if (out.bias) out.bias[h] = bias;
    if (out.slope) out.slope[h] = options.slopes ? slope : 0;
  }
}

#define SIM_INSTANTIATE(T)                                                                                                 \
  template void forward<T>(const AttentionShape&, const SigmoidAttentionOptions&, const AttentionInputs<T>&,               \
                           const HeadedRows<T>&, const ParallelFor&);                                                      \
  template void backward<T>(const AttentionShape&, const SigmoidAttentionOptions&, const AttentionInputs<T>&,              \
                            const HeadedRows<const T>&, const AttentionGradients<T>&, const ParallelFor&);
SIM_INSTANTIATE(double)
SIM_INSTANTIATE(float)
SIM_INSTANTIATE(Bfloat16)

}  // namespace simulacra::kernels::attention::reference
