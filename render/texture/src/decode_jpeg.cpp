// SPDX-License-Identifier: Apache-2.0
#include <shared_mutex>
#include <vector>

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include "render/base/error.h"
#include "render/texture/src/oiio_guard.h"
#include "render/texture/texture.h"

namespace simulacra {

Picture decode_jpeg(std::span<const std::uint8_t> file) {
  const std::shared_lock inside_oiio(oiio_mutex());
  OIIO::Filesystem::IOMemReader memory(file.data(), file.size());
  const auto input = OIIO::ImageInput::open("memory.jpg", nullptr, &memory);
  if (!input) fail("a JPEG in memory cannot be decoded: {}", OIIO::geterror());
  const OIIO::ImageSpec& spec = input->spec();
  Picture picture{spec.width, spec.height, spec.nchannels, {}};
  std::vector<std::uint8_t> bytes(spec.image_pixels() * static_cast<std::size_t>(spec.nchannels));
  if (!input->read_image(0, 0, 0, spec.nchannels, OIIO::TypeDesc::UINT8, bytes.data()))
    fail("a JPEG in memory cannot be decoded: {}", input->geterror());
  picture.pixels.reserve(bytes.size());
  for (const std::uint8_t b : bytes) picture.pixels.push_back(static_cast<float>(b) / 255);
  return picture;
}

}  // namespace simulacra
