// SPDX-License-Identifier: Apache-2.0
// Ids, masks and labels of a frame.
#include <algorithm>
#include <cmath>
#include <map>

#include "dataset/annotate/nyu40.h"
#include "dataset/audit/src/frame_images.h"

namespace simulacra::auditing {
namespace {

constexpr std::array kShells = {Label::depth_meters,      Label::position,        Label::normal_world,
                                Label::normal_bump_world, Label::normal_cam, Label::normal_bump_cam};

/// Which object each pixel shows: -1 for none, -2 where the entity is no node of the table.
std::vector<int> objects_of(const SceneFacts& scene, const Image& ids) {
  const std::vector<int>& nodes = *scene.object_of_node;
  const int objects = static_cast<int>(scene.si->size());
  std::vector<int> out(ids.i.size(), -2);
  for (std::size_t p = 0; p < out.size(); ++p) {
    const int id = ids.i[p];
    if (id < 1 || id >= static_cast<int>(nodes.size())) continue;
    const int object = nodes[static_cast<std::size_t>(id)];
    out[p] = object < -1 || object >= objects ? -1 : object;
  }
  return out;
}

void judge_lookup(const FrameImages& f, Label label, const char* check, const std::vector<int>& table,
                  const std::vector<int>& objects, Findings& to) {
  const Image& image = *f.get(label);
  const auto wanted = [&](std::size_t p) { return objects[p] >= 0 ? table[static_cast<std::size_t>(objects[p])] : -1; };
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p)
    if (objects[p] != -2 && image.i[p] != wanted(p)) bad.add(p);
  to.pixels(check, f.path(label), bad, f.width, f.pixels(), "the value in the object table", [&](std::size_t p) {
    return fmt::format("{} for entity {} of object {}, table says {}", image.i[p], f.get(Label::render_entity_id)->i[p],
                       objects[p], wanted(p));
  });
}

}  // namespace

void judge_ids(const SceneFacts& scene, const FrameImages& f, Findings& to) {
  const int nodes = scene.object_of_node ? static_cast<int>(scene.object_of_node->size()) - 1 : 32767;
  const int rows = scene.color_rows ? static_cast<int>(*scene.color_rows) : 32768;
  const std::tuple<Label, const char*, int> tests[] = {{Label::render_entity_id, "F3.entity", nodes},
                                                       {Label::semantic, "F3.semantic", 40},
                                                       {Label::semantic_instance, "F3.instance", rows - 1}};
  for (const auto& [label, check, top] : tests) {
    const Image* image = f.get(label);
    if (!image) {
      to.none(check);
      continue;
    }
    BadPixels bad;
    for (std::size_t p = 0; p < f.pixels(); ++p)
      if (image->i[p] != -1 && (image->i[p] < 1 || image->i[p] > top)) bad.add(p);
    to.pixels(check, f.path(label), bad, f.width, f.pixels(), fmt::format("-1 or 1..{}", top),
              [&](std::size_t p) { return image->text(p); });
  }
}

void judge_masks(const FrameImages& f, Findings& to) {
  for (std::size_t k = 0; k < kNumImageKinds; ++k) {
    const auto& image = f.images[k];
    if (!image || image->f.empty()) continue;
    BadPixels bad;
    for (std::size_t i = 0; i < image->f.size(); ++i)
      if (std::isinf(image->f[i])) bad.add(i / image->channels);
    to.pixels("F4.inf", f.paths[k], bad, f.width, f.pixels(), "finite or NaN", [&](std::size_t p) { return image->text(p); });
  }
  std::optional<std::vector<bool>> base = f.empty;
  std::string name = "render_entity_id is -1";
  for (const Label label : kShells)
    if (const Image* image = f.get(label); image && !base) {
      name = std::string(spec(label).name) + " is NaN";
      base.emplace(f.pixels());
      for (std::size_t p = 0; p < f.pixels(); ++p) (*base)[p] = image->all_nan(p);
    }
  bool any = false;
  for (const Label label : kShells) {
    const Image* image = f.get(label);
    if (!image) continue;
    any = true;
    BadPixels bad;
    for (std::size_t p = 0; p < f.pixels(); ++p)
      if ((*base)[p] ? !image->all_nan(p) : image->any_nan(p)) bad.add(p);
    to.pixels("F4.mask", f.path(label), bad, f.width, f.pixels(), "NaN exactly where " + name, [&](std::size_t p) {
      return fmt::format("{} where {} is {}", image->text(p), name, (*base)[p] ? "true" : "false");
    });
  }
  if (!any) to.none("F4.mask");
  for (const Label label : {Label::semantic, Label::semantic_instance}) {
    const Image* image = f.get(label);
    if (!image || !base) {
      to.none("F4.labels");
      continue;
    }
    BadPixels bad;
    for (std::size_t p = 0; p < f.pixels(); ++p)
      if ((*base)[p] && image->i[p] != -1) bad.add(p);
    to.pixels("F4.labels", f.path(label), bad, f.width, f.pixels(), "-1 at empty pixels", [&](std::size_t p) { return image->text(p); });
  }
  const Image* uv = f.get(Label::tex_coord);
  if (!uv) return to.none("F4.texcoord");
  BadPixels bad;
  for (std::size_t p = 0; p < f.pixels(); ++p)
    if (uv->any_nan(p)) bad.add(p);
  to.pixels("F4.texcoord", f.path(Label::tex_coord), bad, f.width, f.pixels(), "numbers everywhere", [&](std::size_t p) { return uv->text(p); });
}

void judge_labels(const SceneFacts& scene, const FrameImages& f, Findings& to, std::map<int, std::map<int, std::string>>& classes) {
  const Image *ids = f.get(Label::render_entity_id), *semantic = f.get(Label::semantic), *instance = f.get(Label::semantic_instance);
  const bool known = ids && scene.object_of_node && scene.si && scene.sii;
  const std::vector<int> objects = known ? objects_of(scene, *ids) : std::vector<int>{};
  if (semantic && known) judge_lookup(f, Label::semantic, "F11.semantic", *scene.si, objects, to);
  else to.none("F11.semantic");
  if (instance && known) judge_lookup(f, Label::semantic_instance, "F11.instance", *scene.sii, objects, to);
  else to.none("F11.instance");
  if (!semantic || !instance) return to.none("F11.stuff");
  BadPixels bad;
  int last_instance = -1, last_semantic = -1;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const int i = instance->i[p], s = semantic->i[p];
    if (i <= 0) continue;
    if (is_stuff(s)) bad.add(p);
    if (i == last_instance && s == last_semantic) continue;
    last_instance = i, last_semantic = s;
    classes[i].try_emplace(s, f.path(Label::semantic_instance));
  }
  to.pixels("F11.stuff", f.path(Label::semantic_instance), bad, f.width, f.pixels(), "-1 on wall, floor, ceiling",
            [&](std::size_t p) { return fmt::format("instance {} on class {}", instance->i[p], semantic->i[p]); });
}

}  // namespace simulacra::auditing
