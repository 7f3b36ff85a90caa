// SPDX-License-Identifier: Apache-2.0
#include "render/geometry/mesh.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "render/base/error.h"

namespace simulacra {
namespace {

double angle_between(Vec3d a, Vec3d b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

bool usable_normal(Vec3 n) { return is_finite(n) && length_squared(n) > 0.0f; }

void check_lengths(const MeshDescription& mesh, const std::string& where) {
  const std::size_t n = mesh.positions.size();
  const auto fits = [n](std::size_t size) { return size == 0 || size == n; };
  if (!fits(mesh.normals.size()) || !fits(mesh.uv[0].size()) || !fits(mesh.uv[1].size()) ||
      !fits(mesh.tangents.size()) || !fits(mesh.colors.size()))
    fail("{}: vertex arrays of different lengths, expected {} entries in each", where, n);
}

/// One triangle that uses each vertex; the number of triangles where none does.
std::vector<std::size_t> triangle_at_vertex(const MeshDescription& mesh) {
  std::vector<std::size_t> at(mesh.positions.size(), mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = triangle_corners(mesh, t);
    if (!usable_normal(triangle_normal(c[0], c[1], c[2]))) continue;
    for (const std::uint32_t v : mesh.triangles[t]) at[v] = t;
  }
  return at;
}

std::size_t repair_normals(MeshDescription& mesh) {
  if (std::all_of(mesh.normals.begin(), mesh.normals.end(), usable_normal)) return 0;
  const std::vector<std::size_t> at = triangle_at_vertex(mesh);
  std::size_t replaced = 0;
  for (std::size_t v = 0; v < mesh.normals.size(); ++v) {
    if (usable_normal(mesh.normals[v])) continue;
    ++replaced;
    mesh.normals[v] = {0, 0, 1};
    if (at[v] == mesh.triangles.size()) continue;
    const auto c = triangle_corners(mesh, at[v]);
    mesh.normals[v] = triangle_normal(c[0], c[1], c[2]);
  }
  return replaced;
}

}  // namespace

std::array<Vec3, 3> triangle_corners(const MeshDescription& mesh, std::size_t triangle) {
  const Triangle& t = mesh.triangles[triangle];
  return {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
}

Vec3 triangle_normal(Vec3 a, Vec3 b, Vec3 c) {
  // In double: edges of a large scene's small triangles would lose their direction in float.
  const Vec3d n = cross(Vec3d(b) - Vec3d(a), Vec3d(c) - Vec3d(a));
  const double l = length(n);
  return l > 0 ? Vec3(n / l) : Vec3{};
}

double triangle_area(Vec3d a, Vec3d b, Vec3d c) { return 0.5 * length(cross(b - a, c - a)); }

double surface_area(const MeshDescription& mesh, const Affine3d& world_from_object) {
  double area = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = triangle_corners(mesh, t);
    area += triangle_area(world_from_object.point(Vec3d(c[0])), world_from_object.point(Vec3d(c[1])),
                          world_from_object.point(Vec3d(c[2])));
  }
  return area;
}

Box3f mesh_box(const MeshDescription& mesh) {
  Box3f box;
  for (const Vec3 p : mesh.positions) box.add(p);
  return box;
}

std::size_t check_mesh(MeshDescription& mesh, const std::string& where) {
  check_lengths(mesh, where);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    if (!is_finite(mesh.positions[v])) fail("{}: position of vertex {} is not finite", where, v);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t v : mesh.triangles[t])
      if (v >= mesh.positions.size())
        fail("{}: triangle {} refers to vertex {}, expected 0 to {}", where, t, v,
             static_cast<long long>(mesh.positions.size()) - 1);
  const std::size_t replaced = repair_normals(mesh);
  for (Vec3& n : mesh.normals) n = Vec3(normalize(Vec3d(n)));
  return replaced;
}

void compute_vertex_normals(MeshDescription& mesh) {
  std::vector<Vec3d> sums(mesh.positions.size());
  for (const Triangle& t : mesh.triangles) {
    const std::array<Vec3d, 3> p{Vec3d(mesh.positions[t[0]]), Vec3d(mesh.positions[t[1]]), Vec3d(mesh.positions[t[2]])};
    const Vec3d n = cross(p[1] - p[0], p[2] - p[0]);
    const double l = length(n);
    if (!(l > 0)) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = angle_between(p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
      sums[t[i]] += n * (angle / l);
    }
  }
  mesh.normals.assign(mesh.positions.size(), Vec3{});
  for (std::size_t v = 0; v < sums.size(); ++v) {
    const double l = length(sums[v]);
    if (l > 0) mesh.normals[v] = Vec3(sums[v] / l);
  }
  repair_normals(mesh);
}

void compute_u_tangents(MeshDescription& mesh) {
  const std::vector<Vec2>& uv = mesh.uv[0];
  if (uv.empty() || mesh.normals.empty()) return;
  std::vector<Vec3d> sums(mesh.positions.size());
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle& t = mesh.triangles[i];
    const auto c = triangle_corners(mesh, i);
    const Vec3d e1 = Vec3d(c[1]) - Vec3d(c[0]), e2 = Vec3d(c[2]) - Vec3d(c[0]);
    const Vec2 d1 = uv[t[1]] - uv[t[0]], d2 = uv[t[2]] - uv[t[0]];
    const double det = static_cast<double>(d1.x) * static_cast<double>(d2.y) - static_cast<double>(d2.x) * static_cast<double>(d1.y);
    if (det == 0) continue;
    const Vec3d dpdu = (e1 * static_cast<double>(d2.y) - e2 * static_cast<double>(d1.y)) / det;
    const double l = length(dpdu);
    if (!(l > 0) || !std::isfinite(l)) continue;
    for (const std::uint32_t v : t) sums[v] += dpdu * (length(cross(e1, e2)) / l);
  }
  mesh.tangents.resize(mesh.positions.size());
  for (std::size_t v = 0; v < sums.size(); ++v) {
    const Vec3d n(mesh.normals[v]);
    const Vec3d along = sums[v] - n * dot(n, sums[v]);
    const double l = length(along);
    Vec3 t, unused;
    if (l > 0) t = Vec3(along / l);
    else orthonormal_basis(mesh.normals[v], t, unused);
    mesh.tangents[v] = {t.x, t.y, t.z, 1.0f};
  }
}

std::size_t wind_by_normals(MeshDescription& mesh) {
  if (mesh.normals.empty()) return 0;
  std::size_t turned = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    Triangle& t = mesh.triangles[i];
    const auto c = triangle_corners(mesh, i);
    const Vec3 sum = mesh.normals[t[0]] + mesh.normals[t[1]] + mesh.normals[t[2]];
    if (dot(triangle_normal(c[0], c[1], c[2]), sum) >= 0) continue;
    std::swap(t[1], t[2]);
    ++turned;
  }
  return turned;
}

void reverse_winding(MeshDescription& mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
}

MeshDescription transformed(const MeshDescription& mesh, const Affine3d& target_from_mesh, bool keep_outside) {
  MeshDescription out = mesh;
  const double det = determinant(target_from_mesh.linear);
  const double sign = det < 0 && !keep_outside ? -1.0 : 1.0;
  for (Vec3& p : out.positions) p = Vec3(target_from_mesh.point(Vec3d(p)));
  if (!out.normals.empty()) {
    const Mat3d normal_matrix = transpose(inverse(target_from_mesh.linear));
    for (Vec3& n : out.normals) n = Vec3(normalize(normal_matrix * Vec3d(n)) * sign);
  }
  for (Vec4& t : out.tangents) {
    const Vec3d moved = target_from_mesh.vector(Vec3d(t.x, t.y, t.z));
    const double l = length(moved);
    if (!(l > 0)) continue;
    t = {static_cast<float>(moved.x / l), static_cast<float>(moved.y / l), static_cast<float>(moved.z / l),
         det < 0 && keep_outside ? -t.w : t.w};
  }
  if (det < 0 && keep_outside) reverse_winding(out);
  return out;
}

bool is_similarity(const Affine3d& transform) {
  const Vec3d x = transform.linear.column(0), y = transform.linear.column(1), z = transform.linear.column(2);
  const double s2 = (length_squared(x) + length_squared(y) + length_squared(z)) / 3;
  const double tolerance = 1e-4 * s2;  // files carry six digits; a sphere off by less is not seen
  const auto near = [tolerance](double value, double wanted) { return std::abs(value - wanted) <= tolerance; };
  return s2 > 0 && near(length_squared(x), s2) && near(length_squared(y), s2) && near(length_squared(z), s2) &&
         near(dot(x, y), 0) && near(dot(y, z), 0) && near(dot(z, x), 0);
}

double mean_scale(const Affine3d& transform) { return std::cbrt(std::abs(determinant(transform.linear))); }

}  // namespace simulacra
