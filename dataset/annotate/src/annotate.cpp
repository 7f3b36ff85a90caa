// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotate/annotate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "dataset/annotate/nyu40.h"
#include "dataset/annotate/src/structure.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

struct Decision {
  int semantic = -1;
  LabelSource source = LabelSource::none;
  std::string matched;
  std::string group;     ///< objects of one non-empty group are one instance
};

std::vector<std::string_view> components(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty()) parts.push_back(part);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  }
  return parts;
}

/// The path up to and including its component `last`.
std::string prefix(const std::vector<std::string_view>& parts, std::size_t last) {
  std::string out;
  for (std::size_t i = 0; i <= last; ++i) out.append(parts[i]).push_back('/');
  return out;
}

/// Class and pattern kind of one name, looked up once for each distinct text.
class Names {
 public:
  explicit Names(const LabelRules& rules) : rules_(rules) {}

  struct Match {
    int semantic = -1;
    bool part = false, found = false;
  };

  const Match& match(std::string_view name) {
    const auto [at, fresh] = cache_.try_emplace(std::string(name));
    if (fresh) {
      if (const LabelRule* rule = find_rule(rules_.rules, name))
        at->second = {semantic_from_text(rule->label, "label rules"), rule->part, true};
    }
    return at->second;
  }

 private:
  const LabelRules& rules_;
  std::map<std::string, Match> cache_;
};

bool is_structure(int semantic) { return is_stuff(semantic) || semantic == kDoor || semantic == kWindow; }

/// Rules over the node path, innermost node first. A match by a `part` rule gives way to furniture above it.
std::optional<Decision> by_path(const ObjectDescription& object, Names& names) {
  std::vector<std::string_view> parts = components(object.path);
  if (parts.empty() || parts.back() != object.name) parts.push_back(object.name);
  std::optional<std::size_t> found;
  for (std::size_t i = parts.size(); i-- > 0;) {
    const Names::Match& match = names.match(parts[i]);
    if (!match.found) continue;
    const bool furniture = match.semantic >= 1 && !is_structure(match.semantic);
    if (!found || furniture) found = i;
    if (!match.part) break;
  }
  if (!found) return std::nullopt;
  Decision d{names.match(parts[*found]).semantic, LabelSource::name, std::string(parts[*found]), {}};
  // The object's own name is unique, so it groups nothing; a node above it does.
  d.group = object.source + "\n" + prefix(parts, *found);
  return d;
}

/// The stem of a file that was placed into the scene; the scene file's own name says nothing about its parts.
std::optional<Decision> by_file(const ObjectDescription& object, const std::string& scene_stem, Names& names) {
  if (object.source.empty() || object.source == scene_stem) return std::nullopt;
  const Names::Match& match = names.match(object.source);
  if (!match.found) return std::nullopt;
  const std::vector<std::string_view> parts = components(object.path);
  Decision d{match.semantic, LabelSource::file, object.source, object.source + "\n"};
  if (!parts.empty()) d.group += prefix(parts, 0);
  return d;
}

std::optional<Decision> by_material(const std::string& material, Names& names) {
  if (material.empty()) return std::nullopt;
  const Names::Match& match = names.match(material);
  if (!match.found) return std::nullopt;
  return Decision{match.semantic, LabelSource::material, material, {}};
}

std::optional<Decision> by_override(const ObjectDescription& object, const std::string& material, const LabelRules& rules) {
  for (const LabelRule& rule : rules.overrides)
    for (const std::string& pattern : rule.match) {
      const bool whole_path = pattern.find('/') != std::string::npos;
      for (const std::string* text : {&object.path, &object.name, &object.source, &material})
        if ((!whole_path || text == &object.path) && matches(pattern, *text))
          return Decision{semantic_from_text(rule.label, "label overrides"), LabelSource::override_, *text, {}};
    }
  return std::nullopt;
}

Decision decide(const ObjectDescription& object, const std::string& material, const std::string& scene_stem,
                const LabelRules& rules, Names& names) {
  const std::optional<Decision> path = by_path(object, names);
  std::optional<Decision> d = by_override(object, material, rules);
  if (!d && !object.class_hint.empty()) {
    const int semantic = semantic_from_text(object.class_hint, fmt::format("object '{}'", object.name));
    d = Decision{semantic, LabelSource::hint, object.class_hint, {}};
  }
  if (d) {  // the class is given; the path still tells which pieces belong together
    if (path && path->semantic == d->semantic) d->group = path->group;
    return *d;
  }
  const std::optional<Decision> surface = by_material(material, names);
  if (path) {
    const bool finer = is_stuff(path->semantic) && surface && is_structure(surface->semantic);
    return finer ? *surface : *path;
  }
  if (const std::optional<Decision> file = by_file(object, scene_stem, names)) return *file;
  return surface.value_or(Decision{});
}

double triangle_area(const MeshDescription& mesh, const Affine3d& world_from_object, const Triangle& t) {
  const Vec3d a = world_from_object.point(Vec3d(mesh.positions[t[0]]));
  const Vec3d b = world_from_object.point(Vec3d(mesh.positions[t[1]]));
  const Vec3d c = world_from_object.point(Vec3d(mesh.positions[t[2]]));
  return length(cross(b - a, c - a)) / 2;
}

double surface_area(const SceneDescription& scene, const ObjectDescription& object) {
  if (object.sphere) {
    const double scale = std::cbrt(std::abs(determinant(object.world_from_object.linear)));
    const double radius = static_cast<double>(object.sphere->radius) * scale;
    return 4 * kPiD * radius * radius;
  }
  double area = 0;
  if (object.mesh >= 0) {
    const MeshDescription& mesh = scene.meshes[static_cast<std::size_t>(object.mesh)];
    for (const Triangle& t : mesh.triangles) area += triangle_area(mesh, object.world_from_object, t);
  }
  return area;
}

/// The class of most area among the parts; the first of them when two have the same.
int majority(const SceneDescription& scene, const std::vector<std::size_t>& parts, const std::vector<Decision>& decisions) {
  std::map<int, double> area;
  for (const std::size_t i : parts)
    if (decisions[i].semantic != -1) area[decisions[i].semantic] += surface_area(scene, scene.objects[i]);
  int best = -1;
  for (const std::size_t i : parts) {
    const int semantic = decisions[i].semantic;
    if (semantic != -1 && (best == -1 || area[semantic] > area[best])) best = semantic;
  }
  return best;
}

std::string material_name(const SceneDescription& scene, const ObjectDescription& object) {
  return object.material < 0 ? std::string{} : scene.materials[static_cast<std::size_t>(object.material)].name;
}

/// Lists of objects that are one instance each, in object order. Walls, floors and ceilings are in none.
std::vector<std::vector<std::size_t>> group_instances(const SceneDescription& scene, const std::vector<Decision>& decisions) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::string& key = scene.objects[i].instance_key;
    const Decision& d = decisions[i];
    if (is_stuff(d.semantic) || (d.semantic == -1 && key.empty())) continue;
    if (d.semantic == -1 && d.source != LabelSource::none) continue;  // "none" on purpose
    const std::string name = !key.empty() ? "key\n" + key : d.group.empty() ? std::string{} : "path\n" + d.group;
    if (name.empty()) {
      groups.push_back({i});
      continue;
    }
    const auto [at, fresh] = known.try_emplace(name, groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(i);
  }
  return groups;
}

void number_instances(SceneDescription& scene, std::vector<Decision>& decisions, AnnotationReport& report) {
  int next = 1;
  for (const std::vector<std::size_t>& parts : group_instances(scene, decisions)) {
    const int semantic = majority(scene, parts, decisions);
    if (semantic == -1) continue;
    if (next > 32767) fail_usage("scene '{}': has more than 32767 instances, which int16 labels cannot number", scene.name);
    for (const std::size_t i : parts) {
      if (decisions[i].semantic != semantic) decisions[i].source = LabelSource::instance;
      decisions[i].semantic = semantic;
      scene.objects[i].instance = next;
    }
    ++next;
  }
  report.num_instances = next - 1;
}

}  // namespace

std::string_view label_source_name(LabelSource source) {
  switch (source) {
    case LabelSource::none: return "none";
    case LabelSource::override_: return "override";
    case LabelSource::hint: return "hint";
    case LabelSource::name: return "name";
    case LabelSource::file: return "file";
    case LabelSource::material: return "material";
    case LabelSource::geometry: return "geometry";
    case LabelSource::instance: return "instance";
  }
  return "none";
}

void annotate(SceneDescription& scene, const LabelRules& rules, AnnotationReport& report) {
  report = {};
  Names names(rules);
  const std::string scene_stem = scene.source.empty() ? scene.name : scene.source.stem().string();
  std::vector<Decision> decisions;
  decisions.reserve(scene.objects.size());
  for (const ObjectDescription& object : scene.objects)
    decisions.push_back(decide(object, material_name(scene, object), scene_stem, rules, names));

  if (rules.guess_structure) {
    std::vector<bool> open(decisions.size());
    for (std::size_t i = 0; i < open.size(); ++i)
      open[i] = decisions[i].source == LabelSource::none && scene.objects[i].instance_key.empty();
    const std::vector<int> guesses = guess_structure(scene, open);
    for (std::size_t i = 0; i < open.size(); ++i)
      if (guesses[i] != -1) decisions[i] = {guesses[i], LabelSource::geometry, scene.objects[i].name, {}};
  }

  for (ObjectDescription& object : scene.objects) object.instance = -1;
  number_instances(scene, decisions, report);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    ObjectDescription& object = scene.objects[i];
    object.semantic = decisions[i].semantic;
    if (object.semantic == -1) ++report.num_unlabelled;
    report.objects.push_back({object.name, object.path, object.source, material_name(scene, object), object.semantic,
                              object.instance, decisions[i].source, decisions[i].matched});
  }
}

std::vector<UnlabelledName> unlabelled_names(const AnnotationReport& report, std::span<const std::uint64_t> pixels_by_entity) {
  SIM_CHECK(pixels_by_entity.size() == report.objects.size());
  std::uint64_t total = 0;
  std::map<std::pair<std::string, std::string>, std::uint64_t> pixels;
  for (std::size_t i = 0; i < pixels_by_entity.size(); ++i) {
    total += pixels_by_entity[i];
    const ObjectAnnotation& object = report.objects[i];
    if (object.semantic == -1 && pixels_by_entity[i] > 0)
      pixels[{object.path.empty() ? object.name : object.path, object.material}] += pixels_by_entity[i];
  }
  std::vector<UnlabelledName> names;
  for (const auto& [key, count] : pixels)
    names.push_back({key.first, key.second, count, static_cast<double>(count) / static_cast<double>(total)});
  std::stable_sort(names.begin(), names.end(),
                   [](const UnlabelledName& a, const UnlabelledName& b) { return a.pixels > b.pixels; });
  return names;
}

std::string unlabelled_as_text(std::span<const UnlabelledName> names) {
  std::string text;
  for (const UnlabelledName& n : names)
    text += fmt::format("{:6.2f} %  {}{}\n", 100 * n.share, n.name,
                        n.material.empty() ? std::string{} : "  (material " + n.material + ")");
  return text;
}

}  // namespace simulacra
