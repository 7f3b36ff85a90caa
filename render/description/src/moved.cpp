// SPDX-License-Identifier: Apache-2.0
#include "render/description/src/moved.h"

#include <cmath>

namespace simulacra {
namespace {

/// The rotation nearest to the map's axes; a mirrored map keeps its mirror image out of it.
Mat3d rotation_of(const Mat3d& linear, double& mirror) {
  mirror = determinant(linear) < 0 ? -1.0 : 1.0;
  const Vec3d x = normalize(linear.column(0));
  const Vec3d y = normalize(linear.column(1) - x * dot(x, linear.column(1)));
  return Mat3d::from_columns(x, y, cross(x, y));
}

void move_camera(CameraDescription& camera, const Affine3d& target_from_source, double scale) {
  const Mat3d moved = target_from_source.linear * camera.world_from_cam.linear;
  double mirror = 1;
  // Right and up stay; a mirroring move is told by mirror_x, so that the view direction survives.
  const Mat3d rigid = rotation_of(moved, mirror);
  camera.world_from_cam.linear = rigid;
  if (mirror < 0) {
    camera.world_from_cam.linear =
        Mat3d::from_columns(-rigid.column(0), rigid.column(1), -rigid.column(2));
    camera.mirror_x = !camera.mirror_x;
  }
  camera.world_from_cam.translation = target_from_source.point(camera.world_from_cam.translation);
  camera.aperture_radius_m *= scale;
  camera.focus_distance_m *= scale;
  if (camera.orthographic_height_m) *camera.orthographic_height_m *= scale;
}

}  // namespace

double scale_of(const Affine3d& target_from_source) {
  return std::cbrt(std::abs(determinant(target_from_source.linear)));
}

void move_scene(SceneDescription& scene, const Affine3d& target_from_source) {
  const double scale = scale_of(target_from_source);
  const float intensity_scale = static_cast<float>(scale * scale);
  for (ObjectDescription& object : scene.objects)
    object.world_from_object = target_from_source * object.world_from_object;
  for (MaterialDescription& material : scene.materials) material.bump_scale *= static_cast<float>(scale);
  for (PointLightDescription& light : scene.point_lights) {
    light.position = target_from_source.point(light.position);
    light.intensity *= intensity_scale;
  }
  for (SpotLightDescription& light : scene.spot_lights) {
    light.position = target_from_source.point(light.position);
    light.direction = normalize(target_from_source.vector(light.direction));
    light.intensity *= intensity_scale;
  }
  for (DirectionalLightDescription& light : scene.directional_lights)
    light.direction = normalize(target_from_source.vector(light.direction));
  if (scene.environment) {
    Mat3d& world_from_environment = scene.environment->world_from_environment;
    const double inverse_scale = 1.0 / scale;
    world_from_environment = target_from_source.linear *
                             Mat3d::diagonal(inverse_scale, inverse_scale, inverse_scale) * world_from_environment;
  }
  for (CameraDescription& camera : scene.cameras) move_camera(camera, target_from_source, scale);
}

}  // namespace simulacra
