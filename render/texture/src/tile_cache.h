// SPDX-License-Identifier: Apache-2.0
// Texels that do not fit into memory: uncompressed tiled files in the temporary folder, read through
// OpenImageIO's cache.
#pragma once

#include <cstdint>
#include <memory>

#include "render/texture/src/bitmap.h"

namespace simulacra {

class TileCache {
 public:
  /// `memory_bytes` caps the tiles that are held. Throws Error when no temporary folder can be made.
  explicit TileCache(std::uint64_t memory_bytes);
  ~TileCache();
  TileCache(const TileCache&) = delete;
  TileCache& operator=(const TileCache&) = delete;

  /// Writes the texels to a file of the cache; returns its number. Throws Error when that fails.
  int add(const BitmapShape& shape, const std::uint8_t* texels);
  /// Copies one texel (shape.texel_bytes()). Safe for any number of threads.
  void fetch(int number, int column, int row, std::uint8_t* texel) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simulacra
