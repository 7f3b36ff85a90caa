// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/src/style.h"

#include <cmath>

#include "dataset/rooms/src/patterns.h"
#include "dataset/rooms/src/planner.h"
#include "dataset/rooms/src/scene_builder.h"

namespace simulacra::rooms {
namespace {

/// Displayed (sRGB) colors that paints and woods have.
constexpr Rgb kWallPaints[] = {{0.93f, 0.92f, 0.89f},
                               {0.90f, 0.88f, 0.82f},
                               {0.86f, 0.88f, 0.87f},
                               {0.90f, 0.86f, 0.78f},
                               {0.80f, 0.85f, 0.83f},
                               {0.84f, 0.86f, 0.90f},
                               {0.92f, 0.87f, 0.84f},
                               {0.88f, 0.89f, 0.80f}};
constexpr Rgb kAccentPaints[] = {{0.45f, 0.55f, 0.60f},
                                 {0.55f, 0.62f, 0.50f},
                                 {0.70f, 0.50f, 0.42f},
                                 {0.38f, 0.42f, 0.50f},
                                 {0.72f, 0.66f, 0.50f},
                                 {0.60f, 0.45f, 0.50f},
                                 {0.42f, 0.55f, 0.52f}};
constexpr Rgb kWoods[] = {
    {0.72f, 0.55f, 0.38f}, {0.60f, 0.43f, 0.28f}, {0.80f, 0.68f, 0.52f}, {0.45f, 0.31f, 0.21f}, {0.66f, 0.60f, 0.53f}};
constexpr Rgb kTiles[] = {
    {0.82f, 0.80f, 0.76f}, {0.62f, 0.60f, 0.57f}, {0.74f, 0.68f, 0.60f}, {0.50f, 0.52f, 0.54f}, {0.88f, 0.88f, 0.87f}};
constexpr Rgb kCarpets[] = {{0.60f, 0.56f, 0.50f}, {0.48f, 0.50f, 0.54f}, {0.66f, 0.60f, 0.52f}, {0.42f, 0.46f, 0.42f}};

template <std::size_t N>
Rgb one_of(const Rgb (&colors)[N], Random& random) {
  const Rgb c = colors[random.below(N)];
  const auto shift = static_cast<float>(random.between(0.95, 1.05));
  return c * shift;
}

/// Displayed to linear.
Rgb linear(Rgb c) {
  const auto channel = [](float v) { return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f); };
  return {channel(c.r), channel(c.g), channel(c.b)};
}

int add_patterned(SceneDescription& scene, const std::string& name, const Bitmap& picture, double size_m,
                  float roughness) {
  MaterialDescription material = standard_material(name, Rgb(1.0f), roughness);
  material.base_color.texture = add_pattern(scene, name, to_png(picture), size_m);
  return add_material(scene, material);
}

int make_floor(SceneDescription& scene, RoomType type, Random random) {
  const bool wet = type == RoomType::bathroom || (type == RoomType::kitchen && random.chance(0.6));
  if (wet) {
    const Rgb joint{0.7f, 0.69f, 0.67f};
    const int tiles = 4 + static_cast<int>(random.below(3));
    return add_patterned(scene,
                         "floor tiles",
                         square_tiles(random.fork(1), one_of(kTiles, random), joint, tiles, 0.1f),
                         tiles * random.between(0.2, 0.45),
                         0.3f);
  }
  const bool carpet =
      (type == RoomType::office && random.chance(0.5)) || (type == RoomType::bedroom && random.chance(0.25));
  if (carpet)
    return add_patterned(scene, "carpet", fine_noise(random.fork(1), one_of(kCarpets, random), 0.5f), 1.2, 0.95f);
  const int boards = 10 + static_cast<int>(random.below(9));
  return add_patterned(scene,
                       "floorboards",
                       wood_boards(random.fork(1), one_of(kWoods, random), boards),
                       2.2,
                       static_cast<float>(random.between(0.3, 0.55)));
}

void make_walls(SceneDescription& scene, RoomStyle& style, RoomType type, Random random) {
  const Rgb paint = one_of(kWallPaints, random);
  if (type == RoomType::bathroom) {
    const Rgb joint{0.8f, 0.8f, 0.79f},
        tile = random.chance(0.6) ? Rgb{0.93f, 0.93f, 0.92f} : one_of(kWallPaints, random);
    style.wall = add_patterned(
        scene, "wall tiles", square_tiles(random.fork(2), tile, joint, 6, 0.04f), 6 * random.between(0.12, 0.22), 0.2f);
  } else {
    style.wall = add_patterned(scene, "wall paint", fine_noise(random.fork(2), paint, 0.05f), 0.9, 0.9f);
  }
  style.accent_wall = style.wall;
  if (type == RoomType::bathroom || !random.chance(0.45)) return;
  style.accent = static_cast<int>(random.below(4));
  const Rgb accent = one_of(kAccentPaints, random);
  const bool striped = random.chance(0.35);
  style.accent_wall =
      striped ? add_patterned(
                    scene, "wallpaper", stripes(random.fork(3), paint, paint * 0.7f + accent * 0.3f, 8), 1.2, 0.85f)
              : add_patterned(scene, "accent wall paint", fine_noise(random.fork(3), accent, 0.05f), 0.9, 0.9f);
}

}  // namespace

RoomStyle make_style(SceneDescription& scene, RoomType type, Random random) {
  RoomStyle style;
  style.floor = make_floor(scene, type, random.fork(10));
  make_walls(scene, style, type, random.fork(11));
  style.ceiling = add_material(scene, standard_material("ceiling paint", Rgb(0.83f), 0.95f));
  const bool white = random.chance(0.7);
  const Rgb wood = linear(one_of(kWoods, random));
  style.joinery = add_material(scene, standard_material("joinery", white ? Rgb(0.8f) : wood, 0.4f));
  style.door_leaf = add_material(scene, standard_material("door leaf", random.chance(0.6) ? Rgb(0.78f) : wood, 0.4f));
  MaterialDescription metal = standard_material("brushed metal", Rgb(0.75f), 0.3f);
  metal.metallic.factor = 1;
  style.metal = add_material(scene, metal);
  MaterialDescription glass;
  glass.name = "window glass";
  glass.kind = MaterialKind::thin_dielectric;
  style.glass = add_material(scene, glass);
  MaterialDescription mirror = standard_material("mirror", Rgb(0.92f), 0.0f);
  mirror.metallic.factor = 1;
  style.mirror = add_material(scene, mirror);
  style.curtain = add_material(
      scene,
      standard_material("curtain cloth",
                        linear(random.chance(0.5) ? one_of(kAccentPaints, random) : one_of(kWallPaints, random)),
                        0.95f));
  style.lamp_body =
      add_material(scene, standard_material("lamp body", random.chance(0.5) ? Rgb(0.7f) : Rgb(0.06f), 0.4f));
  style.frame = add_material(scene, standard_material("picture frame", random.chance(0.5) ? Rgb(0.05f) : wood, 0.4f));
  style.picture_mat = add_material(scene, standard_material("picture mat", Rgb(0.82f), 0.9f));
  return style;
}

int add_emitter(SceneDescription& scene, std::string name, Rgb tint, double flux, double area_m2) {
  MaterialDescription material = standard_material(std::move(name), Rgb(0.8f), 0.8f);
  material.emission.factor = tint * static_cast<float>(flux / (kPiD * area_m2));
  return add_material(scene, material);
}

Lighting make_lighting(SceneDescription& scene, const RoomPlan& plan, std::string_view light, Random random) {
  Lighting lighting;
  const bool night = random.chance(0.25);
  lighting.day = light == "day" || (light == "any" && !night);
  lighting.lamps_on = !lighting.day || random.chance(0.55);
  const bool overcast = random.chance(0.45);

  MaterialDescription outside;
  outside.name = "outside";
  outside.kind = MaterialKind::thin_dielectric;  // of air: everything passes
  outside.int_ior = outside.ext_ior = 1;
  const auto brightness = static_cast<float>(overcast ? random.between(9.0, 15.0) : random.between(8.0, 13.0));
  outside.emission.factor = lighting.day ? Rgb(brightness) : Rgb{0.012f, 0.018f, 0.035f};
  outside.emission.texture = add_pattern(scene, "outside", to_png(view_outside(random.fork(1), overcast)), 1);
  outside.emission_two_sided = false;
  lighting.outside = add_material(scene, outside);

  if (lighting.day && !overcast) {
    const Opening& window = plan.shell.windows.front();
    const Wall wall = plan.shell.walls()[static_cast<std::size_t>(window.wall)];
    const Vec2d spin = small_turn(random.between(-0.9, 0.9));
    const Vec2d into{wall.inward.x * spin.x - wall.inward.y * spin.y, wall.inward.x * spin.y + wall.inward.y * spin.x};
    DirectionalLightDescription sun;
    sun.name = "sun";
    sun.direction = normalize(Vec3d{into.x, into.y, -random.between(0.35, 1.1)});
    sun.irradiance = Rgb{1.0f, 0.92f, 0.8f} * static_cast<float>(random.between(5.0, 11.0));
    scene.directional_lights.push_back(sun);
  }
  // Enough for a mean irradiance of about 2 on the floor: half of the flux gets there in a light room.
  const double floor_area = plan.shell.width * plan.shell.depth;
  int lamps = 0;
  for (const Placement& p : plan.placements)
    lamps += p.built == Built::ceiling_disc || p.built == Built::ceiling_globe || p.built == Built::ceiling_panel;
  const double wanted = random.between(1.5, 3.0);
  lighting.lamp_flux = lighting.lamps_on ? wanted * floor_area * 2 / std::max(1, lamps) : 0;
  lighting.bulb_flux = lighting.lamps_on ? random.between(2.0, 5.0) : 0;
  return lighting;
}

}  // namespace simulacra::rooms
