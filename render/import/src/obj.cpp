// SPDX-License-Identifier: Apache-2.0
// OBJ with MTL: one object per OBJ object, group and material. OBJ has no units and no axes; the file is
// taken as y-up in metres.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "render/base/error.h"
#include "render/import/import.h"
#include "render/import/src/obj_material.h"
#include "render/import/src/obj_mesh.h"
#include "render/import/src/obj_mtl.h"
#include "render/import/src/obj_parse.h"
#include "render/import/src/obj_text.h"
#include "render/import/src/texture_search.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

// A model this many of its sizes away from its origin would lose float digits; it is stored about its center.
constexpr double kFarInSizes = 8;

constexpr std::size_t kMaxUndefined = 50;  // warnings about materials that are not defined

/// Box of the finite positions that faces use.
Box3d used_box(const obj::File& file) {
  Box3d box;
  for (const obj::Corner& corner : file.corners) {
    const Vec3d& p = file.positions[static_cast<std::size_t>(corner.position)];
    if (is_finite(Vec3(p))) box.add(p);
  }
  return box;
}

Vec3d origin_for(const Box3d& box) {
  if (box.empty()) return {};
  const Vec3d size = box.size();
  return length(box.center()) > kFarInSizes * length(size) ? box.center() : Vec3d{};
}

/// Files of an `mtllib` line: the whole rest as one name if there is such a file, else word by word.
std::vector<fs::path> material_files(const std::string& statement, const fs::path& file, FileSearch& files,
                                     Diagnostics& diagnostics) {
  const std::array folders = {file.parent_path()};
  std::string name = statement;
  if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
  if (const auto found = files.find(name, folders)) return {*found};
  std::vector<fs::path> result;
  std::vector<std::string> absent;
  std::string_view rest = statement;
  for (std::string_view word = obj::take_word(rest); !word.empty(); word = obj::take_word(rest)) {
    if (const auto found = files.find(word, folders)) result.push_back(*found);
    else absent.emplace_back(word);
  }
  if (result.empty()) absent = {statement};
  for (const std::string& culprit : absent)
    diagnostics.warn(file.string(), obj::shown(culprit), "the material file is not found");
  return result;
}

using Materials = std::unordered_map<std::string, obj::MtlMaterial>;

Materials read_materials(const obj::File& source, const fs::path& file, FileSearch& files, Diagnostics& diagnostics) {
  Materials materials;
  std::vector<fs::path> read;
  for (const std::string& statement : source.material_files)
    for (const fs::path& path : material_files(statement, file, files, diagnostics)) {
      if (std::find(read.begin(), read.end(), path) != read.end()) continue;
      read.push_back(path);
      for (obj::MtlMaterial& m : obj::parse_mtl(path, diagnostics)) materials.emplace(m.name, std::move(m));
    }
  return materials;
}

/// Object and group name as a path; the file's stem when it names neither.
std::string path_of(const obj::Part& part, const std::string& stem) {
  if (part.object.empty() && part.group.empty()) return stem;
  if (part.object.empty() || part.object == part.group) return part.group;
  return part.group.empty() ? part.object : part.object + "/" + part.group;
}

class Assembler {
 public:
  Assembler(const obj::File& source, const fs::path& file, const Box3d& box, Diagnostics& diagnostics)
      : source_(source), file_(file), box_(box), diagnostics_(diagnostics) {}

  SceneDescription run() {
    scene_.name = file_.stem().string();
    scene_.source = file_;
    const Materials materials = read_materials(source_, file_, files_, diagnostics_);
    const Vec3d origin = origin_for(box_);
    std::vector<MeshDescription> meshes = obj::build_meshes(source_, origin, file_, diagnostics_);
    count_paths(meshes);
    const double diagonal = box_.empty() ? 1.0 : length(box_.size());
    obj::MaterialConverter converter(scene_, files_, file_.parent_path(), diagonal, diagnostics_);
    for (std::size_t i = 0; i < meshes.size(); ++i) {
      if (meshes[i].triangles.empty()) continue;
      const int material = material_of(source_.parts[i].material, materials, converter);
      if (!meshes[i].colors.empty()) scene_.materials[static_cast<std::size_t>(material)].use_vertex_color = true;
      add_object(source_.parts[i], std::move(meshes[i]), material, origin);
    }
    if (num_undefined_ > kMaxUndefined)
      diagnostics_.warn(file_.string(), "further materials",
                        fmt::format("{} are not defined; taken as gray", num_undefined_ - kMaxUndefined));
    if (scene_.objects.empty()) fail_usage("{}: no triangle is left of its faces", file_.string());
    return std::move(scene_);
  }

 private:
  void count_paths(const std::vector<MeshDescription>& meshes) {
    for (std::size_t i = 0; i < meshes.size(); ++i)
      if (!meshes[i].triangles.empty()) ++parts_of_path_[path_of(source_.parts[i], scene_.name)];
  }

  int material_of(int index, const Materials& materials, obj::MaterialConverter& converter) {
    const auto known = converted_.find(index);
    if (known != converted_.end()) return known->second;
    int result = 0;
    if (index < 0) {
      result = converter.add_default("default");
    } else {
      const std::string& name = source_.material_names[static_cast<std::size_t>(index)];
      const auto found = materials.find(name);
      if (found == materials.end() && ++num_undefined_ <= kMaxUndefined)
        diagnostics_.warn(file_.string(), obj::shown(name), "the material is not defined; taken as gray");
      result = found == materials.end() ? converter.add_default(name) : converter.add(found->second);
    }
    converted_.emplace(index, result);
    return result;
  }

  void add_object(const obj::Part& part, MeshDescription mesh, int material, Vec3d origin) {
    ObjectDescription object;
    object.path = path_of(part, scene_.name);
    object.name = object.path;
    if (parts_of_path_[object.path] > 1) object.name += "/" + scene_.materials[static_cast<std::size_t>(material)].name;
    object.source = scene_.name;
    object.mesh = static_cast<int>(scene_.meshes.size());
    object.material = material;
    object.world_from_object = translation(origin);
    mesh.name = object.name;
    scene_.meshes.push_back(std::move(mesh));
    scene_.objects.push_back(std::move(object));
  }

  const obj::File& source_;
  fs::path file_;
  Box3d box_;
  Diagnostics& diagnostics_;
  FileSearch files_;
  SceneDescription scene_;
  std::map<std::string, int> parts_of_path_;
  std::unordered_map<int, int> converted_;
  std::size_t num_undefined_ = 0;
};

}  // namespace

SceneDescription import_obj(const fs::path& file, Diagnostics& diagnostics) {
  const obj::File source = obj::parse_obj(obj::read_obj_text(file), file, diagnostics);
  return Assembler(source, file, used_box(source), diagnostics).run();
}

}  // namespace simulacra
