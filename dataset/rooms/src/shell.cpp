// SPDX-License-Identifier: Apache-2.0
// The shell: walls with real thickness and holes, floor, ceiling, skirting boards, door, windows.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "dataset/rooms/src/scene_builder.h"
#include "dataset/rooms/src/style.h"

namespace simulacra::rooms {
namespace {

constexpr double kSlab_m = 0.2;
constexpr double kSkirtingHeight_m = 0.08, kSkirtingDepth_m = 0.012;
constexpr double kCasingWidth_m = 0.07, kCasingDepth_m = 0.015;

/// Wall frame: x along the wall, y into the room, z up; the wall itself lies in y from -thickness to 0. Seen from
/// inside, x runs to the left.
Affine3d world_from_wall(const Wall& wall) {
  return {Mat3d::from_columns({wall.along.x, wall.along.y, 0}, {wall.inward.x, wall.inward.y, 0}, {0, 0, 1}),
          {wall.start.x, wall.start.y, 0}};
}

/// A slab of the wall in its frame, y from -thickness to 0, with rectangular holes. Cells of a grid whose lines
/// are the holes' edges are solid or empty; faces lie between solid and empty.
void wall_slab(MeshBuilder& mesh, double x0, double x1, double z1, double thickness,
               const std::vector<Opening>& holes) {
  std::vector<double> xs = {x0, x1}, zs = {0, z1};
  for (const Opening& hole : holes) {
    xs.insert(xs.end(), {hole.lo(), hole.hi()});
    zs.insert(zs.end(), {hole.sill, hole.head()});
  }
  for (std::vector<double>* lines : {&xs, &zs}) {
    std::sort(lines->begin(), lines->end());
    lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
  }
  const auto columns = static_cast<int>(xs.size()) - 1, rows = static_cast<int>(zs.size()) - 1;
  const auto solid = [&](int c, int r) {
    if (c < 0 || r < 0 || c >= columns || r >= rows) return false;
    const double x = (xs[static_cast<std::size_t>(c)] + xs[static_cast<std::size_t>(c) + 1]) / 2;
    const double z = (zs[static_cast<std::size_t>(r)] + zs[static_cast<std::size_t>(r) + 1]) / 2;
    return std::none_of(holes.begin(), holes.end(), [&](const Opening& h) {
      return x > h.lo() && x < h.hi() && z > h.sill && z < h.head();
    });
  };
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) {
      if (!solid(c, r)) continue;
      const double a = xs[static_cast<std::size_t>(c)], b = xs[static_cast<std::size_t>(c) + 1];
      const double lo = zs[static_cast<std::size_t>(r)], hi = zs[static_cast<std::size_t>(r) + 1], y = -thickness;
      mesh.quad({b, 0, lo}, {a, 0, lo}, {a, 0, hi}, {b, 0, hi}, {-b, lo});
      mesh.quad({a, y, lo}, {b, y, lo}, {b, y, hi}, {a, y, hi}, {a, lo});
      if (!solid(c - 1, r)) mesh.quad({a, 0, lo}, {a, y, lo}, {a, y, hi}, {a, 0, hi}, {0, lo});
      if (!solid(c + 1, r)) mesh.quad({b, y, lo}, {b, 0, lo}, {b, 0, hi}, {b, y, hi}, {0, lo});
      if (!solid(c, r - 1)) mesh.quad({a, 0, lo}, {b, 0, lo}, {b, y, lo}, {a, y, lo}, {a, 0});
      if (!solid(c, r + 1)) mesh.quad({b, 0, hi}, {a, 0, hi}, {a, y, hi}, {b, y, hi}, {-b, 0});
    }
}

void build_walls(SceneDescription& scene, const Shell& shell, const RoomStyle& style) {
  const std::array<Wall, 4> walls = shell.walls();
  for (int w = 0; w < 4; ++w) {
    const Wall& wall = walls[static_cast<std::size_t>(w)];
    std::vector<Opening> holes;
    if (shell.door.wall == w) holes.push_back(shell.door);
    for (const Opening& window : shell.windows)
      if (window.wall == w) holes.push_back(window);
    // Walls 0 and 2 close the corners.
    const double past = w % 2 == 0 ? shell.wall_thickness : 0;
    MeshBuilder mesh;
    wall_slab(mesh, -past, wall.length + past, shell.height, shell.wall_thickness, holes);
    add_part(scene,
             mesh,
             {fmt::format("wall {}", w + 1), "wall", "shell"},
             "",
             w == style.accent ? style.accent_wall : style.wall,
             world_from_wall(wall));

    // Skirting boards, interrupted by the door.
    std::vector<Vec2d> runs = {{0, wall.length}};
    if (shell.door.wall == w)
      runs = {{0, shell.door.lo() - kCasingWidth_m}, {shell.door.hi() + kCasingWidth_m, wall.length}};
    for (const Vec2d run : runs)
      if (run.y - run.x > 0.01) mesh.box({run.x, 0, 0}, {run.y, kSkirtingDepth_m, kSkirtingHeight_m});
    add_part(scene,
             mesh,
             {fmt::format("wall {}", w + 1), "wall", "shell"},
             "skirting board",
             style.joinery,
             world_from_wall(wall));
  }
}

void build_slabs(SceneDescription& scene, const Shell& shell, const RoomStyle& style) {
  const double x = shell.width / 2 + shell.wall_thickness, y = shell.depth / 2 + shell.wall_thickness;
  MeshBuilder mesh;
  mesh.box({-x, -y, -kSlab_m}, {x, y, 0});
  add_part(scene, mesh, {"floor", "floor", "shell"}, "", style.floor);
  mesh.box({-x, -y, shell.height}, {x, y, shell.height + kSlab_m});
  add_part(scene, mesh, {"ceiling", "ceiling", "shell"}, "", style.ceiling);
}

/// Boards around an opening on the room's face of the wall.
void casing(MeshBuilder& mesh, const Opening& o, bool below) {
  const double w = kCasingWidth_m, y = kCasingDepth_m, foot = below ? o.sill - w : o.sill;
  mesh.box({o.lo() - w, 0, foot}, {o.lo(), y, o.head()});
  mesh.box({o.hi(), 0, foot}, {o.hi() + w, y, o.head()});
  mesh.box({o.lo() - w, 0, o.head()}, {o.hi() + w, y, o.head() + w});
}

void build_door(SceneDescription& scene, const Shell& shell, const RoomStyle& style) {
  constexpr double kLeaf_m = 0.04, kJamb_m = 0.03, kSet_m = 0.01;
  const Opening& o = shell.door;
  const Affine3d frame = world_from_wall(shell.walls()[static_cast<std::size_t>(o.wall)]);
  const Thing door{"door", "door", "shell"};
  MeshBuilder mesh;
  casing(mesh, o, false);
  mesh.box({o.lo(), -shell.wall_thickness, 0}, {o.lo() + kJamb_m, 0, o.head()});
  mesh.box({o.hi() - kJamb_m, -shell.wall_thickness, 0}, {o.hi(), 0, o.head()});
  mesh.box({o.lo() + kJamb_m, -shell.wall_thickness, o.head() - kJamb_m}, {o.hi() - kJamb_m, 0, o.head()});
  add_part(scene, mesh, door, "frame", style.joinery, frame);

  const double lo = o.lo() + kJamb_m, hi = o.hi() - kJamb_m, top = o.head() - kJamb_m;
  mesh.box({lo, -kSet_m - kLeaf_m, 0}, {hi, -kSet_m, top});
  for (const Vec2d panel : {Vec2d{0.22, 0.85}, Vec2d{1.05, top - 0.2}})  // raised panels
    mesh.box({lo + 0.14, -kSet_m, panel.x}, {hi - 0.14, -kSet_m + 0.006, panel.y});
  add_part(scene, mesh, door, "leaf", style.door_leaf, frame);

  // The handle is on the side away from the hinge; its lever points to the hinge.
  const double handle = shell.door_hinge_left ? lo + 0.07 : hi - 0.07;
  const double lever = shell.door_hinge_left ? 0.11 : -0.11;
  mesh.box({handle - 0.02, -kSet_m, 0.93}, {handle + 0.02, -kSet_m + 0.008, 1.13});
  mesh.box({handle - 0.008, -kSet_m + 0.008, 1.04}, {handle + 0.008, -kSet_m + 0.05, 1.056});
  mesh.box({std::min(handle, handle + lever), -kSet_m + 0.05, 1.038},
           {std::max(handle, handle + lever), -kSet_m + 0.065, 1.058});
  add_part(scene, mesh, door, "handle", style.metal, frame);
}

/// A rectangle of four bars in the wall frame, y from y0 to y1.
void bars(MeshBuilder& mesh, double x0, double x1, double z0, double z1, double bar, double y0, double y1) {
  mesh.box({x0, y0, z0}, {x0 + bar, y1, z1});
  mesh.box({x1 - bar, y0, z0}, {x1, y1, z1});
  mesh.box({x0 + bar, y0, z0}, {x1 - bar, y1, z0 + bar});
  mesh.box({x0 + bar, y0, z1 - bar}, {x1 - bar, y1, z1});
}

/// What lies outside, seen through the window and lighting the room: one picture over the hole, looking inward.
void build_outside(SceneDescription& scene, const Shell& shell, const Thing& window, const Opening& o, int material,
                   const Affine3d& frame) {
  const double y = -shell.wall_thickness + 0.002;
  MeshBuilder mesh;
  mesh.quad({o.hi(), y, o.sill}, {o.lo(), y, o.sill}, {o.lo(), y, o.head()}, {o.hi(), y, o.head()});
  add_part(scene, mesh, window, "outside", material, frame);
  scene.meshes.back().uv[0] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
}

void build_window(SceneDescription& scene, const Shell& shell, const RoomStyle& style, int outside, int number) {
  constexpr double kFrame_m = 0.05, kSash_m = 0.045, kBar_m = 0.025, kFrameDepth_m = 0.07, kSillOut_m = 0.04,
                   kSillBoard_m = 0.03;
  const Opening& o = shell.windows[static_cast<std::size_t>(number)];
  const Affine3d frame = world_from_wall(shell.walls()[static_cast<std::size_t>(o.wall)]);
  const Thing window{fmt::format("window {}", number + 1), "window", "shell"};
  const double y1 = -0.55 * shell.wall_thickness, y0 = y1 - kFrameDepth_m, middle = (y0 + y1) / 2;
  const double x0 = o.lo(), x1 = o.hi(), z0 = o.sill, z1 = o.head();

  MeshBuilder mesh, glass;
  bars(mesh, x0, x1, z0, z1, kFrame_m, y0, y1);
  const int sashes = o.width > 1.8 ? 3 : o.width > 0.95 ? 2 : 1;
  const double step = (o.width - 2 * kFrame_m) / sashes;
  for (int i = 0; i < sashes; ++i) {
    const double a = x0 + kFrame_m + i * step, b = a + step, lo = z0 + kFrame_m, hi = z1 - kFrame_m;
    bars(mesh, a, b, lo, hi, kSash_m, y0 + 0.01, y1 - 0.005);
    const double bar = lo + 0.62 * (hi - lo);  // a glazing bar across each sash
    mesh.box({a + kSash_m, middle - 0.012, bar - kBar_m / 2}, {b - kSash_m, middle + 0.012, bar + kBar_m / 2});
    for (const Vec2d pane : {Vec2d{lo + kSash_m, bar - kBar_m / 2}, Vec2d{bar + kBar_m / 2, hi - kSash_m}})
      glass.quad({b - kSash_m, middle, pane.x},
                 {a + kSash_m, middle, pane.x},
                 {a + kSash_m, middle, pane.y},
                 {b - kSash_m, middle, pane.y});
  }
  add_part(scene, mesh, window, "frame", style.joinery, frame);
  add_part(scene, glass, window, "panes", style.glass, frame);
  build_outside(scene, shell, window, o, outside, frame);
  mesh.box({x0 - 0.04, y1, z0 - kSillBoard_m}, {x1 + 0.04, kSillOut_m, z0});
  add_part(scene, mesh, window, "sill", style.joinery, frame);
  if (sashes != 2) return;
  const double x = (x0 + x1) / 2 + 0.02, z = (z0 + z1) / 2;  // on the sash that opens first
  mesh.box({x - 0.012, y1 - 0.005, z - 0.08}, {x + 0.012, y1 + 0.02, z + 0.04});
  add_part(scene, mesh, window, "handle", style.metal, frame);
}

}  // namespace

void build_shell(SceneDescription& scene, const RoomPlan& plan, const RoomStyle& style, const Lighting& lighting) {
  build_slabs(scene, plan.shell, style);
  build_walls(scene, plan.shell, style);
  build_door(scene, plan.shell, style);
  for (int i = 0; i < static_cast<int>(plan.shell.windows.size()); ++i)
    build_window(scene, plan.shell, style, lighting.outside, i);
}

}  // namespace simulacra::rooms
