// SPDX-License-Identifier: Apache-2.0
// The mean of every 8 x 8 block of a JPEG file, which is its DC coefficient: exact up to half a quantiser step,
// and free of what decoders do to chroma and to values beyond white.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simulacra::auditing {

struct JpegComponent {
  std::size_t across = 0, down = 0;  ///< blocks that hold part of the image, padding included
  std::size_t factor_x = 1, factor_y = 1;  ///< image pixels a sample stands for
  double dc_step = 1;                ///< quantiser step of the DC coefficient; a mean moves in eighths of it
  std::vector<double> means;         ///< `across` a row, 0..255
};

struct JpegMeans {
  int width = 0, height = 0;
  bool is_ycc = false;               ///< components are Y, Cb, Cr; else gray or R, G, B
  std::vector<JpegComponent> components;
};

/// Reads baseline and progressive Huffman-coded 8-bit JPEG of one or three components. Throws Error for anything
/// else and for damaged data.
JpegMeans jpeg_means(std::span<const std::uint8_t> file);

}  // namespace simulacra::auditing
