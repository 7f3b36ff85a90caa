// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/catalog/index.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataset/annotate/nyu40.h"
#include "dataset/schema/csv.h"
#include "render/base/error.h"
#include "render/labels/labels.h"
#include "tools/inspector/catalog/label_files.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// How the page draws a label.
std::string_view look_of(const LabelSpec& label) {
  switch (label.id) {
    case Label::color:
    case Label::diffuse_illumination:
    case Label::residual: return "light";
    case Label::diffuse_reflectance: return "albedo";
    case Label::depth_meters:
    case Label::depth_planar_meters: return "scalar";
    case Label::position: return "position";
    case Label::normal_world:
    case Label::normal_cam:
    case Label::normal_bump_world:
    case Label::normal_bump_cam: return "normal";
    case Label::tex_coord: return "texture";
    case Label::render_entity_id: return "entity";
    case Label::semantic: return "semantic";
    case Label::semantic_instance: return "instance";
    case Label::material_id: return "material";
    case Label::valid_mask:
    case Label::transparency: break;
  }
  return "bits";
}

Json labels() {
  Json all = Json::array();
  for (const LabelSpec& l : kLabels)
    all.push_back({{"name", l.name}, {"channels", l.channels}, {"unit", name_of(l.unit)}, {"dtype", name_of(l.dtype)},
                   {"look", look_of(l)}, {"further", l.profile == Profile::further}, {"doc", l.doc}});
  return all;
}

Json classes() {
  Json all = Json::array();
  for (const SemanticClass& c : kNyu40) all.push_back({{"id", c.id}, {"name", c.name}, {"color", c.color}});
  return all;
}

Json scenes(const FrameList& list) {
  Json all = Json::array();
  for (const SceneFolders& scene : list.scenes) {
    const auto at = list.scene_records.find(scene.name);
    all.push_back({{"name", scene.name}, {"type", at == list.scene_records.end() ? "" : at->second.scene_type}});
  }
  return all;
}

/// One column, left out when no frame has a value.
void add_column(Json& columns, const char* name, const std::vector<std::size_t>& chosen,
                const std::function<std::optional<double>(std::size_t)>& value) {
  Json column = Json::array();
  bool any = false;
  for (const std::size_t i : chosen) {
    const auto v = value(i);
    any = any || v;
    column.push_back(v ? Json(*v) : Json());
  }
  if (any) columns[name] = std::move(column);
}

Json frame_columns(const Sets& sets, const std::vector<std::size_t>& chosen) {
  const FrameList& list = sets.lists.front();
  Json columns = {{"scene", Json::array()}, {"camera", Json::array()}, {"frame", Json::array()}};
  for (const std::size_t i : chosen) {
    columns["scene"].push_back(list.frames[i].scene_idx);
    columns["camera"].push_back(list.frames[i].camera);
    columns["frame"].push_back(list.frames[i].frame);
  }
  const auto of_record = [&](const char* name, auto member) {
    add_column(columns, name, chosen, [&](std::size_t i) -> std::optional<double> {
      const auto& record = list.frames[i].record;
      return record ? std::optional(static_cast<double>((*record).*member)) : std::nullopt;
    });
  };
  of_record("identity_steps", &FrameRecord::max_identity_error_steps);
  of_record("nan_samples", &FrameRecord::nan_samples);
  of_record("limited_pixels", &FrameRecord::limited_pixels);
  of_record("unlabelled_pixels", &FrameRecord::unlabelled_pixels);
  of_record("empty_pixels", &FrameRecord::empty_pixels);
  of_record("spp", &FrameRecord::spp);
  of_record("seconds", &FrameRecord::seconds);
  add_column(columns, "weight", chosen, [&](std::size_t i) -> std::optional<double> {
    const auto at = sets.weights.find(frame_key(list.name(i)));
    return at == sets.weights.end() ? std::nullopt : std::optional(at->second);
  });
  return columns;
}

Json set_facts(const Sets& sets, std::size_t s, const std::vector<std::size_t>& chosen) {
  const FrameList& list = sets.lists[s];
  Json facts = {{"title", list.title}, {"folder", fs::absolute(list.root).lexically_normal().string()}};
  if (list.record) {
    facts["version"] = list.record->version;
    facts["seed"] = list.record->seed;
    facts["complete"] = list.record->complete;
    facts["size"] = {list.record->width, list.record->height};
  }
  if (s == 0) return facts;
  Json absent = Json::array();   // places in the index, where this set has no such frame
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (!sets.frame_in(s, chosen[i])) absent.push_back(i);
  facts["absent"] = std::move(absent);
  return facts;
}

Json record_json(const FrameRecord& record) {
  Json json = Json::parse(manifest_line(record));
  for (const char* key : {"record", "scene", "camera", "frame", "unlabelled"}) json.erase(key);
  json["seed"] = std::to_string(record.seed);   // more digits than a page's numbers have
  return json;
}

std::vector<FrameFile> files_of(const FrameList& list, std::size_t frame_idx) {
  const FrameEntry& frame = list.frames.at(frame_idx);
  return files_of_frame(list.scenes[frame.scene_idx], frame.camera, frame.frame);
}

std::string preview_name(const FrameFile& file) {
  return (file.final_pass ? "" : "geometry.") + file.name + file.path.extension().string();
}

}  // namespace

FrameWeights read_weights(const fs::path& csv) {
  try {
    const CsvTable table = read_csv(csv);
    const std::size_t scene = table.column("scene_name"), camera = table.column("camera_name"), frame = table.column("frame_id"),
                      weight = table.column("weight");
    FrameWeights weights;
    for (const auto& row : table.rows) weights[frame_key({row[scene], row[camera], std::stoi(row[frame])})] = std::stod(row[weight]);
    return weights;
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& e) {
    fail_usage("{}: no table of weights with the columns scene_name, camera_name, frame_id and weight ({})", csv.string(), e.what());
  }
}

std::optional<std::size_t> Sets::frame_in(std::size_t set_idx, std::size_t frame_idx) const {
  if (set_idx == 0) return frame_idx;
  return lists.at(set_idx).find(lists.front().name(frame_idx));
}

std::string index_json(const Sets& sets, const std::vector<std::size_t>* only) {
  const FrameList& list = sets.lists.front();
  std::vector<std::size_t> chosen(list.frames.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (only) chosen = *only;
  Json out = {{"title", list.title}, {"sets", Json::array()}, {"labels", labels()}, {"classes", classes()}, {"scenes", scenes(list)}};
  for (std::size_t s = 0; s < sets.lists.size(); ++s) out["sets"].push_back(set_facts(sets, s, chosen));
  out["frames"] = frame_columns(sets, chosen);
  if (only) out["frame_idx"] = chosen;
  out["total_frames"] = list.frames.size();
  out["problems"] = list.problems;
  return text_of(out);
}

std::string frame_json(const FrameList& list, std::size_t frame_idx, PixelReaders& readers) {
  const FrameName name = list.name(frame_idx);
  Json out = {{"labels", Json::object()}, {"previews", Json::array()}};
  for (const FrameFile& file : files_of(list, frame_idx)) {
    if (file.preview) {
      out["previews"].push_back(preview_name(file));
      continue;
    }
    Json facts = {{"file", file.path.string()}};
    try {
      const auto reader = readers.reader(file.path);
      image_shape(reader->shape(), byte_size(reader->element()), file.path);
      facts["dtype"] = hdf5::name_of(reader->element());
      facts["shape"] = reader->shape();
      facts["bytes"] = fs::file_size(file.path);
    } catch (const std::exception& e) {
      facts["problem"] = e.what();
    }
    if (!out["labels"].contains(file.name)) out["labels"][file.name] = facts;
  }
  const SceneFolders& scene = list.scene_of(frame_idx);
  out["folder"] = scene.images.empty() ? (list.root / name.scene / "images").string() : scene.images.front().string();
  if (const auto& record = list.frames[frame_idx].record) out["record"] = record_json(*record);
  return text_of(out);
}

std::string pixel_json(const FrameList& list, std::size_t frame_idx, std::size_t x, std::size_t y, PixelReaders& readers) {
  Json out = Json::object();
  for (const FrameFile& file : files_of(list, frame_idx)) {
    if (file.preview || out.contains(file.name)) continue;
    try {
      Json values = Json::array();
      for (const double v : readers.pixel(file.path, x, y)) values.push_back(number_or_text(v));
      out[file.name] = values;
    } catch (const std::exception& e) {
      out[file.name] = {{"problem", e.what()}};
    }
  }
  return text_of(out);
}

fs::path label_file(const FrameList& list, std::size_t frame_idx, std::string_view label) {
  for (const FrameFile& file : files_of(list, frame_idx))
    if (!file.preview && file.name == label) return file.path;
  return {};
}

fs::path preview_file(const FrameList& list, std::size_t frame_idx, std::string_view name) {
  for (const FrameFile& file : files_of(list, frame_idx))
    if (file.preview && preview_name(file) == name) return file.path;
  return {};
}

}  // namespace simulacra::inspector
