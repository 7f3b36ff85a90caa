// SPDX-License-Identifier: Apache-2.0
// Textures. Mitsuba's v = 0 is a bitmap's TOP row, ours the bottom: meshes keep Mitsuba's uv, and each
// bitmap's uv transform turns v over last.
#include <algorithm>
#include <cmath>

#include "render/base/error.h"
#include "render/import/src/mitsuba.h"


namespace simulacra::mitsuba {
namespace {

/// texture_uv = linear * uv + offset, in Mitsuba's orientation.
struct UvTransform {
  double a = 1, b = 0, c = 0, d = 1, u = 0, v = 0;
};

UvTransform uv_transform(Element& texture) {
  const Affine3d m = transform(texture, "to_uv");
  UvTransform t{m.linear(0, 0), m.linear(0, 1), m.linear(1, 0), m.linear(1, 1), m.translation.x, m.translation.y};
  const double both = number(texture, "uvscale", 1);  // 0.x: uv * scale + offset
  const double su = number(texture, "uscale", both), sv = number(texture, "vscale", both);
  t = {t.a * su, t.b * sv, t.c * su, t.d * sv, t.u, t.v};
  t.u += number(texture, "uoffset", 0);
  t.v += number(texture, "voffset", 0);
  return t;
}

void set_uv(TextureDescription& d, const UvTransform& t, bool turn_v) {
  const auto f = [](double x) { return static_cast<float>(x); };
  d.uv_linear = {f(t.a), f(t.b), f(turn_v ? -t.c : t.c), f(turn_v ? -t.d : t.d)};
  d.uv_offset = {f(t.u), f(turn_v ? 1 - t.v : t.v)};
}

WrapMode wrap_mode(const Context& context, Element& texture, std::string_view key, WrapMode otherwise) {
  const std::string mode = text(texture, key, "");
  if (mode.empty()) return otherwise;
  if (mode == "repeat") return WrapMode::repeat;
  if (mode == "mirror") return WrapMode::mirror;
  if (mode == "clamp") return WrapMode::clamp;
  if (mode == "zero" || mode == "one") {
    context.warn(texture, std::string(key), fmt::format("'{}' is not supported; clamp instead", mode));
    return WrapMode::clamp;
  }
  fail_usage("{}: {} = '{}', expected repeat, mirror or clamp", describe(texture), key, mode);
}

TextureFilter filter_of(const Context& context, Element& texture) {
  const std::string filter = text(texture, "filter_type", "bilinear");
  if (filter == "nearest") return TextureFilter::nearest;
  if (filter == "trilinear" || filter == "ewa")
    context.warn(texture, "filterType", fmt::format("'{}' is not supported; bilinear instead", filter));
  else if (filter != "bilinear")
    fail_usage("{}: filter_type = '{}', expected bilinear or nearest", describe(texture), filter);
  return TextureFilter::bilinear;
}

ColorSpace color_space(const Context& context, Element& texture) {
  const bool raw = boolean(texture, "raw", false);
  if (!has(texture, "gamma")) return raw ? ColorSpace::linear : ColorSpace::srgb;
  const double gamma = number(texture, "gamma", 0);
  if (gamma == 1) return ColorSpace::linear;
  if (gamma > 0) context.warn(texture, "gamma", fmt::format("{:g} is not supported; sRGB instead", gamma));
  return ColorSpace::srgb;
}

int channel_of(const Context& context, Element& texture) {
  const std::string name = text(texture, "channel", "");
  if (name.empty()) return 4;
  const std::size_t channel = std::string_view("rgba").find(name);
  if (name.size() == 1 && channel != std::string_view::npos) return static_cast<int>(channel);
  context.warn(texture, "channel", fmt::format("'{}' is not supported; the luminance instead", name));
  return 4;
}

TextureDescription bitmap(Context& context, Element& texture) {
  TextureDescription d;
  const std::string file = text(texture, "filename", "");
  if (file.empty()) fail_usage("{}: no filename", describe(texture));
  d.name = std::filesystem::path(file).filename().string();
  d.file = find_file(context, texture, file);
  if (d.file.empty()) {
    d.file = std::filesystem::path(texture.file).parent_path() / file;
    d.missing = true;
    context.warn(texture, file, "texture file not found; the texture is left out");
  }
  d.color_space = color_space(context, texture);
  d.filter = filter_of(context, texture);
  const WrapMode both = wrap_mode(context, texture, "wrap_mode", WrapMode::repeat);
  d.wrap_u = wrap_mode(context, texture, "wrap_mode_u", both);
  d.wrap_v = wrap_mode(context, texture, "wrap_mode_v", both);
  ignore(texture, {"max_anisotropy", "cache", "format", "accel"});
  set_uv(d, uv_transform(texture), true);
  return d;
}

TextureDescription checkerboard(Context& context, Element& texture) {
  TextureDescription d;
  d.kind = TextureDescription::Kind::checkerboard;
  d.name = texture.id.empty() ? "checkerboard" : texture.id;
  d.color0 = color(texture, "color0", Rgb{0.4f}, Quantity::reflectance, context.diagnostics);
  d.color1 = color(texture, "color1", Rgb{0.2f}, Quantity::reflectance, context.diagnostics);
  set_uv(d, uv_transform(texture), false);
  return d;
}

TextureUse scaled(Context& context, Element& texture) {
  Element* nested = child(texture, "texture");
  const Property* scale = find(texture, "scale");
  const Rgb factor =
      scale == nullptr ? Rgb{1.0f} : as_rgb(texture, *scale, Quantity::reflectance, context.diagnostics);
  if (nested == nullptr) return {-1, color(texture, "value", Rgb{1.0f}, Quantity::reflectance, context.diagnostics) * factor, 4};
  TextureUse use = import_texture(context, *nested);
  use.factor *= factor;
  return use;
}

/// The texture child of that name, or a texture child without name when `name` is empty.
Element* texture_child(Element& element, std::string_view name) { return child(element, "texture", name); }

}  // namespace

TextureUse import_texture(Context& context, Element& texture) {
  texture.visited = true;
  const OpenElement open(context, texture);
  if (texture.type == "scale") return scaled(context, texture);
  if (texture.type != "bitmap" && texture.type != "checkerboard") {
    context.warn(texture, texture.type, "texture not supported; a gray of 0.5 instead");
    for (auto& [name, property] : texture.properties) property.used = true;
    return {-1, Rgb{0.5f}, 4};
  }
  const int channel = texture.type == "bitmap" ? channel_of(context, texture) : 4;
  const auto known = context.textures.find(&texture);
  if (known != context.textures.end()) return {known->second, Rgb{1.0f}, channel};
  const int index = static_cast<int>(context.scene.textures.size());
  context.scene.textures.push_back(texture.type == "bitmap" ? bitmap(context, texture) : checkerboard(context, texture));
  context.textures.emplace(&texture, index);
  return {index, Rgb{1.0f}, channel};
}

RgbInput rgb_input(Context& context, Element& element, std::string_view name, Rgb otherwise, Quantity quantity) {
  if (Element* texture = texture_child(element, name)) {
    const TextureUse use = import_texture(context, *texture);
    return {use.factor, use.texture};
  }
  return {color(element, name, otherwise, quantity, context.diagnostics), -1};
}

/// Mitsuba 3 swaps a checkerboard's colors where it stands for a number (opacity, roughness), not for a color:
/// its scenes are drawn as it draws them.
int as_number_texture(Context& context, int texture) {
  TextureDescription d = context.scene.textures[static_cast<std::size_t>(texture)];
  if (d.kind != TextureDescription::Kind::checkerboard) return texture;
  std::swap(d.color0, d.color1);
  context.scene.textures.push_back(std::move(d));
  return static_cast<int>(context.scene.textures.size()) - 1;
}

FloatInput float_input(Context& context, Element& element, std::string_view name, double otherwise) {
  FloatInput input;
  if (Element* texture = texture_child(element, name)) {
    const TextureUse use = import_texture(context, *texture);
    input.factor = luminance(use.factor);
    input.texture = use.texture >= 0 ? as_number_texture(context, use.texture) : -1;
    input.channel = use.channel;
    return input;
  }
  if (!has(element, name)) {
    input.factor = static_cast<float>(otherwise);
    return input;
  }
  const Rgb value = color(element, name, Rgb{1.0f}, Quantity::reflectance, context.diagnostics);
  input.factor = value.r == value.g && value.g == value.b ? value.r : luminance(value);
  return input;
}

}  // namespace simulacra::mitsuba
