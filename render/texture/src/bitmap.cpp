// SPDX-License-Identifier: Apache-2.0
#include "render/texture/src/bitmap.h"

#include <vector>

#include "render/base/srgb.h"

namespace simulacra {
namespace {

std::vector<float> make_table(std::size_t codes, ColorSpace space) {
  std::vector<float> table(codes);
  for (std::size_t i = 0; i < codes; ++i) {
    const float code = static_cast<float>(i) / static_cast<float>(codes - 1);
    table[i] = space == ColorSpace::srgb ? linear_from_srgb(code) : code;
  }
  return table;
}

}  // namespace

float linear_from_srgb(float code) {
  return static_cast<float>(linear_from_srgb(static_cast<double>(code)));
}

const float* decoding_table(TexelFormat format, ColorSpace space) {
  static const std::vector<float> srgb8 = make_table(256, ColorSpace::srgb);
  static const std::vector<float> linear8 = make_table(256, ColorSpace::linear);
  static const std::vector<float> srgb16 = make_table(65536, ColorSpace::srgb);
  static const std::vector<float> linear16 = make_table(65536, ColorSpace::linear);
  switch (format) {
    case TexelFormat::u8: return space == ColorSpace::srgb ? srgb8.data() : linear8.data();
    case TexelFormat::u16: return space == ColorSpace::srgb ? srgb16.data() : linear16.data();
    case TexelFormat::f16:
    case TexelFormat::f32: break;
  }
  return nullptr;
}

}  // namespace simulacra
