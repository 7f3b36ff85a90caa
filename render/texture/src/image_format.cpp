// SPDX-License-Identifier: Apache-2.0
#include "render/texture/src/image_format.h"

#include <algorithm>
#include <array>

namespace simulacra {
namespace {

using namespace std::string_view_literals;

struct Mark {
  ImageFormat format;
  std::size_t offset;
  std::string_view bytes;
};

constexpr std::array kMarks = {
    Mark{{"PNG", "png"}, 0, "\x89PNG\r\n\x1a\n"sv},
    Mark{{"JPEG", "jpeg"}, 0, "\xff\xd8\xff"sv},
    Mark{{"OpenEXR", "openexr"}, 0, "\x76\x2f\x31\x01"sv},
    Mark{{"Radiance HDR", "hdr"}, 0, "#?RADIANCE"sv},
    Mark{{"Radiance HDR", "hdr"}, 0, "#?RGBE"sv},
    Mark{{"TIFF", "tiff"}, 0, "II*\0"sv},
    Mark{{"TIFF", "tiff"}, 0, "MM\0*"sv},
    Mark{{"TIFF", "tiff"}, 0, "II+\0"sv},
    Mark{{"BMP", "bmp"}, 0, "BM"sv},
    Mark{{"GIF", "gif"}, 0, "GIF8"sv},
    Mark{{"DDS", "dds"}, 0, "DDS "sv},
    Mark{{"PSD", "psd"}, 0, "8BPS"sv},
    Mark{{"WebP", "webp"}, 8, "WEBP"sv},
    Mark{{"PNM", "pnm"}, 0, "P1"sv},
    Mark{{"PNM", "pnm"}, 0, "P2"sv},
    Mark{{"PNM", "pnm"}, 0, "P3"sv},
    Mark{{"PNM", "pnm"}, 0, "P4"sv},
    Mark{{"PNM", "pnm"}, 0, "P5"sv},
    Mark{{"PNM", "pnm"}, 0, "P6"sv},
    Mark{{"PFM", "pnm"}, 0, "Pf"sv},
    Mark{{"PFM", "pnm"}, 0, "PF"sv},
    Mark{{"KTX2", ""}, 0, "\xabKTX 20\xbb"sv},
    Mark{{"KTX", ""}, 0, "\xabKTX 11\xbb"sv},
    Mark{{"Basis Universal", ""}, 0, "sB\x13\0"sv},
    Mark{{"AVIF", ""}, 4, "ftypavif"sv},
    Mark{{"HEIF", ""}, 4, "ftypheic"sv},
    Mark{{"SVG", ""}, 0, "<svg"sv},
};

constexpr ImageFormat kTarga{"Targa", "targa"};

}  // namespace

const ImageFormat* image_format(std::span<const std::uint8_t> first_bytes, std::string_view extension) {
  const std::string_view text(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  for (const Mark& mark : kMarks)
    if (text.size() >= mark.offset + mark.bytes.size() && text.substr(mark.offset, mark.bytes.size()) == mark.bytes)
      return &mark.format;
  if (extension == ".tga" || extension == ".targa") return &kTarga;
  return nullptr;
}

std::string readable_image_formats() {
  std::string names(kTarga.name);
  for (const Mark& mark : kMarks)
    if (!mark.format.plugin.empty() && names.find(mark.format.name) == std::string::npos)
      names += ", " + std::string(mark.format.name);
  return names;
}

}  // namespace simulacra
