// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_mesh.h"

#include <algorithm>
#include <utility>

#include "render/base/error.h"
#include "render/import/src/gltf_vertices.h"

namespace simulacra::gltf {
namespace {

std::uint64_t bytes_of(const MeshDescription& mesh) {
  return mesh.positions.size() * sizeof(Vec3) + mesh.normals.size() * sizeof(Vec3) +
         (mesh.uv[0].size() + mesh.uv[1].size()) * sizeof(Vec2) +
         (mesh.tangents.size() + mesh.colors.size()) * sizeof(Vec4) + mesh.triangles.size() * sizeof(Triangle);
}

// Equal for two uses that give the same vertices and triangles, whatever the material.
std::string key_of(const JsonRef& primitive, std::uint64_t mode, const PrimitiveUse& use) {
  const auto dump = [&](const char* member) {
    const auto found = primitive.find(member);
    return found ? found->value().dump() : std::string();
  };
  std::string key = fmt::format("{}|{}|{}", mode, dump("attributes"), dump("indices"));
  const bool morphed = std::any_of(use.morph_weights.begin(), use.morph_weights.end(), [](double w) { return w != 0; });
  if (morphed) {
    key += fmt::format("|{}", dump("targets"));
    for (const double weight : use.morph_weights) key += fmt::format(" {}", weight);
  }
  if (use.skin != nullptr) key += fmt::format("|skin {}", use.skin->index);
  if (!use.keep_alpha) key += "|opaque";
  return key;
}

constexpr std::array<std::string_view, 4> kLineModes = {"points", "lines", "a line loop", "a line strip"};

}  // namespace

int MeshReader::add(MeshDescription mesh) {
  bytes_ += bytes_of(mesh);
  if (bytes_ > kMaxGeometryBytes)
    fail_usage("{}: its meshes take more than {} bytes", document_->file_name(), kMaxGeometryBytes);
  scene_->meshes.push_back(std::move(mesh));
  return static_cast<int>(scene_->meshes.size() - 1);
}

std::optional<PrimitiveMesh> MeshReader::read(const JsonRef& mesh, std::size_t index, const PrimitiveUse& use) {
  const JsonRef primitive = mesh.require("primitives")[index];
  const std::uint64_t mode = primitive.unsigned_or("mode", 4);
  if (mode > 6) primitive.require("mode").refuse("0 to 6");
  if (mode < 4) {
    document_->warn(primitive.pointer(), fmt::format("{}: has no surface, left out", kLineModes[mode]));
    return std::nullopt;
  }
  const auto given = primitive.find("attributes");
  if (!given || !given->find("POSITION")) {
    document_->warn(primitive.pointer(), "has no POSITION, left out");
    return std::nullopt;
  }
  const JsonRef attributes = *given;
  PrimitiveUse effective = use;
  if (!attributes.find("COLOR_0")) effective.keep_alpha = true;
  if (use.skin != nullptr && (!attributes.find("JOINTS_0") || !attributes.find("WEIGHTS_0"))) {
    document_->warn(primitive.pointer(), "has a skin but no joints and weights; it is placed by its node");
    effective.skin = nullptr;
  }
  const std::string key = key_of(primitive, mode, effective);
  if (const auto found = known_.find(key); found != known_.end())
    return found->second.mesh >= 0 ? std::optional(found->second) : std::nullopt;

  Vertices vertices = read_vertices(*document_, primitive, effective.keep_alpha, effective.skin != nullptr);
  MeshDescription& built = vertices.mesh;
  apply_morph(*document_, primitive, effective.morph_weights, built);
  built.triangles = triangles_of(*document_, primitive, mode, built.positions.size());
  if (built.triangles.empty()) {
    document_->warn(primitive.pointer(), "has no triangle, left out");
    known_.emplace(key, PrimitiveMesh{});
    return std::nullopt;
  }
  drop_unused(vertices);
  if (effective.skin != nullptr) apply_skin(primitive, effective.skin->joints, vertices);
  check_and_mend(*document_, primitive, built);
  built.name = mesh.name();
  if (mesh.require("primitives").size() > 1) built.name += fmt::format(" {}", index);

  PrimitiveMesh result;
  result.has_colors = !built.colors.empty();
  result.has_uv = {!built.uv[0].empty(), !built.uv[1].empty()};
  result.skinned = effective.skin != nullptr;
  result.mesh = add(std::move(built));
  known_.emplace(key, result);
  return result;
}

int MeshReader::flattened(int mesh, const Affine3d& world_from_object) {
  MeshDescription flat = scene_->meshes[static_cast<std::size_t>(mesh)];
  for (Vec3& p : flat.positions) p = Vec3(world_from_object.point(Vec3d(p)));
  flat.normals.clear();
  flat.tangents.clear();
  return add(std::move(flat));
}

}  // namespace simulacra::gltf
