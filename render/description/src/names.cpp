// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "render/description/description.h"

namespace simulacra {
namespace {

/// Length of the valid UTF-8 sequence that starts at text[i]; 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t n = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xc2 && lead < 0xe0 ? 2 : 0;
  if (n == 0 || i + n > text.size()) return 0;
  for (std::size_t k = 1; k < n; ++k)
    if ((byte(i + k) & 0xc0u) != 0x80u) return 0;
  const unsigned second = byte(i + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool beyond = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
  return overlong || beyond ? 0 : n;
}

/// Valid UTF-8 on one line: bytes that are not UTF-8 are taken as Latin-1, control characters become '_'.
std::string readable(std::string_view text, std::string_view forbidden) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = utf8_length(text, i);
    const auto c = static_cast<unsigned char>(text[i]);
    if (n == 1) {
      const bool bad = c < 0x20 || c == 0x7f || forbidden.find(text[i]) != std::string_view::npos;
      result += bad ? '_' : text[i];
    } else if (n > 1) {
      result += text.substr(i, n);
    } else {
      result += static_cast<char>(0xc0u | (c >> 6));
      result += static_cast<char>(0x80u | (c & 0x3fu));
    }
    i += n == 0 ? 1 : n;
  }
  return result;
}

template <typename T>
void clean_names(std::vector<T>& named) {
  for (T& item : named) item.name = readable(item.name, "");
}

}  // namespace

void make_names_unique(SceneDescription& scene) {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> last_number;
  // Names that need no change keep it, whatever stands before them.
  std::vector<bool> settled(scene.objects.size(), false);
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    ObjectDescription& object = scene.objects[i];
    object.name = readable(object.name, "@,\"");
    if (object.name.empty()) object.name = "object";
    object.path = readable(object.path, "");
    object.source = readable(object.source, "");
    settled[i] = taken.insert(object.name).second;
  }
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    if (settled[i]) continue;
    const std::string stem = scene.objects[i].name;
    int& number = last_number[stem];
    if (number == 0) number = 1;
    std::string name;
    do {
      name = stem + "." + std::to_string(++number);
    } while (!taken.insert(name).second);
    scene.objects[i].name = name;
  }
  clean_names(scene.materials);
  clean_names(scene.textures);
  clean_names(scene.cameras);
  clean_names(scene.point_lights);
  clean_names(scene.spot_lights);
  clean_names(scene.directional_lights);
}

}  // namespace simulacra
