// SPDX-License-Identifier: Apache-2.0
#include "render/import/import.h"
#include "render/import/src/gltf_document.h"
#include "render/import/src/gltf_lights_cameras.h"
#include "render/import/src/gltf_material.h"
#include "render/import/src/gltf_nodes.h"
#include "render/import/src/gltf_objects.h"

namespace simulacra {

SceneDescription import_gltf(const std::filesystem::path& file, Diagnostics& diagnostics) {
  gltf::Document document(file, diagnostics);
  SceneDescription scene;
  scene.name = file.stem().string();
  scene.source = file;  // y up and metres, as a SceneDescription is unless told otherwise

  gltf::MaterialReader materials(document, scene);
  gltf::NodeGraph nodes(document);
  gltf::ObjectPlacer objects(document, nodes, materials, scene);
  for (const std::size_t node : nodes.shown()) {
    const gltf::JsonRef entry = document.item("nodes", node);
    objects.place(node);
    if (const auto camera = entry.find("camera"))
      add_camera(document, *camera, nodes.name(node), nodes.world_from_node(node), scene);
    if (const auto light = entry.extension("KHR_lights_punctual"))
      add_light(document, light->require("light"), nodes.name(node), nodes.world_from_node(node), scene);
  }
  // A file without any node is a library of meshes (glTF 2.0, 3.5.1).
  if (document.count("nodes") == 0 && document.count("meshes") > 0) {
    document.warn("nodes", "there are none; each mesh is placed at the origin");
    for (std::size_t mesh = 0; mesh < document.count("meshes"); ++mesh) objects.place_alone(mesh);
  }
  if (document.count("animations") > 0)
    document.warn("animations", "not played; the scene stands as its nodes say");
  if (scene.objects.empty()) document.warn("scene", "places no surface");
  return scene;
}

}  // namespace simulacra
