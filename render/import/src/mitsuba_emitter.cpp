// SPDX-License-Identifier: Apache-2.0
// Emitters that belong to no shape.
#include <cmath>

#include "render/base/error.h"
#include "render/import/src/mitsuba.h"

namespace simulacra::mitsuba {
namespace {

std::string name_of(const Element& element) { return element.id.empty() ? element.type : element.id; }

Rgb emission(Context& context, Element& emitter, std::string_view name) {
  return color(emitter, name, Rgb{1.0f}, Quantity::emission, context.diagnostics);
}

Vec3d unit(const Element& emitter, Vec3d direction) {
  const double l = length(direction);
  if (!(l > 0)) fail_usage("{}: direction has no length", describe(emitter));
  return direction / l;
}

void point_light(Context& context, Element& emitter) {
  const Vec3d origin = transform(emitter, "to_world").translation;
  context.scene.point_lights.push_back(
      {name_of(emitter), vector(emitter, "position", origin), emission(context, emitter, "intensity")});
}

void spot_light(Context& context, Element& emitter) {
  const Affine3d world_from_light = transform(emitter, "to_world");
  const double cutoff = number(emitter, "cutoff_angle", 20);
  const double beam = number(emitter, "beam_width", cutoff * 3 / 4);
  if (!(cutoff > 0 && cutoff < 180 && beam >= 0 && beam <= cutoff))
    fail_usage("{}: cutoff_angle {:g} and beam_width {:g}, expected 0 <= beam_width <= cutoff_angle < 180",
               describe(emitter), cutoff, beam);
  if (child(emitter, "texture") != nullptr)
    context.warn(emitter, "texture", "projected textures are not supported; an even beam instead");
  SpotLightDescription light;
  light.name = name_of(emitter);
  light.position = world_from_light.translation;
  light.direction = unit(emitter, world_from_light.linear.column(2));
  light.intensity = emission(context, emitter, "intensity");
  light.cutoff_rad = static_cast<float>(cutoff * kPiD / 180);
  light.beam_rad = static_cast<float>(beam * kPiD / 180);
  context.scene.spot_lights.push_back(light);
}

void directional_light(Context& context, Element& emitter) {
  const Vec3d axis = transform(emitter, "to_world").linear.column(2);
  context.scene.directional_lights.push_back({name_of(emitter), unit(emitter, vector(emitter, "direction", axis)),
                                              emission(context, emitter, "irradiance")});
}

void set_environment(Context& context, const Element& emitter, const EnvironmentDescription& environment) {
  if (context.scene.environment) {
    context.warn(emitter, emitter.type, "a second environment; only the first one is used");
    return;
  }
  context.scene.environment = environment;
}

void constant(Context& context, Element& emitter) {
  set_environment(context, emitter, {emission(context, emitter, "radiance"), -1, {}});
}

/// Columns made orthonormal; the environment may be turned and mirrored but not stretched.
Mat3d rotation_part(Context& context, const Element& emitter, const Affine3d& transform) {
  const Mat3d& m = transform.linear;
  const Vec3d y = unit(emitter, m.column(1));
  const Vec3d z = unit(emitter, m.column(2) - y * dot(y, m.column(2)));
  Vec3d x = cross(y, z);
  if (dot(x, m.column(0)) < 0) x = -x;
  if (std::abs(dot(x, unit(emitter, m.column(0)))) < 1 - 1e-4)
    context.warn(emitter, "toWorld", "no rotation; the nearest rotation instead");
  return Mat3d::from_columns(x, y, z);
}

void envmap(Context& context, Element& emitter) {
  EnvironmentDescription environment;
  environment.radiance = Rgb{static_cast<float>(number(emitter, "scale", 1))};
  environment.world_from_environment = rotation_part(context, emitter, transform(emitter, "to_world"));
  const std::string file = text(emitter, "filename", "");
  if (file.empty()) fail_usage("{}: no filename", describe(emitter));
  TextureDescription d;
  d.name = std::filesystem::path(file).filename().string();
  d.file = find_file(context, emitter, file);
  if (d.file.empty()) {
    d.file = std::filesystem::path(emitter.file).parent_path() / file;
    d.missing = true;
    context.warn(emitter, file, "environment map not found; an even environment of its scale instead");
  }
  d.color_space = boolean(emitter, "raw", false) || number(emitter, "gamma", -1) == 1 ? ColorSpace::linear : ColorSpace::srgb;
  d.wrap_v = WrapMode::clamp;
  ignore(emitter, {"mis_compensation", "cache"});
  environment.texture = static_cast<int>(context.scene.textures.size());
  context.scene.textures.push_back(std::move(d));
  set_environment(context, emitter, environment);
}

}  // namespace

void import_emitter(Context& context, Element& emitter) {
  emitter.visited = true;
  using Import = void (*)(Context&, Element&);
  static const std::map<std::string_view, Import> kEmitters = {{"point", point_light},
                                                               {"spot", spot_light},
                                                               {"directional", directional_light},
                                                               {"constant", constant},
                                                               {"envmap", envmap}};
  const auto found = kEmitters.find(emitter.type);
  if (found == kEmitters.end()) {
    context.warn(emitter, emitter.type,
                 emitter.type == "area" ? "an area emitter outside of a shape; left out" : "emitter not supported; left out");
    emitter.visited = false;
    return;
  }
  found->second(context, emitter);
  ignore(emitter, {"sampling_weight"});
}

}  // namespace simulacra::mitsuba
