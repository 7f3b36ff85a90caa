// SPDX-License-Identifier: Apache-2.0
#include "render/texture/src/decode.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <OpenImageIO/imageio.h>

#include "render/base/error.h"
#include "render/texture/src/image_format.h"
#include "render/texture/src/oiio_types.h"

namespace simulacra {
namespace {

/// What a child writes at the start of its block. Plain data; texels follow at kTexelOffset.
struct Header {
  std::uint32_t decoded;  ///< kDecoded once everything is there
  BitmapShape shape;
  Vec4 mean;
  std::uint8_t has_alpha;
  std::uint64_t nonfinite;
  char failure[400];
};
constexpr std::uint32_t kDecoded = 0x51ac0de5;
constexpr std::size_t kTexelOffset = 4096;
static_assert(sizeof(Header) <= kTexelOffset);

/// Decoders quote what they found in a file; only printable ASCII of it is shown.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c < 0x20 || c == 0x7f) c = c == '\n' || c == '\t' || c == '\r' ? ' ' : '?';
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// ---------------------------------------------------------------- in the child

std::vector<std::uint8_t> first_bytes(const std::string& path) {
  std::vector<std::uint8_t> bytes(32);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail("cannot be opened: {}", std::strerror(errno));
  struct stat status {};
  const bool regular = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const ssize_t n = regular ? ::read(fd, bytes.data(), bytes.size()) : 0;
  ::close(fd);
  if (!regular) fail("not a regular file");
  if (n <= 0) fail("the file is empty");
  bytes.resize(static_cast<std::size_t>(n));
  return bytes;
}

/// A path under which decoders find bytes that lie in memory.
std::string path_of_bytes(const std::vector<std::uint8_t>& encoded) {
  const int fd = ::memfd_create("simulacra-encoded", MFD_CLOEXEC);
  if (fd < 0) fail("shared memory for an image: {}", std::strerror(errno));
  std::size_t done = 0;
  while (done < encoded.size()) {
    const ssize_t n = ::write(fd, encoded.data() + done, encoded.size() - done);
    if (n <= 0) fail("shared memory for an image: {}", std::strerror(errno));
    done += static_cast<std::size_t>(n);
  }
  return fmt::format("/proc/self/fd/{}", fd);
}

std::unique_ptr<OIIO::ImageInput> open_image(const ImageSource& source, OIIO::ImageSpec& spec) {
  const std::string path = source.encoded != nullptr ? path_of_bytes(*source.encoded) : source.file.string();
  std::string extension = source.file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const ImageFormat* format = image_format(first_bytes(path), extension);
  if (format == nullptr) fail("not an image in a known format; those are {}", readable_image_formats());
  if (format->plugin.empty())
    fail("{} images cannot be read; the formats are {}", format->name, readable_image_formats());
  auto input = OIIO::ImageInput::create(std::string(format->plugin));
  if (!input) fail("{} images cannot be read by the installed OpenImageIO", format->name);
  OIIO::ImageSpec config;
  config.attribute("oiio:UnassociatedAlpha", 1);
  if (!input->open(path, spec, config)) fail("{}", input->geterror());
  return input;
}

/// The channels that are kept, in order: gray, gray and alpha, RGB or RGBA.
std::vector<int> chosen_channels(const OIIO::ImageSpec& spec) {
  const auto find = [&](const char* name) {
    const auto found = std::find(spec.channelnames.begin(), spec.channelnames.end(), name);
    return found == spec.channelnames.end() ? -1 : static_cast<int>(found - spec.channelnames.begin());
  };
  const int r = find("R"), g = find("G"), b = find("B");
  const int a = spec.alpha_channel >= 0 && spec.alpha_channel < spec.nchannels ? spec.alpha_channel : find("A");
  std::vector<int> chosen;
  if (r >= 0 && g >= 0 && b >= 0) {
    chosen = {r, g, b};
  } else if (spec.nchannels >= 3 && a < 0) {
    chosen = {0, 1, 2};
  } else {
    chosen = {a == 0 && spec.nchannels > 1 ? 1 : 0};
  }
  if (a >= 0 && std::find(chosen.begin(), chosen.end(), a) == chosen.end()) chosen.push_back(a);
  return chosen;
}

TexelFormat stored_format(OIIO::TypeDesc type) {
  if (type == OIIO::TypeDesc::UINT8) return TexelFormat::u8;
  if (type == OIIO::TypeDesc::UINT16) return TexelFormat::u16;
  if (type == OIIO::TypeDesc::HALF) return TexelFormat::f16;
  return TexelFormat::f32;
}

void refuse_odd_sizes(const OIIO::ImageSpec& spec) {
  if (spec.deep) fail("a deep image, not a flat one");
  if (spec.width < 1 || spec.height < 1 || spec.depth > 1 || spec.nchannels < 1)
    fail("{} x {} x {} pixels of {} channels is no picture", spec.width, spec.height, spec.depth, spec.nchannels);
  if (spec.width > kMaxImageSide || spec.height > kMaxImageSide)
    fail("{} x {} pixels; at most {} a side are read", spec.width, spec.height, kMaxImageSide);
  const std::uint64_t bytes = static_cast<std::uint64_t>(spec.width) * static_cast<std::uint64_t>(spec.height) *
                              static_cast<std::uint64_t>(spec.nchannels) * byte_size(stored_format(spec.format));
  if (bytes > kMaxImageBytes)
    fail("{} x {} pixels of {} channels are {} MiB; at most {} MiB are read", spec.width, spec.height, spec.nchannels,
         bytes >> 20, kMaxImageBytes >> 20);
}

/// Reads the chosen channels, interleaved, into `texels`.
void read_texels(OIIO::ImageInput& input, const OIIO::ImageSpec& spec, const std::vector<int>& chosen,
                 TexelFormat format, std::uint8_t* texels) {
  const int first = *std::min_element(chosen.begin(), chosen.end());
  const int last = *std::max_element(chosen.begin(), chosen.end());
  bool adjacent = true;
  for (std::size_t i = 0; i < chosen.size(); ++i) adjacent &= chosen[i] == first + static_cast<int>(i);
  if (adjacent) {
    if (!input.read_image(0, 0, first, last + 1, oiio_type(format), texels)) fail("{}", input.geterror());
    return;
  }
  const std::size_t unit = byte_size(format), all = static_cast<std::size_t>(last + 1 - first);
  const std::size_t pixels = static_cast<std::size_t>(spec.width) * static_cast<std::size_t>(spec.height);
  std::vector<std::uint8_t> read(pixels * all * unit);
  if (!input.read_image(0, 0, first, last + 1, oiio_type(format), read.data())) fail("{}", input.geterror());
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t c = 0; c < chosen.size(); ++c)
      std::memcpy(texels + (i * chosen.size() + c) * unit,
                  read.data() + (i * all + static_cast<std::size_t>(chosen[c] - first)) * unit, unit);
}

/// Sets float values that are not finite to 0; returns their number.
std::uint64_t clear_nonfinite(const BitmapShape& shape, std::uint8_t* texels) {
  const std::size_t values = shape.total_bytes() / byte_size(shape.format);
  std::uint64_t cleared = 0;
  if (shape.format == TexelFormat::f32) {
    auto* value = reinterpret_cast<float*>(texels);
    for (std::size_t i = 0; i < values; ++i)
      if (!std::isfinite(value[i])) value[i] = 0, ++cleared;
  } else if (shape.format == TexelFormat::f16) {
    auto* value = reinterpret_cast<std::uint16_t*>(texels);
    for (std::size_t i = 0; i < values; ++i)
      if ((value[i] & 0x7c00u) == 0x7c00u) value[i] = 0, ++cleared;
  }
  return cleared;
}

void measure(Header& header, const std::uint8_t* texels, ColorSpace space) {
  const BitmapShape& shape = header.shape;
  const float* table = decoding_table(shape.format, space);
  std::array<double, 4> sum{};
  float lowest_alpha = 1;
  with_layout(shape.format, shape.channels, [&]<TexelFormat kFormat, int kChannels>() {
    const std::size_t pixels = static_cast<std::size_t>(shape.width) * static_cast<std::size_t>(shape.height);
    for (std::size_t i = 0; i < pixels; ++i) {
      const Vec4 v = decode_texel<kFormat, kChannels>(texels + i * shape.texel_bytes(), table);
      sum[0] += static_cast<double>(v.x);
      sum[1] += static_cast<double>(v.y);
      sum[2] += static_cast<double>(v.z);
      sum[3] += static_cast<double>(v.w);
      lowest_alpha = std::min(lowest_alpha, v.w);
    }
    for (double& s : sum) s /= static_cast<double>(pixels);
  });
  header.mean = {static_cast<float>(sum[0]), static_cast<float>(sum[1]), static_cast<float>(sum[2]),
                 static_cast<float>(sum[3])};
  header.has_alpha = lowest_alpha < 1 ? 1 : 0;
}

void decode_in_child(const ImageSource& source, SharedBlock& block) {
  Header header{};
  try {
    // Open, and judge the header before any pixel is read.
    OIIO::ImageSpec spec;
    const auto input = open_image(source, spec);
    refuse_odd_sizes(spec);
    const std::vector<int> chosen = chosen_channels(spec);
    header.shape = {spec.width, spec.height, static_cast<std::int32_t>(chosen.size()), stored_format(spec.format)};
    // Read and measure.
    std::uint8_t* memory = block.grow(kTexelOffset + header.shape.total_bytes());
    read_texels(*input, spec, chosen, header.shape.format, memory + kTexelOffset);
    header.nonfinite = clear_nonfinite(header.shape, memory + kTexelOffset);
    measure(header, memory + kTexelOffset, source.color_space);
    header.decoded = kDecoded;
  } catch (const Error& error) {
    const std::string text = one_line(error.what());
    std::memcpy(header.failure, text.data(), std::min(text.size(), sizeof header.failure - 1));
    block.grow(kTexelOffset);
  }
  std::memcpy(const_cast<std::uint8_t*>(block.data()), &header, sizeof header);
}

// ---------------------------------------------------------------- in the parent

DecodedImage take_result(SharedBlock block, const std::string& child_failure) {
  DecodedImage image;
  image.failure = child_failure;
  if (!image.failure.empty()) return image;
  block.map_for_reading();
  Header header{};
  if (block.size() >= kTexelOffset) std::memcpy(&header, block.data(), sizeof header);
  header.failure[sizeof header.failure - 1] = 0;
  const BitmapShape& shape = header.shape;
  const bool complete = header.decoded == kDecoded && shape.width > 0 && shape.height > 0 && shape.channels > 0 &&
                        shape.channels <= 4 && block.size() == kTexelOffset + shape.total_bytes();
  if (!complete) {
    image.failure = header.failure[0] != 0 ? std::string(header.failure) : "the decoder left nothing";
    return image;
  }
  image.shape = shape;
  image.block = std::move(block);
  image.texel_offset = kTexelOffset;
  image.mean = header.mean;
  image.has_alpha = header.has_alpha != 0;
  image.nonfinite = header.nonfinite;
  return image;
}

struct Job {
  std::size_t index;
  SharedBlock block;
  ContainedChild child;
};

Job start_job(std::size_t index, const ImageSource& source) {
  SharedBlock block = SharedBlock::create();
  ContainedChild child([&] { decode_in_child(source, block); }, ContainedLimits{});
  return Job{index, std::move(block), std::move(child)};
}

}  // namespace

void decode_images(std::span<const ImageSource> sources,
                   const std::function<void(std::size_t index, DecodedImage image)>& take) {
  decoding_table(TexelFormat::u8, ColorSpace::srgb);  // made once, before children need it
  const std::size_t at_once = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  constexpr std::chrono::microseconds shortest_pause(100), longest_pause(4000);
  std::list<Job> running;
  std::size_t next = 0;
  auto pause = shortest_pause;
  while (next < sources.size() || !running.empty()) {
    for (; next < sources.size() && running.size() < at_once; ++next)
      running.push_back(start_job(next, sources[next]));
    bool progress = false;
    for (auto job = running.begin(); job != running.end();) {
      if (!job->child.finished()) {
        ++job;
        continue;
      }
      take(job->index, take_result(std::move(job->block), job->child.failure()));
      job = running.erase(job);
      progress = true;
    }
    if (!progress) std::this_thread::sleep_for(pause);
    pause = progress ? shortest_pause : std::min(pause * 2, longest_pause);
  }
}

}  // namespace simulacra
