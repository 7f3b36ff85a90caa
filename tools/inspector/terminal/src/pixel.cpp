// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "render/labels/labels.h"
#include "tools/inspector/catalog/planes.h"
#include "tools/inspector/terminal/terminal.h"

namespace simulacra::inspector {
namespace {

std::string unit_of(const std::string& label) {
  const LabelSpec* row = find_label(label);
  if (!row) return "";
  return row->unit == Unit::meter ? "m" : row->unit == Unit::radiance ? "radiance" : "";
}

std::string look_up(const std::map<int, std::string>& names, int id) {
  const auto found = names.find(id);
  return found == names.end() ? "" : found->second;
}

std::string name_of_id(const std::string& label, double value, const IdNames& names) {
  if (!std::isfinite(value)) return "";
  const int id = static_cast<int>(value);
  if (label == "semantic") return class_name(id);
  if (label == "render_entity_id") return look_up(names.entities, id);
  if (label == "semantic_instance") return look_up(names.instances, id);
  if (label == "material_id") return look_up(names.materials, id);
  return "";
}

const std::vector<double>* values_of(const std::vector<PixelValue>& all, std::string_view label) {
  const auto found = std::ranges::find(all, label, &PixelValue::label);
  return found == all.end() || found->values.size() != 3 ? nullptr : &found->values;
}

/// color - (reflectance * illumination + residual), or nothing where one of them is missing.
std::vector<double> identity_error(const std::vector<PixelValue>& all) {
  const auto *color = values_of(all, "color"), *reflectance = values_of(all, "diffuse_reflectance"),
             *illumination = values_of(all, "diffuse_illumination"), *residual = values_of(all, "residual");
  if (!color || !reflectance || !illumination || !residual) return {};
  std::vector<double> error;
  for (std::size_t c = 0; c < 3; ++c) error.push_back((*color)[c] - ((*reflectance)[c] * (*illumination)[c] + (*residual)[c]));
  return error;
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double v : values) text += fmt::format("{}{:.7g}", text.empty() ? "" : "  ", v);
  return text;
}

}  // namespace

std::vector<PixelValue> pixel_values(const std::vector<LabelFile>& files, const IdNames& names, std::size_t x, std::size_t y) {
  PixelReaders readers;
  std::vector<PixelValue> all;
  for (const LabelFile& file : files) {
    PixelValue one{file.label, unit_of(file.label), {}, {}, {}};
    try {
      const hdf5::Inspection facts = hdf5::inspect(file.path);
      if (facts.shape.size() >= 2 && (x >= facts.shape[1] || y >= facts.shape[0]))
        fail_usage("--pixel: {},{} is outside of {}, which is {} x {} pixels", x, y, file.path.string(), facts.shape[1], facts.shape[0]);
      one.values = readers.pixel(file.path, x, y);
      if (one.values.size() == 1) one.name = name_of_id(file.label, one.values[0], names);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& e) {
      one.problem = e.what();
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::string pixel_text(const std::vector<PixelValue>& all) {
  std::string text;
  for (const PixelValue& one : all) {
    std::string line = fmt::format("{:<21} {}", one.label, one.problem.empty() ? numbers(one.values) : "unreadable: " + one.problem);
    if (one.problem.empty() && !one.unit.empty()) line += " " + one.unit;
    if (!one.name.empty()) line += "  " + one.name;
    text += line + "\n";
  }
  const std::vector<double> error = identity_error(all);
  if (!error.empty()) text += fmt::format("{:<21} {}\n", "identity error", numbers(error));
  return text;
}

std::string pixel_json(const std::vector<PixelValue>& all) {
  const auto array = [](const std::vector<double>& values) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const double v : values) list.push_back(number_or_text(v));
    return list;
  };
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const PixelValue& one : all) {
    nlohmann::ordered_json& row = out[one.label];
    if (!one.problem.empty()) {
      row = {{"problem", one.problem}};
      continue;
    }
    row = {{"values", array(one.values)}};
    if (!one.unit.empty()) row["unit"] = one.unit;
    if (!one.name.empty()) row["name"] = one.name;
  }
  const std::vector<double> error = identity_error(all);
  if (!error.empty()) out["identity_error"] = {{"values", array(error)}};
  return out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace simulacra::inspector
