// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "render/base/error.h"
#include "render/texture/src/bitmap.h"
#include "render/texture/src/decode.h"
#include "render/texture/src/tile_cache.h"
#include "render/texture/texture.h"

namespace simulacra {
namespace {

/// An image that one or more textures show.
struct Image {
  BitmapShape shape;
  SharedBlock block;
  const std::uint8_t* texels = nullptr;  ///< null when it lies in the tile cache
  int tile_number = -1;
  const float* table = nullptr;          ///< decoding_table() of its format and color space
  Vec4 mean{1, 1, 1, 1};
  bool has_alpha = false;
};

struct Texture {
  TextureDescription::Kind kind = TextureDescription::Kind::bitmap;
  bool missing = true;
  int image = -1;
  WrapMode wrap_u{}, wrap_v{};
  TextureFilter filter{};
  std::array<float, 4> uv_linear{1, 0, 0, 1};
  Vec2 uv_offset{};
  int uv_set = 0;
  Rgb color0, color1;
  /// The lookup made for the image's layout; texture coordinates after the uv transform.
  Vec4 (*lookup)(const Texture&, const Image&, const TileCache*, Vec2) = nullptr;
};

// ---------------------------------------------------------------- lookup

/// floor() of a number of moderate size, without a call into the mathematics library.
int floor_of(float t) {
  const int truncated = static_cast<int>(t);
  return truncated - (t < static_cast<float>(truncated) ? 1 : 0);
}

/// Brings a coordinate into [0, 1]. Beyond 2^23 floats have no fraction: that, and what is not finite,
/// becomes 0.
float wrapped(float t, WrapMode mode) {
  if (!(std::abs(t) < 8388608.0f)) return mode == WrapMode::clamp && t > 0 ? 1.0f : 0.0f;
  switch (mode) {
    case WrapMode::repeat: return t - static_cast<float>(floor_of(t));
    case WrapMode::clamp: return std::clamp(t, 0.0f, 1.0f);
    case WrapMode::mirror: break;
  }
  const float period = t - 2.0f * static_cast<float>(floor_of(t * 0.5f));
  return period > 1.0f ? 2.0f - period : period;
}

/// Texel index in [-1, n] to one in [0, n-1]: mirrored and clamped images repeat their edge texel.
int wrapped_index(int i, int n, WrapMode mode) {
  if (mode == WrapMode::repeat) return i < 0 ? n - 1 : i >= n ? 0 : i;
  return std::clamp(i, 0, n - 1);
}

template <TexelFormat kFormat, int kChannels>
Vec4 texel_at(const Image& image, const TileCache* tiles, int column, int row) {
  const std::size_t bytes = static_cast<std::size_t>(kChannels) * byte_size(kFormat);
  if (image.texels != nullptr) {
    const std::size_t index = static_cast<std::size_t>(row) * static_cast<std::size_t>(image.shape.width) +
                              static_cast<std::size_t>(column);
    return decode_texel<kFormat, kChannels>(image.texels + index * bytes, image.table);
  }
  alignas(16) std::array<std::uint8_t, 16> texel;
  tiles->fetch(image.tile_number, column, row, texel.data());
  return decode_texel<kFormat, kChannels>(texel.data(), image.table);
}

float mix(float a, float b, float t) { return a + t * (b - a); }
Vec4 mix(Vec4 a, Vec4 b, float t) {
  return {mix(a.x, b.x, t), mix(a.y, b.y, t), mix(a.z, b.z, t), mix(a.w, b.w, t)};
}

/// Texel centers lie at (i + 0.5) / n; row 0 is at v = 1.
template <TexelFormat kFormat, int kChannels>
Vec4 lookup_bitmap(const Texture& texture, const Image& image, const TileCache* tiles, Vec2 uv) {
  const int width = image.shape.width, height = image.shape.height;
  const float x = wrapped(uv.x, texture.wrap_u) * static_cast<float>(width);
  const float y = (1.0f - wrapped(uv.y, texture.wrap_v)) * static_cast<float>(height);
  if (texture.filter == TextureFilter::nearest) {
    const int column = wrapped_index(static_cast<int>(x), width, texture.wrap_u);
    const int row = wrapped_index(static_cast<int>(y), height, texture.wrap_v);
    return texel_at<kFormat, kChannels>(image, tiles, column, row);
  }
  const int left = floor_of(x - 0.5f), top = floor_of(y - 0.5f);
  const int c0 = wrapped_index(left, width, texture.wrap_u), c1 = wrapped_index(left + 1, width, texture.wrap_u);
  const int r0 = wrapped_index(top, height, texture.wrap_v), r1 = wrapped_index(top + 1, height, texture.wrap_v);
  const float fx = x - 0.5f - static_cast<float>(left), fy = y - 0.5f - static_cast<float>(top);
  const Vec4 upper = mix(texel_at<kFormat, kChannels>(image, tiles, c0, r0),
                         texel_at<kFormat, kChannels>(image, tiles, c1, r0), fx);
  const Vec4 lower = mix(texel_at<kFormat, kChannels>(image, tiles, c0, r1),
                         texel_at<kFormat, kChannels>(image, tiles, c1, r1), fx);
  return mix(upper, lower, fy);
}

Vec4 lookup_checkerboard(const Texture& texture, Vec2 uv) {
  const bool left = wrapped(uv.x, WrapMode::repeat) < 0.5f, below = wrapped(uv.y, WrapMode::repeat) < 0.5f;
  const Rgb color = left == below ? texture.color0 : texture.color1;
  return {color.r, color.g, color.b, 1.0f};
}

/// Which images a set needs, each once.
using ImageKey = std::tuple<std::string, const void*, ColorSpace>;

ImageKey key_of(const TextureDescription& t) {
  return {t.encoded ? std::string() : t.file.lexically_normal().string(), t.encoded.get(), t.color_space};
}

Texture bind(const TextureDescription& t) {
  Texture texture;
  texture.kind = t.kind;
  texture.missing = t.missing;
  texture.wrap_u = t.wrap_u;
  texture.wrap_v = t.wrap_v;
  texture.filter = t.filter;
  texture.uv_linear = t.uv_linear;
  texture.uv_offset = t.uv_offset;
  texture.uv_set = t.uv_set;
  texture.color0 = t.color0;
  texture.color1 = t.color1;
  if (t.kind == TextureDescription::Kind::checkerboard) texture.missing = false;
  return texture;
}

}  // namespace

struct TextureSet::State {
  std::vector<Texture> textures;
  std::vector<Image> images;
  std::unique_ptr<TileCache> tiles;
  std::uint64_t cache_bytes = 0;
  std::uint64_t resident = 0;

  void keep(Image& image, DecodedImage decoded, ColorSpace space);
  void move_out_beyond_cap(Diagnostics& diagnostics);
  const Texture& texture(int i) const { return textures[static_cast<std::size_t>(i)]; }
  /// Null when missing or procedural.
  const Image* image_of(int i) const {
    const Texture& t = texture(i);
    return t.missing || t.image < 0 ? nullptr : &images[static_cast<std::size_t>(t.image)];
  }
};

void TextureSet::State::keep(Image& image, DecodedImage decoded, ColorSpace space) {
  image.shape = decoded.shape;
  image.table = decoding_table(decoded.shape.format, space);
  image.mean = decoded.mean;
  image.has_alpha = decoded.has_alpha;
  image.texels = decoded.texels();
  image.block = std::move(decoded.block);
  resident += image.shape.total_bytes();
}

/// The largest images go first, so that the small ones stay.
void TextureSet::State::move_out_beyond_cap(Diagnostics& diagnostics) {
  while (resident > cache_bytes) {
    Image* largest = nullptr;
    for (Image& image : images)
      if (image.texels != nullptr && (largest == nullptr || image.shape.total_bytes() > largest->shape.total_bytes()))
        largest = &image;
    if (largest == nullptr) return;
    try {
      if (!tiles) tiles = std::make_unique<TileCache>(std::max<std::uint64_t>(cache_bytes / 4, 16u << 20));
      largest->tile_number = tiles->add(largest->shape, largest->texels);
    } catch (const Error& error) {
      diagnostics.warn("", "texture cache", fmt::format("{}; textures take more memory than the cap", error.what()));
      cache_bytes = ~std::uint64_t{0};
      return;
    }
    resident -= largest->shape.total_bytes();
    largest->texels = nullptr;
    largest->block = SharedBlock();
  }
}

TextureSet::TextureSet(std::span<const TextureDescription> textures, std::uint64_t cache_bytes,
                       Diagnostics& diagnostics)
    : state_(std::make_unique<State>()) {
  state_->cache_bytes = cache_bytes;
  // Find the distinct images, and who shows them.
  std::map<ImageKey, std::size_t> known;
  std::vector<ImageSource> sources;
  std::vector<const TextureDescription*> first_user;
  for (const TextureDescription& t : textures) {
    Texture texture = bind(t);
    if (t.kind == TextureDescription::Kind::bitmap && !t.missing) {
      const auto [place, is_new] = known.try_emplace(key_of(t), sources.size());
      if (is_new) {
        sources.push_back({t.file, t.encoded.get(), t.color_space});
        first_user.push_back(&t);
      }
      texture.image = static_cast<int>(place->second);
    }
    state_->textures.push_back(texture);
  }
  // Decode them.
  state_->images.resize(sources.size());
  std::vector<std::string> failures(sources.size());
  std::vector<std::uint64_t> nonfinite(sources.size());
  decode_images(sources, [&](std::size_t i, DecodedImage decoded) {
    failures[i] = decoded.failure;
    nonfinite[i] = decoded.nonfinite;
    if (!decoded.failure.empty()) return;
    state_->keep(state_->images[i], std::move(decoded), sources[i].color_space);
    state_->move_out_beyond_cap(diagnostics);
  });
  // Warn in the order of the textures, whatever came first.
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string file = sources[i].file.empty() ? first_user[i]->name : sources[i].file.string();
    if (!failures[i].empty())
      diagnostics.warn(file, first_user[i]->name,
                       fmt::format("the image cannot be decoded ({}); the texture counts as missing", failures[i]));
    else if (nonfinite[i] > 0)
      diagnostics.warn(file, first_user[i]->name,
                       fmt::format("{} values are not finite; they are taken as 0", nonfinite[i]));
  }
  for (Texture& texture : state_->textures) {
    if (texture.image < 0) continue;
    texture.missing = !failures[static_cast<std::size_t>(texture.image)].empty();
    if (texture.missing) continue;
    const BitmapShape& shape = state_->images[static_cast<std::size_t>(texture.image)].shape;
    with_layout(shape.format, shape.channels,
                [&]<TexelFormat kFormat, int kChannels>() { texture.lookup = &lookup_bitmap<kFormat, kChannels>; });
  }
}

TextureSet::~TextureSet() = default;
TextureSet::TextureSet(TextureSet&&) noexcept = default;
TextureSet& TextureSet::operator=(TextureSet&&) noexcept = default;

Vec4 TextureSet::sample(int texture, Vec2 mesh_uv) const {
  const Texture& t = state_->texture(texture);
  if (t.missing) return {1, 1, 1, 1};
  const Vec2 uv{t.uv_linear[0] * mesh_uv.x + t.uv_linear[1] * mesh_uv.y + t.uv_offset.x,
                t.uv_linear[2] * mesh_uv.x + t.uv_linear[3] * mesh_uv.y + t.uv_offset.y};
  if (t.kind == TextureDescription::Kind::checkerboard) return lookup_checkerboard(t, uv);
  return t.lookup(t, state_->images[static_cast<std::size_t>(t.image)], state_->tiles.get(), uv);
}

bool TextureSet::missing(int texture) const { return state_->texture(texture).missing; }

bool TextureSet::has_alpha(int texture) const {
  const Image* image = state_->image_of(texture);
  return image != nullptr && image->has_alpha;
}

Vec4 TextureSet::mean(int texture) const {
  const Texture& t = state_->texture(texture);
  if (t.kind == TextureDescription::Kind::checkerboard) {
    const Rgb half = (t.color0 + t.color1) * 0.5f;
    return {half.r, half.g, half.b, 1.0f};
  }
  const Image* image = state_->image_of(texture);
  return image == nullptr ? Vec4{1, 1, 1, 1} : image->mean;
}

void TextureSet::resolution(int texture, int& width, int& height) const {
  const Image* image = state_->image_of(texture);
  width = image == nullptr ? 1 : image->shape.width;
  height = image == nullptr ? 1 : image->shape.height;
}

int TextureSet::uv_set(int texture) const { return state_->texture(texture).uv_set; }

std::array<float, 4> TextureSet::uv_linear(int texture) const { return state_->texture(texture).uv_linear; }

Picture TextureSet::picture(int texture) const {
  const Image* image = state_->image_of(texture);
  if (image == nullptr) {
    const Vec4 color = mean(texture);
    return {1, 1, 3, {color.x, color.y, color.z}};
  }
  Picture picture{image->shape.width, image->shape.height, image->shape.channels % 2 == 1 ? 3 : 4, {}};
  picture.pixels.reserve(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) *
                         static_cast<std::size_t>(picture.channels));
  with_layout(image->shape.format, image->shape.channels, [&]<TexelFormat kFormat, int kChannels>() {
    for (int row = 0; row < picture.height; ++row)
      for (int column = 0; column < picture.width; ++column) {
        const Vec4 v = texel_at<kFormat, kChannels>(*image, state_->tiles.get(), column, row);
        picture.pixels.insert(picture.pixels.end(), {v.x, v.y, v.z});
        if (picture.channels == 4) picture.pixels.push_back(v.w);
      }
  });
  return picture;
}

std::uint64_t TextureSet::resident_bytes() const { return state_->resident; }

}  // namespace simulacra
