// SPDX-License-Identifier: Apache-2.0
// Sigmoid attention on tensor cores: m16n8k16 products of 16-bit elements with float sums.
//
// One pattern serves the forward pass and both backward kernels. Each of four warps owns 16 * kRowTiles rows ("own" rows:
// queries, or keys for dK and dV) whose fragments stay in registers, while tiles of the other side stream through two
// buffers of shared memory. Scores come 16 at a time: a product over the head dimension, then the sigmoid, then, as the
// registers of a sum are exactly the left operand of the next product, P or dS go straight into the second product. Nothing
// else is kept of a row (no maximum, no sum), so the chunks are independent of each other.
#pragma once

#include "learning/kernels/cuda/attention_common.h"

namespace simulacra::kernels::attention::cuda::tiles {

using gpu::Shared;
using Word = std::uint32_t;  // two elements

constexpr int kWarps = 4, kThreads = 32 * kWarps;
constexpr int kStreamRows = 64;  // of one buffer
constexpr int kChunk = 16;       // scores of a row at a time

SIM_DEVICE int lane_index() { return gpu::thread_index() % 32; }
SIM_DEVICE int warp_index() { return gpu::thread_index() / 32; }

/// A tile's rows of kWidth elements in shared memory, in pieces of 16 bytes. The exclusive or spreads any 8 rows of one
/// piece over all banks.
template <int kWidth>
struct Layout {
  static constexpr int kPieces = kWidth / 8;

  SIM_DEVICE static Shared at(int row, int piece) {
    const int mixed = piece ^ (kPieces >= 8 ? row & 7 : (row >> 1) & 3);
    return static_cast<Shared>((row * kPieces + mixed) * 16);
  }
  /// The address two pieces further, k times: as tiles begin at multiples of 8 rows, one exclusive or with a constant.
  SIM_DEVICE static Shared skip_pairs(Shared even_or_odd, int k) { return even_or_odd ^ static_cast<Shared>(k * 32); }
  SIM_CONSTEXPR static int bytes(int rows) { return rows * kWidth * 2; }
};

/// Rows of one head in global memory.
struct Source {
  const std::uint16_t* data;
  int stride, end, width;  // zeros beyond the last two

  SIM_DEVICE Source(const Array& a, int batch, int head, int rows, int columns)
      : data(rows_of<const std::uint16_t>(a, batch, head)), stride(static_cast<int>(a.row_stride)), end(rows), width(columns) {}
};

/// Starts the copy of `count` rows from `first` on, by kCopiers threads, of which this one is `thread`; each copies one piece
/// of every few rows. Kept as a loop: unrolled, its addresses would take the registers of the products.
template <int kWidth, int kCopiers>
SIM_DEVICE void copy_rows(Shared to, const Source& from, int first, int count, int thread) {
  constexpr int kPieces = Layout<kWidth>::kPieces, kStep = kCopiers / kPieces;
  const int piece = thread % kPieces;
  const bool inside = piece * 8 < from.width;
  int row = thread / kPieces;
  SIM_KEEP_LOOP for (; row < count; row += kStep) {
    const bool valid = inside && first + row < from.end;
    const std::int64_t offset = valid ? static_cast<std::int64_t>(first + row) * from.stride + piece * 8 : 0;
    gpu::copy_16(to + Layout<kWidth>::at(row, piece), from.data + offset, valid);
  }
}

/// Left operands of a warp: 16 * kTiles rows.
template <int kWidth, int kTiles>
struct OwnRows {
  Word a[kTiles][kWidth / 16][4];

  SIM_DEVICE void load(Shared tile, int first_row) {
    const int lane = lane_index();
    SIM_UNROLL for (int t = 0; t < kTiles; ++t) {
      const Shared at = tile + Layout<kWidth>::at(first_row + t * 16 + lane % 16, lane / 16);
      SIM_UNROLL for (int k = 0; k < kWidth / 16; ++k) gpu::load_matrices(a[t][k], Layout<kWidth>::skip_pairs(at, k));
    }
  }
};

/// Sums of 16 * kTiles rows and 8 * kColumns columns: [2 * (row % 16 / 8) + column % 2] of lane 4 * (row % 8) + column % 8 / 2.
template <int kTiles, int kColumns>
struct Sums {
  float c[kTiles][kColumns][4];

  SIM_DEVICE void clear() {
    SIM_UNROLL for (int t = 0; t < kTiles; ++t)
      SIM_UNROLL for (int n = 0; n < kColumns; ++n)
        SIM_UNROLL for (int r = 0; r < 4; ++r) c[t][n][r] = 0;
  }
};

template <int kTiles>
using Scores = Sums<kTiles, kChunk / 8>;

/// own * stream^T: the scores of 16 stream rows.
template <class E, int kWidth, int kTiles>
SIM_DEVICE void score(Scores<kTiles>& s, const OwnRows<kWidth, kTiles>& own, Shared stream, int row) {
  const int lane = lane_index();
  const Shared at = stream + Layout<kWidth>::at(row + lane % 8 + lane / 16 * 8, lane / 8 % 2);
  s.clear();
  SIM_UNROLL for (int k = 0; k < kWidth / 16; ++k) {
    Word b[4];
    gpu::load_matrices(b, Layout<kWidth>::skip_pairs(at, k));
    SIM_UNROLL for (int t = 0; t < kTiles; ++t) {
      E::multiply_add(s.c[t][0], own.a[t][k], b[0], b[1]);
      E::multiply_add(s.c[t][1], own.a[t][k], b[2], b[3]);
    }
  }
}

/// sums += weights * stream, over 16 stream rows.
template <class E, int kWidth, int kTiles>
SIM_DEVICE void accumulate(Sums<kTiles, kWidth / 8>& sums, const Scores<kTiles>& weights, Shared stream, int row) {
  const int lane = lane_index();
  Word a[kTiles][4];
  SIM_UNROLL for (int t = 0; t < kTiles; ++t)
    SIM_UNROLL for (int i = 0; i < 4; ++i) a[t][i] = E::pack(weights.c[t][i / 2][i % 2 * 2], weights.c[t][i / 2][i % 2 * 2 + 1]);
  const Shared at = stream + Layout<kWidth>::at(row + lane % 16, lane / 16);
  SIM_UNROLL for (int n = 0; n < kWidth / 16; ++n) {
    Word b[4];
    gpu::load_matrices_transposed(b, Layout<kWidth>::skip_pairs(at, n));
    SIM_UNROLL for (int t = 0; t < kTiles; ++t) {
      E::multiply_add(sums.c[t][2 * n], a[t], b[0], b[1]);
      E::multiply_add(sums.c[t][2 * n + 1], a[t], b[2], b[3]);
    }
  }
}

/// exp(-s) = 2^(scale * dot + bias + slope * distance).
struct Exponent {
  float scale, bias, slope;

  SIM_DEVICE Exponent(const Params& p, int head) {
    constexpr double kLog2e = 1.4426950408889634;
    scale = static_cast<float>(-kLog2e * p.scale);
    bias = static_cast<float>(-kLog2e * head_value(p.bias, head));
    slope = static_cast<float>(kLog2e * head_value(p.slopes, head));
  }
};

/// P and P (1 - P) = e / (1 + e)^2 of two scores with one reciprocal. The bound keeps (1 + e0)(1 + e1) finite, and P from
/// falling below 2^-62; the smallest P of use, 1 / n, is far above. A NaN passes.
struct SigmoidPair {
  float p0, p1, slope0, slope1;

  SIM_DEVICE SigmoidPair(float t0, float t1) {
    constexpr float kBound = 62;
    const float e0 = gpu::exp2_approx(gpu::min_or_nan(t0, kBound)), e1 = gpu::exp2_approx(gpu::min_or_nan(t1, kBound));
    const float a0 = 1 + e0, a1 = 1 + e1, r = gpu::reciprocal_approx(a0 * a1);
    p0 = r * a1, p1 = r * a0;
    slope0 = e0 * p0 * p0, slope1 = e1 * p1 * p1;
  }
};

/// Which query and key an entry of a chunk is.
template <bool kOwnKeys>
struct Entry {
  int query, key;

  SIM_DEVICE Entry(int own, int streamed) : query(kOwnKeys ? streamed : own), key(kOwnKeys ? own : streamed) {}
};

/// Where a chunk lies, and what its entries need beyond the scores.
struct Chunk {
  const Sight& sight;
  const Exponent& exponent;
  int own, streamed;  // this lane's first row and column

  SIM_DEVICE float power(float dot) const { return gpu::fused_multiply_add(dot, exponent.scale, exponent.bias); }

  /// Entry [t][n][r] of this lane's scores.
  template <bool kOwnKeys>
  SIM_DEVICE Entry<kOwnKeys> entry(int t, int n, int r) const {
    return {own + t * 16 + r / 2 * 8, streamed + n * 8 + r % 2};
  }
  template <bool kOwnKeys>
  SIM_DEVICE float distance_of(const Entry<kOwnKeys>& e) const {
    return static_cast<float>(distance(e.query + sight.shift, e.key));
  }
  template <bool kOwnKeys>
  SIM_DEVICE float with_distance(const Entry<kOwnKeys>& e, float power) const {
    return gpu::fused_multiply_add(exponent.slope, distance_of(e), power);
  }
  template <bool kOwnKeys>
  SIM_DEVICE bool sees(const Entry<kOwnKeys>& e) const {
    return sight.sees(e.query, e.key);
  }
};

/// Sums over all entries for the gradients of bias and slope.
struct PairSums {
  float bias = 0, slope = 0;
};

/// scores -> P, and P (1 - P) beside it. kSpecial: some entries are hidden, or there are slopes.
template <bool kSpecial, bool kOwnKeys, int kTiles>
SIM_DEVICE void to_weights_and_slopes(Scores<kTiles>& s, Scores<kTiles>& slopes, const Chunk& at) {
  SIM_UNROLL for (int t = 0; t < kTiles; ++t)
    SIM_UNROLL for (int n = 0; n < kChunk / 8; ++n)
      SIM_UNROLL for (int r = 0; r < 4; r += 2) {
        float *x = &s.c[t][n][r], *y = &slopes.c[t][n][r];
        float t0 = at.power(x[0]), t1 = at.power(x[1]);
        const Entry<kOwnKeys> first = at.entry<kOwnKeys>(t, n, r), second = at.entry<kOwnKeys>(t, n, r + 1);
        if (kSpecial) t0 = at.with_distance(first, t0), t1 = at.with_distance(second, t1);
        const SigmoidPair p(t0, t1);
        const bool seen0 = !kSpecial || at.sees(first), seen1 = !kSpecial || at.sees(second);
        x[0] = seen0 ? p.p0 : 0, x[1] = seen1 ? p.p1 : 0;
        y[0] = seen0 ? p.slope0 : 0, y[1] = seen1 ? p.slope1 : 0;
      }
}

/// scores -> P.
template <bool kSpecial, bool kOwnKeys, int kTiles>
SIM_DEVICE void to_weights(Scores<kTiles>& s, const Chunk& at) {
  Scores<kTiles> unused;
  to_weights_and_slopes<kSpecial, kOwnKeys>(s, unused, at);
}

/// P (1 - P) -> dS = P (1 - P) dP; adds to the sums over dS.
template <bool kSpecial, bool kOwnKeys, int kTiles>
SIM_DEVICE void to_gradients(Scores<kTiles>& slopes, const Scores<kTiles>& dp, const Chunk& at, PairSums& sums) {
  SIM_UNROLL for (int t = 0; t < kTiles; ++t)
    SIM_UNROLL for (int n = 0; n < kChunk / 8; ++n)
      SIM_UNROLL for (int r = 0; r < 4; ++r) {
        float& x = slopes.c[t][n][r];
        x = kSpecial && x == 0 ? 0 : x * dp.c[t][n][r];
        sums.bias += x;
        if (kSpecial) sums.slope = gpu::fused_multiply_add(-at.distance_of(at.entry<kOwnKeys>(t, n, r)), x, sums.slope);
      }
}

/// Row j of lane i's four words becomes row i of lane j's, among four lanes.
SIM_DEVICE void transpose_among_four(Word (&x)[4]) {
  const int lane = lane_index();
  SIM_UNROLL for (int bit = 1; bit <= 2; bit *= 2)
    SIM_UNROLL for (int i = 0; i < 4; ++i) {
      if (i & bit) continue;
      const bool upper = (lane & bit) != 0;
      const Word received = gpu::shuffle_xor(upper ? x[i] : x[i | bit], bit);
      if (upper) x[i] = received;
      else x[i | bit] = received;
    }
}

/// Stores factor * sums as rows first_row … of one head, 16 bytes at a time; rows from zero_from on are zeros.
template <class E, int kWidth, int kTiles>
SIM_DEVICE void store_rows(const Sums<kTiles, kWidth / 8>& sums, float factor, const Array& to, int batch, int head, int first_row, int end,
                           int zero_from, int width) {
  auto* const data = rows_of<std::uint16_t>(to, batch, head);
  const int lane = lane_index();
  SIM_UNROLL for (int t = 0; t < kTiles; ++t)
    SIM_UNROLL for (int half = 0; half < 2; ++half)
      SIM_UNROLL for (int n = 0; n < kWidth / 8; n += 4) {
        const int row = first_row + t * 16 + half * 8 + lane / 4, column = (n + lane % 4) * 8;
        const bool zero = row >= zero_from;
        Word x[4];
        SIM_UNROLL for (int i = 0; i < 4; ++i) {
          const float* c = &sums.c[t][n + i][half * 2];
          x[i] = zero ? 0 : E::pack(factor * c[0], factor * c[1]);
        }
        transpose_among_four(x);
        if (row < end && column < width) gpu::global_store_16(data + row * to.row_stride + column, x);
      }
}

/// Two buffers, each with a tile of both streamed arrays.
template <int kWidth>
struct Buffers {
  static constexpr int kTile = Layout<kWidth>::bytes(kStreamRows);
  static constexpr int kBytes = 4 * kTile;

  SIM_DEVICE static Shared first(int buffer) { return static_cast<Shared>(buffer * 2 * kTile); }
  SIM_DEVICE static Shared second(int buffer) { return first(buffer) + kTile; }

  SIM_DEVICE static void start(int buffer, const Source& a, const Source& b, int row) {
    copy_rows<kWidth, kThreads>(first(buffer), a, row, kStreamRows, gpu::thread_index());
    copy_rows<kWidth, kThreads>(second(buffer), b, row, kStreamRows, gpu::thread_index());
  }
};

/// work(i, buffer) for each tile i while start(i + 1, other buffer) runs. The buffers are free at the start and at the end.
template <class Start, class Work>
SIM_DEVICE void stream(int tiles, const Start& start, const Work& work) {
  if (tiles > 0) start(0, 0);
  gpu::copy_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) start(i + 1, (i + 1) % 2);
    gpu::copy_commit();
    gpu::copy_wait<1>();
    gpu::sync_block();
    work(i, i % 2);
    gpu::sync_block();
  }
}

SIM_DEVICE int tiles_of(Span rows) { return rows.begin < rows.end ? (rows.end + kStreamRows - 1) / kStreamRows - rows.begin / kStreamRows : 0; }

/// Loads a block's own rows of two arrays (or of one twice) into registers by way of the buffers.
template <int kWidth, int kTiles>
SIM_DEVICE void load_own(OwnRows<kWidth, kTiles>& rows, const Source& from, int first, int buffer_half) {
  constexpr int kRows = 16 * kTiles * kWarps;
  static_assert(kRows <= 2 * kStreamRows);
  const Shared at = Buffers<kWidth>::first(buffer_half);
  copy_rows<kWidth, kThreads>(at, from, first, kRows, gpu::thread_index());
  gpu::copy_commit();
  gpu::copy_wait<0>();
  gpu::sync_block();
  rows.load(at, warp_index() * 16 * kTiles);
}

template <class E, int kWidth, int kTiles>
struct Forward {
  static constexpr int kThreads = tiles::kThreads, kMinBlocks = 2;
  static constexpr int kRows = 16 * kTiles * kWarps;
  static constexpr int kSharedBytes = Buffers<kWidth>::kBytes;
  static constexpr int kUnroll = kWidth < 128 ? 2 : 1;  // chunks at a time, as far as registers go

  template <bool kSpecial>
  SIM_DEVICE static void chunk(Sums<kTiles, kWidth / 8>& o, const OwnRows<kWidth, kTiles>& q, Shared k, Shared v, int row, const Chunk& at) {
    Scores<kTiles> s;
    score<E>(s, q, k, row);
    to_weights<kSpecial, false>(s, at);
    accumulate<E, kWidth>(o, s, v, row);
  }

  SIM_DEVICE static void run(const Params& p) {
    const Place at(p.heads, p.query_blocks, p.last_block_first);
    const Sight sight(p, at.batch);
    const Exponent exponent(p, at.head);
    const Span own{at.block * kRows, smaller(p.queries, at.block * kRows + kRows)};
    const Span keys = sight.keys_of(own);
    OwnRows<kWidth, kTiles> q;
    load_own(q, Source(p.q, at.batch, at.head, p.queries, p.head_dim), own.begin, 1);
    gpu::sync_block();

    Sums<kTiles, kWidth / 8> o;
    o.clear();
    const int lane = lane_index(), row = own.begin + warp_index() * 16 * kTiles + lane / 4, first_tile = keys.begin / kStreamRows;
    const int group = group_of(p, at.head);
    stream(
        tiles_of(keys),
        [&](int i, int buffer) {
          Buffers<kWidth>::start(buffer, Source(p.k, at.batch, group, sight.num_keys, p.head_dim),
                                 Source(p.v, at.batch, group, sight.num_keys, p.value_dim), (first_tile + i) * kStreamRows);
        },
        [&](int i, int buffer) {
          const Shared kt = Buffers<kWidth>::first(buffer), vt = Buffers<kWidth>::second(buffer);
          const int key = (first_tile + i) * kStreamRows;
          Chunk c{sight, exponent, row, key + lane % 4 * 2};
          if (!p.slopes && sight.all_see(own, {key, key + kStreamRows})) {
            SIM_UNROLL_BY(kUnroll) for (int x = 0; x < kStreamRows; x += kChunk, c.streamed += kChunk) chunk<false>(o, q, kt, vt, x, c);
          } else {
            SIM_KEEP_LOOP for (int x = 0; x < kStreamRows; x += kChunk, c.streamed += kChunk) chunk<true>(o, q, kt, vt, x, c);
          }
        });
    store_rows<E, kWidth>(o, 1, p.o, at.batch, at.head, own.begin + warp_index() * 16 * kTiles, own.end, own.end, p.value_dim);
  }
};

/// Up to kMaxKeys keys: K and V of the whole head lie in shared memory, and warps take 16 queries after 16 with no tile
/// to wait for; the next queries are copied while the present ones are multiplied.
template <class E, int kWidth>
struct ForwardShort {
  static constexpr int kThreads = tiles::kThreads, kMinBlocks = 2;
  static constexpr int kMaxKeys = 256;
  static constexpr int kQueryTile = Layout<kWidth>::bytes(16);

  SIM_CONSTEXPR static int shared_bytes(int keys) { return 2 * Layout<kWidth>::bytes((keys + 15) / 16 * 16) + kWarps * kQueryTile; }

  template <bool kSpecial>
  SIM_DEVICE static void chunk(Sums<1, kWidth / 8>& o, const OwnRows<kWidth, 1>& q, Shared k, Shared v, int row, const Chunk& at) {
    Scores<1> s;
    score<E>(s, q, k, row);
    to_weights<kSpecial, false>(s, at);
    accumulate<E, kWidth>(o, s, v, row);
  }

  SIM_DEVICE static void run(const Params& p) {
    const Place at(p.heads, p.query_blocks, p.last_block_first);
    const Sight sight(p, at.batch);
    const Exponent exponent(p, at.head);
    const int padded = (p.keys + 15) / 16 * 16, lane = lane_index();
    const Shared k = 0, v = static_cast<Shared>(Layout<kWidth>::bytes(padded));
    const Shared mine = v + static_cast<Shared>(Layout<kWidth>::bytes(padded) + warp_index() * kQueryTile);
    const Source q(p.q, at.batch, at.head, p.queries, p.head_dim);

    // Groups of 16 queries: a block's share is an interval, each warp takes every fourth of it.
    const int groups = (p.queries + 15) / 16, share = (groups + p.query_blocks - 1) / p.query_blocks;
    const int end = smaller(groups, (at.block + 1) * share);
    int group = at.block * share + warp_index();
    const int group_heads = group_of(p, at.head);
    copy_rows<kWidth, kThreads>(k, Source(p.k, at.batch, group_heads, sight.num_keys, p.head_dim), 0, padded, gpu::thread_index());
    copy_rows<kWidth, kThreads>(v, Source(p.v, at.batch, group_heads, sight.num_keys, p.value_dim), 0, padded, gpu::thread_index());
    if (group < end) copy_rows<kWidth, 32>(mine, q, group * 16, 16, lane);
    gpu::copy_commit();
    gpu::copy_wait<0>();
    gpu::sync_block();

    for (; group < end; group += kWarps) {
      OwnRows<kWidth, 1> rows;
      rows.load(mine, 0);
      gpu::sync_warp();
      if (group + kWarps < end) copy_rows<kWidth, 32>(mine, q, (group + kWarps) * 16, 16, lane);
      gpu::copy_commit();
      const Span own{group * 16, smaller(p.queries, group * 16 + 16)};
      const Span keys = sight.keys_of(own);
      Sums<1, kWidth / 8> o;
      o.clear();
      const int last = keys.end;
      for (int x = keys.begin / kChunk * kChunk; x < last; x += kChunk) {
        const Chunk c{sight, exponent, own.begin + lane / 4, x + lane % 4 * 2};
        if (!p.slopes && sight.all_see(own, {x, x + kChunk})) chunk<false>(o, rows, k, v, x, c);
        else chunk<true>(o, rows, k, v, x, c);
      }
      store_rows<E, kWidth>(o, 1, p.o, at.batch, at.head, own.begin, own.end, own.end, p.value_dim);
      gpu::copy_wait<0>();
      gpu::sync_warp();
    }
  }
};

/// dQ, and each block's sums of dS, by blocks of queries.
template <class E, int kWidth, int kTiles>
struct QueryGradients {
  static constexpr int kThreads = tiles::kThreads, kMinBlocks = 2;
  static constexpr int kRows = 16 * kTiles * kWarps;
  static constexpr int kSharedBytes = Buffers<kWidth>::kBytes;
  static constexpr int kUnroll = 1;

  struct Own {
    OwnRows<kWidth, kTiles> q, grad;
  };

  template <bool kSpecial>
  SIM_DEVICE static void chunk(Sums<kTiles, kWidth / 8>& dq, const Own& own, Shared k, Shared v, int row, const Chunk& at, PairSums& sums) {
    Scores<kTiles> s, ds, dp;
    score<E>(s, own.q, k, row);
    to_weights_and_slopes<kSpecial, false>(s, ds, at);
    score<E>(dp, own.grad, v, row);
    to_gradients<kSpecial, false>(ds, dp, at, sums);
    accumulate<E, kWidth>(dq, ds, k, row);
  }

  /// The sum over the block, in a fixed order; the buffers are free.
  SIM_DEVICE static void store_sums(const Params& p, const Place& at, PairSums sums) {
    SIM_UNROLL for (int mask = 16; mask > 0; mask /= 2) {
      sums.bias += gpu::shuffle_xor(sums.bias, mask);
      sums.slope += gpu::shuffle_xor(sums.slope, mask);
    }
    if (lane_index() == 0) {
      gpu::shared_store(static_cast<Shared>(warp_index() * 8), sums.bias);
      gpu::shared_store(static_cast<Shared>(warp_index() * 8 + 4), sums.slope);
    }
    gpu::sync_block();
    if (gpu::thread_index() != 0) return;
    double bias = 0, slope = 0;
    for (int w = 0; w < kWarps; ++w) {
      bias += static_cast<double>(gpu::shared_load<float>(static_cast<Shared>(w * 8)));
      slope += static_cast<double>(gpu::shared_load<float>(static_cast<Shared>(w * 8 + 4)));
    }
    store_partial(p, at, bias, slope);
  }

  SIM_DEVICE static void run(const Params& p) {
    const Place at(p.heads, p.query_blocks, p.last_block_first);
    const Sight sight(p, at.batch);
    const Exponent exponent(p, at.head);
    const Span rows{at.block * kRows, smaller(p.queries, at.block * kRows + kRows)};
    const Span keys = sight.keys_of(rows);
    Own own;
    load_own(own.q, Source(p.q, at.batch, at.head, p.queries, p.head_dim), rows.begin, 0);
    load_own(own.grad, Source(p.grad_o, at.batch, at.head, p.queries, p.value_dim), rows.begin, 1);
    gpu::sync_block();

    Sums<kTiles, kWidth / 8> dq;
    dq.clear();
    PairSums sums;
    const int lane = lane_index(), row = rows.begin + warp_index() * 16 * kTiles + lane / 4, first_tile = keys.begin / kStreamRows;
    const int group = group_of(p, at.head);
    stream(
        tiles_of(keys),
        [&](int i, int buffer) {
          Buffers<kWidth>::start(buffer, Source(p.k, at.batch, group, sight.num_keys, p.head_dim),
                                 Source(p.v, at.batch, group, sight.num_keys, p.value_dim), (first_tile + i) * kStreamRows);
        },
        [&](int i, int buffer) {
          const Shared kt = Buffers<kWidth>::first(buffer), vt = Buffers<kWidth>::second(buffer);
          const int key = (first_tile + i) * kStreamRows;
          Chunk c{sight, exponent, row, key + lane % 4 * 2};
          if (!p.slopes && sight.all_see(rows, {key, key + kStreamRows})) {
            SIM_UNROLL_BY(kUnroll) for (int x = 0; x < kStreamRows; x += kChunk, c.streamed += kChunk) chunk<false>(dq, own, kt, vt, x, c, sums);
          } else {
            SIM_KEEP_LOOP for (int x = 0; x < kStreamRows; x += kChunk, c.streamed += kChunk) chunk<true>(dq, own, kt, vt, x, c, sums);
          }
        });
    store_rows<E, kWidth>(dq, static_cast<float>(p.scale), p.dq, at.batch, at.head, rows.begin + warp_index() * 16 * kTiles, rows.end,
                          rows.end, p.head_dim);
    store_sums(p, at, sums);
  }
};

/// dK and dV by blocks of keys; the streamed tiles are those of all query heads that read this key head, one after another.
template <class E, int kWidth, int kTiles>
struct KeyGradients {
  static constexpr int kThreads = tiles::kThreads, kMinBlocks = kWidth < 128 ? 2 : 1;
  static constexpr int kRows = 16 * kTiles * kWarps;
  static constexpr int kSharedBytes = Buffers<kWidth>::kBytes;
  static constexpr int kUnroll = 1;

  struct Own {
    OwnRows<kWidth, kTiles> k, v;
  };
  struct Out {
    Sums<kTiles, kWidth / 8> dk, dv;
  };

  template <bool kSpecial>
  SIM_DEVICE static void chunk(Out& out, const Own& own, Shared q, Shared grad, int row, const Chunk& at) {
    Scores<kTiles> s, ds, dp;
    PairSums unused;
    score<E>(s, own.k, q, row);
    to_weights_and_slopes<kSpecial, true>(s, ds, at);
    accumulate<E, kWidth>(out.dv, s, grad, row);
    score<E>(dp, own.v, grad, row);
    to_gradients<kSpecial, true>(ds, dp, at, unused);
    accumulate<E, kWidth>(out.dk, ds, q, row);
  }

  SIM_DEVICE static void run(const Params& p) {
    const Place at(p.kv_heads, p.key_blocks, false);
    const Sight sight(p, at.batch);
    const Span rows{at.block * kRows, smaller(p.keys, at.block * kRows + kRows)};
    const Span queries = sight.queries_of(rows, p.queries);
    const int per_head = tiles_of(queries), heads = p.heads / p.kv_heads, first_tile = queries.begin / kStreamRows;

    Own own;
    load_own(own.k, Source(p.k, at.batch, at.head, sight.num_keys, p.head_dim), rows.begin, 0);
    load_own(own.v, Source(p.v, at.batch, at.head, sight.num_keys, p.value_dim), rows.begin, 1);
    gpu::sync_block();

    Out out;
    out.dk.clear(), out.dv.clear();
    const int lane = lane_index(), row = rows.begin + warp_index() * 16 * kTiles + lane / 4;
    stream(
        per_head * heads,
        [&](int i, int buffer) {
          const int head = at.head * heads + i / per_head;
          Buffers<kWidth>::start(buffer, Source(p.q, at.batch, head, p.queries, p.head_dim),
                                 Source(p.grad_o, at.batch, head, p.queries, p.value_dim), (first_tile + i % per_head) * kStreamRows);
        },
        [&](int i, int buffer) {
          const Shared qt = Buffers<kWidth>::first(buffer), gt = Buffers<kWidth>::second(buffer);
          const int query = (first_tile + i % per_head) * kStreamRows;
          const Exponent exponent(p, at.head * heads + i / per_head);
          Chunk c{sight, exponent, row, query + lane % 4 * 2};
          if (!p.slopes && sight.all_see({query, query + kStreamRows}, rows)) {
            SIM_UNROLL_BY(kUnroll) for (int x = 0; x < kStreamRows; x += kChunk, c.streamed += kChunk) chunk<false>(out, own, qt, gt, x, c);
          } else {
            SIM_KEEP_LOOP for (int x = 0; x < kStreamRows; x += kChunk, c.streamed += kChunk) chunk<true>(out, own, qt, gt, x, c);
          }
        });
    const int first = rows.begin + warp_index() * 16 * kTiles;
    store_rows<E, kWidth>(out.dk, static_cast<float>(p.scale), p.dk, at.batch, at.head, first, rows.end, sight.num_keys, p.head_dim);
    store_rows<E, kWidth>(out.dv, 1, p.dv, at.batch, at.head, first, rows.end, sight.num_keys, p.value_dim);
  }
};

}  // namespace simulacra::kernels::attention::cuda::tiles
