// SPDX-License-Identifier: Apache-2.0
// Sigmoid attention of float and double on plain multiply-add units: 256 threads as 16 x 16, tiles of 32 queries and 32 keys
// in shared memory. Thread (y, x) makes the scores of rows 2y, 2y + 1 and columns x, x + 16, and the results of rows 2y,
// 2y + 1 and channels x, x + 16, x + 32 … Every tile is summed by itself before it is added, so that the error of a sum
// over n keys stays that of n / 32 additions.
#pragma once

#include <cmath>

#include "learning/kernels/cuda/attention_common.h"

namespace simulacra::kernels::attention::cuda::plain {

using gpu::Shared;

constexpr int kThreads = 256, kRows = 32;

struct Thread {
  int y = gpu::thread_index() / 16, x = gpu::thread_index() % 16;
};

/// exp(-s) = 2^(scale * dot + fraction + whole + slope * distance): the bias's whole part is added to the exponent, where it
/// costs no bits.
template <typename T>
struct Exponent {
  T scale, fraction, slope;
  int whole;

  SIM_DEVICE Exponent(const Params& p, int head) {
    constexpr double kLog2e = 1.4426950408889634;
    const double bias = -kLog2e * head_value(p.bias, head), bound = 1e6;
    const double rounded = rint(bias > bound ? bound : bias < -bound ? -bound : bias);
    whole = static_cast<int>(rounded == rounded ? rounded : 0.0);
    scale = static_cast<T>(-kLog2e * p.scale);
    fraction = static_cast<T>(bias - whole);
    slope = static_cast<T>(kLog2e * head_value(p.slopes, head));
  }
};

SIM_DEVICE double two_to(double t, int whole) { return exp2(t + whole); }

/// 2^(t + whole) to a unit in the last place: 2^r with |r| <= 1/2 by its Taylor sum, whose remainder is below 1e-8.
SIM_DEVICE float two_to(float t, int whole) {
  const float n = rintf(t < -1000.0f ? -1000.0f : t > 1000.0f ? 1000.0f : t), r = t - n;
  float y = 1.5252734e-5f;
  y = gpu::fused_multiply_add(y, r, 1.5403530e-4f);
  y = gpu::fused_multiply_add(y, r, 1.3333558e-3f);
  y = gpu::fused_multiply_add(y, r, 9.6181291e-3f);
  y = gpu::fused_multiply_add(y, r, 5.5504109e-2f);
  y = gpu::fused_multiply_add(y, r, 2.4022651e-1f);
  y = gpu::fused_multiply_add(y, r, 6.9314718e-1f);
  y = gpu::fused_multiply_add(y, r, 1.0f);
  const int exponent = n == n ? static_cast<int>(n) + whole : 0;
  return ldexpf(n == n ? y : n, exponent < -300 ? -300 : exponent);
}

template <typename T>
struct Sigmoid {
  T p, slope;  // P and P (1 - P)

  /// Of exp(-s) = 2^(t + whole); 2^-|t + whole| never overflows.
  SIM_DEVICE Sigmoid(T t, int whole) {
    const bool positive = t + static_cast<T>(whole) < 0;  // the score is
    const T e = positive ? two_to(t, whole) : two_to(-t, -whole), r = 1 / (1 + e);
    p = positive ? r : e * r;
    slope = e * r * r;
  }
};

template <typename T>
struct Matrix {
  Shared base;
  int pitch;  // odd or so: threads of one column of rows meet different banks

  SIM_DEVICE Shared at(int row, int column) const { return base + static_cast<Shared>((row * pitch + column) * static_cast<int>(sizeof(T))); }
  SIM_DEVICE T get(int row, int column) const { return gpu::shared_load<T>(at(row, column)); }
  SIM_DEVICE void set(int row, int column, T value) const { gpu::shared_store<T>(at(row, column), value); }
};

/// The tiles in shared memory, one behind another.
template <typename T>
struct Tiles {
  Shared end = 0;

  SIM_DEVICE Matrix<T> take(int columns) {
    const Matrix<T> m{end, columns | 1};
    end += static_cast<Shared>(kRows * m.pitch * static_cast<int>(sizeof(T)));
    return m;
  }
};
template <typename T>
constexpr int tile_bytes(int columns) {
  return kRows * (columns | 1) * static_cast<int>(sizeof(T));
}

/// Rows first … first + 31 of one head, zeros from `end` on.
template <typename T>
SIM_DEVICE void load(const Matrix<T>& to, const Array& from, int batch, int head, int first, int end, int width) {
  const T* const data = rows_of<const T>(from, batch, head);
  for (int i = gpu::thread_index(); i < kRows * width; i += kThreads) {
    const int row = i / width, column = i % width;
    to.set(row, column, first + row < end ? gpu::global_load(data + (first + row) * from.row_stride + column) : T(0));
  }
}

/// This thread's four products of rows: dot[i][j] = a[2y + i] . b[x + 16j].
template <typename T>
SIM_DEVICE void products(T (&dot)[2][2], const Thread& at, const Matrix<T>& a, const Matrix<T>& b, int width) {
  dot[0][0] = dot[0][1] = dot[1][0] = dot[1][1] = 0;
  SIM_UNROLL_BY(4) for (int c = 0; c < width; ++c) {
    const T a0 = a.get(2 * at.y, c), a1 = a.get(2 * at.y + 1, c), b0 = b.get(at.x, c), b1 = b.get(at.x + 16, c);
    dot[0][0] = gpu::fused_multiply_add(a0, b0, dot[0][0]);
    dot[0][1] = gpu::fused_multiply_add(a0, b1, dot[0][1]);
    dot[1][0] = gpu::fused_multiply_add(a1, b0, dot[1][0]);
    dot[1][1] = gpu::fused_multiply_add(a1, b1, dot[1][1]);
  }
}

template <typename T, int kWidth>
struct Sums {
  T c[2][kWidth / 16] = {};

  /// += w m, where w is 32 x 32.
  SIM_DEVICE void add_product(const Thread& at, const Matrix<T>& w, const Matrix<T>& m, int width) {
    SIM_UNROLL for (int i = 0; i < kWidth / 16; ++i) {
      const int column = at.x + 16 * i;
      if (column >= width) break;
      T s0 = 0, s1 = 0;
      SIM_UNROLL_BY(4) for (int r = 0; r < kRows; ++r) {
        const T x = m.get(r, column);
        s0 = gpu::fused_multiply_add(w.get(2 * at.y, r), x, s0);
        s1 = gpu::fused_multiply_add(w.get(2 * at.y + 1, r), x, s1);
      }
      c[0][i] += s0, c[1][i] += s1;
    }
  }

  SIM_DEVICE void store(const Thread& at, T factor, const Array& to, int batch, int head, int first, int end, int zero_from, int width) const {
    T* const data = rows_of<T>(to, batch, head);
    SIM_UNROLL for (int r = 0; r < 2; ++r)
      SIM_UNROLL for (int i = 0; i < kWidth / 16; ++i) {
        const int row = first + 2 * at.y + r, column = at.x + 16 * i;
        if (row < end && column < width) gpu::global_store(data + row * to.row_stride + column, row < zero_from ? factor * c[r][i] : T(0));
      }
  }
};

/// P (and P (1 - P)) of one pair; 0 where it is hidden or out of the arrays.
template <typename T>
SIM_DEVICE Sigmoid<T> pair(const Params& p, const Sight& sight, const Exponent<T>& e, T dot, int query, int key) {
  T t = gpu::fused_multiply_add(dot, e.scale, e.fraction);
  if (p.slopes) t = gpu::fused_multiply_add(e.slope, static_cast<T>(distance(query + sight.shift, key)), t);
  Sigmoid<T> s(t, e.whole);
  if (query >= p.queries || key >= sight.num_keys || !sight.sees(query, key)) s.p = s.slope = 0;
  return s;
}

SIM_DEVICE Span tiles_of(Span rows) { return {rows.begin / kRows, rows.begin < rows.end ? (rows.end + kRows - 1) / kRows : rows.begin / kRows}; }

template <typename T, int kWidth>
struct Forward {
  static constexpr int kThreads = plain::kThreads, kMinBlocks = 1;
  static constexpr int shared_bytes(int d, int dv) { return 2 * tile_bytes<T>(d) + tile_bytes<T>(dv) + tile_bytes<T>(kRows); }

  SIM_DEVICE static void run(const Params& p) {
    const Place at(p.heads, p.query_blocks, p.last_block_first);
    const Sight sight(p, at.batch);
    const Exponent<T> exponent(p, at.head);
    const Thread me;
    Tiles<T> tiles;
    const Matrix<T> q = tiles.take(p.head_dim), k = tiles.take(p.head_dim), v = tiles.take(p.value_dim), weights = tiles.take(kRows);
    const int first = at.block * kRows, group = group_of(p, at.head);
    const Span keys = tiles_of(sight.keys_of({first, smaller(first + kRows, p.queries)}));
    load(q, p.q, at.batch, at.head, first, p.queries, p.head_dim);

    Sums<T, kWidth> o;
    for (int tile = keys.begin; tile < keys.end; ++tile) {
      load(k, p.k, at.batch, group, tile * kRows, sight.num_keys, p.head_dim);
      load(v, p.v, at.batch, group, tile * kRows, sight.num_keys, p.value_dim);
      gpu::sync_block();
      T dot[2][2];
      products(dot, me, q, k, p.head_dim);
      SIM_UNROLL for (int i = 0; i < 2; ++i)
        SIM_UNROLL for (int j = 0; j < 2; ++j) {
          const int row = 2 * me.y + i, column = me.x + 16 * j;
          weights.set(row, column, pair(p, sight, exponent, dot[i][j], first + row, tile * kRows + column).p);
        }
      gpu::sync_block();
      o.add_product(me, weights, v, p.value_dim);
      gpu::sync_block();
    }
    o.store(me, 1, p.o, at.batch, at.head, first, p.queries, p.queries, p.value_dim);
  }
};

/// dS of this thread's four pairs, into `to` as it lies; adds to the sums over dS.
template <typename T, int kWidth>
struct QueryGradients {
  static constexpr int kThreads = plain::kThreads, kMinBlocks = 1;
  static constexpr int shared_bytes(int d, int dv) { return 2 * tile_bytes<T>(d) + 2 * tile_bytes<T>(dv) + tile_bytes<T>(kRows); }

  /// The sums over the block, always in the same order; `room` holds 32 x 32.
  SIM_DEVICE static double sum(const Matrix<T>& room, const Thread& me, double mine) {
    // Two halves of a double in one row where T is float: so each thread's sum goes through as T and its remainder.
    const T high = static_cast<T>(mine), low = static_cast<T>(mine - static_cast<double>(high));
    room.set(2 * me.y, me.x, high);
    room.set(2 * me.y + 1, me.x, low);
    gpu::sync_block();
    double all = 0;
    if (gpu::thread_index() == 0)
      for (int i = 0; i < kThreads; ++i)
        all += static_cast<double>(room.get(i / 16 * 2, i % 16)) + static_cast<double>(room.get(i / 16 * 2 + 1, i % 16));
    gpu::sync_block();
    return all;
  }

  SIM_DEVICE static void run(const Params& p) {
    const Place at(p.heads, p.query_blocks, p.last_block_first);
    const Sight sight(p, at.batch);
    const Exponent<T> exponent(p, at.head);
    const Thread me;
    Tiles<T> tiles;
    const Matrix<T> q = tiles.take(p.head_dim), k = tiles.take(p.head_dim), grad = tiles.take(p.value_dim), v = tiles.take(p.value_dim),
                    ds = tiles.take(kRows);
    const int first = at.block * kRows, group = group_of(p, at.head);
    const Span keys = tiles_of(sight.keys_of({first, smaller(first + kRows, p.queries)}));
    load(q, p.q, at.batch, at.head, first, p.queries, p.head_dim);
    load(grad, p.grad_o, at.batch, at.head, first, p.queries, p.value_dim);

    Sums<T, kWidth> dq;
    double bias = 0, slope = 0;
    for (int tile = keys.begin; tile < keys.end; ++tile) {
      load(k, p.k, at.batch, group, tile * kRows, sight.num_keys, p.head_dim);
      load(v, p.v, at.batch, group, tile * kRows, sight.num_keys, p.value_dim);
      gpu::sync_block();
      T dot[2][2], dp[2][2];
      products(dot, me, q, k, p.head_dim);
      products(dp, me, grad, v, p.value_dim);
      SIM_UNROLL for (int i = 0; i < 2; ++i)
        SIM_UNROLL for (int j = 0; j < 2; ++j) {
          const int row = 2 * me.y + i, column = me.x + 16 * j, query = first + row, key = tile * kRows + column;
          const T factor = pair(p, sight, exponent, dot[i][j], query, key).slope, x = factor == 0 ? T(0) : factor * dp[i][j];
          bias += static_cast<double>(x);
          slope -= static_cast<double>(x) * distance(query + sight.shift, key);
          ds.set(row, column, x);
        }
      gpu::sync_block();
      dq.add_product(me, ds, k, p.head_dim);
      gpu::sync_block();
    }
    dq.store(me, static_cast<T>(p.scale), p.dq, at.batch, at.head, first, p.queries, p.queries, p.head_dim);
    bias = sum(ds, me, bias);
    slope = sum(ds, me, slope);
    if (gpu::thread_index() == 0) store_partial(p, at, bias, slope);
  }
};

template <typename T, int kWidth>
struct KeyGradients {
  static constexpr int kThreads = plain::kThreads, kMinBlocks = 1;
  static constexpr int shared_bytes(int d, int dv) { return 2 * tile_bytes<T>(d) + 2 * tile_bytes<T>(dv) + 2 * tile_bytes<T>(kRows); }

  SIM_DEVICE static void run(const Params& p) {
    const Place at(p.kv_heads, p.key_blocks, false);
    const Sight sight(p, at.batch);
    const Thread me;
    Tiles<T> tiles;
    const Matrix<T> k = tiles.take(p.head_dim), q = tiles.take(p.head_dim), v = tiles.take(p.value_dim), grad = tiles.take(p.value_dim),
                    weights = tiles.take(kRows), ds = tiles.take(kRows);
    const int first = at.block * kRows, heads = p.heads / p.kv_heads;
    const Span queries = tiles_of(sight.queries_of({first, smaller(first + kRows, p.keys)}, p.queries));
    load(k, p.k, at.batch, at.head, first, sight.num_keys, p.head_dim);
    load(v, p.v, at.batch, at.head, first, sight.num_keys, p.value_dim);

    Sums<T, kWidth> dk, dv;
    for (int head = at.head * heads; head < (at.head + 1) * heads; ++head) {
      const Exponent<T> exponent(p, head);
      for (int tile = queries.begin; tile < queries.end; ++tile) {
        load(q, p.q, at.batch, head, tile * kRows, p.queries, p.head_dim);
        load(grad, p.grad_o, at.batch, head, tile * kRows, p.queries, p.value_dim);
        gpu::sync_block();
        T dot[2][2], dp[2][2];
        products(dot, me, k, q, p.head_dim);
        products(dp, me, v, grad, p.value_dim);
        SIM_UNROLL for (int i = 0; i < 2; ++i)
          SIM_UNROLL for (int j = 0; j < 2; ++j) {
            const int row = 2 * me.y + i, column = me.x + 16 * j;
            const Sigmoid<T> s = pair(p, sight, exponent, dot[i][j], tile * kRows + column, first + row);
            weights.set(row, column, s.p);
            ds.set(row, column, s.slope == 0 ? T(0) : s.slope * dp[i][j]);
          }
        gpu::sync_block();
        dv.add_product(me, weights, grad, p.value_dim);
        dk.add_product(me, ds, q, p.head_dim);
        gpu::sync_block();
      }
    }
    dk.store(me, static_cast<T>(p.scale), p.dk, at.batch, at.head, first, p.keys, sight.num_keys, p.head_dim);
    dv.store(me, 1, p.dv, at.batch, at.head, first, p.keys, sight.num_keys, p.value_dim);
  }
};

}  // namespace simulacra::kernels::attention::cuda::plain
