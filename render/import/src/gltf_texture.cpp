// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_texture.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "render/base/error.h"
#include "render/import/src/gltf_uri.h"

namespace simulacra::gltf {
namespace {

WrapMode wrap_mode(const JsonRef& sampler, std::string_view key) {
  const auto given = sampler.find(key);
  if (!given) return WrapMode::repeat;
  switch (given->unsigned_integer()) {
    case 10497: return WrapMode::repeat;
    case 33071: return WrapMode::clamp;
    case 33648: return WrapMode::mirror;
    default: given->refuse("10497 (repeat), 33071 (clamp to edge) or 33648 (mirrored repeat)");
  }
}

void read_sampler(const JsonRef& sampler, TextureDescription& texture) {
  texture.wrap_u = wrap_mode(sampler, "wrapS");
  texture.wrap_v = wrap_mode(sampler, "wrapT");
  const auto filter = sampler.find("magFilter");
  if (!filter) return;
  const std::uint64_t code = filter->unsigned_integer();
  if (code != 9728 && code != 9729) filter->refuse("9728 (nearest) or 9729 (linear)");
  texture.filter = code == 9728 ? TextureFilter::nearest : TextureFilter::bilinear;
}

// KHR_texture_transform turns the UV about their origin counter-clockwise as seen in the image, whose v
// points down: M = [cos sin; -sin cos] * scale. Meshes carry v turned over, so that
//   (u', 1 - v') = M * (u, 1 - v) + offset.
void read_transform(const JsonRef& transform, TextureDescription& texture) {
  const auto pair = [&](std::string_view key, std::array<double, 2> otherwise) {
    const auto found = transform.find(key);
    return found ? found->numbers<2>() : otherwise;
  };
  const auto offset = pair("offset", {0, 0}), scale = pair("scale", {1, 1});
  const double angle = transform.number_or("rotation", 0);
  const double c = std::cos(angle), s = std::sin(angle);
  const double uu = c * scale[0], uv = s * scale[1], vu = -s * scale[0], vv = c * scale[1];
  texture.uv_linear = {static_cast<float>(uu), static_cast<float>(-uv), static_cast<float>(-vu), static_cast<float>(vv)};
  texture.uv_offset = {static_cast<float>(uv + offset[0]), static_cast<float>(1 - vv - offset[1])};
}

int uv_set(const Document& document, const JsonRef& texture_info) {
  std::uint64_t set = texture_info.unsigned_or("texCoord", 0);
  if (const auto transform = texture_info.extension("KHR_texture_transform"))
    set = transform->unsigned_or("texCoord", set);
  if (set <= 1) return static_cast<int>(set);
  document.warn(texture_info.pointer(), fmt::format("TEXCOORD_{} is not read; TEXCOORD_0 is used instead", set));
  return 0;
}

}  // namespace

TextureReader::Image TextureReader::load_image(const JsonRef& entry) {
  Image image;
  image.name = entry.name();
  const auto lost = [&](std::string_view why) {
    document_->warn(fmt::format("{} ({})", entry.pointer(), printable(image.name)),
                    fmt::format("{}; the texture is left out", why));
    image.missing = true;
    return image;
  };
  const auto keep = [&](std::vector<std::uint8_t> bytes) {
    encoded_bytes_ += bytes.size();
    if (encoded_bytes_ > kMaxImageBytes)
      entry.refuse_because(fmt::format("the embedded images take more than {} bytes", kMaxImageBytes));
    image.encoded = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  };
  if (const auto view = entry.find("bufferView")) {
    const auto bytes = document_->view(document_->index(*view, "bufferViews"));
    if (bytes.empty()) return lost("its buffer view is empty");
    keep({bytes.begin(), bytes.end()});
    return image;
  }
  const auto uri = entry.find("uri");
  if (!uri) return lost("has neither 'uri' nor 'bufferView'");
  const std::string& text = uri->text();
  if (is_data_uri(text)) {
    auto bytes = data_uri_bytes(text);
    if (!bytes || bytes->empty()) return lost("its data: URI holds no valid base64");
    keep(*std::move(bytes));
    return image;
  }
  const std::string decoded = percent_decoded(text);
  if (image.name.empty()) image.name = std::filesystem::path(decoded).filename().string();
  if (is_remote_uri(text)) return lost(fmt::format("'{}' is not on this machine", printable(text)));
  const auto file = existing_file(document_->file().parent_path(), text);
  if (!file) return lost(fmt::format("file '{}' not found", printable(decoded)));
  image.file = *file;
  return image;
}

const TextureReader::Image& TextureReader::image(std::size_t index) {
  const auto found = images_.find(index);
  if (found != images_.end()) return found->second;
  return images_.emplace(index, load_image(document_->item("images", index))).first->second;
}

// The image of a texture: `source`, else that of an extension whose format the decoders know.
TextureReader::Image TextureReader::image_of(const JsonRef& texture, std::string& identity) {
  std::optional<JsonRef> source = texture.find("source");
  for (const char* name : {"EXT_texture_webp", "MSFT_texture_dds"}) {
    if (source) break;
    if (const auto extension = texture.extension(name)) source = extension->find("source");
  }
  if (source) {
    const std::size_t index = document_->index(*source, "images");
    identity = fmt::format("image {}", index);
    return image(index);
  }
  std::string why = "has no 'source'";
  if (const auto extensions = texture.find("extensions"); extensions && extensions->value().is_object())
    for (const auto& [name, ignored] : extensions->value().items())
      why = fmt::format("its image is only given by {}, which is not understood", printable(name));
  document_->warn(texture.label(), fmt::format("{}; the texture is left out", why));
  identity = texture.pointer();
  Image none;
  none.name = texture.name();
  none.missing = true;
  return none;
}

int TextureReader::read(const JsonRef& texture_info, ColorSpace color_space) {
  const std::size_t index = document_->index(texture_info.require("index"), "textures");
  const JsonRef entry = document_->item("textures", index);
  std::string identity;
  const Image source = image_of(entry, identity);

  TextureDescription texture;
  texture.name = source.name;
  if (texture.name.empty()) texture.name = entry.name();
  if (texture.name.empty()) texture.name = identity;
  texture.file = source.file;
  texture.encoded = source.encoded;
  texture.missing = source.missing;
  texture.color_space = color_space;
  if (const auto sampler = entry.find("sampler"))
    read_sampler(document_->item("samplers", document_->index(*sampler, "samplers")), texture);
  if (const auto transform = texture_info.extension("KHR_texture_transform")) read_transform(*transform, texture);
  texture.uv_set = uv_set(*document_, texture_info);

  const auto& m = texture.uv_linear;
  const std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{} {} {} {} {} {}", identity, static_cast<int>(color_space),
                                      static_cast<int>(texture.wrap_u), static_cast<int>(texture.wrap_v),
                                      static_cast<int>(texture.filter), texture.uv_set, m[0], m[1], m[2], m[3],
                                      texture.uv_offset.x, texture.uv_offset.y);
  const auto [known, is_new] = known_.emplace(key, static_cast<int>(scene_->textures.size()));
  if (is_new) scene_->textures.push_back(std::move(texture));
  return known->second;
}

}  // namespace simulacra::gltf
