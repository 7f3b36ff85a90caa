// SPDX-License-Identifier: Apache-2.0
#include "render/material/src/normals.h"

namespace simulacra {
namespace {

bool usable(Vec3 v) { return length_squared(v) > 0 && is_finite(v); }

// The part of v across n, unit; zero when nothing is left.
Vec3 across(Vec3 v, Vec3 n) {
  const Vec3 t = v - n * dot(v, n);
  const float l = length(t);
  return l > 1e-6f * length(v) && l > 0 ? t / l : Vec3{};
}

Vec3 normal_mapped(const MaterialDescription& m, const Inputs& in, Vec3 n) {
  const SurfacePoint& at = in.at;
  const bool mesh_tangent = usable(at.tangent);
  const Vec3 tangent = mesh_tangent ? across(at.tangent, n) : usable(at.dpdu) ? across(at.dpdu, n) : Vec3{};
  if (!usable(tangent)) return n;
  // Bitangent towards growing v, whatever the handedness of the texture coordinates.
  const Vec3 side = cross(n, tangent);
  const float sign = mesh_tangent ? at.tangent_sign : dot(side, at.dpdv) < 0 ? -1.0f : 1.0f;
  const Vec4 texel = in.texel(m.normal_texture);
  const float x = (2 * texel.x - 1) * m.normal_scale, y = (2 * texel.y - 1) * m.normal_scale, z = 2 * texel.z - 1;
  const Vec3 mapped = tangent * x + side * (sign * y) + n * z;
  const float l = length(mapped);
  return l > 0 ? mapped / l : n;
}

float height(const MaterialDescription& m, const Inputs& in, Vec2 uv) {
  const Vec4 t = in.textures.sample(m.bump_texture, uv);
  return m.bump_scale * luminance({t.x, t.y, t.z});
}

// A sixteenth of a texel in each direction of the mesh's uv, so that differences are the slopes of the bilinear
// interpolant; a procedural texture counts as 64 texels.
Vec2 small_step(const TextureSet& textures, int texture) {
  int columns = 1, rows = 1;
  textures.resolution(texture, columns, rows);
  const auto texels = [](int n) { return n > 1 ? static_cast<float>(n) : 64.0f; };
  const auto [a, b, c, d] = textures.uv_linear(texture);
  const float w = texels(columns), h = texels(rows);
  const float along_u = std::hypot(a * w, c * h), along_v = std::hypot(b * w, d * h);
  return {along_u > 0 ? 0.0625f / along_u : 0, along_v > 0 ? 0.0625f / along_v : 0};
}

Vec3 bump_mapped(const MaterialDescription& m, const Inputs& in, Vec3 n) {
  const SurfacePoint& at = in.at;
  if (!usable(at.dpdu) || !usable(at.dpdv)) return n;
  const Vec2 uv = at.uv[in.textures.uv_set(m.bump_texture)], step = small_step(in.textures, m.bump_texture);
  const Vec2 du{step.x, 0}, dv{0, step.y};
  const float slope_u = step.x > 0 ? (height(m, in, uv + du) - height(m, in, uv - du)) / (2 * step.x) : 0;
  const float slope_v = step.y > 0 ? (height(m, in, uv + dv) - height(m, in, uv - dv)) / (2 * step.y) : 0;
  // The displaced surface's derivatives; the change of the base normal is left out as usual.
  const Vec3 u = at.dpdu + n * (slope_u - dot(n, at.dpdu)), v = at.dpdv + n * (slope_v - dot(n, at.dpdv));
  const Vec3 normal = cross(u, v);
  const float l = length(normal);
  if (!(l > 0)) return n;
  return dot(normal, n) < 0 ? -normal / l : normal / l;
}

// At least a little on the outer side.
Vec3 kept_outside(Vec3 n, Vec3 geometric_normal) {
  constexpr float least = 1e-3f;
  const float cosine = dot(n, geometric_normal);
  return cosine >= least ? n : normalize(n + geometric_normal * (least - cosine));
}

}  // namespace

Vec3 perturbed_normal(const MaterialDescription& m, const Inputs& at) {
  Vec3 n = at.at.shading_normal;
  if (m.normal_texture >= 0 && !at.textures.missing(m.normal_texture)) n = normal_mapped(m, at, n);
  if (m.bump_texture >= 0 && !at.textures.missing(m.bump_texture)) n = bump_mapped(m, at, n);
  return kept_outside(n, at.at.geometric_normal);
}

}  // namespace simulacra
