// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_vertices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "render/base/error.h"

namespace simulacra::gltf {
namespace {

bool is_integer(const Accessor& accessor) { return accessor.component != ComponentType::f32; }

// The accessor of an attribute, with its shape and count checked; nothing when it is absent.
std::optional<Accessor> attribute(const Document& document, const JsonRef& attributes, std::string_view name,
                                  std::size_t least, std::size_t most, std::uint64_t count) {
  const auto reference = attributes.find(name);
  if (!reference) return std::nullopt;
  const Accessor accessor = accessor_of(document, *reference);
  if (accessor.num_components < least || accessor.num_components > most || accessor.is_matrix)
    reference->refuse_because(fmt::format("accessor {} has {} components, expected {}", accessor.index,
                                          accessor.num_components,
                                          least == most ? std::to_string(least) : fmt::format("{} to {}", least, most)));
  if (accessor.component == ComponentType::u32)
    reference->refuse_because(fmt::format("accessor {} holds 32-bit integers, expected floats or smaller integers",
                                          accessor.index));
  if (accessor.count != count)
    reference->refuse_because(fmt::format("accessor {} has {} elements, but POSITION has {}", accessor.index,
                                          accessor.count, count));
  return accessor;
}

std::vector<Vec3> vectors_3(Document& document, const Accessor& accessor, bool as_normalized = false) {
  const std::vector<float> numbers = read_floats(document, accessor, as_normalized);
  std::vector<Vec3> result(accessor.count);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  return result;
}

std::vector<Vec4> vectors_4(Document& document, const Accessor& accessor, float missing_w, bool as_normalized = false) {
  const std::vector<float> numbers = read_floats(document, accessor, as_normalized);
  const std::size_t width = accessor.num_components;
  std::vector<Vec4> result(accessor.count);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float* n = numbers.data() + i * width;
    result[i] = {n[0], n[1], n[2], width == 4 ? n[3] : missing_w};
  }
  return result;
}

void read_uv(Document& document, const JsonRef& attributes, std::uint64_t count, MeshDescription& mesh) {
  for (std::size_t set = 0; set < mesh.uv.size(); ++set) {
    const auto accessor = attribute(document, attributes, fmt::format("TEXCOORD_{}", set), 2, 2, count);
    if (!accessor) continue;
    const std::vector<float> numbers = read_floats(document, *accessor);
    mesh.uv[set].resize(count);
    for (std::size_t i = 0; i < count; ++i) mesh.uv[set][i] = {numbers[2 * i], 1.0f - numbers[2 * i + 1]};
  }
}

void read_colors(Document& document, const JsonRef& attributes, std::uint64_t count, bool keep_alpha,
                 MeshDescription& mesh) {
  const auto accessor = attribute(document, attributes, "COLOR_0", 3, 4, count);
  if (!accessor) return;
  if (is_integer(*accessor) && !accessor->normalized)
    document.warn(attributes.pointer() + "/COLOR_0", "integers that are not normalized; read as if they were");
  mesh.colors = vectors_4(document, *accessor, 1.0f, true);
  for (Vec4& c : mesh.colors)
    if (!keep_alpha) c.w = 1.0f;
}

void read_influences(Document& document, const JsonRef& attributes, std::uint64_t count, Vertices& vertices) {
  for (std::size_t set = 0; set < 4; ++set) {
    const auto joints = attribute(document, attributes, fmt::format("JOINTS_{}", set), 4, 4, count);
    const auto weights = attribute(document, attributes, fmt::format("WEIGHTS_{}", set), 4, 4, count);
    if (!joints || !weights) return;
    Influences influences;
    influences.weights = vectors_4(document, *weights, 0.0f, true);
    const std::vector<float> numbers = read_floats(document, *joints);
    influences.joints.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < 4; ++c) {
        const float joint = numbers[4 * i + c];
        // 65535 is above every joint list we accept: apply_skin refuses it.
        influences.joints[i][c] = joint >= 0 && joint < 65535.0f ? static_cast<std::uint32_t>(joint) : 65535u;
      }
    vertices.influences.push_back(std::move(influences));
  }
}

template <typename T>
void keep_only(std::vector<T>& values, const std::vector<std::uint32_t>& new_index, std::size_t num_kept) {
  if (values.empty()) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (new_index[i] != std::numeric_limits<std::uint32_t>::max()) values[new_index[i]] = values[i];
  values.resize(num_kept);
  values.shrink_to_fit();
}

// Area-weighted mean of the normals of the triangles around each vertex; +z where there is none.
std::vector<Vec3> geometric_normals(const MeshDescription& mesh) {
  std::vector<Vec3d> sums(mesh.positions.size());
  for (const Triangle& t : mesh.triangles) {
    const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
    const Vec3d area = cross(b - a, c - a);
    for (const std::uint32_t v : t) sums[v] += area;
  }
  std::vector<Vec3> normals(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double size = length(sums[i]);
    normals[i] = size > 0 && std::isfinite(size) ? Vec3(sums[i] / size) : Vec3(0, 0, 1);
  }
  return normals;
}

void mend_normals(const Document& document, const JsonRef& primitive, MeshDescription& mesh) {
  std::size_t num_bad = 0;
  std::vector<Vec3> instead;
  for (std::size_t i = 0; i < mesh.normals.size(); ++i) {
    const Vec3d normal(mesh.normals[i]);
    const double size = length(normal);
    if (std::isfinite(size) && size > 1e-12) {
      mesh.normals[i] = Vec3(normal / size);
      continue;
    }
    if (num_bad++ == 0) instead = geometric_normals(mesh);
    mesh.normals[i] = instead[i];
  }
  if (num_bad > 0)
    document.warn(primitive.pointer() + "/attributes/NORMAL",
                  fmt::format("{} normals are zero or not finite; the triangles' own are used there", num_bad));
}

void mend_tangents(const Document& document, const JsonRef& primitive, MeshDescription& mesh) {
  for (Vec4& t : mesh.tangents) {
    const Vec3d tangent{t.x, t.y, t.z};
    const double size = length(tangent);
    if (!std::isfinite(size) || size < 1e-12 || !std::isfinite(t.w)) {
      document.warn(primitive.pointer() + "/attributes/TANGENT",
                    "a tangent is zero or not finite; all of this primitive are left out");
      mesh.tangents.clear();
      return;
    }
    const Vec3 unit(tangent / size);
    t = {unit.x, unit.y, unit.z, t.w < 0 ? -1.0f : 1.0f};
  }
}

}  // namespace

Vertices read_vertices(Document& document, const JsonRef& primitive, bool keep_alpha, bool skinned) {
  const JsonRef attributes = primitive.require("attributes");
  Vertices vertices;
  MeshDescription& mesh = vertices.mesh;
  const JsonRef reference = attributes.require("POSITION");
  const std::uint64_t count = accessor_of(document, reference).count;
  if (count > std::numeric_limits<std::uint32_t>::max() - 1) reference.refuse("an accessor of fewer than 2^32 - 1 elements");
  // All attributes decoded take at most 76 bytes a vertex.
  if (count > kMaxGeometryBytes / 76) reference.refuse_because(fmt::format("{} vertices are too many", count));
  mesh.positions = vectors_3(document, *attribute(document, attributes, "POSITION", 3, 3, count));
  if (const auto normal = attribute(document, attributes, "NORMAL", 3, 3, count)) {
    mesh.normals = vectors_3(document, *normal, true);
    // Without normals the file's tangents have no meaning (glTF 2.0, 3.7.2.1).
    if (const auto tangent = attribute(document, attributes, "TANGENT", 4, 4, count))
      mesh.tangents = vectors_4(document, *tangent, 1.0f, true);
  }
  read_uv(document, attributes, count, mesh);
  read_colors(document, attributes, count, keep_alpha, mesh);
  if (skinned) read_influences(document, attributes, count, vertices);
  return vertices;
}

void apply_morph(Document& document, const JsonRef& primitive, std::span<const double> weights, MeshDescription& mesh) {
  const auto targets = primitive.find("targets");
  if (!targets) return;
  const std::size_t count = mesh.positions.size();
  for (std::size_t k = 0; k < targets->size() && k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    const float weight = static_cast<float>(weights[k]);
    const JsonRef target = (*targets)[k];
    const auto add = [&](std::string_view name, const auto& store) {
      const auto accessor = attribute(document, target, name, 3, 3, count);
      if (!accessor) return;
      const std::vector<Vec3> change = vectors_3(document, *accessor);
      for (std::size_t i = 0; i < count; ++i) store(i, change[i] * weight);
    };
    add("POSITION", [&](std::size_t i, Vec3 d) { mesh.positions[i] += d; });
    if (!mesh.normals.empty()) add("NORMAL", [&](std::size_t i, Vec3 d) { mesh.normals[i] += d; });
    if (!mesh.tangents.empty())
      add("TANGENT", [&](std::size_t i, Vec3 d) {
        Vec4& t = mesh.tangents[i];
        t = {t.x + d.x, t.y + d.y, t.z + d.z, t.w};
      });
  }
}

std::vector<Triangle> triangles_of(Document& document, const JsonRef& primitive, std::uint64_t mode,
                                   std::size_t num_vertices) {
  const auto reference = primitive.find("indices");
  std::vector<std::uint32_t> indices;
  if (reference) {
    indices = read_indices(document, accessor_of(document, *reference));
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] >= num_vertices)
        reference->refuse_because(fmt::format("index {} = {}, but there are {} vertices", i, indices[i], num_vertices));
  }
  const std::size_t count = reference ? indices.size() : num_vertices;
  const auto vertex = [&](std::size_t i) { return reference ? indices[i] : static_cast<std::uint32_t>(i); };
  std::vector<Triangle> triangles;
  if (mode == 4) {
    if (count % 3 != 0)
      document.warn(primitive.pointer(), fmt::format("{} corners are no whole triangles; the last {} are left out", count,
                                                     count % 3));
    triangles.reserve(count / 3);
    for (std::size_t i = 0; i + 2 < count; i += 3) triangles.push_back({vertex(i), vertex(i + 1), vertex(i + 2)});
    return triangles;
  }
  for (std::size_t i = 0; i + 2 < count; ++i) {
    const Triangle t = mode == 5 ? Triangle{vertex(i), vertex(i + 1 + i % 2), vertex(i + 2 - i % 2)}
                                 : Triangle{vertex(i + 1), vertex(i + 2), vertex(0)};
    // Strips are stitched together with triangles of no area.
    if (t[0] != t[1] && t[1] != t[2] && t[0] != t[2]) triangles.push_back(t);
  }
  return triangles;
}

void drop_unused(Vertices& vertices) {
  MeshDescription& mesh = vertices.mesh;
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> new_index(mesh.positions.size(), kUnused);
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t v : t) new_index[v] = 0;
  std::uint32_t num_kept = 0;
  for (std::uint32_t& i : new_index)
    if (i != kUnused) i = num_kept++;
  if (num_kept == mesh.positions.size()) return;
  for (Triangle& t : mesh.triangles)
    for (std::uint32_t& v : t) v = new_index[v];
  keep_only(mesh.positions, new_index, num_kept);
  keep_only(mesh.normals, new_index, num_kept);
  keep_only(mesh.tangents, new_index, num_kept);
  keep_only(mesh.colors, new_index, num_kept);
  for (auto& uv : mesh.uv) keep_only(uv, new_index, num_kept);
  for (Influences& influences : vertices.influences) {
    keep_only(influences.joints, new_index, num_kept);
    keep_only(influences.weights, new_index, num_kept);
  }
}

void check_and_mend(const Document& document, const JsonRef& primitive, MeshDescription& mesh) {
  for (const Vec3& p : mesh.positions)
    if (!is_finite(p))
      primitive.refuse_because(fmt::format("a POSITION is ({}, {}, {}), expected finite numbers", p.x, p.y, p.z));
  mend_normals(document, primitive, mesh);
  mend_tangents(document, primitive, mesh);
  for (std::size_t set = 0; set < mesh.uv.size(); ++set)
    for (Vec2& uv : mesh.uv[set])
      if (!std::isfinite(uv.x) || !std::isfinite(uv.y)) {
        document.warn(fmt::format("{}/attributes/TEXCOORD_{}", primitive.pointer(), set), "not finite; 0 instead");
        uv = {0, 0};
      }
  for (Vec4& c : mesh.colors) {
    const bool in_range = c.x >= 0 && c.y >= 0 && c.z >= 0 && c.w >= 0 && c.x <= 1 && c.y <= 1 && c.z <= 1 && c.w <= 1;
    if (in_range) continue;
    document.warn(primitive.pointer() + "/attributes/COLOR_0", "outside [0, 1]; limited to it");
    for (float* v : {&c.x, &c.y, &c.z, &c.w}) *v = *v >= 0 ? std::min(*v, 1.0f) : 0.0f;
  }
}

void apply_skin(const JsonRef& primitive, std::span<const Affine3d> joints, Vertices& vertices) {
  MeshDescription& mesh = vertices.mesh;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    Mat3d linear = Mat3d::diagonal(0, 0, 0);
    Vec3d offset{};
    double total = 0;
    for (const Influences& influences : vertices.influences) {
      const Vec4 w = influences.weights[i];
      const std::array<float, 4> weights = {w.x, w.y, w.z, w.w};
      for (std::size_t c = 0; c < 4; ++c) {
        if (!(weights[c] > 0) || !std::isfinite(weights[c])) continue;
        const std::uint32_t j = influences.joints[i][c];
        if (j >= joints.size())
          primitive.refuse_because(fmt::format("a vertex hangs on joint {}, but the skin has {}", j, joints.size()));
        const double weight = static_cast<double>(weights[c]);
        for (std::size_t row = 0; row < 3; ++row)
          for (std::size_t col = 0; col < 3; ++col) linear(row, col) += weight * joints[j].linear(row, col);
        offset += joints[j].translation * weight;
        total += weight;
      }
    }
    if (!(total > 0)) continue;  // hangs on nothing: stays where it is
    const Affine3d moved{linear * Mat3d::diagonal(1 / total, 1 / total, 1 / total), offset / total};
    mesh.positions[i] = Vec3(moved.point(Vec3d(mesh.positions[i])));
    const Vec3d x = moved.linear.column(0), y = moved.linear.column(1), z = moved.linear.column(2);
    if (!mesh.normals.empty())  // by the cofactors: the inverse transpose but for its length
      mesh.normals[i] = Vec3(Mat3d::from_columns(cross(y, z), cross(z, x), cross(x, y)) * Vec3d(mesh.normals[i]));
    if (!mesh.tangents.empty()) {
      Vec4& t = mesh.tangents[i];
      const Vec3 tangent(moved.vector(Vec3d(t.x, t.y, t.z)));
      t = {tangent.x, tangent.y, tangent.z, t.w};
    }
  }
}

}  // namespace simulacra::gltf
