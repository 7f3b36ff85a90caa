// SPDX-License-Identifier: Apache-2.0
// What a stranger must know to read a data set: generated from the label table, written beside the data.
#pragma once

#include <string>
#include <string_view>

#include "render/labels/labels.h"

namespace simulacra {

/// Raised when the meaning or the layout of stored files changes.
inline constexpr int kSchemaVersion = 1;

// Words for the columns of the label table.
std::string_view name_of(Reduce reduce);   ///< "mean", "center_ray"

struct Conventions {
  int width = 0, height = 0;
  double meters_per_asset_unit = 1;
  double fov_x_rad = 0;
};

/// CONVENTIONS.md: frames, units, labels, files, a worked example.
std::string conventions_markdown(const Conventions& conventions);
/// conventions.json: the same facts for programs.
std::string conventions_json(const Conventions& conventions);

}  // namespace simulacra
