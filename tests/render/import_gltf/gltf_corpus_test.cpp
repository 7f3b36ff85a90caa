// SPDX-License-Identifier: Apache-2.0
// Imports every .gltf and .glb file below ../shared/data and compares what comes out with the table
// tests/golden/import_outcomes_gltf.tsv. After a change that is meant, write the table anew with
//   SIMULACRA_UPDATE_GOLDEN=1 build/tests/bin/render_import_gltf_gltf_corpus_test
// and read the difference.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/import/import.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

const fs::path kTable = fs::path(SIMULACRA_SOURCE_DIR) / "tests/golden/import_outcomes_gltf.tsv";
constexpr const char* kHeader = "file\toutcome\tobjects\ttriangles\tmaterials\twarnings\tmessage\n";

std::vector<fs::path> corpus(const fs::path& data) {
  std::vector<fs::path> files;
  for (const char* part : {"gltf", "broken", "scenes"})
    for (const auto& entry : fs::recursive_directory_iterator(data / part))
      if (entry.path().extension() == ".gltf" || entry.path().extension() == ".glb") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// The faults that an importer must never hand on; empty when there is none.
std::string fault_of(const SceneDescription& scene) {
  const auto in = [](int index, std::size_t size) { return index >= 0 && static_cast<std::size_t>(index) < size; };
  const auto in_or_none = [&](int index, std::size_t size) { return index == -1 || in(index, size); };
  for (const MeshDescription& mesh : scene.meshes) {
    const std::size_t n = mesh.positions.size();
    if (mesh.triangles.empty()) return mesh.name + ": no triangle";
    for (const Triangle& t : mesh.triangles)
      for (const auto v : t)
        if (v >= n) return mesh.name + ": vertex out of range";
    for (const Vec3& p : mesh.positions)
      if (!is_finite(p)) return mesh.name + ": position not finite";
    for (const std::size_t size : {mesh.normals.size(), mesh.uv[0].size(), mesh.uv[1].size(), mesh.tangents.size(),
                                   mesh.colors.size()})
      if (size != 0 && size != n) return mesh.name + ": attribute of another length";
    for (const Vec3& normal : mesh.normals)
      if (!(std::abs(length(normal) - 1) < 1e-5f)) return mesh.name + ": normal not unit";  // float rounding
  }
  for (const ObjectDescription& object : scene.objects) {
    if (!in(object.mesh, scene.meshes.size())) return object.name + ": no mesh";
    if (!in(object.material, scene.materials.size())) return object.name + ": no material";
    if (object.name.empty() || object.path.empty()) return "an object without a name";
    if (!(std::abs(determinant(object.world_from_object.linear)) > 0)) return object.name + ": singular transform";
  }
  for (const MaterialDescription& m : scene.materials)
    for (const int texture : {m.base_color.texture, m.roughness.texture, m.metallic.texture, m.emission.texture,
                              m.normal_texture, m.opacity.texture, m.transmission.texture})
      if (!in_or_none(texture, scene.textures.size())) return m.name + ": texture out of range";
  for (const TextureDescription& t : scene.textures)
    if (t.missing == (!t.file.empty() || t.encoded != nullptr)) return t.name + ": neither there nor missing";
  return {};
}

std::string without(std::string text, const std::string& part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

// One row of the table.
std::string outcome(const fs::path& file, const fs::path& data) {
  const std::string name = fs::relative(file, data).string();
  Diagnostics diagnostics;
  try {
    const SceneDescription scene = import_gltf(file, diagnostics);
    EXPECT_EQ(fault_of(scene), "") << name;
    std::size_t triangles = 0;
    for (const auto& object : scene.objects) triangles += scene.meshes[static_cast<std::size_t>(object.mesh)].triangles.size();
    return fmt::format("{}\timported\t{}\t{}\t{}\t{}\t\n", name, scene.objects.size(), triangles,
                       scene.materials.size(), diagnostics.warnings().size());
  } catch (const Error& e) {
    const std::string message = without(e.what(), data.string() + "/");
    EXPECT_EQ(message.find_first_of("\n\r\t"), std::string::npos) << "more than one line: " << message;
    EXPECT_THAT(message, testing::HasSubstr(file.filename().string()));
    return fmt::format("{}\trefused\t\t\t\t\t{}\n", name, without(message, name + ": "));
  }
}

TEST(GltfCorpus, EveryFileIsImportedOrRefusedAsTheTableSays) {
  SIM_NEED_SHARED_DATA(shared);
  const fs::path data = shared / "data";
  std::string table = kHeader;
  for (const fs::path& file : corpus(data)) {
    const auto start = std::chrono::steady_clock::now();
    table += outcome(file, data);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20) << file;
  }
  if (std::getenv("SIMULACRA_UPDATE_GOLDEN") != nullptr) {
    write_text_atomically(kTable, table);
    return;
  }
  std::istringstream expected(read_text_file(kTable)), found(table);
  std::map<std::string, std::string> rows;
  std::string line;
  while (std::getline(expected, line)) rows[line.substr(0, line.find('\t'))] = line;
  std::size_t num_found = 0;
  while (std::getline(found, line)) {
    EXPECT_EQ(rows[line.substr(0, line.find('\t'))], line);
    ++num_found;
  }
  EXPECT_GT(num_found, 400u);
  EXPECT_EQ(num_found, rows.size());
}

}  // namespace
}  // namespace simulacra
