// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <shared_mutex>
#include <string>

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include "render/base/error.h"
#include "render/texture/src/oiio_guard.h"
#include "render/texture/texture.h"

namespace simulacra {
namespace {

std::vector<std::uint8_t> encode(const char* format, const OIIO::ImageSpec& spec, const std::uint8_t* pixels) {
  const std::shared_lock inside_oiio(oiio_mutex());
  std::vector<unsigned char> bytes;
  OIIO::Filesystem::IOVecOutput memory(bytes);
  auto output = OIIO::ImageOutput::create(format);
  if (!output) fail("the installed OpenImageIO cannot write {}", format);
  OIIO::ImageSpec with_target = spec;
  OIIO::Filesystem::IOProxy* proxy = &memory;
  with_target.attribute("oiio:ioproxy", OIIO::TypeDesc::PTR, &proxy);
  const std::string name = std::string("memory.") + format;
  if (!output->open(name, with_target) || !output->write_image(OIIO::TypeDesc::UINT8, pixels) || !output->close())
    fail("a {} of {} x {} pixels cannot be encoded: {}", format, spec.width, spec.height, output->geterror());
  return bytes;
}

void check_shape(int width, int height, int channels, std::span<const std::uint8_t> pixels) {
  SIM_CHECK(width > 0 && height > 0);
  SIM_CHECK(pixels.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                                 static_cast<std::size_t>(channels));
}

}  // namespace

std::vector<std::uint8_t> encode_png(int width, int height, int channels, std::span<const std::uint8_t> pixels) {
  SIM_CHECK(channels == 1 || channels == 3 || channels == 4);
  check_shape(width, height, channels, pixels);
  OIIO::ImageSpec spec(width, height, channels, OIIO::TypeDesc::UINT8);
  spec.attribute("oiio:UnassociatedAlpha", 1);
  return encode("png", spec, pixels.data());
}

std::vector<std::uint8_t> encode_jpeg(int width, int height, std::span<const std::uint8_t> rgb, int quality,
                                      std::string_view subsampling) {
  SIM_CHECK(quality >= 1 && quality <= 100);
  check_shape(width, height, 3, rgb);
  OIIO::ImageSpec spec(width, height, 3, OIIO::TypeDesc::UINT8);
  spec.attribute("compression", "jpeg:" + std::to_string(quality));
  spec.attribute("jpeg:subsampling", std::string(subsampling));
  return encode("jpeg", spec, rgb.data());
}

}  // namespace simulacra
