// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <OpenImageIO/typedesc.h>

#include "render/texture/src/bitmap.h"

namespace simulacra {

inline OIIO::TypeDesc oiio_type(TexelFormat format) {
  switch (format) {
    case TexelFormat::u8: return OIIO::TypeDesc::UINT8;
    case TexelFormat::u16: return OIIO::TypeDesc::UINT16;
    case TexelFormat::f16: return OIIO::TypeDesc::HALF;
    case TexelFormat::f32: break;
  }
  return OIIO::TypeDesc::FLOAT;
}

}  // namespace simulacra
