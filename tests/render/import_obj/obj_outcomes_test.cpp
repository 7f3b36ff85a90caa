// SPDX-License-Identifier: Apache-2.0
// What becomes of every OBJ file in the shared corpora, against a table in the repository.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/import/import.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "file\toutcome\tobjects\ttriangles\tmaterials\twarnings\tmessage\n";

std::vector<fs::path> obj_files(const fs::path& data) {
  std::vector<fs::path> files;
  for (const char* corpus : {"broken", "obj-odd", "furniture-obj", "scenes"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data / corpus)) {
      std::string extension = entry.path().extension().string();
      std::transform(extension.begin(), extension.end(), extension.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (entry.is_regular_file() && extension == ".obj") files.push_back(entry.path());
    }
  std::sort(files.begin(), files.end());
  return files;
}

/// Indices in range, positions finite, arrays of one length: what Scene relies on.
void expect_valid(const SceneDescription& scene) {
  for (const ObjectDescription& object : scene.objects) {
    ASSERT_GE(object.mesh, 0);
    ASSERT_LT(static_cast<std::size_t>(object.mesh), scene.meshes.size());
    ASSERT_GE(object.material, 0);
    ASSERT_LT(static_cast<std::size_t>(object.material), scene.materials.size());
  }
  for (const MeshDescription& mesh : scene.meshes) {
    const std::size_t count = mesh.positions.size();
    ASSERT_FALSE(mesh.triangles.empty());
    for (const Triangle& t : mesh.triangles)
      for (const std::uint32_t i : t) ASSERT_LT(i, count);
    for (const Vec3& p : mesh.positions) ASSERT_TRUE(is_finite(p));
    ASSERT_TRUE(mesh.normals.empty() || mesh.normals.size() == count);
    for (const Vec3& n : mesh.normals) ASSERT_NEAR(length(n), 1, 1e-4);  // float rounding of a normalization
    ASSERT_TRUE(mesh.uv[0].empty() || mesh.uv[0].size() == count);
    ASSERT_TRUE(mesh.colors.empty() || mesh.colors.size() == count);
  }
}

std::string row_of(const fs::path& file, const fs::path& data) {
  const std::string name = fs::relative(file, data).generic_string();
  Diagnostics diagnostics;
  try {
    const SceneDescription scene = import_obj(file, diagnostics);
    expect_valid(scene);
    std::size_t triangles = 0;
    for (const MeshDescription& mesh : scene.meshes) triangles += mesh.triangles.size();
    return fmt::format("{}\timported\t{}\t{}\t{}\t{}\t\n", name, scene.objects.size(), triangles,
                       scene.materials.size(), diagnostics.warnings().size());
  } catch (const UsageError& e) {
    std::string message = e.what();
    const std::size_t at = message.find(file.string());
    EXPECT_NE(at, std::string::npos) << "does not name the file: " << message;
    if (at != std::string::npos) message.replace(at, file.string().size(), "FILE");
    EXPECT_EQ(message.find_first_of("\n\r\t"), std::string::npos) << "not one line: " << message;
    return fmt::format("{}\trefused\t0\t0\t0\t{}\t{}\n", name, diagnostics.warnings().size(), message);
  }
}

TEST(ObjOutcomes, EveryFileIsImportedOrRefusedAsTheTableSays) {
  SIM_NEED_SHARED_DATA(shared);
  const fs::path data = shared / "data";
  std::string table = kHeader;
  for (const fs::path& file : obj_files(data)) {
    const auto begin = std::chrono::steady_clock::now();
    table += row_of(file, data);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(seconds.count(), 20) << file;
  }
  const fs::path actual = fs::path(SIMULACRA_BINARY_DIR) / "tests/import_outcomes_obj.tsv";
  write_text_atomically(actual, table);
  const std::string expected = read_text_file(fs::path(SIMULACRA_SOURCE_DIR) / "tests/golden/import_outcomes_obj.tsv");
  std::set<std::string> old_rows, new_rows;
  std::istringstream old_table(expected), new_table(table);
  for (std::string row; std::getline(old_table, row);) old_rows.insert(row);
  for (std::string row; std::getline(new_table, row);) new_rows.insert(row);
  for (const std::string& row : old_rows) EXPECT_TRUE(new_rows.contains(row)) << "no longer so: " << row;
  for (const std::string& row : new_rows)
    EXPECT_TRUE(old_rows.contains(row)) << "new: " << row << "\nthe whole table is in " << actual;
}

}  // namespace
}  // namespace simulacra
