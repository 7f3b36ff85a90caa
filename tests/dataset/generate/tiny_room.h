// SPDX-License-Identifier: Apache-2.0
// A closed furnished room of a few dozen triangles, as an OBJ file and a configuration that lights and labels it.
#pragma once

#include <filesystem>
#include <string>

#include <fmt/core.h>

#include "render/base/files.h"

namespace simulacra::test {

/// Appends a box from lo to hi; the OBJ file's indices count on.
inline void add_obj_box(std::string& obj, int& vertices, const char* name, const char* material, const double (&lo)[3],
                        const double (&hi)[3]) {
  obj += fmt::format("o {}\nusemtl {}\n", name, material);
  for (int i = 0; i < 8; ++i)
    obj += fmt::format("v {} {} {}\n", (i & 1 ? hi : lo)[0], (i & 2 ? hi : lo)[1], (i & 4 ? hi : lo)[2]);
  constexpr int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& f : faces)
    obj += fmt::format("f {} {} {} {}\n", vertices + 1 + f[0], vertices + 1 + f[1], vertices + 1 + f[2], vertices + 1 + f[3]);
  vertices += 8;
}

/// Writes room.obj, room.mtl, dark.yaml (no light) and room.yaml into `folder`; returns room.yaml. z is up, metres.
inline std::filesystem::path write_tiny_room(const std::filesystem::path& folder) {
  std::string obj = "mtllib room.mtl\n";
  int vertices = 0;
  add_obj_box(obj, vertices, "floor", "oak", {-2.2, -2.7, -0.1}, {2.2, 2.7, 0});
  add_obj_box(obj, vertices, "ceiling", "plaster", {-2.2, -2.7, 2.6}, {2.2, 2.7, 2.7});
  add_obj_box(obj, vertices, "wall_west", "blue", {-2.2, -2.7, 0}, {-2.0, 2.7, 2.6});
  add_obj_box(obj, vertices, "wall_east", "plaster", {2.0, -2.7, 0}, {2.2, 2.7, 2.6});
  add_obj_box(obj, vertices, "wall_south", "plaster", {-2.0, -2.7, 0}, {2.0, -2.5, 2.6});
  add_obj_box(obj, vertices, "wall_north", "plaster", {-2.0, 2.5, 0}, {2.0, 2.7, 2.6});
  add_obj_box(obj, vertices, "table", "oak", {-0.6, 0.9, 0.68}, {0.7, 1.7, 0.74});
  add_obj_box(obj, vertices, "cabinet", "blue", {-1.9, -1.2, 0}, {-1.4, 0.4, 1.1});
  add_obj_box(obj, vertices, "bed", "red", {0.6, -2.3, 0}, {1.9, -0.5, 0.5});
  add_obj_box(obj, vertices, "gizmo", "red", {0.9, 1.9, 0}, {1.5, 2.3, 0.8});
  add_obj_box(obj, vertices, "lamp", "shine", {-0.5, -0.5, 2.4}, {0.5, 0.5, 2.45});
  write_text_atomically(folder / "room.obj", obj);
  write_text_atomically(folder / "room.mtl",
                        "newmtl oak\nKd 0.5 0.35 0.2\nnewmtl plaster\nKd 0.8 0.8 0.75\nnewmtl blue\nKd 0.2 0.3 0.6\n"
                        "newmtl red\nKd 0.6 0.15 0.1\nnewmtl shine\nKd 0.5 0.5 0.5\n");
  const std::string scene = "scene:\n  name: tiny_room\n  file: room.obj\n  up: z\n";
  write_text_atomically(folder / "dark.yaml", scene);
  write_text_atomically(folder / "room.yaml",
                        scene + "  materials:\n    shine: {emission: 12}\n"
                                "dataset: {width: 64, height: 48, scene_type: Bedroom, credits: our own boxes}\n"
                                "render: {spp: 4}\ncameras: {frames: 3}\nseed: 11\n");
  return folder / "room.yaml";
}

}  // namespace simulacra::test
