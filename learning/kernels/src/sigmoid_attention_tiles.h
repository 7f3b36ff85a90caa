// SPDX-License-Identifier: Apache-2.0
// The fast forward and backward in float, once for every vector width: included by one .cpp an instruction set, after
// `Simd`, inside its own namespace.
//
// Keys go in chunks of at most 64, queries in tiles of kRows. A tile's scores stay in registers (kRows x kVectors vectors)
// from the first product to the sigmoid, which is what the absence of a row maximum allows; only P is stored, 6 x 64 numbers,
// and multiplied with the chunk's values at once. Operands are packed: keys transposed into panels of kVectors vectors, values,
// queries and gradients as rows padded with zeros.

using V = Simd::V;

constexpr int kWidth = Simd::kWidth;        // floats a vector
constexpr int kVectors = Simd::kVectors;    // vectors a panel
constexpr int kRows = 6;                    // queries a tile
constexpr int kChunk = 64;                  // keys a chunk, at most
constexpr int kBlockRows = 96;              // queries a block of the backward pass
constexpr int kSuperChunks = 4;             // chunks whose operands stay in the cache while the backward pass goes over the queries
constexpr int kWidthRule = 16;              // rows are padded to a multiple of it

inline std::int64_t min_of(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t max_of(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
inline std::int64_t round_up(std::int64_t a, std::int64_t to) { return (a + to - 1) / to * to; }

inline float to_float(float x) { return x; }
inline float to_float(Bfloat16 x) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(x.bits) << 16); }
inline void from_float(float& to, float x) { to = x; }
inline void from_float(Bfloat16& to, float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  to.bits = static_cast<std::uint16_t>(x != x ? 0x7fc0u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Packing.

/// Rows [begin, end) as floats, `width` apart; zeros behind each row and in rows up to `padded_rows`.
template <typename T>
void pack_rows(const Rows<const T>& from, std::int64_t begin, std::int64_t end, std::int64_t columns, std::int64_t width,
               std::int64_t padded_rows, float* __restrict to) {
  for (std::int64_t i = begin; i < end; ++i, to += width) {
    const T* __restrict row = from.row(i);
    for (std::int64_t c = 0; c < columns; ++c) to[c] = to_float(row[c]);
    for (std::int64_t c = columns; c < width; ++c) to[c] = 0;
  }
  for (std::int64_t i = 0; i < (padded_rows - (end - begin)) * width; ++i) to[i] = 0;
}

/// The rows themselves, where they are floats that need no padding and lie on the cache's lines; nullptr elsewhere.
inline const float* unpacked(const Rows<const float>& from, std::int64_t begin, std::int64_t columns, std::int64_t width) {
  const float* rows = from.row(begin);
  const bool on_lines = reinterpret_cast<std::uintptr_t>(rows) % 64 == 0 && from.stride % 16 == 0;
  return columns == width && on_lines ? rows : nullptr;
}
inline const float* unpacked(const Rows<const Bfloat16>&, std::int64_t, std::int64_t, std::int64_t) { return nullptr; }

/// The vectors of a chunk, cut into panels of nearly equal width: 13 vectors of 16 give 4, 3, 3, 3.
struct Panels {
  int vectors = 0, count = 0;
  explicit Panels(int num_vectors) : vectors(num_vectors), count((num_vectors + kVectors - 1) / kVectors) {}
  int begin(int p) const { return static_cast<int>(static_cast<std::int64_t>(vectors) * p / count); }
  int size(int p) const { return begin(p + 1) - begin(p); }
};

/// Packed rows to panels: panel p holds [depth][size(p) * kWidth], panels one after the other. Rows up to the last vector
/// must be there (zeros).
inline void transpose_to_panels(const float* rows, std::int64_t width, std::int64_t depth, const Panels& panels, float* __restrict to) {
  for (int p = 0; p < panels.count; ++p) {
    const int columns = panels.size(p) * kWidth;
    const float* from = rows + panels.begin(p) * kWidth * width;
    for (int x = 0; x < columns; x += kWidth) Simd::transpose(from + x * width, width, depth, to + x, columns);
    to += columns * depth;
  }
}

// Products.

template <int R, int N>
inline __attribute__((always_inline)) void zero(V (&acc)[R][N]) {
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int x = 0; x < N; ++x) acc[r][x] = Simd::all(0);
}

/// acc[r][x] += sum_k a[r * row_step + k * depth_step] * b[k][x], b `ldb` floats a row.
template <int R, int N>
inline __attribute__((always_inline)) void multiply(const float* a, std::int64_t row_step, std::int64_t depth_step, const float* b,
                                                    std::int64_t ldb, std::int64_t depth, V (&acc)[R][N]) {
  for (std::int64_t k = 0; k < depth; ++k) {
    V column[N];
#pragma GCC unroll 8
    for (int x = 0; x < N; ++x) column[x] = Simd::load(b + x * kWidth);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const V factor = Simd::all(a[r * row_step]);
#pragma GCC unroll 8
      for (int x = 0; x < N; ++x) acc[r][x] = Simd::fma(factor, column[x], acc[r][x]);
    }
    a += depth_step;
    b += ldb;
  }
}

/// c[R][N vectors] += a b, as above. The product is summed by itself first: over thousands of keys the error of one long sum would
/// pass 1e-6.
template <int R, int N>
void add_product_tile(const float* a, std::int64_t row_step, std::int64_t depth_step, const float* b, std::int64_t ldb,
                      std::int64_t depth, float* c, std::int64_t ldc) {
  V acc[R][N];
  zero<R, N>(acc);
  multiply<R, N>(a, row_step, depth_step, b, ldb, depth, acc);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int x = 0; x < N; ++x) {
      float* at = c + r * ldc + x * kWidth;
      Simd::store(at, Simd::add(Simd::load(at), acc[r][x]));
    }
  }
}

using AddProduct = void (*)(const float*, std::int64_t, std::int64_t, const float*, std::int64_t, std::int64_t, float*, std::int64_t);

template <int R>
AddProduct add_product_of_width(int n) {
  static_assert(kVectors == 2 || kVectors == 4);
  if constexpr (kVectors == 4) {
    if (n == 3) return add_product_tile<R, 3>;
    if (n == 4) return add_product_tile<R, 4>;
  }
  return n == 1 ? add_product_tile<R, 1> : add_product_tile<R, 2>;
}

inline AddProduct add_product_of(std::int64_t rows, int n) {
  switch (rows) {
    case 1: return add_product_of_width<1>(n);
    case 2: return add_product_of_width<2>(n);
    case 3: return add_product_of_width<3>(n);
    case 4: return add_product_of_width<4>(n);
    case 5: return add_product_of_width<5>(n);
    default: return add_product_of_width<kRows>(n);
  }
}

/// c[rows][width] += a b, any number of rows; width is a multiple of kWidth.
inline void add_product(const float* a, std::int64_t row_step, std::int64_t depth_step, std::int64_t rows, const float* b,
                        std::int64_t depth, float* c, std::int64_t width) {
  const Panels panels(static_cast<int>(width / kWidth));
  for (int p = 0; p < panels.count; ++p) {
    const std::int64_t x = panels.begin(p) * kWidth;
    for (std::int64_t r = 0; r < rows; r += kRows)
      add_product_of(min_of(kRows, rows - r), panels.size(p))(a + r * row_step, row_step, depth_step, b + x, width, depth,
                                                              c + r * width + x, width);
  }
}

// The sigmoid.

/// Constants of one head: z = -(scale * dot + bias) + slope * |offset|, e = exp(z), P = 1 / (1 + e), P (1 - P) = (e P) P.
struct Sigmoid {
  V minus_scale, minus_bias, slope;
  explicit Sigmoid(const Score& s) : minus_scale(Simd::all(-s.scale)), minus_bias(Simd::all(-s.bias)), slope(Simd::all(s.slope)) {}
};

/// exp(z), z <= 87: 2^k e^r with |r| <= ln 2 / 2, polynomial of degree 5 with relative error 9e-8 (fitted to that interval).
inline __attribute__((always_inline)) V exponential(V z) {
  const V shifted = Simd::fma(z, Simd::all(1.44269504f), Simd::all(0x1.8p23f));
  const V k = Simd::sub(shifted, Simd::all(0x1.8p23f));
  const V r = Simd::fnma(k, Simd::all(0.693147181f), z);
  V p = Simd::all(0.008290272206068039f);
  p = Simd::fma(p, r, Simd::all(0.04189816117286682f));
  p = Simd::fma(p, r, Simd::all(0.1666763871908188f));
  p = Simd::fma(p, r, Simd::all(0.4999914765357971f));
  p = Simd::fma(p, r, Simd::all(0.9999997019767761f));
  p = Simd::fma(p, r, Simd::all(1.0f));
  return Simd::times_power_of_two(p, k, shifted);
}

/// Where query and keys of a tile stand.
struct Place {
  std::int64_t query = 0, key = 0;  ///< of the tile's first row and of the chunk
  bool inside = true;               ///< every pair of the chunk is visible to every row
};

/// One tile against one panel: stores P, and P (1 - P) when asked for.
template <int R, int N, bool kAlibi, bool kDerivative>
inline __attribute__((always_inline)) void score_panel(const Score& score, const Sigmoid& sigmoid, const Place& place,
                                                       const float* q, std::int64_t q_step, const float* panel, std::int64_t first_key,
                                                       float* p_out, float* w_out) {
  V acc[R][N];
  zero<R, N>(acc);
  multiply<R, N>(q, q_step, 1, panel, N * kWidth, score.d, acc);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int x = 0; x < N; ++x) {
      V z = Simd::fma(acc[r][x], sigmoid.minus_scale, sigmoid.minus_bias);
      if (kAlibi) {
        const auto at = static_cast<float>(place.query + r + score.visible.shift - first_key - x * kWidth);
        z = Simd::fma(sigmoid.slope, Simd::absolute(Simd::sub(Simd::all(at), Simd::lanes())), z);
      }
      const V e = exponential(Simd::at_most(z, 87.0f));
      const V p = Simd::reciprocal(Simd::add(Simd::all(1.0f), e));
      Simd::store(p_out + r * kChunk + x * kWidth, p);
      if (kDerivative) Simd::store(w_out + r * kChunk + x * kWidth, Simd::mul(Simd::mul(e, p), p));
    }
  }
}

/// Sets what row r of the tile may not see to zero, in `count` numbers of keys from place.key on.
inline void hide(const Score& score, const Place& place, std::int64_t rows, std::int64_t count, float* buffer) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const Interval seen = score.visible.of_query(place.query + r);
    float* row = buffer + r * kChunk;
    for (std::int64_t j = 0; j < min_of(seen.begin - place.key, count); ++j) row[j] = 0;
    for (std::int64_t j = max_of(0, seen.end - place.key); j < count; ++j) row[j] = 0;
  }
}

template <bool kAlibi, bool kDerivative>
void score_tile(const Score& score, const Sigmoid& sigmoid, const Place& place, const float* q, std::int64_t q_step,
                const float* keys, const Panels& panels, float* p_out, float* w_out) {
  for (int p = 0; p < panels.count; ++p) {
    const std::int64_t x = panels.begin(p) * kWidth;
    const int n = panels.size(p);
    const auto run = [&](auto width) __attribute__((always_inline)) {
      score_panel<kRows, decltype(width)::value, kAlibi, kDerivative>(score, sigmoid, place, q, q_step, keys + x * score.d, place.key + x,
                                                                      p_out + x, kDerivative ? w_out + x : nullptr);
    };
    if (n == 1) run(Number<1>{});
    if (n == 2) run(Number<2>{});
    if constexpr (kVectors == 4) {
      if (n == 3) run(Number<3>{});
      if (n == 4) run(Number<4>{});
    }
  }
  if (place.inside) return;
  hide(score, place, kRows, panels.vectors * kWidth, p_out);
  if (kDerivative) hide(score, place, kRows, panels.vectors * kWidth, w_out);
}

/// The keys that rows [begin, end) see, all together, and whether each sees all of [first, last).
struct Seen {
  Interval together;
  Seen(const Visibility& visible, std::int64_t begin, std::int64_t end)
      : together{visible.of_query(begin).begin, visible.of_query(end - 1).end}, latest_begin_(visible.of_query(end - 1).begin),
        earliest_end_(visible.of_query(begin).end) {}
  bool inside(std::int64_t first, std::int64_t last) const { return latest_begin_ <= first && last <= earliest_end_; }

 private:
  std::int64_t latest_begin_, earliest_end_;
};

/// Keys [begin, end) in chunks of nearly equal whole vectors.
struct Chunks {
  std::int64_t begin, end;
  Panels cut;  // of units of one vector; a chunk holds at most kChunk / kWidth
  int count;

  Chunks(std::int64_t first, std::int64_t last)
      : begin(first), end(last), cut(static_cast<int>((last - first + kWidth - 1) / kWidth)),
        count((cut.vectors * kWidth + kChunk - 1) / kChunk) {}
  int vector_at(int c) const { return static_cast<int>(static_cast<std::int64_t>(cut.vectors) * c / count); }
  std::int64_t first(int c) const { return begin + vector_at(c) * kWidth; }
  std::int64_t last(int c) const { return min_of(end, first(c + 1)); }
  Panels panels(int c) const { return Panels(vector_at(c + 1) - vector_at(c)); }
};

// Forward.

/// Takes floats one array after the other, each aligned.
struct Carver {
  float* next;
  float* take(std::int64_t count) {
    float* p = next;
    next += round_up(count, 16);
    return p;
  }
};

struct ForwardBuffers {
  float *q, *o;                       // [rows, width]
  float *key_rows, *keys, *values, *p;  // of one chunk

  static std::int64_t floats(std::int64_t rows, std::int64_t wq, std::int64_t wv) {
    return (rows + 2 * kChunk) * (wq + wv) + kRows * kChunk + 128;
  }
  ForwardBuffers(float* memory, std::int64_t rows, std::int64_t wq, std::int64_t wv) {
    Carver carve{memory};
    q = carve.take(rows * wq);
    o = carve.take(rows * wv);
    key_rows = carve.take(kChunk * wq);
    keys = carve.take(kChunk * wq);
    values = carve.take(kChunk * wv);
    p = carve.take(kRows * kChunk);
  }
};

/// Keys [first, last) to panels; gives the values as rows, wv apart.
template <typename T>
const float* pack_chunk(const ForwardTask<T>& task, const ForwardBuffers& b, std::int64_t first, std::int64_t last, const Panels& panels,
                        std::int64_t wq, std::int64_t wv) {
  const bool whole = last - first == panels.vectors * kWidth;
  if (const float* rows = whole ? unpacked(task.k, first, task.score.d, wq) : nullptr) {
    transpose_to_panels(rows, task.k.stride, task.score.d, panels, b.keys);
  } else {
    pack_rows(task.k, first, last, task.score.d, wq, panels.vectors * kWidth, b.key_rows);
    transpose_to_panels(b.key_rows, wq, task.score.d, panels, b.keys);
  }
  // Rows far apart would fall on few sets of the cache, which they are to stay in.
  if (const float* rows = task.v.stride == wv ? unpacked(task.v, first, task.score.dv, wv) : nullptr) return rows;
  pack_rows(task.v, first, last, task.score.dv, wv, last - first, b.values);
  return b.values;
}

template <typename T>
void forward_task(const ForwardTask<T>& task) {
  const Score& score = task.score;
  const std::int64_t rows = task.end - task.begin, padded_rows = round_up(rows, kRows);
  const std::int64_t wq = round_up(score.d, kWidthRule), wv = round_up(score.dv, kWidthRule);
  const ForwardBuffers b(scratch(1, static_cast<std::size_t>(ForwardBuffers::floats(padded_rows, wq, wv))), padded_rows, wq, wv);
  pack_rows(task.q, task.begin, task.end, score.d, wq, padded_rows, b.q);
  for (std::int64_t i = 0; i < padded_rows * wv; ++i) b.o[i] = 0;
  const Sigmoid sigmoid(score);
  const auto tile = score.has_slope ? score_tile<true, false> : score_tile<false, false>;
  const Interval all = Seen(score.visible, task.begin, task.end).together;
  const Chunks chunks(all.begin, max_of(all.begin, all.end));
  for (int c = 0; c < chunks.count; ++c) {
    const std::int64_t first = chunks.first(c), last = chunks.last(c);
    const Panels panels = chunks.panels(c);
    const float* values = pack_chunk(task, b, first, last, panels, wq, wv);
    for (std::int64_t r = 0; r < rows; r += kRows) {
      const std::int64_t query = task.begin + r;
      const Seen seen(score.visible, query, min_of(query + kRows, task.end));
      const std::int64_t from = max_of(first, seen.together.begin), to = min_of(last, seen.together.end);
      if (from >= to) continue;
      const Place place{query, first, seen.inside(first, last)};
      tile(score, sigmoid, place, b.q + r * wq, wq, b.keys, panels, b.p, nullptr);
      add_product(b.p + (from - first), kChunk, 1, kRows, values + (from - first) * wv, to - from, b.o + r * wv, wv);
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    T* __restrict row = task.o.row(task.begin + r);
    const float* from = b.o + r * wv;
    for (std::int64_t c = 0; c < score.dv; ++c) from_float(row[c], from[c]);
  }
}

// Backward.

/// Operands of one super-chunk of keys, and of one block of queries.
struct BackwardBuffers {
  float *key_rows, *value_rows, *keys, *values;  // [kSuperChunks * kChunk, width], and their panels
  float *q, *grad, *p, *ds;                      // [kBlockRows, width or kChunk]

  static std::int64_t floats(std::int64_t wq, std::int64_t wv) {
    return (2 * kSuperChunks * kChunk + kBlockRows) * (wq + wv) + 2 * kBlockRows * kChunk + 256;
  }
  BackwardBuffers(float* memory, std::int64_t wq, std::int64_t wv) {
    Carver carve{memory};
    key_rows = carve.take(kSuperChunks * kChunk * wq);
    value_rows = carve.take(kSuperChunks * kChunk * wv);
    keys = carve.take(kSuperChunks * kChunk * wq);
    values = carve.take(kSuperChunks * kChunk * wv);
    q = carve.take(kBlockRows * wq);
    grad = carve.take(kBlockRows * wv);
    p = carve.take(kBlockRows * kChunk);
    ds = carve.take(kBlockRows * kChunk);
  }
};

/// Sums of dS and of |offset| dS over a tile.
struct TileSums {
  V bias, slope;
};

/// One tile against one panel of values: dS = (P (1 - P)) dP, in place of P (1 - P).
template <int R, int N, bool kAlibi>
inline __attribute__((always_inline)) void gradient_panel(const Score& score, const Place& place, const float* grad,
                                                          std::int64_t grad_step, const float* panel, std::int64_t first_key,
                                                          float* w_ds, TileSums& sums) {
  V acc[R][N], bias[N], slope[N];
  zero<R, N>(acc);
#pragma GCC unroll 8
  for (int x = 0; x < N; ++x) bias[x] = slope[x] = Simd::all(0);
  multiply<R, N>(grad, grad_step, 1, panel, N * kWidth, score.dv, acc);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int x = 0; x < N; ++x) {
      float* at = w_ds + r * kChunk + x * kWidth;
      const V ds = Simd::mul(Simd::load(at), acc[r][x]);
      Simd::store(at, ds);
      bias[x] = Simd::add(bias[x], ds);
      if (kAlibi) {
        const auto offset = static_cast<float>(place.query + r + score.visible.shift - first_key - x * kWidth);
        slope[x] = Simd::fma(Simd::absolute(Simd::sub(Simd::all(offset), Simd::lanes())), ds, slope[x]);
      }
    }
  }
#pragma GCC unroll 8
  for (int x = 0; x < N; ++x) {
    sums.bias = Simd::add(sums.bias, bias[x]);
    if (kAlibi) sums.slope = Simd::add(sums.slope, slope[x]);
  }
}

template <bool kAlibi>
void gradient_tile(const Score& score, const Place& place, const float* grad, std::int64_t grad_step, const float* values,
                   const Panels& panels, float* w_ds, TileSums& sums) {
  for (int p = 0; p < panels.count; ++p) {
    const std::int64_t x = panels.begin(p) * kWidth;
    const int n = panels.size(p);
    const auto run = [&](auto width) __attribute__((always_inline)) {
      gradient_panel<kRows, decltype(width)::value, kAlibi>(score, place, grad, grad_step, values + x * score.dv, place.key + x, w_ds + x,
                                                            sums);
    };
    if (n == 1) run(Number<1>{});
    if (n == 2) run(Number<2>{});
    if constexpr (kVectors == 4) {
      if (n == 3) run(Number<3>{});
      if (n == 4) run(Number<4>{});
    }
  }
}

/// Queries [begin, end), packed in b.q and b.grad, against keys [first, last) of one chunk, packed at `slot` in the buffers.
template <typename T>
void backward_block(BackwardTask<T>& task, const Sigmoid& sigmoid, const BackwardBuffers& b, std::int64_t begin, std::int64_t end,
                    std::int64_t first, std::int64_t last, std::int64_t slot, const Panels& panels) {
  const Score& score = task.score;
  const std::int64_t wq = task.width_d, wv = task.width_dv;
  const auto tile = score.has_slope ? score_tile<true, true> : score_tile<false, true>;
  const auto gradient = score.has_slope ? gradient_tile<true> : gradient_tile<false>;
  TileSums sums{Simd::all(0), Simd::all(0)};
  std::int64_t used_begin = end - begin, used_end = 0;  // rows of the block that see a key of the chunk
  for (std::int64_t r = 0; r < end - begin; r += kRows) {
    const std::int64_t query = begin + r, rows = min_of(kRows, end - query);
    const Seen seen(score.visible, query, query + rows);
    const std::int64_t from = max_of(first, seen.together.begin), to = min_of(last, seen.together.end);
    if (from >= to) continue;
    used_begin = min_of(used_begin, r);
    used_end = r + kRows;
    const Place place{query, first, seen.inside(first, last)};
    float *p = b.p + r * kChunk, *ds = b.ds + r * kChunk;
    tile(score, sigmoid, place, b.q + r * wq, wq, b.keys + slot * wq, panels, p, ds);
    gradient(score, place, b.grad + r * wv, wv, b.values + slot * wv, panels, ds, sums);
    add_product(ds + (from - first), kChunk, 1, rows, b.key_rows + (slot + from - first) * wq, to - from, task.dq + query * wq, wq);
  }
  if (used_begin >= used_end) return;
  task.bias += Simd::sum(sums.bias);
  task.slope -= Simd::sum(sums.slope);
  const std::int64_t depth = used_end - used_begin, at = first - task.begin;
  add_product(b.p + used_begin * kChunk, 1, kChunk, last - first, b.grad + used_begin * wv, depth, task.dv + at * wv, wv);
  add_product(b.ds + used_begin * kChunk, 1, kChunk, last - first, b.q + used_begin * wq, depth, task.dk + at * wq, wq);
}

template <typename T>
void pack_super_chunk(const BackwardTask<T>& task, const BackwardBuffers& b, const Chunks& chunks, int begin, int end) {
  const std::int64_t wq = task.width_d, wv = task.width_dv;
  for (int c = begin; c < end; ++c) {
    const std::int64_t slot = (c - begin) * kChunk;
    const Panels panels = chunks.panels(c);
    pack_rows(task.k, chunks.first(c), chunks.last(c), task.score.d, wq, panels.vectors * kWidth, b.key_rows + slot * wq);
    pack_rows(task.v, chunks.first(c), chunks.last(c), task.score.dv, wv, panels.vectors * kWidth, b.value_rows + slot * wv);
    transpose_to_panels(b.key_rows + slot * wq, wq, task.score.d, panels, b.keys + slot * wq);
    transpose_to_panels(b.value_rows + slot * wv, wv, task.score.dv, panels, b.values + slot * wv);
  }
}

template <typename T>
void backward_task(BackwardTask<T>& task) {
  const std::int64_t wq = task.width_d, wv = task.width_dv;
  const BackwardBuffers b(scratch(1, static_cast<std::size_t>(BackwardBuffers::floats(wq, wv))), wq, wv);
  const Sigmoid sigmoid(task.score);
  task.bias = task.slope = 0;
  for (std::int64_t i = 0; i < task.queries * wq; ++i) task.dq[i] = 0;
  const Chunks chunks(task.begin, task.end);
  for (int c0 = 0; c0 < chunks.count; c0 += kSuperChunks) {
    const int c1 = c0 + kSuperChunks < chunks.count ? c0 + kSuperChunks : chunks.count;
    pack_super_chunk(task, b, chunks, c0, c1);
    for (std::int64_t i = 0; i < task.queries; i += kBlockRows) {
      const std::int64_t end = min_of(i + kBlockRows, task.queries);
      const Interval seen = Seen(task.score.visible, i, end).together;
      if (max_of(seen.begin, chunks.first(c0)) >= min_of(seen.end, chunks.last(c1 - 1))) continue;
      pack_rows(task.q, i, end, task.score.d, wq, round_up(end - i, kRows), b.q);
      pack_rows(task.grad_o, i, end, task.score.dv, wv, round_up(end - i, kRows), b.grad);
      for (int c = c0; c < c1; ++c)
        backward_block(task, sigmoid, b, i, end, chunks.first(c), chunks.last(c), (c - c0) * kChunk, chunks.panels(c));
    }
  }
}
