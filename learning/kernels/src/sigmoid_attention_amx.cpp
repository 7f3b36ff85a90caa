// SPDX-License-Identifier: Apache-2.0
// Sigmoid attention in bfloat16 on the tile unit (AMX): products of 16 x 32 by 32 x 16 numbers into 16 x 16 floats. Four such
// sums, 32 x 32, are kept at a time. The tile unit and the vector units run side by side: the scores of the next 32 x 32
// pairs are under way while the vectors make P of the last.
//
// Layouts. A left operand is rows of bfloat16 as they are. A right operand has two of its rows interleaved, so that one
// 32-bit word holds (row 2 k, row 2 k + 1) of a column: `pairs`. All sizes are padded to 32 with zeros.
#include "learning/kernels/src/sigmoid_attention_paths.h"

#if defined(__AMX_BF16__) && defined(__AVX512BF16__)
#include <immintrin.h>

namespace simulacra::kernels::attention::amx {
namespace {

#include "learning/kernels/src/sigmoid_attention_avx512.h"

using V = __m512;
using Word = std::uint32_t;

constexpr std::int64_t kBlock = 32;        // rows and columns of one product
constexpr std::int64_t kKeys = 256;        // keys of a chunk
constexpr std::int64_t kQueries = 128;     // queries of a block of the backward pass

inline std::int64_t min_of(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t max_of(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
inline std::int64_t round_up(std::int64_t a) { return (a + kBlock - 1) / kBlock * kBlock; }

/// What the compiler must have written before a tile is loaded: GCC's tile loads do not say that they read memory.
inline void memory_is_written() { __asm__ volatile("" ::: "memory"); }

// The tile unit.

struct alignas(64) TileShapes {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// In memory for good: the intrinsic tells GCC of its first 8 bytes only.
constexpr TileShapes kShapes;

/// Holds the unit's configuration for the length of a task.
struct TileUnit {
  TileUnit() { _tile_loadconfig(&kShapes); }
  ~TileUnit() { _tile_release(); }
  TileUnit(const TileUnit&) = delete;
  TileUnit& operator=(const TileUnit&) = delete;
};

/// An operand in bytes: where it starts, from row to row, and from one step of 32 in depth to the next.
struct Operand {
  const void* data;
  std::int64_t row, step;
};

/// Tiles 0 to 3 += a (32 rows) times b (32 columns) over `steps` times 32 in depth.
inline __attribute__((always_inline)) void multiply(const Operand& left, const Operand& right, std::int64_t steps) {
  const auto* a = static_cast<const char*>(left.data);
  const auto* b = static_cast<const char*>(right.data);
  for (std::int64_t s = 0; s < steps; ++s, a += left.step, b += right.step) {
    _tile_loadd(4, a, left.row);
    _tile_loadd(6, b, right.row);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + 64, right.row);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + 16 * left.row, left.row);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
}

inline __attribute__((always_inline)) void store_tiles(float* c, std::int64_t ldc) {
  const auto row = ldc * static_cast<std::int64_t>(sizeof(float));
  _tile_stored(0, c, row);
  _tile_stored(1, c + 16, row);
  _tile_stored(2, c + 16 * ldc, row);
  _tile_stored(3, c + 16 * ldc + 16, row);
}

/// c = a b.
inline void product(const Operand& a, const Operand& b, std::int64_t steps, float* c, std::int64_t ldc) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  multiply(a, b, steps);
  store_tiles(c, ldc);
}

/// c += a b.
inline void add_product(const Operand& a, const Operand& b, std::int64_t steps, float* c, std::int64_t ldc) {
  const auto row = ldc * static_cast<std::int64_t>(sizeof(float));
  _tile_loadd(0, c, row);
  _tile_loadd(1, c + 16, row);
  _tile_loadd(2, c + 16 * ldc, row);
  _tile_loadd(3, c + 16 * ldc + 16, row);
  multiply(a, b, steps);
  store_tiles(c, ldc);
}

// Packing.

/// Rows [begin, end) padded to `rows` x `width` with zeros.
void pack_rows(const Rows<const Bfloat16>& from, std::int64_t begin, std::int64_t end, std::int64_t columns, std::int64_t rows,
               std::int64_t width, Bfloat16* to) {
  for (std::int64_t i = 0; i < rows; ++i, to += width) {
    const std::int64_t filled = begin + i < end ? columns : 0;
    if (filled) __builtin_memcpy(to, from.row(begin + i), static_cast<std::size_t>(filled) * sizeof(Bfloat16));
    __builtin_memset(static_cast<void*>(to + filled), 0, static_cast<std::size_t>(width - filled) * sizeof(Bfloat16));
  }
}

inline __m512i pair_columns(bool upper) {
  // Word 2 c is lane c of the first register, word 2 c + 1 of the second (32 + c).
  const __m512i c = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i at = _mm512_add_epi32(c, _mm512_set1_epi32(upper ? 16 : 0));
  return _mm512_or_si512(at, _mm512_slli_epi32(_mm512_add_epi32(at, _mm512_set1_epi32(32)), 16));
}

/// Packed rows to pairs of rows: to[i][c] = (from[2 i][c], from[2 i + 1][c]).
void pack_pairs(const Bfloat16* from, std::int64_t rows, std::int64_t width, Word* to) {
  const __m512i lower = pair_columns(false), upper = pair_columns(true);
  for (std::int64_t i = 0; i < rows; i += 2, from += 2 * width, to += width)
    for (std::int64_t c = 0; c < width; c += 32) {
      const __m512i a = _mm512_loadu_si512(from + c), b = _mm512_loadu_si512(from + width + c);
      _mm512_storeu_si512(to + c, _mm512_permutex2var_epi16(a, lower, b));
      _mm512_storeu_si512(to + c + 16, _mm512_permutex2var_epi16(a, upper, b));
    }
}

/// Words [rows][width] transposed in blocks of 16: to[block][column][row in the block of `block_rows`].
void transpose_words(const void* from, std::int64_t rows, std::int64_t width, std::int64_t block_rows, void* to) {
  const auto* words = static_cast<const float*>(from);
  auto* out = static_cast<float*>(to);
  for (std::int64_t i = 0; i < rows; i += block_rows)
    for (std::int64_t r = 0; r < block_rows; r += 16)
      Simd::transpose(words + (i + r) * width, width, width, out + i * width + r, block_rows);
}

/// Packed rows to the right operand of a product over their columns: blocks of 32 rows, each [width / 2][32] words.
void pack_columns(const Bfloat16* from, std::int64_t rows, std::int64_t width, Word* to) {
  transpose_words(from, rows, width / 2, kBlock, to);
}

// The sigmoid. P is rounded to bfloat16 (2^-9), so that 2^y by a polynomial of degree 3 (relative error 7.5e-5) and a reciprocal
// of 14 bits do.

struct Sigmoid {
  V factor, addend, slope;  // y = -(scale * dot + bias) log2 e + slope log2 e |offset|
  explicit Sigmoid(const Score& s)
      : factor(Simd::all(-s.scale * kLog2e)), addend(Simd::all(-s.bias * kLog2e)), slope(Simd::all(s.slope * kLog2e)) {}

 private:
  static constexpr float kLog2e = 1.44269504f;
};

inline __attribute__((always_inline)) V power_of_two(V y) {
  const V r = _mm512_reduce_ps(y, 1);  // y - floor(y)
  V p = Simd::all(0.07802452147006989f);
  p = Simd::fma(p, r, Simd::all(0.2260671705007553f));
  p = Simd::fma(p, r, Simd::all(0.6958335041999817f));
  p = Simd::fma(p, r, Simd::all(0.9999251961708069f));
  return _mm512_scalef_ps(p, y);
}

/// P where e does not matter: an infinite e gives 0.
inline __attribute__((always_inline)) V reciprocal_of_one_plus(V e) { return _mm512_rcp14_ps(Simd::add(e, Simd::all(1.0f))); }

inline __m512i both(V low, V high) { return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low)); }

struct Seen {
  Interval together;
  std::int64_t latest_begin, earliest_end;
  Seen(const Visibility& visible, std::int64_t begin, std::int64_t end)
      : together{visible.of_query(begin).begin, visible.of_query(end - 1).end}, latest_begin(visible.of_query(end - 1).begin),
        earliest_end(visible.of_query(begin).end) {}
  bool inside(std::int64_t first, std::int64_t last) const { return latest_begin <= first && last <= earliest_end; }
  bool outside(std::int64_t first, std::int64_t last) const { return last <= together.begin || together.end <= first; }
};

/// Lanes of keys first … first + 15 that lie in an interval.
inline __mmask16 lanes_in(const Interval& seen, std::int64_t first) {
  const auto below = [&](std::int64_t key) {
    const std::int64_t n = key - first;
    return n <= 0 ? 0u : n >= 16 ? 0xffffu : (1u << n) - 1;
  };
  return static_cast<__mmask16>(below(seen.end) & ~below(seen.begin));
}

struct Carver {
  char* next;
  template <typename T>
  T* take(std::int64_t count) {
    auto* p = reinterpret_cast<T*>(next);
    next += (count * static_cast<std::int64_t>(sizeof(T)) + 63) / 64 * 64;
    return p;
  }
};

inline void store_bfloat16(Bfloat16& to, float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  to.bits = static_cast<std::uint16_t>(x != x ? 0x7fc0u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Forward: rows are queries.

constexpr std::int64_t kRowOfP = kKeys + kBlock;  // no power of two, or the rows would share few sets of the cache

struct ForwardBuffers {
  Bfloat16 *q, *rows, *p;
  Word *keys, *values;
  float *o, *scores;

  static std::int64_t bytes(std::int64_t m, std::int64_t wd, std::int64_t wv) {
    return 2 * m * wd + 4 * m * wv + kKeys * (2 * max_of(wd, wv) + 2 * wd + 2 * wv) + 2 * kBlock * kRowOfP + 8 * kBlock * kBlock + 1024;
  }
  ForwardBuffers(void* memory, std::int64_t m, std::int64_t wd, std::int64_t wv) {
    Carver carve{static_cast<char*>(memory)};
    q = carve.take<Bfloat16>(m * wd);
    o = carve.take<float>(m * wv);
    rows = carve.take<Bfloat16>(kKeys * max_of(wd, wv));
    keys = carve.take<Word>(kKeys * wd / 2);
    values = carve.take<Word>(kKeys * wv / 2);
    p = carve.take<Bfloat16>(kBlock * kRowOfP);
    scores = carve.take<float>(2 * kBlock * kBlock);
  }
};

/// P of 32 queries and 32 keys from their scores, as bfloat16, kRowOfP apart.
template <bool kAlibi>
void probabilities(const Score& score, const Sigmoid& sigmoid, const float* scores, std::int64_t query, std::int64_t rows,
                   std::int64_t key, bool inside, Bfloat16* p) {
  for (std::int64_t r = 0; r < rows; ++r) {
    V out[2];
    for (std::int64_t x = 0; x < 2; ++x) {
      V y = Simd::fma(Simd::load(scores + r * kBlock + x * 16), sigmoid.factor, sigmoid.addend);
      if (kAlibi) {
        const auto at = static_cast<float>(query + r + score.visible.shift - key - x * 16);
        y = Simd::fma(sigmoid.slope, Simd::absolute(Simd::sub(Simd::all(at), Simd::lanes())), y);
      }
      out[x] = reciprocal_of_one_plus(power_of_two(y));
    }
    if (!inside) {
      const Interval seen = score.visible.of_query(query + r);
      for (std::int64_t x = 0; x < 2; ++x) out[x] = _mm512_maskz_mov_ps(lanes_in(seen, key + x * 16), out[x]);
    }
    _mm512_storeu_si512(p + r * kRowOfP, both(out[0], out[1]));
  }
}

/// One block of 32 queries against one packed chunk of keys.
void forward_block(const ForwardTask<Bfloat16>& task, const Sigmoid& sigmoid, const ForwardBuffers& b, std::int64_t row,
                   std::int64_t first, std::int64_t last, std::int64_t wd, std::int64_t wv) {
  const Score& score = task.score;
  const std::int64_t query = task.begin + row, rows = min_of(kBlock, task.end - query);
  const Seen seen(score.visible, query, query + rows);
  const std::int64_t from = max_of(first, seen.together.begin), to = min_of(last, seen.together.end);
  if (from >= to) return;
  const std::int64_t begin = (from - first) / kBlock, end = (to - first + kBlock - 1) / kBlock;
  const auto make = score.has_slope ? probabilities<true> : probabilities<false>;
  const auto scores_of = [&](std::int64_t k) {
    product({b.q + row * wd, 2 * wd, 64}, {b.keys + k * kBlock * wd / 2, 4 * kBlock, 64 * kBlock}, wd / 32,
            b.scores + k % 2 * kBlock * kBlock, kBlock);
  };
  memory_is_written();
  scores_of(begin);
  for (std::int64_t k = begin; k < end; ++k) {
    if (k + 1 < end) scores_of(k + 1);
    const std::int64_t key = first + k * kBlock;
    make(score, sigmoid, b.scores + k % 2 * kBlock * kBlock, query, rows, key, seen.inside(key, min_of(last, key + kBlock)), b.p + k * kBlock);
  }
  memory_is_written();
  for (std::int64_t c = 0; c < wv; c += kBlock)
    add_product({b.p + begin * kBlock, 2 * kRowOfP, 64}, {b.values + begin * kBlock / 2 * wv + c, 4 * wv, 64 * wv}, end - begin,
                b.o + row * wv + c, wv);
}

void pack_chunk(const ForwardTask<Bfloat16>& task, const ForwardBuffers& b, std::int64_t first, std::int64_t last, std::int64_t wd,
                std::int64_t wv) {
  const std::int64_t rows = round_up(last - first);
  pack_rows(task.k, first, last, task.score.d, rows, wd, b.rows);
  pack_columns(b.rows, rows, wd, b.keys);
  pack_rows(task.v, first, last, task.score.dv, rows, wv, b.rows);
  pack_pairs(b.rows, rows, wv, b.values);
}

// Backward: rows are keys, so that P and dS are left operands of dV and dK as they come; for dQ^T = K^T dS^T, dS is stored in
// pairs of keys as well.

struct BackwardBuffers {
  Bfloat16 *rows, *keys, *values;      // [kKeys or queries, width]: packed rows
  Bfloat16* keys_transposed;           // [wd][kKeys]
  Word* key_pairs;                     // [kKeys / 2][wd]
  Bfloat16 *p, *ds;                    // [kKeys][kQueries]
  Word* ds_pairs;                      // [kKeys / 2][kQueries]
  Word *q_columns, *grad_columns;      // blocks of 32 queries, each [width / 2][32]
  Word *q_pairs, *grad_pairs;          // [queries / 2][width]
  float* dq;                           // blocks of 32 queries, each [wd][32]
  float *scores, *dp;                  // two of [32][32]
  float *begins, *ends;                // [queries]: what each sees

  static std::int64_t bytes(std::int64_t m, std::int64_t wd, std::int64_t wv) {
    return 2 * m * max_of(wd, wv) + 2 * kKeys * (3 * wd + wv + max_of(wd, wv)) + 8 * kKeys * kQueries + 4 * m * (wd + wv) + 4 * m * wd +
           16 * kBlock * kBlock + 8 * m + 2048;
  }
  BackwardBuffers(void* memory, std::int64_t m, std::int64_t wd, std::int64_t wv) {
    Carver carve{static_cast<char*>(memory)};
    rows = carve.take<Bfloat16>(max_of(m, kKeys) * max_of(wd, wv));
    keys = carve.take<Bfloat16>(kKeys * wd);
    values = carve.take<Bfloat16>(kKeys * wv);
    keys_transposed = carve.take<Bfloat16>(kKeys * wd);
    key_pairs = carve.take<Word>(kKeys / 2 * wd);
    p = carve.take<Bfloat16>(kKeys * kQueries);
    ds = carve.take<Bfloat16>(kKeys * kQueries);
    ds_pairs = carve.take<Word>(kKeys / 2 * kQueries);
    q_columns = carve.take<Word>(m * wd / 2);
    grad_columns = carve.take<Word>(m * wv / 2);
    q_pairs = carve.take<Word>(m / 2 * wd);
    grad_pairs = carve.take<Word>(m / 2 * wv);
    dq = carve.take<float>(m * wd);
    scores = carve.take<float>(2 * kBlock * kBlock);
    dp = carve.take<float>(2 * kBlock * kBlock);
    begins = carve.take<float>(m);
    ends = carve.take<float>(m);
  }
};

struct BlockSums {
  V bias, slope;
};

/// Where a block of 32 keys and 32 queries goes: row of P and dS, and of the pairs.
struct BlockOut {
  Bfloat16 *p, *ds;
  Word* ds_pairs;
};

struct PairOfKeys {
  V p[2][2], ds[2][2];  // [key][half of the queries]
};

/// P and dS of two keys, from their rows of scores and of dP.
template <bool kAlibi>
inline __attribute__((always_inline)) void two_keys(const Score& score, const Sigmoid& sigmoid, const float* scores, const float* dp,
                                                    std::int64_t query, std::int64_t key, const float* begins, const float* ends,
                                                    bool inside, BlockSums& sums, PairOfKeys& out) {
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t x = 0; x < 2; ++x) {
      V y = Simd::fma(Simd::load(scores + i * kBlock + x * 16), sigmoid.factor, sigmoid.addend);
      V offset = Simd::all(0);
      if (kAlibi) {
        const auto at = static_cast<float>(query + x * 16 + score.visible.shift - key - i);
        offset = Simd::absolute(Simd::add(Simd::all(at), Simd::lanes()));
        y = Simd::fma(sigmoid.slope, offset, y);
      }
      const V e = power_of_two(Simd::at_most(y, 126.0f));
      V p = reciprocal_of_one_plus(e);
      if (!inside) {
        const V at = Simd::all(static_cast<float>(key + i));
        const __mmask16 seen = _mm512_cmp_ps_mask(Simd::load(begins + x * 16), at, _CMP_LE_OQ) &
                               _mm512_cmp_ps_mask(at, Simd::load(ends + x * 16), _CMP_LT_OQ);
        p = _mm512_maskz_mov_ps(seen, p);
      }
      const V ds = Simd::mul(Simd::mul(Simd::mul(e, p), p), Simd::load(dp + i * kBlock + x * 16));
      sums.bias = Simd::add(sums.bias, ds);
      if (kAlibi) sums.slope = Simd::fma(offset, ds, sums.slope);
      out.p[i][x] = p;
      out.ds[i][x] = ds;
    }
  }
}

template <bool kAlibi>
void gradients(const Score& score, const Sigmoid& sigmoid, const float* scores, const float* dp, std::int64_t query, std::int64_t key,
               const float* begins, const float* ends, bool inside, BlockSums& sums, const BlockOut& out) {
  const __m512i interleave = _mm512_or_si512(  // of one register's halves: word 2 c from c, word 2 c + 1 from 16 + c
      _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
      _mm512_slli_epi32(_mm512_set_epi32(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16), 16));
  for (std::int64_t i = 0; i < kBlock; i += 2) {
    PairOfKeys pair;
    two_keys<kAlibi>(score, sigmoid, scores + i * kBlock, dp + i * kBlock, query, key + i, begins, ends, inside, sums, pair);
    for (std::int64_t k = 0; k < 2; ++k) {
      _mm512_storeu_si512(out.p + (i + k) * kQueries, both(pair.p[k][0], pair.p[k][1]));
      _mm512_storeu_si512(out.ds + (i + k) * kQueries, both(pair.ds[k][0], pair.ds[k][1]));
      _mm512_storeu_si512(out.ds_pairs + i / 2 * kQueries + k * 16, _mm512_permutexvar_epi16(interleave, both(pair.ds[0][k], pair.ds[1][k])));
    }
  }
}

void clear(const BlockOut& out) {
  for (std::int64_t i = 0; i < kBlock; ++i) {
    _mm512_storeu_si512(out.p + i * kQueries, _mm512_setzero_si512());
    _mm512_storeu_si512(out.ds + i * kQueries, _mm512_setzero_si512());
    _mm512_storeu_si512(out.ds_pairs + i / 2 * kQueries + i % 2 * 16, _mm512_setzero_si512());
  }
}

/// The work on one block of at most kQueries queries and one chunk of keys.
struct BackwardBlock {
  BackwardTask<Bfloat16>& task;
  const Sigmoid& sigmoid;
  const BackwardBuffers& b;
  std::int64_t query, num_queries;  ///< the first, and how many, padded to 32
  std::int64_t first, last;         ///< keys

  std::int64_t wd() const { return task.width_d; }
  std::int64_t wv() const { return task.width_dv; }
  std::int64_t num_keys() const { return round_up(last - first); }

  /// Scores and dP of 32 keys and 32 queries: at + [0, 1].
  void products(std::int64_t i, std::int64_t j, std::int64_t slot) const {
    const std::int64_t block = query / kBlock + i;
    product({b.keys + j * kBlock * wd(), 2 * wd(), 64}, {b.q_columns + block * kBlock * wd() / 2, 4 * kBlock, 64 * kBlock}, wd() / 32,
            b.scores + slot * kBlock * kBlock, kBlock);
    product({b.values + j * kBlock * wv(), 2 * wv(), 64}, {b.grad_columns + block * kBlock * wv() / 2, 4 * kBlock, 64 * kBlock}, wv() / 32,
            b.dp + slot * kBlock * kBlock, kBlock);
  }

  /// P and dS of all pairs; whether any is visible.
  bool pairs(BlockSums& sums) const {
    bool any = false;
    for (std::int64_t i = 0; i < num_queries / kBlock; ++i) any |= column(i, sums);
    return any;
  }

  /// Of 32 queries and all keys of the chunk.
  bool column(std::int64_t i, BlockSums& sums) const {
    const std::int64_t at = query + i * kBlock, end = min_of(at + kBlock, task.queries), blocks = num_keys() / kBlock;
    const Seen seen(task.score.visible, at, end);
    const auto outside = [&](std::int64_t j) { return seen.outside(first + j * kBlock, min_of(last, first + (j + 1) * kBlock)); };
    std::int64_t begin = 0, stop = blocks;
    while (begin < stop && outside(begin)) ++begin;
    while (begin < stop && outside(stop - 1)) --stop;
    const auto make = task.score.has_slope ? gradients<true> : gradients<false>;
    if (begin < stop) products(i, begin, 0);
    for (std::int64_t j = 0; j < blocks; ++j) {
      const BlockOut out{b.p + j * kBlock * kQueries + i * kBlock, b.ds + j * kBlock * kQueries + i * kBlock,
                         b.ds_pairs + j * kBlock / 2 * kQueries + i * kBlock};
      if (j < begin || j >= stop) {
        clear(out);
        continue;
      }
      if (j + 1 < stop) products(i, j + 1, (j + 1 - begin) % 2);
      const std::int64_t key = first + j * kBlock, slot = (j - begin) % 2 * kBlock * kBlock;
      make(task.score, sigmoid, b.scores + slot, b.dp + slot, at, key, b.begins + at, b.ends + at,
           seen.inside(key, min_of(last, key + kBlock)), sums, out);
    }
    return begin < stop;
  }

  void add_gradients() const {
    const std::int64_t at = first - task.begin;
    for (std::int64_t i = 0; i < num_queries / kBlock; ++i)
      for (std::int64_t c = 0; c < wd(); c += kBlock)
        add_product({b.keys_transposed + c * kKeys, 2 * kKeys, 64}, {b.ds_pairs + i * kBlock, 4 * kQueries, 64 * kQueries}, num_keys() / 32,
                    b.dq + (query + i * kBlock) * wd() + c * kBlock, kBlock);
    for (std::int64_t j = 0; j < num_keys(); j += kBlock) {
      for (std::int64_t c = 0; c < wv(); c += kBlock)
        add_product({b.p + j * kQueries, 2 * kQueries, 64}, {b.grad_pairs + query / 2 * wv() + c, 4 * wv(), 64 * wv()}, num_queries / 32,
                    task.dv + (at + j) * wv() + c, wv());
      for (std::int64_t c = 0; c < wd(); c += kBlock)
        add_product({b.ds + j * kQueries, 2 * kQueries, 64}, {b.q_pairs + query / 2 * wd() + c, 4 * wd(), 64 * wd()}, num_queries / 32,
                    task.dk + (at + j) * wd() + c, wd());
    }
  }
};

/// Everything of the queries that does not depend on the keys.
void pack_queries(const BackwardTask<Bfloat16>& task, const BackwardBuffers& b) {
  const std::int64_t m = round_up(task.queries);
  pack_rows(task.q, 0, task.queries, task.score.d, m, task.width_d, b.rows);
  pack_columns(b.rows, m, task.width_d, b.q_columns);
  pack_pairs(b.rows, m, task.width_d, b.q_pairs);
  pack_rows(task.grad_o, 0, task.queries, task.score.dv, m, task.width_dv, b.rows);
  pack_columns(b.rows, m, task.width_dv, b.grad_columns);
  pack_pairs(b.rows, m, task.width_dv, b.grad_pairs);
  for (std::int64_t i = 0; i < m * task.width_d; ++i) b.dq[i] = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    const Interval seen = i < task.queries ? task.score.visible.of_query(i) : Interval{};
    b.begins[i] = static_cast<float>(seen.begin);
    b.ends[i] = static_cast<float>(seen.end);
  }
}

void pack_keys(const BackwardTask<Bfloat16>& task, const BackwardBuffers& b, std::int64_t first, std::int64_t last) {
  const std::int64_t rows = round_up(last - first);
  pack_rows(task.k, first, last, task.score.d, rows, task.width_d, b.keys);
  pack_rows(task.v, first, last, task.score.dv, rows, task.width_dv, b.values);
  // Rows past the last are zeros up to kKeys: the row of the transposed keys is that long.
  pack_rows(task.k, first, last, task.score.d, kKeys, task.width_d, b.rows);
  pack_pairs(b.rows, kKeys, task.width_d, b.key_pairs);
  transpose_words(b.key_pairs, kKeys / 2, task.width_d, kKeys / 2, b.keys_transposed);
}

}  // namespace

void forward(const ForwardTask<Bfloat16>& task) {
  const std::int64_t m = round_up(task.end - task.begin), wd = round_up(task.score.d), wv = round_up(task.score.dv);
  const auto floats = static_cast<std::size_t>(ForwardBuffers::bytes(m, wd, wv) / 4);
  const ForwardBuffers b(scratch(1, floats), m, wd, wv);
  const TileUnit unit;
  const Sigmoid sigmoid(task.score);
  pack_rows(task.q, task.begin, task.end, task.score.d, m, wd, b.q);
  for (std::int64_t i = 0; i < m * wv; ++i) b.o[i] = 0;
  for (std::int64_t i = 0; i < kBlock * kRowOfP; ++i) b.p[i] = {};  // rows past the last query are read, though for nothing
  const Interval all = Seen(task.score.visible, task.begin, task.end).together;
  for (std::int64_t first = all.begin; first < all.end; first += kKeys) {
    const std::int64_t last = min_of(first + kKeys, all.end);
    pack_chunk(task, b, first, last, wd, wv);
    for (std::int64_t row = 0; row < m; row += kBlock) forward_block(task, sigmoid, b, row, first, last, wd, wv);
  }
  for (std::int64_t r = 0; r < task.end - task.begin; ++r) {
    Bfloat16* __restrict row = task.o.row(task.begin + r);
    const float* from = b.o + r * wv;
    for (std::int64_t c = 0; c < task.score.dv; ++c) store_bfloat16(row[c], from[c]);
  }
}

void backward(BackwardTask<Bfloat16>& task) {
  const std::int64_t m = round_up(task.queries), wd = task.width_d;
  const auto floats = static_cast<std::size_t>(BackwardBuffers::bytes(max_of(m, kKeys), wd, task.width_dv) / 4);
  const BackwardBuffers b(scratch(1, floats), m, wd, task.width_dv);
  const TileUnit unit;
  const Sigmoid sigmoid(task.score);
  pack_queries(task, b);
  task.bias = task.slope = 0;
  for (std::int64_t first = task.begin; first < task.end; first += kKeys) {
    const std::int64_t last = min_of(first + kKeys, task.end);
    pack_keys(task, b, first, last);
    for (std::int64_t query = 0; query < m; query += kQueries) {
      const BackwardBlock block{task, sigmoid, b, query, min_of(kQueries, m - query), first, last};
      BlockSums sums{Simd::all(0), Simd::all(0)};
      memory_is_written();
      const bool any = block.pairs(sums);
      memory_is_written();
      if (any) block.add_gradients();
      task.bias += Simd::sum(sums.bias);
      task.slope -= Simd::sum(sums.slope);
    }
  }
  float* rows = reinterpret_cast<float*>(b.p);
  for (std::int64_t i = 0; i < m; i += kBlock)
    for (std::int64_t r = 0; r < kBlock; r += 16)
      for (std::int64_t c = 0; c < wd; c += 16) {
        Simd::transpose(b.dq + i * wd + c * kBlock + r, kBlock, 16, rows, 16);
        for (std::int64_t x = 0; x < 16 && i + r + x < task.queries; ++x)
          Simd::store(task.dq + (i + r + x) * wd + c, Simd::load(rows + x * 16));
      }
}

}  // namespace simulacra::kernels::attention::amx
#else
#include "render/base/error.h"

namespace simulacra::kernels::attention::amx {

// Built for another processor: has_cpu_path() says so, and nobody calls these.
void forward(const ForwardTask<Bfloat16>&) { check_failed("no amx here", __FILE__, __LINE__); }
void backward(BackwardTask<Bfloat16>&) { check_failed("no amx here", __FILE__, __LINE__); }

}  // namespace simulacra::kernels::attention::amx
#endif
