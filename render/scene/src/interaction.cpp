// SPDX-License-Identifier: Apache-2.0
#include "render/scene/interaction.h"

#include <algorithm>
#include <cmath>

namespace simulacra {
namespace {

/// Positions are rounded to 24 bits; interpolation and transform multiply the error by a few. Rays start
/// this share of the largest coordinate beyond the surface: 8 units in the last place.
constexpr float kRounding = 0x1p-20f;

/// Derivatives of position by the first UV set; zero where the map is degenerate.
void uv_derivatives(SurfacePoint& at, Vec3 edge1, Vec3 edge2, Vec2 uv0, Vec2 uv1, Vec2 uv2) {
  const Vec2 d1 = uv1 - uv0, d2 = uv2 - uv0;
  const float det = d1.x * d2.y - d1.y * d2.x;
  if (det == 0 || !std::isfinite(1 / det)) return;
  at.dpdu = (edge1 * d2.y - edge2 * d1.y) * (1 / det);
  at.dpdv = (edge2 * d1.x - edge1 * d2.x) * (1 / det);
}

}  // namespace

Ray Interaction::leave(Vec3 direction, float t_max) const {
  const float side = dot(direction, at.geometric_normal) >= 0 ? 1.0f : -1.0f;
  return {at.position + at.geometric_normal * (side * rounding), direction, 0, t_max};
}

Vec3 bend_to_viewer(Vec3 normal, Vec3 geometric_normal, Vec3 wo) {
  const float side = dot(geometric_normal, wo) >= 0 ? 1.0f : -1.0f;
  const Vec3 n = normal * side;
  constexpr float kLeast = 1e-3f;  // more than float16 rounding of the stored normal can take away
  const float c = dot(n, wo);
  if (c >= kLeast) return normal;
  const Vec3 across = n - wo * c;
  const float l = length(across);
  if (!(l > 1e-6f)) return geometric_normal;
  const Vec3 bent = across / l * std::sqrt(1 - kLeast * kLeast) + wo * kLeast;
  return normalize(bent) * side;
}

Interaction Scene::State::interact(const Ray& ray, const Hit& hit) const {
  Interaction it;
  it.wo = -ray.direction;
  it.object = hit.object;
  const auto o = static_cast<std::size_t>(hit.object);
  it.material = description.objects[o].material;
  const ObjectGeometry& g = geometry_[o];
  if (description.objects[o].sphere) fill_sphere(it, g, ray, hit);
  else fill_triangle(it, g, hit);
  if (description.objects[o].flip_normals) {
    it.at.geometric_normal = -it.at.geometric_normal;
    it.at.shading_normal = -it.at.shading_normal;
  }
  it.at.back_side = dot(it.at.geometric_normal, it.wo) < 0;
  it.rounding = kRounding * g.largest;
  return it;
}

void Scene::State::fill_triangle(Interaction& it, const ObjectGeometry& g, const Hit& hit) const {
  const MeshDescription& mesh = description.meshes[static_cast<std::size_t>(description.objects[static_cast<std::size_t>(hit.object)].mesh)];
  const Triangle& t = mesh.triangles[hit.triangle];
  const float u = hit.u, v = hit.v, w = 1 - u - v;
  const Vec3 a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
  const Vec3 edge1 = b - a, edge2 = c - a;
  SurfacePoint& at = it.at;
  at.position = to_world(g, a * w + b * u + c * v);
  Vec3 n = cross(edge1, edge2);
  if (!g.identity) n = g.normal_matrix * n;
  const float area2 = length(n);
  at.geometric_normal = area2 > 0 ? n / area2 : it.wo;
  at.shading_normal = at.geometric_normal;
  if (!mesh.normals.empty()) {
    Vec3 s = mesh.normals[t[0]] * w + mesh.normals[t[1]] * u + mesh.normals[t[2]] * v;
    if (!g.identity) s = g.normal_matrix * s;
    const float l = length(s);
    if (l > 0) {
      at.shading_normal = s / l;
      // Vertex normals say which side is outside when the winding disagrees.
      if (dot(at.shading_normal, at.geometric_normal) < 0) at.geometric_normal = -at.geometric_normal;
    }
  }
  const auto& uv0 = mesh.uv[0];
  if (!uv0.empty()) {
    at.uv[0] = uv0[t[0]] * w + uv0[t[1]] * u + uv0[t[2]] * v;
    const bool identity = g.identity;
    uv_derivatives(at, identity ? edge1 : g.linear * edge1, identity ? edge2 : g.linear * edge2, uv0[t[0]], uv0[t[1]], uv0[t[2]]);
  }
  at.uv[1] = at.uv[0];
  if (const auto& uv1 = mesh.uv[1]; !uv1.empty()) at.uv[1] = uv1[t[0]] * w + uv1[t[1]] * u + uv1[t[2]] * v;
  if (!mesh.tangents.empty()) {
    const Vec4 &ta = mesh.tangents[t[0]], &tb = mesh.tangents[t[1]], &tc = mesh.tangents[t[2]];
    Vec3 tangent{ta.x * w + tb.x * u + tc.x * v, ta.y * w + tb.y * u + tc.y * v, ta.z * w + tb.z * u + tc.z * v};
    if (!g.identity) tangent = g.linear * tangent;
    const float l = length(tangent);
    if (l > 0) at.tangent = tangent / l;
    at.tangent_sign = ta.w;
  }
  if (!mesh.colors.empty()) {
    const Vec4 &ca = mesh.colors[t[0]], &cb = mesh.colors[t[1]], &cc = mesh.colors[t[2]];
    at.vertex_color = {ca.x * w + cb.x * u + cc.x * v, ca.y * w + cb.y * u + cc.y * v,
                       ca.z * w + cb.z * u + cc.z * v, ca.w * w + cb.w * u + cc.w * v};
  }
}

void Scene::State::fill_sphere(Interaction& it, const ObjectGeometry& g, const Ray& ray, const Hit& hit) const {
  const SphereDescription& s = *description.objects[static_cast<std::size_t>(hit.object)].sphere;
  SurfacePoint& at = it.at;
  const Vec3 center = to_world(g, s.center);
  const float radius = g.identity ? s.radius : g.scale * s.radius;
  const Vec3 n = normalize(ray.origin + ray.direction * hit.t - center);
  at.position = center + n * radius;
  at.geometric_normal = at.shading_normal = s.flip_normals ? -n : n;
  // Parameters in the object frame, about +z.
  Vec3 local = n;
  if (!g.identity) local = normalize(transpose(g.linear) * n);
  float phi = std::atan2(local.y, local.x);
  if (phi < 0) phi += 2 * kPi;
  at.uv[0] = {phi * 0.5f * kInvPi, std::acos(std::clamp(local.z, -1.0f, 1.0f)) * kInvPi};
  at.uv[1] = at.uv[0];
  const float rho = std::sqrt(local.x * local.x + local.y * local.y);
  if (rho > 1e-6f) {
    const Vec3 du = Vec3{-local.y, local.x, 0} * (2 * kPi * s.radius);
    const Vec3 dv = Vec3{local.z * local.x / rho, local.z * local.y / rho, -rho} * (kPi * s.radius);
    at.dpdu = g.identity ? du : g.linear * du;
    at.dpdv = g.identity ? dv : g.linear * dv;
  }
}

Rgb Scene::State::at(const Hit& hit, Vec3 origin, Vec3 direction) const {
  const Interaction it = interact({origin, direction}, hit);
  Rgb through{0.0f};
  float alpha = 1;
  if (!materials.always_opaque(it.material)) {
    alpha = materials.opacity(it.material, it.at);
    through = Rgb{1 - alpha};
    if (alpha == 0) return through;
  }
  const Vec3 n = bend_to_viewer(it.at.shading_normal, it.at.geometric_normal, it.wo);
  const ShadingFrame frame = shading_frame(n, it.at);
  return through + straight_transmittance(materials.bsdf(it.material, it.at), frame.to_local(it.wo)) * alpha;
}

Rgb Scene::State::emitted(const Hit& hit, Vec3 origin, Vec3 direction) const {
  const Interaction it = interact({origin, direction}, hit);
  return materials.emission(it.material, it.at);
}

}  // namespace simulacra
