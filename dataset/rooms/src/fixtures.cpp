// SPDX-License-Identifier: Apache-2.0
// What a room builds itself: ceiling lamps, pictures, mirrors, rugs, curtains. Each stays inside its plan box.
#include <fmt/core.h>

#include <cmath>
#include <map>

#include "dataset/rooms/src/patterns.h"
#include "dataset/rooms/src/scene_builder.h"
#include "dataset/rooms/src/style.h"

namespace simulacra::rooms {
namespace {

constexpr Rgb kWarm{1.0f, 0.82f, 0.62f}, kNeutral{1.0f, 0.93f, 0.84f};

/// From the piece frame: x right, y back, z up, origin in the middle of the base.
Affine3d world_from_box(const PlanBox& box) {
  const Vec2d back = box.back();
  return {Mat3d::from_columns({box.right.x, box.right.y, 0}, {back.x, back.y, 0}, {0, 0, 1}),
          {box.center.x, box.center.y, box.z0}};
}

struct Maker {
  SceneDescription& scene;
  const RoomStyle& style;
  const Lighting& lighting;
  Random random;

  void ceiling_disc(const Thing& thing, const PlanBox& box) {
    const double r = box.width / 2, h = box.z1 - box.z0;
    MeshBuilder mesh;
    mesh.cylinder({0, 0}, r, 0.02, h);
    add_part(scene, mesh, thing, "body", style.lamp_body, world_from_box(box));
    mesh.cylinder({0, 0}, r * 0.92, 0, 0.02);
    const double area = kPiD * r * r * 0.92 * 0.92 * 1.1;
    add_part(scene,
             mesh,
             thing,
             "diffuser",
             add_emitter(scene, thing.name + " diffuser", kNeutral, lighting.lamp_flux, area),
             world_from_box(box));
  }

  void ceiling_globe(const Thing& thing, const PlanBox& box) {
    const double r = box.width / 2, h = box.z1 - box.z0;
    MeshBuilder mesh;
    mesh.cylinder({0, 0}, 0.008, 2 * r - 0.005, h);
    mesh.cylinder({0, 0}, 0.05, h - 0.03, h);
    add_part(scene, mesh, thing, "cord", style.lamp_body, world_from_box(box));
    mesh.sphere({0, 0, r}, r);
    add_part(scene,
             mesh,
             thing,
             "globe",
             add_emitter(scene, thing.name + " globe", kWarm, lighting.lamp_flux, 4 * kPiD * r * r),
             world_from_box(box));
  }

  void ceiling_panel(const Thing& thing, const PlanBox& box) {
    const double x = box.width / 2, y = box.depth / 2, h = box.z1 - box.z0;
    MeshBuilder mesh;
    mesh.box({-x, -y, 0.015}, {x, y, h});
    add_part(scene, mesh, thing, "body", style.lamp_body, world_from_box(box));
    mesh.box({-x + 0.02, -y + 0.02, 0}, {x - 0.02, y - 0.02, 0.015});
    add_part(scene,
             mesh,
             thing,
             "diffuser",
             add_emitter(scene, thing.name + " diffuser", kNeutral, lighting.lamp_flux, 4.2 * x * y),
             world_from_box(box));
  }

  int picture_material(const std::string& name) {
    MaterialDescription material = standard_material(name, Rgb(1.0f), 0.7f);
    material.base_color.texture = add_pattern(scene, name, to_png(painting(random.fork(random.bits()))), 1);
    return add_material(scene, material);
  }

  /// A frame around a field at `field` behind the front; pictures hang with their front to -y.
  void framed(const Thing& thing, const PlanBox& box, double bar, int field, bool one_image) {
    const double x = box.width / 2, h = box.z1 - box.z0, front = -box.depth / 2, back = box.depth / 2;
    MeshBuilder mesh;
    mesh.box({-x, front, 0}, {-x + bar, back, h});
    mesh.box({x - bar, front, 0}, {x, back, h});
    mesh.box({-x + bar, front, 0}, {x - bar, back, bar});
    mesh.box({-x + bar, front, h - bar}, {x - bar, back, h});
    add_part(scene, mesh, thing, "frame", style.frame, world_from_box(box));
    const double y = front + 0.4 * box.depth;
    mesh.quad({-x + bar, y, bar}, {x - bar, y, bar}, {x - bar, y, h - bar}, {-x + bar, y, h - bar});
    if (!one_image) {
      add_part(scene, mesh, thing, "glass", field, world_from_box(box));
      return;
    }
    MeshDescription sheet = mesh.take("");
    sheet.uv[0] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    add_sheet(thing, "sheet", std::move(sheet), field, box);
  }

  void add_sheet(const Thing& thing, std::string_view part, MeshDescription sheet, int material, const PlanBox& box) {
    MeshBuilder one;
    one.quad({}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0});
    add_part(scene, one, thing, part, material, world_from_box(box));
    sheet.name = scene.meshes.back().name;
    scene.meshes.back() = std::move(sheet);
  }

  void rug(const Thing& thing, const PlanBox& box) {
    MaterialDescription material = standard_material(thing.name, Rgb(1.0f), 1.0f);
    const auto color = [&] {
      const auto hue = static_cast<float>(random.unit());
      return Rgb{0.35f + 0.4f * hue, 0.3f + 0.3f * static_cast<float>(random.unit()), 0.3f + 0.35f * (1 - hue)};
    };
    const Rgb ground = color(), figure = color() * 0.6f;
    material.base_color.texture =
        add_pattern(scene, thing.name, to_png(rug_pattern(random.fork(random.bits()), ground, figure)), 1);
    const int pile = add_material(scene, material);
    const double x = box.width / 2, y = box.depth / 2, h = box.z1 - box.z0;
    MeshBuilder mesh;
    mesh.box({-x, -y, 0.001}, {x, y, h});
    MeshDescription sheet = mesh.take("");
    for (std::size_t i = 0; i < sheet.positions.size(); ++i)  // the picture covers the rug once
      sheet.uv[0][i] = {sheet.positions[i].x / static_cast<float>(box.width) + 0.5f,
                        sheet.positions[i].y / static_cast<float>(box.depth) + 0.5f};
    add_sheet(thing, "", std::move(sheet), pile, box);
  }

  /// Folds of cloth: a triangle wave with rounded tops, two-sided, below a rod.
  void curtain(const Thing& thing, const PlanBox& box) {
    const double x = box.width / 2, h = box.z1 - box.z0, rod = 0.012, amplitude = box.depth / 2 - 0.01;
    const int folds = 4 + static_cast<int>(random.below(3)), steps = folds * 12;
    MeshBuilder mesh;
    const auto at = [&](int i, double z) {
      const double phase = static_cast<double>(i % 12) / 12, t = phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase;
      const double shape = t * (1.5 - 0.5 * t * t);  // flat where it turns
      return Vec3d{-x + 2 * x * i / steps, amplitude * shape * (0.6 + 0.4 * (1 - z / h)), z};
    };
    for (int i = 0; i < steps; ++i) mesh.quad(at(i, 0), at(i + 1, 0), at(i + 1, h - 2 * rod), at(i, h - 2 * rod));
    add_part(scene, mesh, thing, "cloth", style.curtain, world_from_box(box));
    mesh.box({-x, -rod, h - 2 * rod}, {x, rod, h});
    add_part(scene, mesh, thing, "rod", style.metal, world_from_box(box));
  }
};

}  // namespace

void build_fixtures(SceneDescription& scene, const RoomPlan& plan, const RoomStyle& style, const Lighting& lighting,
                    Random random) {
  Maker maker{scene, style, lighting, random};
  std::map<std::string, int> counts;
  for (const Placement& p : plan.placements) {
    if (p.built == Built::none) continue;
    const Thing thing{fmt::format("{} #{}", p.name, ++counts[p.name]), p.semantic, "fixture"};
    if (p.built == Built::ceiling_disc) maker.ceiling_disc(thing, p.box);
    if (p.built == Built::ceiling_globe) maker.ceiling_globe(thing, p.box);
    if (p.built == Built::ceiling_panel) maker.ceiling_panel(thing, p.box);
    if (p.built == Built::picture) maker.framed(thing, p.box, 0.02, maker.picture_material(thing.name), true);
    if (p.built == Built::mirror) maker.framed(thing, p.box, 0.025, style.mirror, false);
    if (p.built == Built::rug) maker.rug(thing, p.box);
    if (p.built == Built::curtain) maker.curtain(thing, p.box);
  }
}

}  // namespace simulacra::rooms
