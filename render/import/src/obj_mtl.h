// SPDX-License-Identifier: Apache-2.0
// An MTL file as it stands.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "render/base/vec.h"
#include "render/description/diagnostics.h"

namespace simulacra::obj {

/// Which property an image modulates; named after the statement.
enum class Slot { kd, ks, ke, ns, d, bump, normal, roughness, metallic, sheen, coat, coat_roughness };

/// `map_Kd [options] file`.
struct MapStatement {
  std::string written;              ///< the file's name as it stands
  Vec2 uv_scale{1, 1}, uv_offset{0, 0};
  bool clamp = false;
  char channel = 0;                 ///< -imfchan: r g b m l z; 0 = not given
  float base = 0, gain = 1;         ///< -mm
  std::optional<float> bump_multiplier;
  std::string color_space;          ///< -colorspace, lower case
};

struct MtlMaterial {
  std::string name;
  std::filesystem::path file;       ///< the MTL file it stands in
  std::optional<Rgb> kd, ks, ke, tf;
  std::optional<float> ns, ni, d, tr, pr, pm, ps, pc, pcr;
  std::optional<int> illum;
  std::map<Slot, MapStatement> maps;
};

/// All materials of the file, in order; of two with one name the first counts. Statements that cannot be
/// read or have no counterpart are warned of. Throws UsageError when the file cannot be read.
std::vector<MtlMaterial> parse_mtl(const std::filesystem::path& file, Diagnostics& diagnostics);

}  // namespace simulacra::obj
