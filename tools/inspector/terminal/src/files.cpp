// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataset/annotate/nyu40.h"
#include "render/base/error.h"
#include "tools/inspector/catalog/scene_tables.h"
#include "tools/inspector/terminal/terminal.h"

namespace simulacra::inspector {
namespace {

/// The id that a JSON key spells; -1 for anything else.
int id_of(const std::string& text) {
  int id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc{} && end == text.data() + text.size() ? id : -1;
}

}  // namespace

std::size_t frame_called(const FrameList& list, const std::string& key) {
  if (list.frames.empty()) fail_usage("{}: has no frames", list.root.string());
  if (key.empty()) return 0;
  for (std::size_t i = 0; i < list.frames.size(); ++i)
    if (frame_key(list.name(i)) == key) return i;
  fail_usage("--frame: {} has no frame '{}'; its {} frames are called {} to {}", list.root.string(), key, list.frames.size(),
             frame_key(list.name(0)), frame_key(list.name(list.frames.size() - 1)));
}

std::string class_name(int semantic) { return semantic >= 1 && semantic <= 40 ? std::string(semantic_name(semantic)) : "no class"; }

IdNames id_names(const FrameList& list, std::size_t scene_idx) {
  const auto scene = nlohmann::json::parse(scene_json(list, scene_idx));
  IdNames names;
  if (const auto entities = scene.find("entities"); entities != scene.end())
    for (auto one = entities->begin(); one != entities->end(); ++one) names.entities[id_of(one.key())] = one->get<std::string>();
  if (const auto instances = scene.find("instances"); instances != scene.end())
    for (auto one = instances->begin(); one != instances->end(); ++one)
      if (one->contains("name")) names.instances[id_of(one.key())] = one->at("name").get<std::string>();
  if (const auto materials = scene.find("materials"); materials != scene.end())
    for (std::size_t row = 0; row < materials->size(); ++row) names.materials[static_cast<int>(row)] = materials->at(row).get<std::string>();
  return names;
}

}  // namespace simulacra::inspector
