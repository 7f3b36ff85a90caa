// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/src/scene_builder.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <memory>
#include <utility>

namespace simulacra::rooms {
namespace {

constexpr int kSides = 32;

/// Points of a regular polygon on the unit circle by repeated rotation: arithmetic only, so that vertices have the
/// same bits everywhere. The constants are cos and sin of 2π/32.
std::array<Vec2d, kSides> unit_circle() {
  constexpr double c = 0.98078528040323044, s = 0.19509032201612827;
  std::array<Vec2d, kSides> points;
  Vec2d p{1, 0};
  for (Vec2d& out : points) {
    out = p;
    p = {c * p.x - s * p.y, s * p.x + c * p.y};
  }
  return points;
}

}  // namespace

std::uint32_t MeshBuilder::vertex(Vec3d p, Vec2d uv) {
  mesh_.positions.emplace_back(p);
  mesh_.uv[0].push_back({static_cast<float>(uv.x), static_cast<float>(uv.y)});
  return static_cast<std::uint32_t>(mesh_.positions.size() - 1);
}

void MeshBuilder::quad(Vec3d a, Vec3d b, Vec3d c, Vec3d d, Vec2d uv) {
  const double u = length(b - a), v = length(d - a);
  const std::uint32_t i = vertex(a, uv);
  vertex(b, {uv.x + u, uv.y});
  vertex(c, {uv.x + u, uv.y + v});
  vertex(d, {uv.x, uv.y + v});
  triangle(i, i + 1, i + 2);
  triangle(i, i + 2, i + 3);
}

void MeshBuilder::box(Vec3d lo, Vec3d hi) {
  const auto p = [&](int x, int y, int z) { return Vec3d{x ? hi.x : lo.x, y ? hi.y : lo.y, z ? hi.z : lo.z}; };
  quad(p(0, 0, 0), p(1, 0, 0), p(1, 0, 1), p(0, 0, 1), {lo.x, lo.z});
  quad(p(1, 0, 0), p(1, 1, 0), p(1, 1, 1), p(1, 0, 1), {lo.y, lo.z});
  quad(p(1, 1, 0), p(0, 1, 0), p(0, 1, 1), p(1, 1, 1), {-hi.x, lo.z});
  quad(p(0, 1, 0), p(0, 0, 0), p(0, 0, 1), p(0, 1, 1), {-hi.y, lo.z});
  quad(p(0, 0, 1), p(1, 0, 1), p(1, 1, 1), p(0, 1, 1), {lo.x, lo.y});
  quad(p(0, 1, 0), p(1, 1, 0), p(1, 0, 0), p(0, 0, 0), {lo.x, -hi.y});
}

void MeshBuilder::cylinder(Vec2d center, double radius, double z0, double z1) {
  const std::array<Vec2d, kSides> circle = unit_circle();
  const auto at = [&](int i, double z) {
    const Vec2d p = center + circle[static_cast<std::size_t>(i % kSides)] * radius;
    return Vec3d{p.x, p.y, z};
  };
  for (int i = 0; i < kSides; ++i) quad(at(i, z0), at(i + 1, z0), at(i + 1, z1), at(i, z1));
  for (const double z : {z0, z1}) {
    const std::uint32_t middle = vertex({center.x, center.y, z}, {0, 0});
    for (int i = 0; i < kSides; ++i) {
      const Vec2d p = circle[static_cast<std::size_t>(i)] * radius;
      vertex(at(i, z), p);
    }
    for (std::uint32_t i = 0; i < kSides; ++i) {
      const std::uint32_t a = middle + 1 + i, b = middle + 1 + (i + 1) % kSides;
      if (z == z1)
        triangle(middle, a, b);
      else
        triangle(middle, b, a);
    }
  }
}

void MeshBuilder::sphere(Vec3d center, double radius) {
  constexpr int kRings = kSides / 2;
  const std::array<Vec2d, kSides> circle = unit_circle();
  const auto at = [&](int ring, int side) {  // ring 0 is the bottom; circle[r] doubles as (cos, sin) of the latitude
    const Vec2d latitude = circle[static_cast<std::size_t>(ring)];
    const Vec2d p = circle[static_cast<std::size_t>(side % kSides)];
    return center + Vec3d{p.x * latitude.y, p.y * latitude.y, -latitude.x} * radius;
  };
  for (int ring = 0; ring < kRings; ++ring)
    for (int side = 0; side < kSides; ++side) {
      const Vec3d a = at(ring, side), b = at(ring, side + 1), c = at(ring + 1, side + 1), d = at(ring + 1, side);
      const std::uint32_t i = vertex(a, {0, 0});
      vertex(b, {0, 0});
      vertex(c, {0, 0});
      vertex(d, {0, 0});
      if (ring > 0) triangle(i, i + 1, i + 2);
      if (ring < kRings - 1) triangle(i, i + 2, i + 3);
    }
}

MeshDescription MeshBuilder::take(std::string name) {
  mesh_.name = std::move(name);
  return std::exchange(mesh_, {});
}

int add_material(SceneDescription& scene, MaterialDescription material) {
  scene.materials.push_back(std::move(material));
  return static_cast<int>(scene.materials.size()) - 1;
}

MaterialDescription standard_material(std::string name, Rgb color, float roughness) {
  MaterialDescription material;
  material.name = std::move(name);
  material.base_color.factor = color;
  material.roughness.factor = roughness;
  return material;
}

void add_part(SceneDescription& scene, MeshBuilder& mesh, const Thing& thing, std::string_view part, int material,
              const Affine3d& world_from_object) {
  if (mesh.empty()) return;
  const std::string name = part.empty() ? thing.name : fmt::format("{} {}", thing.name, part);
  scene.meshes.push_back(mesh.take(name));
  ObjectDescription object;
  object.name = name;
  object.path = fmt::format("room/{}/{}{}{}", thing.folder, thing.name, part.empty() ? "" : "/", part);
  object.source = "rooms";
  object.mesh = static_cast<int>(scene.meshes.size()) - 1;
  object.material = material;
  object.world_from_object = world_from_object;
  object.instance_key = thing.name;
  object.class_hint = std::string(thing.semantic);
  scene.objects.push_back(std::move(object));
}

int add_pattern(SceneDescription& scene, std::string name, std::vector<std::uint8_t> png, double size_m) {
  TextureDescription texture;
  texture.name = std::move(name);
  texture.encoded = std::make_shared<const std::vector<std::uint8_t>>(std::move(png));
  texture.color_space = ColorSpace::srgb;
  const auto scale = static_cast<float>(1 / size_m);
  texture.uv_linear = {scale, 0, 0, scale};
  scene.textures.push_back(std::move(texture));
  return static_cast<int>(scene.textures.size()) - 1;
}

}  // namespace simulacra::rooms
