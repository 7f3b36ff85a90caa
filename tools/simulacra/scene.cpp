// SPDX-License-Identifier: Apache-2.0
// `simulacra scene FILE`: what an importer made of a file.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "render/import/import.h"
#include "tools/program/options.h"
#include "tools/simulacra/verbs.h"

namespace simulacra::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDegreesPerRadian = 180 / kPiD;

struct SceneCounts {
  std::size_t triangles_unique = 0;      ///< of meshes that some object uses
  std::size_t triangles_instanced = 0;   ///< summed over objects
  std::size_t shared_objects = 0;        ///< objects whose mesh an earlier object has too
  std::size_t spheres = 0;
  std::size_t emissive_objects = 0, emissive_triangles = 0;
  std::vector<std::string> missing_textures;
};

bool emits(const SceneDescription& scene, const ObjectDescription& object) {
  if (object.material < 0) return false;
  const MaterialDescription& m = scene.materials[static_cast<std::size_t>(object.material)];
  return !is_black(m.emission.factor) || m.unlit;
}

SceneCounts count(const SceneDescription& scene) {
  SceneCounts c;
  std::set<int> seen;
  for (const ObjectDescription& object : scene.objects) {
    std::size_t triangles = 0;
    if (object.sphere) {
      ++c.spheres;
    } else if (object.mesh >= 0) {
      triangles = scene.meshes[static_cast<std::size_t>(object.mesh)].triangles.size();
      if (seen.insert(object.mesh).second) c.triangles_unique += triangles;
      else ++c.shared_objects;
    }
    c.triangles_instanced += triangles;
    if (emits(scene, object)) {
      ++c.emissive_objects;
      c.emissive_triangles += triangles;
    }
  }
  for (const TextureDescription& texture : scene.textures)
    if (texture.missing) c.missing_textures.push_back(texture.name);
  return c;
}

Json json_of(Vec3d v) { return Json::array({v.x, v.y, v.z}); }

Json as_json(const SceneDescription& scene, const SceneCounts& c, const Diagnostics& diagnostics) {
  Json j;
  j["name"] = scene.name;
  j["file"] = scene.source.string();
  j["objects"] = scene.objects.size();
  j["objects_sharing_a_mesh"] = c.shared_objects;
  j["spheres"] = c.spheres;
  j["triangles"] = {{"unique", c.triangles_unique}, {"instanced", c.triangles_instanced}};
  j["materials"] = scene.materials.size();
  j["textures"] = {{"count", scene.textures.size()}, {"missing", c.missing_textures}};
  j["lights"] = {{"point", scene.point_lights.size()},
                 {"spot", scene.spot_lights.size()},
                 {"directional", scene.directional_lights.size()},
                 {"environment", scene.environment.has_value()},
                 {"emissive_objects", c.emissive_objects},
                 {"emissive_triangles", c.emissive_triangles}};
  j["cameras"] = Json::array();
  for (const CameraDescription& camera : scene.cameras)
    j["cameras"].push_back({{"name", camera.name},
                            {"position_m", json_of(camera.world_from_cam.translation)},
                            {"fov_deg", camera.fov_rad * kDegreesPerRadian},
                            {"width", camera.width},
                            {"height", camera.height}});
  const Box3d box = world_box(scene);
  if (box.empty()) j["box_m"] = nullptr;
  else j["box_m"] = {{"lo", json_of(box.lo)}, {"hi", json_of(box.hi)}, {"size", json_of(box.size())}};
  j["warnings"] = Json::array();
  for (const ImportWarning& w : diagnostics.warnings())
    j["warnings"].push_back({{"file", w.file}, {"culprit", w.culprit}, {"text", w.text}});
  return j;
}

void row(const char* key, const std::string& value) { std::cout << fmt::format("{:<12}{}\n", key, value); }

std::string in_words(const SceneDescription& scene, const SceneCounts& c) {
  std::string lights;
  const auto add = [&](std::size_t number, const char* text) {
    if (number == 0) return;
    if (!lights.empty()) lights += ", ";
    lights += fmt::format("{} {}", number, text);
  };
  add(scene.point_lights.size(), "point");
  add(scene.spot_lights.size(), "spot");
  add(scene.directional_lights.size(), "directional");
  add(scene.environment.has_value() ? 1 : 0, "environment");
  add(c.emissive_objects, "emissive objects");
  if (c.emissive_triangles > 0) lights += fmt::format(" ({} triangles)", c.emissive_triangles);
  return lights.empty() ? std::string("none: add one in a scene YAML (scene.environment, scene.lights or "
                                      "scene.materials.NAME.emission)")
                        : lights;
}

void print_text(const SceneDescription& scene, const SceneCounts& c, const Diagnostics& diagnostics) {
  row("scene", fmt::format("{} ({})", scene.name, scene.source.string()));
  row("objects", fmt::format("{}, {} of them share a mesh with another", scene.objects.size(), c.shared_objects));
  row("triangles", fmt::format("{} unique, {} with every instance; {} spheres", c.triangles_unique,
                               c.triangles_instanced, c.spheres));
  row("materials", fmt::format("{}", scene.materials.size()));
  row("textures", fmt::format("{}, {} missing", scene.textures.size(), c.missing_textures.size()));
  for (const std::string& name : c.missing_textures) row("", "missing: " + name);
  row("lights", in_words(scene, c));
  row("cameras", fmt::format("{}", scene.cameras.size()));
  for (const CameraDescription& camera : scene.cameras) {
    const Vec3d p = camera.world_from_cam.translation;
    row("", fmt::format("{} at ({:.3f}, {:.3f}, {:.3f}) m, {:.1f} degrees", camera.name, p.x, p.y, p.z,
                        camera.fov_rad * kDegreesPerRadian));
  }
  const Box3d box = world_box(scene);
  if (!box.empty())
    row("box", fmt::format("({:.3f}, {:.3f}, {:.3f}) to ({:.3f}, {:.3f}, {:.3f}) m; size {:.3f} x {:.3f} x {:.3f} m",
                           box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z, box.size().x, box.size().y,
                           box.size().z));
  row("warnings", fmt::format("{}", diagnostics.warnings().size()));
  for (const ImportWarning& w : diagnostics.warnings()) row("", fmt::format("{}: {}: {}", w.file, w.culprit, w.text));
}

struct SceneArguments {
  std::string file;
  bool json = false, strict = false;
};

void run(const SceneArguments& arguments) {
  Diagnostics diagnostics;
  const SceneDescription scene = import_scene(arguments.file, diagnostics);
  const SceneCounts counts = count(scene);
  if (arguments.json)
    std::cout << as_json(scene, counts, diagnostics).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  else
    print_text(scene, counts, diagnostics);
  const std::vector<ImportWarning>& warnings = diagnostics.warnings();
  if (arguments.strict && !warnings.empty())
    fail("{}: {} warnings, and --strict allows none; the first is {}: {}: {}", arguments.file, warnings.size(),
         warnings[0].file, warnings[0].culprit, warnings[0].text);
}

void declare(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<SceneArguments>();
  app.add_option("FILE", arguments->file, "scene file: glTF, GLB, OBJ, Mitsuba XML or scene YAML")->required()->check(a_name());
  app.add_flag("--json", arguments->json, "print JSON");
  app.add_flag("--strict", arguments->strict, "exit with 1 when anything was missing or left out");
  app.footer("Example:\n  simulacra scene configs/dataset/drake_living_room.yaml");
  app.callback([arguments, &exit_code] {
    run(*arguments);
    exit_code = 0;
  });
}

}  // namespace

const Verb kSceneVerb{"scene", "print what a scene file holds, and what is missing in it", declare};

}  // namespace simulacra::tools
