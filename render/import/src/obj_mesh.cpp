// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/obj_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include <fmt/format.h>

#include "render/import/src/obj_polygon.h"

namespace simulacra::obj {
namespace {

struct VertexKey {
  std::int32_t position, uv;
  /// Which normal: `n` of the file ≥ 0; -1 none; else -2 - (smoothing group or face number).
  std::int64_t normal;
  friend bool operator==(const VertexKey&, const VertexKey&) = default;
};

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

struct HashVertexKey {
  std::size_t operator()(const VertexKey& key) const {
    const std::uint64_t a = static_cast<std::uint32_t>(key.position);
    const std::uint64_t b = static_cast<std::uint32_t>(key.uv);
    return static_cast<std::size_t>(mixed(mixed(a | (b << 32)) + static_cast<std::uint64_t>(key.normal)));
  }
};

struct SmoothKey {
  std::int32_t position;
  std::uint32_t group;
  friend bool operator==(const SmoothKey&, const SmoothKey&) = default;
};
struct HashSmoothKey {
  std::size_t operator()(const SmoothKey& key) const {
    const std::uint64_t a = static_cast<std::uint32_t>(key.position);
    return static_cast<std::size_t>(mixed(a | (static_cast<std::uint64_t>(key.group) << 32)));
  }
};

float linear_from_srgb(float v) {
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

double angle_between(Vec3d a, Vec3d b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

/// One part under construction.
struct Growing {
  MeshDescription mesh;
  std::unordered_map<VertexKey, std::uint32_t, HashVertexKey> vertices;
  bool has_uv = false, has_normals = false;
};

class Builder {
 public:
  Builder(const File& file, Vec3d origin, std::string path, Diagnostics& diagnostics)
      : file_(file), origin_(origin), path_(std::move(path)), diagnostics_(diagnostics),
        parts_(file.parts.size()) {}

  std::vector<MeshDescription> run() {
    prepare_colors();
    scan_faces();
    for (std::size_t i = 0; i < file_.faces.size(); ++i)
      if (usable_[i]) add_face(i);
    report();
    std::vector<MeshDescription> meshes;
    for (Growing& part : parts_) meshes.push_back(std::move(part.mesh));
    return meshes;
  }

 private:
  static constexpr std::int64_t kFaceKeys = std::int64_t{1} << 33;  // beyond all smoothing groups

  std::span<const Corner> corners(std::size_t face) const {
    return {&file_.corners[file_.faces[face].first_corner], file_.faces[face].num_corners};
  }
  const Vec3d& position(const Corner& c) const { return file_.positions[static_cast<std::size_t>(c.position)]; }

  /// A normal of the file that can be used.
  bool has_good_normal(const Corner& c) const {
    if (c.normal < 0) return false;
    const Vec3 n = file_.normals[static_cast<std::size_t>(c.normal)];
    return is_finite(n) && length_squared(n) > 0 && std::isfinite(length_squared(n));
  }

  void prepare_colors() {
    colors_.reserve(file_.colors.size());
    float highest = 0;
    std::size_t num_bad = 0;
    const auto is_good = [](const Vec4& c) {
      return std::isfinite(c.x) && std::isfinite(c.y) && std::isfinite(c.z) && std::isfinite(c.w);
    };
    for (const Vec4& c : file_.colors)
      if (is_good(c)) highest = std::max({highest, c.x, c.y, c.z});
    const float scale = highest > 1 ? 1.0f / 255.0f : 1.0f;
    if (highest > 1)
      diagnostics_.warn(path_, "vertex colors", fmt::format("reach {}, so they are taken as 8-bit numbers", highest));
    for (const Vec4& c : file_.colors) {
      if (!is_good(c)) {
        ++num_bad;
        colors_.push_back({1, 1, 1, 1});
        continue;
      }
      const auto channel = [&](float v) { return linear_from_srgb(std::clamp(v * scale, 0.0f, 1.0f)); };
      colors_.push_back({channel(c.x), channel(c.y), channel(c.z), std::clamp(c.w, 0.0f, 1.0f)});
    }
    if (num_bad > 0)
      diagnostics_.warn(path_, "vertex colors", fmt::format("{} are not finite; taken as white", num_bad));
  }

  /// Finds what can be used, which arrays each part needs, and sums normals over smoothing groups.
  void scan_faces() {
    usable_.assign(file_.faces.size(), true);
    for (std::size_t i = 0; i < file_.faces.size(); ++i) {
      const Face& face = file_.faces[i];
      const std::span<const Corner> cs = corners(i);
      const auto fits = [&](const Corner& c) { return is_finite(Vec3(position(c) - origin_)); };
      if (!std::all_of(cs.begin(), cs.end(), fits)) {
        usable_[i] = false;
        ++num_not_finite_;
        continue;
      }
      Growing& part = parts_[face.part];
      bool all_normals = true;
      for (const Corner& c : cs) {
        part.has_uv |= c.uv >= 0;
        part.has_normals |= has_good_normal(c);
        all_normals &= has_good_normal(c);
        num_bad_normals_ += c.normal >= 0 && !has_good_normal(c) ? 1u : 0u;
      }
      if (face.smoothing != 0 && !all_normals) {
        part.has_normals = true;
        add_to_smooth(cs, face.smoothing);
      }
    }
  }

  void add_to_smooth(std::span<const Corner> cs, std::uint32_t group) {
    const Vec3d n = face_normal(cs);
    if (n == Vec3d{}) return;
    for (std::size_t k = 0; k < cs.size(); ++k) {
      const Vec3d p = position(cs[k]);
      const Vec3d before = position(cs[(k + cs.size() - 1) % cs.size()]) - p;
      const Vec3d after = position(cs[(k + 1) % cs.size()]) - p;
      smooth_[{cs[k].position, group}] += n * angle_between(after, before);
    }
  }

  /// Unit, or zero for a face without area.
  Vec3d face_normal(std::span<const Corner> cs) const {
    Vec3d sum;
    const Vec3d first = position(cs[0]);
    for (std::size_t k = 1; k + 1 < cs.size(); ++k)
      sum += cross(position(cs[k]) - first, position(cs[k + 1]) - first);
    const double size = length(sum);
    return size > 0 && std::isfinite(size) ? sum / size : Vec3d{};
  }

  void add_face(std::size_t i) {
    const Face& face = file_.faces[i];
    const std::span<const Corner> cs = corners(i);
    points_.clear();
    for (const Corner& c : cs) points_.push_back(position(c));
    cut_.clear();
    if (!triangulate(points_, cut_)) ++num_crossing_;
    const Vec3d flat = face_normal(cs);
    Growing& part = parts_[face.part];
    const auto vertex_of = [&](std::uint32_t k) { return vertex(part, cs[k], face, i, flat); };
    for (const auto& [a, b, c] : cut_) {
      if (cs[a].position == cs[b].position || cs[b].position == cs[c].position || cs[c].position == cs[a].position) {
        ++num_collapsed_;
        continue;
      }
      part.mesh.triangles.push_back({vertex_of(a), vertex_of(b), vertex_of(c)});
    }
  }

  std::uint32_t vertex(Growing& part, const Corner& c, const Face& face, std::size_t face_number, Vec3d flat) {
    VertexKey key{c.position, c.uv, -1};
    const bool from_file = has_good_normal(c);
    if (from_file) key.normal = c.normal;
    else if (part.has_normals && face.smoothing != 0) key.normal = -2 - static_cast<std::int64_t>(face.smoothing);
    else if (part.has_normals) key.normal = -2 - kFaceKeys - static_cast<std::int64_t>(face_number);
    MeshDescription& mesh = part.mesh;
    const auto [it, is_new] = part.vertices.emplace(key, static_cast<std::uint32_t>(mesh.positions.size()));
    if (!is_new) return it->second;
    mesh.positions.push_back(Vec3(position(c) - origin_));
    if (part.has_uv) mesh.uv[0].push_back(uv_of(c));
    if (!colors_.empty()) mesh.colors.push_back(colors_[static_cast<std::size_t>(c.position)]);
    if (part.has_normals) mesh.normals.push_back(from_file ? file_normal(c) : made_normal(c, face, flat));
    return it->second;
  }

  Vec2 uv_of(const Corner& c) {
    if (c.uv < 0) return {0, 0};
    const Vec2 uv = file_.uvs[static_cast<std::size_t>(c.uv)];
    if (std::isfinite(uv.x) && std::isfinite(uv.y)) return uv;
    ++num_bad_uvs_;
    return {0, 0};
  }
  Vec3 file_normal(const Corner& c) const {
    return Vec3(normalize(Vec3d(file_.normals[static_cast<std::size_t>(c.normal)])));
  }
  Vec3 made_normal(const Corner& c, const Face& face, Vec3d flat) const {
    Vec3d n = flat;
    if (face.smoothing != 0) {
      const auto sum = smooth_.find({c.position, face.smoothing});
      if (sum != smooth_.end() && length(sum->second) > 1e-9) n = normalize(sum->second);
    }
    return n == Vec3d{} ? Vec3(0, 0, 1) : Vec3(n);  // a face without area shows no normal
  }

  void report() {
    const auto warn = [&](std::size_t count, const char* culprit, const char* text) {
      if (count > 0) diagnostics_.warn(path_, culprit, fmt::format(fmt::runtime(text), count));
    };
    warn(num_not_finite_, "v", "{} faces at vertices that are not finite are left out");
    warn(num_crossing_, "f", "{} polygons cross themselves or are too large to be cut properly");
    warn(num_collapsed_, "f", "{} triangles with a repeated vertex are left out");
    warn(num_bad_normals_, "vn", "{} corners have a normal that is zero or not finite; they get one of their face");
    warn(num_bad_uvs_, "vt", "{} texture coordinates are not finite; taken as 0");
  }

  const File& file_;
  Vec3d origin_;
  std::string path_;
  Diagnostics& diagnostics_;
  std::vector<Growing> parts_;
  std::vector<bool> usable_;
  std::vector<Vec4> colors_;
  std::unordered_map<SmoothKey, Vec3d, HashSmoothKey> smooth_;
  std::vector<Vec3d> points_;
  std::vector<std::array<std::uint32_t, 3>> cut_;
  std::size_t num_not_finite_ = 0, num_crossing_ = 0, num_collapsed_ = 0, num_bad_normals_ = 0, num_bad_uvs_ = 0;
};

}  // namespace

std::vector<MeshDescription> build_meshes(const File& file, Vec3d origin, const std::filesystem::path& path,
                                          Diagnostics& diagnostics) {
  return Builder(file, origin, path.string(), diagnostics).run();
}

}  // namespace simulacra::obj
