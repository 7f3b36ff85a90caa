// SPDX-License-Identifier: Apache-2.0
#include "render/texture/src/oiio_guard.h"

#include <OpenImageIO/imageio.h>

namespace simulacra {

std::shared_mutex& oiio_mutex() {
  static std::shared_mutex mutex;
  static const bool prepared = [] {
    OIIO::attribute("threads", 1);
    OIIO::attribute("exr_threads", -1);  // -1: OpenEXR starts no threads
    return true;
  }();
  static_cast<void>(prepared);
  return mutex;
}

}  // namespace simulacra
