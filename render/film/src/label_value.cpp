// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "render/base/half.h"
#include "render/film/labels_pass.h"

namespace simulacra {
namespace {

constexpr int kMaxLayers = 256;

/// Up to three numbers of one label.
struct Value {
  double v[3];
};

Vec3d in_camera(const Camera& camera, Vec3d v_in_world) { return transpose(camera.world_from_cam().linear) * v_in_world; }

/// How far along the ray the surface lies. The interpolated position may stand millimetres beside the ray where a
/// triangle is a sliver, but it lies in the triangle's plane, which is met anew; from a plane seen edge-on, the point of the
/// ray next to the position is taken.
double distance_along(const Ray& ray, const SurfacePoint& at) {
  constexpr double kEdgeOn = 0.01;
  const Vec3d d(ray.direction), n(at.geometric_normal), to_position = Vec3d(at.position) - Vec3d(ray.origin);
  const double c = dot(n, d);
  return std::abs(c) > kEdgeOn ? dot(n, to_position) / c : dot(d, to_position);
}

Value vector_value(Vec3d v) { return {{v.x, v.y, v.z}}; }
Value number(double v) { return {{v, 0, 0}}; }

Value label_value(Label label, const Scene::State& scene, const Camera& camera, const LabelHit& hit) {
  const ObjectDescription& object = scene.description.objects[static_cast<std::size_t>(hit.at.object)];
  switch (label) {
    case Label::color:
    case Label::diffuse_reflectance:
    case Label::diffuse_illumination:
    case Label::residual: return {};  // averages of samples, not center-ray labels
    case Label::depth_meters: return number(hit.distance_m);
    case Label::position: return vector_value(hit.position);
    case Label::normal_world: return vector_value(Vec3d(hit.normal));
    case Label::normal_cam: return vector_value(in_camera(camera, Vec3d(hit.normal)));
    case Label::normal_bump_world: return vector_value(Vec3d(hit.bumped_normal));
    case Label::normal_bump_cam: return vector_value(in_camera(camera, Vec3d(hit.bumped_normal)));
    case Label::tex_coord: {
      const Vec2 uv = hit.at.at.uv[0];
      const auto finite = [](float x) { return std::isfinite(x) ? std::clamp(x, -kHalfMax, kHalfMax) : 0.0f; };
      return {{static_cast<double>(finite(uv.x)), static_cast<double>(finite(uv.y)), 0}};
    }
    case Label::render_entity_id: return number(hit.at.object + 1);
    case Label::semantic: return number(object.semantic);
    case Label::semantic_instance: return number(object.instance);
    case Label::depth_planar_meters:
      return number(-in_camera(camera, hit.position - camera.position()).z);
    case Label::material_id: return number(hit.at.material);
    case Label::valid_mask: return number(1 | 2);
    case Label::transparency:
      return number((scene.materials.transmits(hit.at.material) ? 1 : 0) | (hit.passed_cutout ? 2 : 0));
  }
  return {};
}

}  // namespace

std::optional<LabelHit> label_hit(const Scene::State& scene, const Camera& camera, int column, int row) {
  Ray ray = camera.center_ray(column, row);
  LabelHit result;
  for (int layer = 0; layer < kMaxLayers; ++layer) {
    const auto hit = scene.accel.closest(ray);
    if (!hit) return std::nullopt;
    result.at = scene.interact(ray, *hit);
    const Interaction& it = result.at;
    if (!scene.materials.always_opaque(it.material) && scene.materials.opacity(it.material, it.at) < 0.5f) {
      result.passed_cutout = true;
      ray = it.leave(ray.direction);
      continue;
    }
    const Vec3 side_normal = bend_to_viewer(it.at.shading_normal, it.at.geometric_normal, it.wo);
    const float side = it.at.back_side ? -1.0f : 1.0f;
    result.normal = side_normal * side;
    result.bumped_normal = result.normal;
    if (scene.materials.has_bump(it.material)) {
      const Vec3 bumped = scene.materials.bumped_normal(it.material, it.at);
      result.bumped_normal = bend_to_viewer(bumped, it.at.geometric_normal, it.wo) * side;
    }
    result.position = Vec3d(ray.origin) + Vec3d(ray.direction) * distance_along(ray, it.at);
    result.distance_m = length(result.position - camera.position());
    return result;
  }
  return std::nullopt;
}

void write_labels(Frame& frame, const Scene::State& scene, const Camera& camera, int column, int row,
                  const std::optional<LabelHit>& hit) {
  if (!hit) return;  // the planes hold `invalid` from their allocation
  for (const LabelSpec& row_of_table : kLabels) {
    if (row_of_table.reduce != Reduce::center_ray || !frame.has(row_of_table.id)) continue;
    Plane& plane = frame.plane(row_of_table.id);
    const Value value = label_value(row_of_table.id, scene, camera, *hit);
    const std::size_t at = plane.at(row, column);
    for (std::size_t c = 0; c < row_of_table.channels.size(); ++c) {
      if (row_of_table.dtype == DType::f16) plane.f[at + c] = round_to_half(static_cast<float>(value.v[c]));
      else if (row_of_table.dtype == DType::f32) plane.f[at + c] = static_cast<float>(value.v[c]);
      else plane.i[at + c] = static_cast<std::int32_t>(value.v[c]);
    }
  }
}

}  // namespace simulacra
