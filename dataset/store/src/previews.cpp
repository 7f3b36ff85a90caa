// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/previews.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dataset/store/colors.h"
#include "dataset/store/tone_map.h"
#include "render/base/error.h"
#include "render/texture/texture.h"

namespace simulacra {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::size_t num_pixels(const Frame& frame) {
  return static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height);
}

/// Interleaved RGB bytes of f(value index).
template <typename F>
Bytes rgb_bytes(const Frame& frame, F f) {
  Bytes bytes(3 * num_pixels(frame));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = to_byte(f(i));
  return bytes;
}

double gamma(double x) { return std::pow(std::max(x, 0.0), 1 / 2.2); }

/// The stored parts of light, by value index.
struct Light {
  const Frame& frame;
  double operator()(Label label, std::size_t i) const { return static_cast<double>(frame.plane(label).f[i]); }
  double product(std::size_t i) const {
    return (*this)(Label::diffuse_reflectance, i) * (*this)(Label::diffuse_illumination, i);
  }
  double rebuilt(std::size_t i) const { return product(i) + (*this)(Label::residual, i); }
};

Bytes plain_bytes(const Frame& frame, Label label) {
  return rgb_bytes(frame, [light = Light{frame}, label](std::size_t i) { return light(label, i); });
}

Bytes gamma_bytes(const Frame& frame) {
  return rgb_bytes(frame, [light = Light{frame}](std::size_t i) { return gamma(light(Label::color, i)); });
}

Bytes tonemap_bytes(const Frame& frame) {
  Bytes valid(num_pixels(frame));
  const std::vector<std::int32_t>& ids = frame.plane(Label::render_entity_id).i;
  for (std::size_t i = 0; i < valid.size(); ++i) valid[i] = ids[i] != -1;
  const std::vector<float>& color = frame.plane(Label::color).f;
  return tone_mapped(color, tone_map_scale(color, valid));
}

/// RGBA bytes; color(i) gives a pixel's color, opaque(i) whether it is shown.
template <typename Color, typename Opaque>
Bytes rgba_bytes(const Frame& frame, Color color, Opaque opaque) {
  Bytes bytes(4 * num_pixels(frame));
  for (std::size_t i = 0; i < num_pixels(frame); ++i) {
    const Color8 c = color(i);
    std::copy(c.begin(), c.end(), bytes.begin() + static_cast<std::ptrdiff_t>(4 * i));
    bytes[4 * i + 3] = opaque(i) ? 255 : 0;
  }
  return bytes;
}

Bytes depth_bytes(const Frame& frame) {
  const std::vector<float>& depth = frame.plane(Label::depth_meters).f;
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (const float d : depth)
    if (std::isfinite(d)) lo = std::min<double>(lo, d), hi = std::max<double>(hi, d);
  const double range = hi > lo ? hi - lo : 1;
  return rgba_bytes(
      frame, [&](std::size_t i) { return viridis((static_cast<double>(depth[i]) - lo) / range); },
      [&](std::size_t i) { return !std::isnan(depth[i]); });
}

Bytes vector_bytes(const Frame& frame, Label label, double scale, double offset) {
  const std::vector<float>& v = frame.plane(label).f;
  return rgba_bytes(
      frame,
      [&](std::size_t i) {
        Color8 c{};
        for (std::size_t k = 0; k < 3; ++k) c[k] = to_byte(scale * static_cast<double>(v[3 * i + k]) + offset);
        return c;
      },
      [](std::size_t) { return true; });
}

Bytes id_bytes(const Frame& frame, Label label, Color8 (*color)(int)) {
  const std::vector<std::int32_t>& ids = frame.plane(label).i;
  return rgba_bytes(
      frame, [&](std::size_t i) { return color(ids[i]); }, [](std::size_t) { return true; });
}

/// Interleaved bytes: RGB for a JPEG, RGBA for a PNG.
Bytes picture_bytes(const Frame& frame, Preview preview) {
  const Light light{frame};
  switch (preview) {
    case Preview::color:
    case Preview::geometry_color: return plain_bytes(frame, Label::color);
    case Preview::gamma:
    case Preview::geometry_gamma: return gamma_bytes(frame);
    case Preview::diffuse_illumination: return plain_bytes(frame, Label::diffuse_illumination);
    case Preview::diffuse_reflectance: return plain_bytes(frame, Label::diffuse_reflectance);
    case Preview::residual: return plain_bytes(frame, Label::residual);
    case Preview::lambertian: return rgb_bytes(frame, [&](std::size_t i) { return light.product(i); });
    case Preview::non_lambertian: return rgb_bytes(frame, [&](std::size_t i) { return light.rebuilt(i); });
    case Preview::diff:
      return rgb_bytes(frame, [&](std::size_t i) { return std::abs(light(Label::color, i) - light.rebuilt(i)); });
    case Preview::tonemap: return tonemap_bytes(frame);
    case Preview::depth_meters: return depth_bytes(frame);
    case Preview::normal_cam: return vector_bytes(frame, Label::normal_cam, 0.5, 0.5);
    case Preview::normal_world: return vector_bytes(frame, Label::normal_world, 0.5, 0.5);
    case Preview::normal_bump_cam: return vector_bytes(frame, Label::normal_bump_cam, 0.5, 0.5);
    case Preview::normal_bump_world: return vector_bytes(frame, Label::normal_bump_world, 0.5, 0.5);
    case Preview::tex_coord: return vector_bytes(frame, Label::tex_coord, 1, 0);
    case Preview::render_entity_id: return id_bytes(frame, Label::render_entity_id, entity_color);
    case Preview::semantic: return id_bytes(frame, Label::semantic, semantic_color);
    case Preview::semantic_instance: return id_bytes(frame, Label::semantic_instance, instance_color);
  }
  return {};
}

std::vector<Label> sources(Preview preview) {
  switch (preview) {
    case Preview::color:
    case Preview::gamma:
    case Preview::geometry_color:
    case Preview::geometry_gamma: return {Label::color};
    case Preview::diffuse_illumination: return {Label::diffuse_illumination};
    case Preview::diffuse_reflectance: return {Label::diffuse_reflectance};
    case Preview::residual: return {Label::residual};
    case Preview::lambertian: return {Label::diffuse_reflectance, Label::diffuse_illumination};
    case Preview::non_lambertian:
      return {Label::diffuse_reflectance, Label::diffuse_illumination, Label::residual};
    case Preview::diff:
      return {Label::color, Label::diffuse_reflectance, Label::diffuse_illumination, Label::residual};
    case Preview::tonemap: return {Label::color, Label::render_entity_id};
    case Preview::depth_meters: return {Label::depth_meters};
    case Preview::normal_cam: return {Label::normal_cam};
    case Preview::normal_world: return {Label::normal_world};
    case Preview::normal_bump_cam: return {Label::normal_bump_cam};
    case Preview::normal_bump_world: return {Label::normal_bump_world};
    case Preview::render_entity_id: return {Label::render_entity_id};
    case Preview::semantic: return {Label::semantic};
    case Preview::semantic_instance: return {Label::semantic_instance};
    case Preview::tex_coord: return {Label::tex_coord};
  }
  return {};
}

}  // namespace

bool can_preview(const Frame& frame, Preview preview) {
  const std::vector<Label> needed = sources(preview);
  return std::all_of(needed.begin(), needed.end(), [&](Label label) { return frame.has(label); });
}

Bytes encode_preview(const Frame& frame, Preview preview, int jpeg_quality) {
  SIM_CHECK(can_preview(frame, preview));
  const Bytes pixels = picture_bytes(frame, preview);
  if (spec(preview).extension == "png") return encode_png(frame.width, frame.height, 4, pixels);
  return encode_jpeg(frame.width, frame.height, pixels, jpeg_quality);
}

}  // namespace simulacra
