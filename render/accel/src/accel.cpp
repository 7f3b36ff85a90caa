// SPDX-License-Identifier: Apache-2.0
#include "render/accel/accel.h"

#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "render/accel/src/embree.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

/// What our callbacks need beside Embree's own context. Embree hands back the pointer to `base`.
struct Query {
  embree::QueryContext base;  // first, so that a pointer to it is a pointer to the Query
  const StraightTransmittance* straight = nullptr;
  Rgb transmittance{1.0f};
  Vec3 origin, direction;
};

/// One geometry: which object it stands for (-1: the instance around it tells), and the sphere if it is one.
struct GeometryTag {
  int object = -1;
  bool passable = false;
  SphereDescription sphere;
};

struct SceneTag {  // of one Embree scene: geomID -> tag
  std::vector<GeometryTag*> tags;
};

void on_embree_error(void*, RTCError code, const char* text) {
  if (code == RTC_ERROR_NONE) return;
  fail("Embree: {}", text != nullptr ? text : "unknown error");
}

RTCBounds bounds_of(const SphereDescription& s) {
  RTCBounds b{};
  // The box of the rounded sphere must not cut it: one part in a million outwards.
  const float r = s.radius * (1 + 1e-6f);
  b.lower_x = s.center.x - r, b.lower_y = s.center.y - r, b.lower_z = s.center.z - r;
  b.upper_x = s.center.x + r, b.upper_y = s.center.y + r, b.upper_z = s.center.z + r;
  return b;
}

/// Spheres stand under similarity transforms only (see SphereDescription): they are moved, not instanced.
SphereDescription in_world(SphereDescription s, const Affine3d& world_from_object) {
  s.center = Vec3(world_from_object.point(Vec3d(s.center)));
  s.radius = static_cast<float>(static_cast<double>(s.radius) * std::cbrt(std::abs(determinant(world_from_object.linear))));
  return s;
}

void sphere_bounds(const RTCBoundsFunctionArguments* args) {
  *args->bounds_o = bounds_of(static_cast<const GeometryTag*>(args->geometryUserPtr)->sphere);
}

/// The two distances at which a ray meets a sphere, in order (Haines et al. 2019, "Precision Improvements for
/// Ray/Sphere Intersection": the discriminant from the distance of the center to the ray, not from b² - c).
bool sphere_roots(const RTCRay& ray, const SphereDescription& s, float& t0, float& t1) {
  const Vec3 d{ray.dir_x, ray.dir_y, ray.dir_z};
  const Vec3 f = Vec3{ray.org_x, ray.org_y, ray.org_z} - s.center;
  const float a = dot(d, d), b = -dot(f, d), r2 = s.radius * s.radius;
  const Vec3 to_axis = f + d * (b / a);
  const float discriminant = r2 - dot(to_axis, to_axis);
  if (!(discriminant >= 0)) return false;
  const float c = dot(f, f) - r2;
  const float q = b + std::copysign(std::sqrt(a * discriminant), b);
  if (q == 0) return false;
  t0 = c / q, t1 = q / a;
  if (t0 > t1) std::swap(t0, t1);
  return true;
}

void sphere_intersect(const RTCIntersectFunctionNArguments* args) {
  if (args->valid[0] == 0) return;
  const auto& tag = *static_cast<const GeometryTag*>(args->geometryUserPtr);
  auto& hit = *reinterpret_cast<RTCRayHit*>(args->rayhit);
  float t0 = 0, t1 = 0;
  if (!sphere_roots(hit.ray, tag.sphere, t0, t1)) return;
  const float t = t0 > hit.ray.tnear ? t0 : t1;
  if (!(t > hit.ray.tnear && t < hit.ray.tfar)) return;
  hit.ray.tfar = t;
  hit.hit.geomID = args->geomID;
  hit.hit.primID = args->primID;
  hit.hit.instID[0] = args->context->instID[0];
  hit.hit.u = hit.hit.v = 0;
}

/// Multiplies the query's transmittance; true when nothing is left.
bool absorb(Query& query, const GeometryTag& tag, const Hit& hit) {
  if (!tag.passable || query.straight == nullptr) return true;
  query.transmittance *= query.straight->at(hit, query.origin, query.direction);
  return is_black(query.transmittance);
}

void sphere_occluded(const RTCOccludedFunctionNArguments* args) {
  if (args->valid[0] == 0) return;
  const auto& tag = *static_cast<const GeometryTag*>(args->geometryUserPtr);
  auto& ray = *reinterpret_cast<RTCRay*>(args->ray);
  float t0 = 0, t1 = 0;
  if (!sphere_roots(ray, tag.sphere, t0, t1)) return;
  auto& query = *reinterpret_cast<Query*>(args->context);
  for (const float t : {t0, t1}) {
    if (!(t > ray.tnear && t < ray.tfar)) continue;
    if (absorb(query, tag, {t, tag.object, 0, 0, 0})) {
      ray.tfar = -INFINITY;
      return;
    }
  }
}

/// Called by Embree for candidate hits on passable triangles: light goes on unless nothing is left of it.
void triangle_occlusion_filter(const RTCFilterFunctionNArguments* args) {
  if (args->valid[0] == 0) return;
  const auto& tag = *static_cast<const GeometryTag*>(args->geometryUserPtr);
  auto& query = *reinterpret_cast<Query*>(args->context);
  const auto& candidate = *reinterpret_cast<const RTCHit*>(args->hit);
  const auto& ray = *reinterpret_cast<const RTCRay*>(args->ray);
  int object = tag.object;
  if (object < 0) object = static_cast<int>(candidate.instID[0]);  // instance ids are object indices
  if (!absorb(query, tag, {ray.tfar, object, candidate.primID, candidate.u, candidate.v})) args->valid[0] = 0;
}

}  // namespace

struct Accel::State {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;
  std::vector<RTCScene> inner;
  std::vector<std::unique_ptr<GeometryTag>> tags;
  const StraightTransmittance* straight = nullptr;

  ~State() {
    if (scene != nullptr) rtcReleaseScene(scene);
    for (RTCScene s : inner) rtcReleaseScene(s);
    if (device != nullptr) rtcReleaseDevice(device);
  }

  RTCGeometry triangles(const MeshDescription& mesh, GeometryTag* tag) const {
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    // Embree reads 16 bytes at the last vertex; our arrays end there, so the buffer is Embree's own.
    auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                                 sizeof(Vec3), mesh.positions.size()));
    auto* indices = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
        g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof(Triangle), mesh.triangles.size()));
    if (vertices == nullptr || indices == nullptr) fail("Embree: no memory for mesh '{}'", mesh.name);
    std::copy_n(&mesh.positions.data()->x, 3 * mesh.positions.size(), vertices);
    std::copy_n(mesh.triangles.data()->data(), 3 * mesh.triangles.size(), indices);
    rtcSetGeometryUserData(g, tag);
    if (tag->passable) rtcSetGeometryOccludedFilterFunction(g, triangle_occlusion_filter);
    rtcCommitGeometry(g);
    return g;
  }

  RTCGeometry sphere(GeometryTag* tag) const {
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(g, 1);
    rtcSetGeometryUserData(g, tag);
    rtcSetGeometryBoundsFunction(g, sphere_bounds, nullptr);
    rtcSetGeometryIntersectFunction(g, sphere_intersect);
    rtcSetGeometryOccludedFunction(g, sphere_occluded);
    rtcCommitGeometry(g);
    return g;
  }

  RTCGeometry instance(RTCScene what, const Affine3d& world_from_object) const {
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(g, what);
    float m[12];  // three rows of four
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) m[4 * r + c] = static_cast<float>(world_from_object.linear(r, c));
      m[4 * r + 3] = static_cast<float>(world_from_object.translation[r]);
    }
    rtcSetGeometryTransform(g, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, m);
    rtcCommitGeometry(g);
    return g;
  }

  RTCScene new_scene() const {
    RTCScene s = rtcNewScene(device);
    rtcSetSceneFlags(s, RTC_SCENE_FLAG_ROBUST);
    return s;
  }
};

Accel::Accel(const SceneDescription& scene,
             std::span<const std::uint8_t> passable,
             const StraightTransmittance* straight)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.straight = straight;
  s.device = rtcNewDevice("threads=0");
  if (s.device == nullptr) fail("Embree: no device (error {})", static_cast<int>(rtcGetDeviceError(nullptr)));
  rtcSetDeviceErrorFunction(s.device, on_embree_error, nullptr);
  s.scene = s.new_scene();

  std::vector<int> users(scene.meshes.size(), 0);
  std::vector<std::uint8_t> mesh_passable(scene.meshes.size(), 0);
  for (std::size_t i = 0; i < scene.objects.size(); ++i)
    if (const int mesh = scene.objects[i].mesh; mesh >= 0) {
      ++users[static_cast<std::size_t>(mesh)];
      mesh_passable[static_cast<std::size_t>(mesh)] |= passable[i];
    }

  std::unordered_map<int, RTCScene> inner_of_mesh;
  const auto new_tag = [&](GeometryTag tag) {
    s.tags.push_back(std::make_unique<GeometryTag>(tag));
    return s.tags.back().get();
  };
  const auto inner_scene = [&](int mesh) {
    if (const auto known = inner_of_mesh.find(mesh); known != inner_of_mesh.end()) return known->second;
    const auto m = static_cast<std::size_t>(mesh);
    RTCScene inner = s.new_scene();
    s.inner.push_back(inner);
    RTCGeometry g = s.triangles(scene.meshes[m], new_tag({-1, mesh_passable[m] != 0, {}}));
    rtcAttachGeometry(inner, g);
    rtcReleaseGeometry(g);
    rtcCommitScene(inner);
    return inner_of_mesh[mesh] = inner;
  };

  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const ObjectDescription& object = scene.objects[i];
    RTCGeometry g = nullptr;
    if (object.sphere) {
      g = s.sphere(new_tag({static_cast<int>(i), passable[i] != 0, in_world(*object.sphere, object.world_from_object)}));
    } else {
      const MeshDescription& mesh = scene.meshes[static_cast<std::size_t>(object.mesh)];
      if (mesh.triangles.empty()) continue;
      const bool shared = users[static_cast<std::size_t>(object.mesh)] > 1 || !(object.world_from_object == Affine3d{});
      g = shared ? s.instance(inner_scene(object.mesh), object.world_from_object)
                 : s.triangles(mesh, new_tag({static_cast<int>(i), passable[i] != 0, {}}));
    }
    rtcAttachGeometryByID(s.scene, g, static_cast<unsigned>(i));  // geomID = instID = object index
    rtcReleaseGeometry(g);
  }
  rtcCommitScene(s.scene);
}

Accel::~Accel() = default;

namespace {
void set_ray(RTCRay& out, const Ray& ray) {
  out.org_x = ray.origin.x, out.org_y = ray.origin.y, out.org_z = ray.origin.z;
  out.dir_x = ray.direction.x, out.dir_y = ray.direction.y, out.dir_z = ray.direction.z;
  out.tnear = ray.t_min, out.tfar = ray.t_max;
  out.time = 0, out.mask = ~0u, out.id = 0, out.flags = 0;
}
}  // namespace

std::optional<Hit> Accel::closest(const Ray& ray) const {
  RTCRayHit h;
  set_ray(h.ray, ray);
  h.hit.geomID = h.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  Query query;
  embree::init_context(query.base);
  embree::intersect(state_->scene, query.base, h);
  if (h.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
  const unsigned object = h.hit.instID[0] != RTC_INVALID_GEOMETRY_ID ? h.hit.instID[0] : h.hit.geomID;
  return Hit{h.ray.tfar, static_cast<int>(object), h.hit.primID, h.hit.u, h.hit.v};
}

Rgb Accel::transmittance(const Ray& ray) const {
  RTCRay r;
  set_ray(r, ray);
  Query query;
  embree::init_context(query.base);
  query.straight = state_->straight;
  query.origin = ray.origin;
  query.direction = ray.direction;
  embree::occluded(state_->scene, query.base, r);
  return r.tfar < 0 ? Rgb{} : query.transmittance;
}

}  // namespace simulacra
