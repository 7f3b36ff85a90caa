// SPDX-License-Identifier: Apache-2.0
#include "dataset/exr/exr.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>
#include <ImfStringAttribute.h>

#include "dataset/exr/src/memory_stream.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/half.h"

namespace simulacra {
namespace {

namespace imf = OPENEXR_IMF_NAMESPACE;
namespace imath = IMATH_NAMESPACE;

/// No threads of OpenEXR's own: frames are parallel already.
constexpr int kNoThreads = 0;
constexpr std::int32_t kLargestExactId = 1 << 24;
constexpr int kMaxSide = 65536;

imf::PixelType pixel_type(Label label) { return spec(label).dtype == DType::f16 ? imf::HALF : imf::FLOAT; }

imf::Header header_of(const Frame& frame, Label label) {
  imf::Header header(frame.width, frame.height);
  header.setName(std::string(spec(label).name));
  header.setType(imf::SCANLINEIMAGE);
  header.compression() = imf::ZIP_COMPRESSION;
  header.insert("comments", imf::StringAttribute(std::string(spec(label).doc)));
  for (const char letter : spec(label).channels)
    header.channels().insert(std::string(1, letter), imf::Channel(pixel_type(label)));
  return header;
}

/// The plane as it is stored: halves or floats, interleaved.
struct StoredPlane {
  std::vector<std::uint16_t> halves;
  std::vector<float> floats;
  char* data() { return halves.empty() ? reinterpret_cast<char*>(floats.data()) : reinterpret_cast<char*>(halves.data()); }
};

StoredPlane stored_plane(const Frame& frame, Label label) {
  const Plane& plane = frame.plane(label);
  SIM_CHECK(plane.width == frame.width && plane.height == frame.height);
  SIM_CHECK(plane.channels == static_cast<int>(channel_count(label)));
  StoredPlane stored;
  if (pixel_type(label) == imf::HALF) {
    stored.halves.resize(plane.f.size());
    std::transform(plane.f.begin(), plane.f.end(), stored.halves.begin(), half_from_float);
  } else if (!plane.f.empty()) {
    stored.floats = plane.f;
  } else {
    stored.floats.reserve(plane.i.size());
    for (const std::int32_t id : plane.i) {
      if (id > kLargestExactId || id < -kLargestExactId)
        fail("{}: the value {} is beyond 2^24, which an EXR file does not hold exactly", spec(label).name, id);
      stored.floats.push_back(static_cast<float>(id));
    }
  }
  return stored;
}

/// Slices of interleaved memory, whose pixel (0, 0) is its first.
imf::FrameBuffer frame_buffer(Label label, char* data, int width) {
  const std::size_t unit = pixel_type(label) == imf::HALF ? 2 : 4;
  const std::size_t pixel = unit * channel_count(label);
  imf::FrameBuffer buffer;
  for (std::size_t c = 0; c < channel_count(label); ++c)
    buffer.insert(std::string(1, spec(label).channels[c]),
                  imf::Slice(pixel_type(label), data + c * unit, pixel, pixel * static_cast<std::size_t>(width)));
  return buffer;
}

std::vector<Label> labels_in(const Frame& frame) {
  std::vector<Label> labels;
  for (const LabelSpec& row : kLabels)
    if (frame.has(row.id)) labels.push_back(row.id);
  return labels;
}

void fill_plane(Frame& frame, Label label, imf::InputPart& part) {
  Plane& plane = frame.allocate(label);
  const std::size_t values = std::max(plane.f.size(), plane.i.size());
  StoredPlane stored;
  if (pixel_type(label) == imf::HALF) stored.halves.resize(values);
  else stored.floats.resize(values);
  part.setFrameBuffer(frame_buffer(label, stored.data(), frame.width));
  part.readPixels(0, frame.height - 1);
  if (!stored.halves.empty()) {
    std::transform(stored.halves.begin(), stored.halves.end(), plane.f.begin(), float_from_half);
  } else if (!plane.f.empty()) {
    plane.f = std::move(stored.floats);
  } else {
    for (std::size_t i = 0; i < values; ++i) {
      const float value = stored.floats[i];
      if (!(std::abs(value) <= static_cast<float>(kLargestExactId)))
        fail("the part '{}' holds {}, which is no id", spec(label).name, value);
      plane.i[i] = static_cast<std::int32_t>(value);
    }
  }
}

void check_part(const imf::Header& header, const Frame& frame, Label label) {
  const imath::Box2i window = header.dataWindow();
  if (window.min.x != 0 || window.min.y != 0 || window.max.x + 1 != frame.width || window.max.y + 1 != frame.height)
    fail("the part '{}' has another size than the first", spec(label).name);
  for (const char letter : spec(label).channels) {
    const imf::Channel* channel = header.channels().findChannel(std::string(1, letter));
    if (channel == nullptr) fail("the part '{}' lacks the channel {}", spec(label).name, letter);
    if (channel->type != pixel_type(label)) fail("the channel {} of '{}' has another type", letter, spec(label).name);
  }
}

Frame read_parts(imf::MultiPartInputFile& input) {
  Frame frame;
  const imath::Box2i window = input.header(0).dataWindow();
  if (window.min.x != 0 || window.min.y != 0 || window.max.x < 0 || window.max.y < 0 || window.max.x >= kMaxSide ||
      window.max.y >= kMaxSide)
    fail("the first part has no usable size");
  frame.width = window.max.x + 1;
  frame.height = window.max.y + 1;
  for (int i = 0; i < input.parts(); ++i) {
    const imf::Header& header = input.header(i);
    const Label label = label_from_name(header.hasName() ? header.name() : "");
    check_part(header, frame, label);
    imf::InputPart part(input, i);
    fill_plane(frame, label, part);
  }
  return frame;
}

/// Runs read(input) on a file; whatever goes wrong becomes one line that names the file.
template <typename Read>
auto with_input(const std::filesystem::path& file, Read read) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  try {
    ExrMemoryReader stream(file.string(), bytes);
    imf::MultiPartInputFile input(stream, kNoThreads);
    return read(input);
  } catch (const std::exception& error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    fail("{}: not a frame in EXR form: {}", file.string(), text);
  }
}

}  // namespace

std::vector<std::uint8_t> encode_exr(const Frame& frame, const ExrMetadata& metadata) {
  const std::vector<Label> labels = labels_in(frame);
  if (labels.empty()) fail("a frame without labels makes no EXR file");
  std::vector<imf::Header> headers;
  for (const Label label : labels) headers.push_back(header_of(frame, label));
  for (const auto& [name, value] : metadata) headers.front().insert(name, imf::StringAttribute(value));
  ExrMemoryWriter stream;
  {
    imf::MultiPartOutputFile output(stream, headers.data(), static_cast<int>(headers.size()), false, kNoThreads);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      StoredPlane stored = stored_plane(frame, labels[i]);
      imf::OutputPart part(output, static_cast<int>(i));
      part.setFrameBuffer(frame_buffer(labels[i], stored.data(), frame.width));
      part.writePixels(frame.height);
    }
  }
  return stream.take();
}

void write_exr(const std::filesystem::path& file, const Frame& frame, const ExrMetadata& metadata) {
  write_file_atomically(file, encode_exr(frame, metadata));
}

Frame read_exr(const std::filesystem::path& file) {
  return with_input(file, [](imf::MultiPartInputFile& input) { return read_parts(input); });
}

ExrMetadata read_exr_metadata(const std::filesystem::path& file) {
  return with_input(file, [](imf::MultiPartInputFile& input) {
    ExrMetadata metadata;
    const imf::Header& header = input.header(0);
    for (auto it = header.begin(); it != header.end(); ++it)
      if (const auto* text = dynamic_cast<const imf::StringAttribute*>(&it.attribute()))
        metadata[it.name()] = text->value();
    return metadata;
  });
}

}  // namespace simulacra
