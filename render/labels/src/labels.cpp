// SPDX-License-Identifier: Apache-2.0
#include "render/labels/labels.h"

#include <algorithm>
#include <cmath>

#include "render/base/error.h"

namespace simulacra {

std::string_view name_of(DType t) {
  switch (t) {
    case DType::f16: return "float16";
    case DType::f32: return "float32";
    case DType::u8: return "uint8";
    case DType::i16: return "int16";
    case DType::i32: return "int32";
  }
  return "";
}

std::string_view name_of(Unit u) {
  switch (u) {
    case Unit::none: return "1";
    case Unit::meter: return "m";
    case Unit::radiance: return "radiance";
    case Unit::identifier: return "id";
  }
  return "";
}

std::string_view name_of(Space s) {
  switch (s) {
    case Space::none: return "none";
    case Space::camera: return "camera";
    case Space::world: return "world";
  }
  return "";
}

const LabelSpec* find_label(std::string_view name) {
  const auto row = std::ranges::find(kLabels, name, &LabelSpec::name);
  return row == kLabels.end() ? nullptr : &*row;
}

Label label_from_name(std::string_view name) {
  if (const LabelSpec* row = find_label(name)) return row->id;
  std::string known;
  for (const LabelSpec& row : kLabels) {
    known += known.empty() ? "" : ", ";
    known += row.name;
  }
  fail_usage("no label is called '{}'; the labels are {}", name, known);
}

std::string labels_as_markdown() {
  std::string text =
      "| label | type | channels | unit | frame | reduced by | where nothing is hit | meaning |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const LabelSpec& row : kLabels)
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", row.name, name_of(row.dtype), row.channels,
                        name_of(row.unit), row.space == Space::none ? std::string_view{} : name_of(row.space), row.reduce == Reduce::mean ? "mean" : "center ray",
                        std::isnan(row.invalid) ? std::string("NaN") : fmt::format("{:g}", row.invalid), row.doc);
  return text;
}

}  // namespace simulacra
