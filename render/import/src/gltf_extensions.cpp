// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "render/base/error.h"
#include "render/import/src/gltf_document.h"

namespace simulacra::gltf {
namespace {

struct KnownExtension {
  std::string_view name;
  bool understood;           ///< false: fine while optional, refused when required
  std::string_view warning;  ///< empty: nothing to say
};

constexpr std::array kKnown = {
    KnownExtension{"EXT_mesh_gpu_instancing", true, ""},
    KnownExtension{"EXT_texture_webp", true, ""},
    KnownExtension{"KHR_lights_punctual", true, ""},
    KnownExtension{"KHR_materials_clearcoat", true, ""},
    KnownExtension{"KHR_materials_emissive_strength", true, ""},
    KnownExtension{"KHR_materials_ior", true, ""},
    KnownExtension{"KHR_materials_pbrSpecularGlossiness", true, ""},
    KnownExtension{"KHR_materials_sheen", true, ""},
    KnownExtension{"KHR_materials_specular", true, ""},
    KnownExtension{"KHR_materials_transmission", true, ""},
    KnownExtension{"KHR_materials_unlit", true, ""},
    KnownExtension{"KHR_materials_volume", true, ""},
    KnownExtension{"KHR_mesh_quantization", true, ""},
    KnownExtension{"KHR_node_visibility", true, ""},
    KnownExtension{"KHR_texture_transform", true, ""},
    KnownExtension{"MSFT_texture_dds", true, ""},
    KnownExtension{"KHR_xmp_json_ld", true, ""},  // metadata without any effect on the picture
    KnownExtension{"KHR_animation_pointer", true, "animations are not played"},
    KnownExtension{"KHR_materials_variants", true, "only the default materials are read"},
    KnownExtension{"KHR_draco_mesh_compression", false, "not understood; the uncompressed accessors are read"},
    KnownExtension{"EXT_meshopt_compression", false, "not understood; the uncompressed buffers are read"},
};

const KnownExtension* known(std::string_view name) {
  const auto found = std::find_if(kKnown.begin(), kKnown.end(), [&](const auto& k) { return k.name == name; });
  return found == kKnown.end() ? nullptr : &*found;
}

std::set<std::string> names_in(const Document& document, std::string_view list) {
  std::set<std::string> names;
  if (const auto array = document.top().find(list))
    for (std::size_t i = 0; i < array->size(); ++i) names.insert((*array)[i].text());
  return names;
}

// Adds the names of all "extensions" members with the first place of each. Not recursive.
void find_extensions(const Json& root, std::map<std::string, std::string>& first_use) {
  struct Place {
    const Json* value;
    std::string pointer;
  };
  std::vector<Place> open = {{&root, ""}};
  while (!open.empty()) {
    const Place place = std::move(open.back());
    open.pop_back();
    const auto visit = [&](const Json& child, const std::string& key) {
      if (!child.is_structured()) return;
      // Deep pointers would cost more than they tell.
      const bool deep = place.pointer.size() > 200;
      open.push_back({&child, deep ? place.pointer : fmt::format("{}/{}", place.pointer, printable(key))});
    };
    if (place.value->is_array()) {
      for (std::size_t i = 0; i < place.value->size(); ++i) visit((*place.value)[i], std::to_string(i));
      continue;
    }
    for (const auto& [key, child] : place.value->items()) {
      if (key == "extras") continue;
      if (key == "extensions" && child.is_object())
        for (const auto& [name, ignored] : child.items()) first_use.emplace(name, place.pointer);
      visit(child, key);
    }
  }
}

// "2.1" as {2, 1}.
std::pair<int, int> version_number(const JsonRef& version) {
  const std::string& text = version.text();
  int major = 0, minor = 0;
  const char* end = text.data() + text.size();
  const auto dot = std::from_chars(text.data(), end, major);
  if (dot.ec != std::errc() || dot.ptr == end || *dot.ptr != '.') version.refuse("a version such as '2.0'");
  const auto rest = std::from_chars(dot.ptr + 1, end, minor);
  if (rest.ec != std::errc() || rest.ptr != end) version.refuse("a version such as '2.0'");
  return {major, minor};
}

}  // namespace

void check_version(const Document& document) {
  const auto asset = document.top().find("asset");
  if (!asset) fail_usage("{}: 'asset' is missing, so this is no glTF 2.0", document.file_name());
  const JsonRef version = asset->require("version");
  const auto [major, minor] = version_number(version);
  if (major == 1)
    fail_usage("{}: glTF {}.{} is not read, only glTF 2.0; convert the file", document.file_name(), major, minor);
  if (major != 2) fail_usage("{}: glTF {}.{} is not read, only glTF 2.0", document.file_name(), major, minor);
  if (const auto least = asset->find("minVersion"))
    if (version_number(*least) > std::pair(2, 0)) least->refuse("at most 2.0");
}

void check_extensions(const Document& document) {
  std::string refused;
  const std::set<std::string> required = names_in(document, "extensionsRequired");
  for (const std::string& name : required) {
    const KnownExtension* extension = known(name);
    if (extension == nullptr || !extension->understood) refused += (refused.empty() ? "" : ", ") + printable(name);
  }
  if (!refused.empty())
    fail_usage("{}: requires {}, which this reader does not understand; convert the file without it",
               document.file_name(), refused);

  std::map<std::string, std::string> first_use;
  find_extensions(document.top().value(), first_use);
  for (const std::string& name : names_in(document, "extensionsUsed")) first_use.emplace(name, "");
  for (const auto& [name, place] : first_use) {
    const KnownExtension* extension = known(name);
    if (extension != nullptr && extension->warning.empty()) continue;
    const std::string text = extension != nullptr ? std::string(extension->warning) : "not understood, left out";
    document.warn(printable(name), place.empty() ? text : fmt::format("{} (first at {})", text, place));
  }
}

}  // namespace simulacra::gltf
