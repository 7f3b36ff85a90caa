// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/scene_files.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/csv.h"
#include "dataset/schema/layout.h"
#include "dataset/store/geometry.h"
#include "render/base/error.h"
#include "tests/dataset/store/box_room.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;

const std::string kScene = "ai_900_001";
const std::string kMesh = "ai_900_001/_detail/mesh/";

struct Written {
  std::vector<OutputFile> files;
  std::string text(const std::string& path) const {
    const std::vector<std::uint8_t>& bytes = find(path).bytes;
    return {bytes.begin(), bytes.end()};
  }
  hdf5::Array array(const std::string& path) const { return hdf5::read_bytes(find(path).bytes, path); }
  CsvTable table(const std::string& path) const { return parse_csv(text(path), path); }
  bool has(const std::string& path) const {
    return std::any_of(files.begin(), files.end(), [&](const OutputFile& f) { return f.path == path; });
  }

 private:
  const OutputFile& find(const std::string& path) const {
    for (const OutputFile& file : files)
      if (file.path == path) return file;
    fail("no file {}", path);
  }
};

Written written(const SceneFilesOptions& options = {}) {
  const std::vector<std::string> cameras{"cam_00", "cam_01"};
  return {scene_files(test::box_room(), kScene, cameras, options)};
}

TEST(SceneFiles, TablesListEveryObjectInOrder) {
  const Written w = written();
  const CsvTable nodes = w.table("ai_900_001/_detail/metadata_nodes.csv");
  const CsvTable objects = w.table(kMesh + "metadata_objects.csv");
  const SceneDescription room = test::box_room();
  ASSERT_EQ(nodes.rows.size(), room.objects.size());
  const hdf5::Array si = w.array(kMesh + "mesh_objects_si.hdf5"), sii = w.array(kMesh + "mesh_objects_sii.hdf5");
  EXPECT_EQ(si.shape, (std::vector<std::size_t>{room.objects.size(), 1}));
  for (std::size_t i = 0; i < room.objects.size(); ++i) {
    EXPECT_EQ(nodes.rows[i][0], std::to_string(i + 1));
    EXPECT_EQ(nodes.rows[i][2], std::to_string(i));
    EXPECT_EQ(nodes.rows[i][3], objects.rows[i][0]);
    EXPECT_EQ(si.at(i), room.objects[i].semantic);
    EXPECT_EQ(sii.at(i), room.objects[i].instance);
  }
  EXPECT_EQ(w.text("ai_900_001/_detail/metadata_cameras.csv"), "camera_name\ncam_00\ncam_01\n");
  EXPECT_EQ(w.text("ai_900_001/_detail/metadata_scene.csv"),
            "parameter_name,parameter_value\nmeters_per_asset_unit,1.0\n");
  EXPECT_EQ(w.table(kMesh + "metadata_materials.csv").rows[1][0], "oak, oiled");
}

TEST(SceneFiles, BoxRowsAreFiniteForInstancesAndInfiniteForNone) {
  const Written w = written();
  const hdf5::Array extents = w.array(box_path(kScene, BoxType::object_aligned_2d, "extents"));
  ASSERT_EQ(extents.shape, (std::vector<std::size_t>{4, 3}));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(extents.at(k), INFINITY);
  // The cabinet of box_room(): 1.1 x 0.6 x 1.4 m, through float positions of a unit cube.
  EXPECT_NEAR(extents.at(3), 1.1, 1e-12);
  EXPECT_NEAR(extents.at(4), 0.6, 1e-12);
  EXPECT_NEAR(extents.at(5), 1.4, 1e-12);
  // Table: top and leg together, 1.2 x 0.8 and from the floor to 0.75 m.
  EXPECT_NEAR(extents.at(6), 1.2, 1e-12);
  EXPECT_NEAR(extents.at(8), 0.75, 1e-12);
  const CsvTable instances = w.table(kMesh + "metadata_instances.csv");
  ASSERT_EQ(instances.rows.size(), 3u);
  EXPECT_EQ(instances.rows[1][instances.column("name")], "table");
  EXPECT_EQ(instances.rows[1][instances.column("num_objects")], "2");
  EXPECT_EQ(instances.rows[0][instances.column("semantic_name")], "cabinet");
  // Two faces of 1.1 x 0.6, two of 1.1 x 1.4, two of 0.6 x 1.4.
  EXPECT_NEAR(std::stod(instances.rows[0][instances.column("surface_area_m2")]), 2 * (0.66 + 1.54 + 0.84), 1e-6);
}

// A ball is tessellated in the mesh files; its box holds the exact ball and exceeds it by at most 1e-4.
TEST(SceneFiles, ABallsBoxHoldsTheBall) {
  const Written w = written();
  const hdf5::Array extents = w.array(box_path(kScene, BoxType::object_aligned_2d, "extents"));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GE(extents.at(9 + k), 0.6 - 1e-7) << k;  // the radius is a float
    EXPECT_LE(extents.at(9 + k), 0.6 * (1 + 2e-4)) << k;
  }
}

TEST(SceneFiles, MeshFilesHoldEveryTriangleInTheWorldFrame) {
  const Written w = written();
  const hdf5::Array vertices = w.array(kMesh + "mesh_vertices.hdf5"), faces = w.array(kMesh + "mesh_faces_vi.hdf5");
  const hdf5::Array owners = w.array(kMesh + "mesh_faces_oi.hdf5");
  const SceneDescription room = test::box_room();
  ASSERT_EQ(owners.size(), num_world_triangles(room));
  ASSERT_EQ(faces.size(), 3 * owners.size());
  for (std::size_t i = 0; i < faces.size(); ++i) ASSERT_LT(faces.at(i), static_cast<double>(vertices.shape[0]));
  // All of the ball's corners lie on it.
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const ObjectDescription& object = room.objects[static_cast<std::size_t>(owners.at(i))];
    if (!object.sphere) continue;
    const std::size_t v = static_cast<std::size_t>(faces.at(3 * i));
    const Vec3d p{vertices.at(3 * v), vertices.at(3 * v + 1), vertices.at(3 * v + 2)};
    ASSERT_NEAR(length(p - Vec3d(object.sphere->center)), static_cast<double>(object.sphere->radius), 1e-12);
  }
  EXPECT_FALSE(written({.max_mesh_triangles = 10}).has(kMesh + "mesh_vertices.hdf5"));
}

TEST(CameraFiles, HoldPosesInFrameOrder) {
  std::vector<Pose> poses;
  for (int i = 0; i < 3; ++i) {
    const Vec3d eye{0.1 * i, -2, 1.5}, target{0.2, 1, 1};
    poses.push_back({test::looking_at(eye, target), target, "test"});
  }
  const Written w{camera_files(kScene, "cam_00", poses)};
  const std::string folder = "ai_900_001/_detail/cam_00/camera_keyframe_";
  EXPECT_EQ(w.array(folder + "positions.hdf5").at(3), 0.1);
  EXPECT_EQ(w.array(folder + "frame_indices.hdf5").at(2), 2);
  EXPECT_EQ(w.array(folder + "look_at_positions.hdf5").at(8), 1);
  const hdf5::Array turns = w.array(folder + "orientations.hdf5");
  EXPECT_EQ(turns.shape, (std::vector<std::size_t>{3, 3, 3}));
  EXPECT_EQ(turns.at(9 + 1), poses[1].world_from_cam.linear(0, 1)) << "row-major";
}

std::string message_of(const Pose& pose) {
  try {
    camera_files(kScene, "cam_00", std::vector<Pose>{pose});
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(CameraFiles, BrokenPosesAreRefused) {
  const Vec3d eye{0, -2, 1.5}, target{0, 1, 1};
  const Pose good{test::looking_at(eye, target), target, ""};
  EXPECT_EQ(message_of(good), "no error");
  Pose pose = good;
  pose.world_from_cam.linear(0, 0) *= 1.001;
  EXPECT_THAT(message_of(pose), HasSubstr("ai_900_001 cam_00 frame 0: the orientation is no rotation"));
  pose = good;
  pose.look_at.x += 0.1;
  EXPECT_THAT(message_of(pose), HasSubstr("beside the viewing axis"));
  pose = good;
  pose.world_from_cam.linear = pose.world_from_cam.linear * Mat3d::diagonal(-1, -1, 1);
  EXPECT_THAT(message_of(pose), HasSubstr("stands on its head"));
}

}  // namespace
}  // namespace simulacra
