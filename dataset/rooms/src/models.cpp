// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/src/models.h"

#include <stdlib.h>

#include <algorithm>
#include <cmath>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/import/import.h"

namespace simulacra::rooms {
namespace {

namespace fs = std::filesystem;

constexpr double kCell_m = 0.02;
constexpr int kMaxCells = 128;
constexpr std::uint64_t kMaxImageBytes = std::uint64_t{64} << 20;

template <typename Visit>
void each_vertex(const SceneDescription& part, const Visit& visit) {
  for (const ObjectDescription& object : part.objects) {
    if (object.mesh < 0) continue;
    for (const Vec3& p : part.meshes[static_cast<std::size_t>(object.mesh)].positions)
      visit(object.world_from_object.point(Vec3d(p)));
  }
}

/// Images move into memory, so that nothing outside the scene is needed any more.
void take_in_images(SceneDescription& part) {
  for (TextureDescription& texture : part.textures) {
    if (texture.kind != TextureDescription::Kind::bitmap || texture.missing || texture.file.empty()) continue;
    texture.encoded = std::make_shared<const std::vector<std::uint8_t>>(read_file(texture.file, kMaxImageBytes));
    if (texture.name.empty()) texture.name = texture.file.filename().string();
    texture.file.clear();
  }
}

/// A grid that keeps the highest point of each cell.
class Raster {
 public:
  Raster(TopMap& map) : map_(map) {}

  void point(Vec3d p) {
    const int c = column(p.x), r = row(p.y);
    if (c >= 0 && r >= 0 && c < map_.columns && r < map_.rows) raise(c, r, p.z);
  }
  void triangle(Vec3d a, Vec3d b, Vec3d c) {
    for (const Vec3d p : {a, b, c}) point(p);
    const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (area == 0) return;
    const int c0 = std::max(0, column(std::min({a.x, b.x, c.x}))),
              c1 = std::min(map_.columns - 1, column(std::max({a.x, b.x, c.x})));
    const int r0 = std::max(0, row(std::min({a.y, b.y, c.y}))),
              r1 = std::min(map_.rows - 1, row(std::max({a.y, b.y, c.y})));
    for (int r = r0; r <= r1; ++r)
      for (int k = c0; k <= c1; ++k) {
        const double x = (k + 0.5) * map_.width / map_.columns - map_.width / 2,
                     y = (r + 0.5) * map_.depth / map_.rows - map_.depth / 2;
        const double u = ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x)) / area;
        const double v = ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)) / area;
        if (u >= 0 && v >= 0 && u + v <= 1) raise(k, r, a.z + u * (b.z - a.z) + v * (c.z - a.z));
      }
  }

 private:
  int column(double x) const { return static_cast<int>(std::floor((x / map_.width + 0.5) * map_.columns)); }
  int row(double y) const { return static_cast<int>(std::floor((y / map_.depth + 0.5) * map_.rows)); }
  void raise(int c, int r, double z) {
    float& cell = map_.height_m[static_cast<std::size_t>(r) * static_cast<std::size_t>(map_.columns) +
                                static_cast<std::size_t>(c)];
    cell = std::max(cell, static_cast<float>(z));
  }
  TopMap& map_;
};

}  // namespace

Affine3d fit_to_size(const SceneDescription& part, const Piece& piece) {
  Box3d box;
  each_vertex(part, [&](Vec3d p) { box.add(piece.model_rotation * p); });
  if (box.empty() || !is_finite(box.lo) || !is_finite(box.hi)) fail("{}: has no geometry", piece.id());
  const Vec3d size = box.size();
  if (!(size.x > 0 && size.y > 0 && size.z > 0))
    fail("{}: is flat, so it has no scale to {} x {} x {} m", piece.id(), piece.width_m, piece.depth_m, piece.height_m);
  const Vec3d base{box.center().x, box.lo.y, box.center().z};
  const Affine3d upright{piece.model_rotation, {}};
  const Mat3d z_up = Mat3d::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0});  // y -> z, the front z -> -y
  return Affine3d{z_up, {}} * scaling({piece.width_m / size.x, piece.height_m / size.y, piece.depth_m / size.z}) *
         translation(-base) * upright;
}

TopMap top_map(const SceneDescription& part, const Affine3d& piece_from_part, double width_m, double depth_m) {
  TopMap map;
  map.width = width_m;
  map.depth = depth_m;
  map.columns = std::clamp(static_cast<int>(width_m / kCell_m), 1, kMaxCells);
  map.rows = std::clamp(static_cast<int>(depth_m / kCell_m), 1, kMaxCells);
  map.height_m.assign(static_cast<std::size_t>(map.columns) * static_cast<std::size_t>(map.rows), -1.0f);
  Raster raster(map);
  for (const ObjectDescription& object : part.objects) {
    if (object.mesh < 0) continue;
    const MeshDescription& mesh = part.meshes[static_cast<std::size_t>(object.mesh)];
    const Affine3d piece_from_object = piece_from_part * object.world_from_object;
    std::vector<Vec3d> points;
    points.reserve(mesh.positions.size());
    for (const Vec3& p : mesh.positions) points.push_back(piece_from_object.point(Vec3d(p)));
    for (const Triangle& t : mesh.triangles) raster.triangle(points[t[0]], points[t[1]], points[t[2]]);
  }
  return map;
}

ModelStore::ModelStore(const Catalogue& catalogue, const fs::path& cache) : catalogue_(catalogue), folder_(cache) {
  if (!cache.empty()) {
    std::error_code error;
    fs::create_directories(cache, error);
    if (error || !fs::is_directory(cache))
      fail_usage("rooms.cache: '{}' cannot be made: {}; expected a folder", cache.string(), error.message());
    return;
  }
  std::string name = (fs::temp_directory_path() / "simulacra-rooms-XXXXXX").string();
  if (!::mkdtemp(name.data()))
    fail("{}: no temporary folder can be made there; name one with rooms.cache=FOLDER",
         fs::temp_directory_path().string());
  folder_ = name;
  temporary_ = true;
}

ModelStore::~ModelStore() {
  std::error_code ignored;
  if (temporary_) fs::remove_all(folder_, ignored);
}

ModelStore::Entry ModelStore::load(std::size_t index) {
  const Piece& piece = catalogue_.pieces[index];
  Entry entry;
  Diagnostics diagnostics;
  const fs::path unpacked = temporary_ ? folder_ / std::to_string(index) : folder_;
  try {
    auto model = std::make_unique<Model>();
    model->part = import_obj(unpack_model(catalogue_, piece, unpacked), diagnostics);
    take_in_images(model->part);
    model->piece_from_part = fit_to_size(model->part, piece);
    model->top = top_map(model->part, model->piece_from_part, piece.width_m, piece.depth_m);
    entry.model = std::move(model);
  } catch (const Error& error) {
    diagnostics.warn(piece.id(), piece.name, std::string("left out, another model is taken: ") + error.what());
  }
  std::error_code ignored;
  if (temporary_) fs::remove_all(unpacked, ignored);
  // Messages name the model, not where it was unpacked to.
  for (ImportWarning warning : diagnostics.warnings()) {
    warning.file = piece.id();
    entry.warnings.push_back(std::move(warning));
  }
  return entry;
}

const ModelStore::Entry& ModelStore::entry(std::size_t piece) {
  auto found = entries_.find(piece);
  if (found == entries_.end()) found = entries_.emplace(piece, load(piece)).first;
  return found->second;
}

const Model* ModelStore::find(std::size_t piece) { return entry(piece).model.get(); }

void ModelStore::report(std::size_t piece, Diagnostics& diagnostics) {
  for (const ImportWarning& warning : entry(piece).warnings)
    diagnostics.warn(warning.file, warning.culprit, warning.text);
}

}  // namespace simulacra::rooms
