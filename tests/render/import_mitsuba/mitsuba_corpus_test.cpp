// SPDX-License-Identifier: Apache-2.0
// Imports every .xml file of ../shared and compares what comes out with tests/golden/import_outcomes_mitsuba.tsv.
// After a change that is meant, write the table anew with
//   SIMULACRA_UPDATE_GOLDEN=1 build/tests/bin/render_import_mitsuba_mitsuba_corpus_test
// and read the difference.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/geometry/mesh.h"
#include "render/import/import.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

const fs::path kTable = fs::path(SIMULACRA_SOURCE_DIR) / "tests/golden/import_outcomes_mitsuba.tsv";
constexpr const char* kHeader = "file\toutcome\tobjects\ttriangles\tmaterials\twarnings\tmessage\n";

std::vector<fs::path> corpus(const fs::path& shared) {
  std::vector<fs::path> files;
  for (const char* part : {"data/broken", "data/gltf", "data/obj-odd", "data/real/opencv-stereo", "data/scenes", "acceptance/images/zoo"})
    if (fs::is_directory(shared / part))
      for (const auto& entry : fs::recursive_directory_iterator(shared / part))
        if (entry.path().extension() == ".xml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string row(const fs::path& file, const fs::path& shared) {
  const std::string name = fs::relative(file, shared).string();
  Diagnostics diagnostics;
  try {
    SceneDescription scene = import_mitsuba(file, diagnostics);
    std::size_t triangles = 0;
    for (const ObjectDescription& object : scene.objects) {
      EXPECT_NE(object.mesh >= 0, object.sphere.has_value()) << object.name;
      EXPECT_GT(determinant(object.world_from_object.linear), 0) << object.name;
      if (object.mesh < 0) continue;
      MeshDescription& mesh = scene.meshes.at(static_cast<std::size_t>(object.mesh));
      EXPECT_NO_THROW(check_mesh(mesh, name));
      triangles += mesh.triangles.size();
    }
    return fmt::format("{}\timported\t{}\t{}\t{}\t{}\t\n", name, scene.objects.size(), triangles, scene.materials.size(), diagnostics.warnings().size());
  } catch (const UsageError& error) {
    std::string message = error.what();
    EXPECT_EQ(message.find_first_of("\n\r\t"), std::string::npos) << message;
    const std::string folder = shared.string() + "/";
    for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder)) message.erase(at, folder.size());
    return fmt::format("{}\trefused\t\t\t\t\t{}\n", name, message);
  }
}

TEST(MitsubaCorpus, EveryFileIsImportedOrRefusedAsTheTableSays) {
  SIM_NEED_SHARED_DATA(shared);
  std::string table = kHeader;
  for (const fs::path& file : corpus(shared)) table += row(file, shared);
  if (std::getenv("SIMULACRA_UPDATE_GOLDEN") != nullptr) write_text_atomically(kTable, table);
  EXPECT_EQ(table, read_text_file(kTable));
}

TEST(MitsubaCorpus, TheZooImportsWithoutAWarning) {
  SIM_NEED_SHARED_DATA(shared);
  int files = 0;
  for (const fs::path& file : corpus(shared)) {
    if (file.parent_path().filename() != "zoo") continue;
    Diagnostics diagnostics;
    const SceneDescription scene = import_mitsuba(file, diagnostics);
    EXPECT_TRUE(diagnostics.warnings().empty()) << file;
    EXPECT_EQ(scene.cameras.size(), 1u);
    EXPECT_EQ(scene.max_depth, 24);
    ++files;
  }
  EXPECT_EQ(files, 10);
}

TEST(MitsubaCorpus, ModernHallIsComplete) {
  SIM_NEED_SHARED_DATA(shared);
  Diagnostics diagnostics;
  const SceneDescription scene = import_mitsuba(shared / "data/scenes/bitterli-modern-hall-mitsuba/scene.xml", diagnostics);
  EXPECT_TRUE(diagnostics.warnings().empty());
  EXPECT_EQ(scene.textures.size(), 3u);
  const auto wood = std::find_if(scene.objects.begin(), scene.objects.end(), [](const auto& o) { return o.name == "Mesh016"; });
  ASSERT_NE(wood, scene.objects.end());
  const MaterialDescription& m = scene.materials.at(static_cast<std::size_t>(wood->material));
  EXPECT_EQ(m.name, "Wood");
  EXPECT_EQ(m.kind, MaterialKind::plastic);
  EXPECT_TRUE(m.two_sided);
  EXPECT_TRUE(m.nonlinear);
  EXPECT_EQ(scene.textures.at(static_cast<std::size_t>(m.base_color.texture)).name, "wood5.jpg");
  EXPECT_TRUE(scene.meshes.at(static_cast<std::size_t>(wood->mesh)).normals.empty());  // faceNormals
}

TEST(MitsubaCorpus, VeachMisWarnsOfItsOldTagsOnly) {
  SIM_NEED_SHARED_DATA(shared);
  Diagnostics diagnostics;
  const SceneDescription scene = import_mitsuba(shared / "data/scenes/bitterli-veach-mis-mitsuba/scene.xml", diagnostics);
  std::vector<std::string> culprits;
  for (const ImportWarning& w : diagnostics.warnings()) culprits.push_back(w.culprit);
  EXPECT_THAT(culprits, testing::UnorderedElementsAre("mode", "hide", "sampleNum", "delta", "strictNormals"));
  EXPECT_EQ(scene.objects.size(), 9u);
  EXPECT_EQ(std::count_if(scene.objects.begin(), scene.objects.end(), [](const auto& o) { return o.sphere.has_value(); }), 3);
}

}  // namespace
}  // namespace simulacra
