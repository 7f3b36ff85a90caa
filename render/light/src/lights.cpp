// SPDX-License-Identifier: Apache-2.0
#include "render/light/lights.h"

#include <algorithm>
#include <cmath>

#include "render/sampling/warp.h"

namespace simulacra {
namespace {

constexpr float kOneBelow = 0x1.fffffep-1f;
/// Of the samples of the environment, where there are portals: the rest still looks for small bright spots.
constexpr float kPortalShare = 0.6f;

/// The part of a delta light's emission that goes towards `direction` (unit, away from the light).
float spot_falloff(const SpotLightDescription& spot, Vec3 direction) {
  const float cosine = dot(Vec3(spot.direction), direction);
  const float cos_cutoff = std::cos(spot.cutoff_rad), cos_beam = std::cos(spot.beam_rad);
  if (cosine <= cos_cutoff) return 0;
  if (cosine >= cos_beam) return 1;
  if (spot.falloff == SpotLightDescription::Falloff::gltf) {
    const float t = (cosine - cos_cutoff) / std::max(1e-4f, cos_beam - cos_cutoff);
    return std::clamp(t * t, 0.0f, 1.0f);
  }
  return (spot.cutoff_rad - std::acos(cosine)) / (spot.cutoff_rad - spot.beam_rad);
}

/// 1 - cos of the half angle under which a sphere is seen; accurate for far spheres.
float one_minus_cos_max(float sin2_max) {
  return sin2_max < 1e-3f ? 0.5f * sin2_max + 0.125f * sin2_max * sin2_max : 1 - std::sqrt(std::max(0.0f, 1 - sin2_max));
}

LightBounds point_bounds(Vec3 position, Rgb intensity) {
  LightBounds b;
  b.box.add(position);
  b.cos_theta_o = -1;
  b.power = 4 * kPi * luminance(intensity);
  return b;
}

}  // namespace

LightSet::LightSet(const SceneDescription& scene, const MaterialSet& materials, const TextureSet& textures,
                   const SurfaceEmission& emission)
    : emission_(&emission),
      first_light_of_object_(scene.objects.size(), -1),
      points_(scene.point_lights),
      spots_(scene.spot_lights),
      directionals_(scene.directional_lights) {
  std::vector<LightBounds> bounds;
  add_surface_lights(scene, materials, bounds);
  for (const PointLightDescription& p : points_) bounds.push_back(point_bounds(Vec3(p.position), p.intensity));
  for (const SpotLightDescription& s : spots_) {
    LightBounds b = point_bounds(Vec3(s.position), s.intensity);
    b.axis = Vec3(s.direction);
    b.cos_theta_o = std::cos(s.beam_rad);
    b.cos_theta_e = std::cos(std::max(0.0f, s.cutoff_rad - s.beam_rad) + 1e-3f);
    b.power *= 0.5f * (1 - std::cos(s.cutoff_rad));
    bounds.push_back(b);
  }
  tree_ = std::make_unique<LightTree>(bounds);
  if (scene.environment) {
    environment_ = std::make_unique<EnvironmentLight>(*scene.environment, textures);
    if (environment_->black()) environment_.reset();
    else portals_ = PortalSet(find_portals(scene, materials));
  }
  const float groups = (tree_->empty() ? 0.0f : 1.0f) + (directionals_.empty() ? 0.0f : 1.0f) + (environment_ ? 1.0f : 0.0f);
  if (groups == 0) return;
  finite_share_ = tree_->empty() ? 0 : 1 / groups;
  directional_share_ = directionals_.empty() ? 0 : 1 / groups;
  environment_share_ = environment_ ? 1 / groups : 0;
}

bool LightSet::empty() const { return finite_share_ + directional_share_ + environment_share_ == 0; }

void LightSet::add_surface_lights(const SceneDescription& scene, const MaterialSet& materials,
                                  std::vector<LightBounds>& bounds) {
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const ObjectDescription& object = scene.objects[i];
    if (object.material < 0 || !materials.emits(object.material)) continue;
    first_light_of_object_[i] = static_cast<std::int32_t>(surfaces_.size());
    if (object.sphere) add_sphere_light(scene, materials, static_cast<int>(i), bounds);
    else add_triangle_lights(scene, materials, static_cast<int>(i), bounds);
  }
}

void LightSet::add_triangle_lights(const SceneDescription& scene, const MaterialSet& materials, int index,
                                   std::vector<LightBounds>& bounds) {
  const ObjectDescription& object = scene.objects[static_cast<std::size_t>(index)];
  const MeshDescription& mesh = scene.meshes[static_cast<std::size_t>(object.mesh)];
  const Mat3d normal_matrix = transpose(inverse(object.world_from_object.linear));
  const Rgb radiance = materials.mean_emission(object.material);
  const bool two_sided = materials.emission_two_sided(object.material);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& tri = mesh.triangles[t];
    const Vec3d a(mesh.positions[tri[0]]), b(mesh.positions[tri[1]]), c(mesh.positions[tri[2]]);
    const Vec3d wa = object.world_from_object.point(a), wb = object.world_from_object.point(b), wc = object.world_from_object.point(c);
    SurfaceLight light;
    light.p0 = Vec3(wa);
    light.edge1 = Vec3(wb - wa);
    light.edge2 = Vec3(wc - wa);
    light.area = static_cast<float>(0.5 * length(cross(wb - wa, wc - wa)));
    Vec3d outer = normal_matrix * cross(b - a, c - a);
    if (!mesh.normals.empty()) {
      const Vec3 sum = mesh.normals[tri[0]] + mesh.normals[tri[1]] + mesh.normals[tri[2]];
      if (dot(normal_matrix * Vec3d(sum), outer) < 0) outer = -outer;
    }
    if (object.flip_normals) outer = -outer;
    light.normal = length_squared(outer) > 0 ? Vec3(normalize(outer)) : Vec3{0, 0, 1};
    light.radiance = radiance;
    light.object = index;
    light.triangle = t;
    light.two_sided = two_sided;
    light.textured = materials.emission_textured(object.material);
    LightBounds bound;
    for (const Vec3d& p : {wa, wb, wc}) bound.box.add(Vec3(p));
    bound.axis = light.normal;
    // A degenerate triangle has no power and is never chosen, but keeps its place in the numbering.
    bound.power = light.area > 0 ? kPi * light.area * luminance(radiance) * (two_sided ? 2.0f : 1.0f) : 0;
    bound.two_sided = two_sided;
    surfaces_.push_back(light);
    bounds.push_back(bound);
  }
}

void LightSet::add_sphere_light(const SceneDescription& scene, const MaterialSet& materials, int index,
                                std::vector<LightBounds>& bounds) {
  const ObjectDescription& object = scene.objects[static_cast<std::size_t>(index)];
  const double scale = std::cbrt(std::abs(determinant(object.world_from_object.linear)));
  SurfaceLight light;
  light.p0 = Vec3(object.world_from_object.point(Vec3d(object.sphere->center)));
  light.radius = static_cast<float>(scale * static_cast<double>(object.sphere->radius));
  light.area = 4 * kPi * light.radius * light.radius;
  light.radiance = materials.mean_emission(object.material);
  light.object = index;
  light.two_sided = materials.emission_two_sided(object.material);
  light.textured = materials.emission_textured(object.material);
  light.inward = object.sphere->flip_normals != object.flip_normals;
  LightBounds bound;
  const Vec3 r{light.radius, light.radius, light.radius};
  bound.box.add(light.p0 - r);
  bound.box.add(light.p0 + r);
  bound.cos_theta_o = -1;
  bound.power = kPi * light.area * luminance(light.radiance);
  surfaces_.push_back(light);
  bounds.push_back(bound);
}

std::optional<LightSample> LightSet::sample(Vec3 point, Vec3 normal, float u_choice, Vec2 u) const {
  if (u_choice < finite_share_) {
    auto s = sample_finite(point, normal, std::min(u_choice / finite_share_, kOneBelow), u);
    if (s) s->pdf *= finite_share_;
    return s;
  }
  u_choice -= finite_share_;
  if (u_choice < directional_share_) {
    const auto n = static_cast<float>(directionals_.size());
    const auto i = std::min(directionals_.size() - 1, static_cast<std::size_t>(u_choice / directional_share_ * n));
    return LightSample{-Vec3(directionals_[i].direction), INFINITY, directionals_[i].irradiance, directional_share_ / n, true};
  }
  if (!environment_) return std::nullopt;
  return sample_environment(point, std::min((u_choice - directional_share_) / environment_share_, kOneBelow), u);
}

std::optional<LightSample> LightSet::sample_environment(Vec3 point, float u_choice, Vec2 u) const {
  Vec3 wi;
  if (!portals_.empty() && u_choice < kPortalShare) {
    const auto through = portals_.sample(point, u_choice / kPortalShare, u);
    if (!through) return std::nullopt;
    wi = *through;
  } else {
    const auto s = environment_->sample(u);
    if (!s) return std::nullopt;
    wi = s->direction;
  }
  // Two ways to find the same direction: the density is that of their mixture.
  const float pdf = pdf_environment(point, wi);
  if (!(pdf > 0)) return std::nullopt;
  return LightSample{wi, INFINITY, environment_->radiance(wi), pdf, false};
}

std::optional<LightSample> LightSet::sample_finite(Vec3 point, Vec3 normal, float u_choice, Vec2 u) const {
  const auto picked = tree_->pick(point, normal, u_choice);
  if (!picked) return std::nullopt;
  std::size_t i = picked->light;
  std::optional<LightSample> s;
  if (i < surfaces_.size()) {
    s = surfaces_[i].radius > 0 ? sample_sphere(surfaces_[i], point, u) : sample_triangle(surfaces_[i], point, u);
  } else if (i -= surfaces_.size(); i < points_.size()) {
    s = sample_point(i, point);
  } else {
    s = sample_spot(i - points_.size(), point);
  }
  if (s) s->pdf *= picked->probability;
  return s;
}

std::optional<LightSample> LightSet::sample_triangle(const SurfaceLight& light, Vec3 point, Vec2 u) const {
  const Vec2 b = triangle_from_square(u);
  const Vec3 to_light = light.p0 + light.edge1 * b.x + light.edge2 * b.y - point;
  const float d2 = length_squared(to_light);
  if (!(d2 > 0)) return std::nullopt;
  const float d = std::sqrt(d2);
  const Vec3 wi = to_light / d;
  const float cosine = -dot(light.normal, wi);
  if (cosine == 0 || (cosine < 0 && !light.two_sided)) return std::nullopt;
  const Rgb radiance = light.textured ? emission_->emitted({d, light.object, light.triangle, b.x, b.y}, point, wi) : light.radiance;
  return LightSample{wi, d, radiance, d2 / (std::abs(cosine) * light.area), false};
}

std::optional<LightSample> LightSet::sample_sphere(const SurfaceLight& light, Vec3 point, Vec2 u) const {
  const Vec3 to_center = light.p0 - point;
  const float dc2 = length_squared(to_center), r2 = light.radius * light.radius;
  Vec3 wi;
  float distance = 0, pdf = 0;
  if (dc2 <= r2 * (1 + 1e-4f)) {
    // From inside (or on) the sphere: uniform over its area.
    if (!light.inward && !light.two_sided) return std::nullopt;
    const Vec3 n = sphere_from_square(u);
    const Vec3 to_light = light.p0 + n * light.radius - point;
    const float d2 = length_squared(to_light);
    if (!(d2 > 0)) return std::nullopt;
    distance = std::sqrt(d2);
    wi = to_light / distance;
    const float cosine = std::abs(dot(n, wi));
    if (cosine == 0) return std::nullopt;
    pdf = d2 / (cosine * light.area);
  } else {
    // From outside: uniform over the cone under which it is seen.
    if (light.inward && !light.two_sided) return std::nullopt;
    const float sin2_max = r2 / dc2, k = one_minus_cos_max(sin2_max);
    const float one_minus_cos = u.x * k, cosine = 1 - one_minus_cos;
    const float sin2 = std::max(0.0f, one_minus_cos * (2 - one_minus_cos)), sine = std::sqrt(sin2);
    const float phi = 2 * kPi * u.y, dc = std::sqrt(dc2);
    const ShadingFrame frame = ShadingFrame::from_normal(to_center / dc);
    wi = normalize(frame.to_world({sine * std::cos(phi), sine * std::sin(phi), cosine}));
    distance = dc * cosine - std::sqrt(std::max(0.0f, r2 - dc2 * sin2));
    pdf = 1 / (2 * kPi * k);
  }
  const Rgb radiance = light.textured ? emission_->emitted({distance, light.object, 0, 0, 0}, point, wi) : light.radiance;
  return LightSample{wi, distance, radiance, pdf, false};
}

LightSample LightSet::sample_point(std::size_t index, Vec3 point) const {
  const Vec3 to_light = Vec3(points_[index].position) - point;
  const float d2 = std::max(length_squared(to_light), 1e-30f), d = std::sqrt(d2);
  return {to_light / d, d, points_[index].intensity / d2, 1, true};
}

LightSample LightSet::sample_spot(std::size_t index, Vec3 point) const {
  const SpotLightDescription& spot = spots_[index];
  const Vec3 to_light = Vec3(spot.position) - point;
  const float d2 = std::max(length_squared(to_light), 1e-30f), d = std::sqrt(d2);
  return {to_light / d, d, spot.intensity * (spot_falloff(spot, to_light / -d) / d2), 1, true};
}

float LightSet::sphere_pdf(const SurfaceLight& light, Vec3 point, Vec3 wi, float distance) const {
  const Vec3 to_center = light.p0 - point;
  const float dc2 = length_squared(to_center), r2 = light.radius * light.radius;
  if (dc2 > r2 * (1 + 1e-4f)) return 1 / (2 * kPi * one_minus_cos_max(r2 / dc2));
  const Vec3 n = normalize(point + wi * distance - light.p0);
  const float cosine = std::abs(dot(n, wi));
  return cosine > 0 ? distance * distance / (cosine * light.area) : 0;
}

float LightSet::pdf_surface(Vec3 point, Vec3 normal, const Hit& hit, Vec3 wi) const {
  const std::int32_t first = first_light_of_object_[static_cast<std::size_t>(hit.object)];
  if (first < 0) return 0;
  const auto i = static_cast<std::uint32_t>(first) + hit.triangle;
  const SurfaceLight& light = surfaces_[i];
  const float choice = finite_share_ * tree_->probability(point, normal, i);
  if (choice == 0) return 0;
  const float distance = hit.t;
  if (light.radius > 0) return choice * sphere_pdf(light, point, wi, distance);
  const float cosine = std::abs(dot(light.normal, wi));
  return cosine > 0 ? choice * distance * distance / (cosine * light.area) : 0;
}

float LightSet::pdf_environment(Vec3 point, Vec3 wi) const {
  if (!environment_) return 0;
  float pdf = environment_->pdf(wi);
  if (!portals_.empty()) pdf = (1 - kPortalShare) * pdf + kPortalShare * portals_.pdf(point, wi);
  return environment_share_ * pdf;
}

Rgb LightSet::environment(Vec3 direction) const { return environment_ ? environment_->radiance(direction) : Rgb{}; }

}  // namespace simulacra
