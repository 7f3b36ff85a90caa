// SPDX-License-Identifier: Apache-2.0
// Gives every object of a scene its semantic class (NYU40) and its instance id, from names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/annotate/label_rules.h"
#include "render/description/description.h"

namespace simulacra {

/// What decided an object's class.
enum class LabelSource : std::uint8_t {
  none,        ///< nothing did: unlabelled
  override_,   ///< a rule of this scene
  hint,        ///< ObjectDescription::class_hint
  name,        ///< a rule that matched the node path or the object's name
  file,        ///< a rule that matched the stem of the placed file it came from
  material,    ///< a rule that matched the material's name
  geometry,    ///< LabelRules::guess_structure
  instance     ///< the class of the furniture it is a part of
};
std::string_view label_source_name(LabelSource source);

/// One object after annotation. Entry i of AnnotationReport::objects has render_entity_id i + 1.
struct ObjectAnnotation {
  std::string name, path, file, material;
  int semantic = -1, instance = -1;
  LabelSource source = LabelSource::none;
  std::string matched;                  ///< the text that decided: a hint, a path component, a material name
};

struct AnnotationReport {
  std::vector<ObjectAnnotation> objects;
  int num_instances = 0;
  int num_unlabelled = 0;               ///< objects without class
};

/// Sets `semantic` and `instance` of every object.
///
/// Class: overrides, then class_hint, then rules over the node path from the innermost node outwards (and the
/// object's own name), then the stem of the file when it was placed into the scene, then the material's name.
/// Where the path says wall, floor or ceiling, a material that names another part of the structure (floor,
/// ceiling, wall, door, window) is more exact and wins.
///
/// Instances: objects with one instance_key are one instance; else the objects below the node whose name
/// decided; else each object by itself. An instance has one class, the one of most area among its parts;
/// unlabelled parts of a key join it. Walls, floors and ceilings have no instance. Ids run 1..K in object order.
/// Throws UsageError for a class_hint that is no class, and when there are more than 32767 instances.
void annotate(SceneDescription& scene, const LabelRules& rules, AnnotationReport& report);

/// A name without class and the pixels it covers.
struct UnlabelledName {
  std::string name;                     ///< node path, or the object's name where it has none
  std::string material;
  std::uint64_t pixels = 0;
  double share = 0;                     ///< of all pixels that show a surface, 0..1
};

/// Unlabelled objects by pixels, most first; those with equal path and material are one. `pixels_by_entity[i]`
/// counts the pixels of render_entity_id i + 1, summed over frames; the span is as long as report.objects.
/// Objects that are never seen are left out.
std::vector<UnlabelledName> unlabelled_names(const AnnotationReport& report,
                                             std::span<const std::uint64_t> pixels_by_entity);

/// Lines "share, path, material" for people; empty when everything seen is labelled.
std::string unlabelled_as_text(std::span<const UnlabelledName> names);

}  // namespace simulacra
