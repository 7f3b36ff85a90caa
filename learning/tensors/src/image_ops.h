// SPDX-License-Identifier: Apache-2.0
// Loops over pixels. Images are planar: channel after channel, row after row. Vector instructions are chosen at run time
// and change no bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simulacra::tensors {

/// float16 to float, exactly.
void widen(std::span<const std::uint16_t> from, float* to);

/// x^(1/2.2) of min(max(scale * x, 0), 1) for every x, in place; NaN becomes 0. Relative error below 1e-6.
void tone_map(std::span<float> values, float scale);
/// min(max(scale * x, 0), limit), in place; NaN becomes 0.
void expose(std::span<float> values, float scale, float limit);
bool any_nan(std::span<const float> values);

/// Which source row or column each output row or column is: the one that contains its center, mirrored if asked for.
std::vector<int> nearest_map(int source, int output, bool mirrored);
/// out[i][j] = in[rows[i]][columns[j]], for each of `channels` planes of in_rows x in_columns.
template <typename T>
void gather(const T* in, int in_rows, int in_columns, int channels, std::span<const int> rows, std::span<const int> columns, T* out);

/// Averages over the area of each output pixel: planes of in_rows x in_columns to out_rows x out_columns.
class AreaResize {
 public:
  AreaResize(int in_rows, int in_columns, int out_rows, int out_columns, bool mirrored);
  void apply(const float* in, int channels, float* out);

 private:
  struct Tap {
    int first, count;
    std::size_t weights;                  ///< index of the first
  };
  static std::vector<Tap> taps_of(int in, int out, std::vector<float>& weights);
  int in_rows_, in_columns_;
  bool mirrored_;
  std::vector<float> weights_, row_;
  std::vector<Tap> rows_, columns_;
};

/// An affine change of colors: matrix * rgb + gray * (the image's mean luminance).
struct ColorChange {
  float exposure = 1;                     ///< factor on image values, before
  std::array<float, 9> matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
  float mean_share = 0;
  float noise = 0;                        ///< standard deviation
  std::uint64_t noise_key = 0;
  bool is_identity = true;                ///< of matrix, mean_share and noise
};
/// contrast, saturation: factors; hue: of a full turn. The gray axis stays.
void set_change(ColorChange& change, double contrast, double saturation, double hue);
/// `rgb` holds three planes of `pixels`. Limits to [0, limit].
void apply_change(const ColorChange& change, float* rgb, std::size_t pixels, float limit);

}  // namespace simulacra::tensors
