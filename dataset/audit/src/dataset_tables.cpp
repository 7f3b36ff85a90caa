// SPDX-License-Identifier: Apache-2.0
// Tables of the whole data set: image lists, trajectories, camera parameters.
#include <algorithm>
#include <filesystem>

#include "dataset/audit/src/judge.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/tables.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;

/// A data-set table in one of its usual places, else where it is expected.
fs::path find_table(const fs::path& root, const std::string& name) {
  std::vector<fs::path> bases{root};
  if (fs::absolute(root).lexically_normal().filename() == "scenes" || fs::absolute(root / ".").parent_path().filename() == "scenes")
    bases.push_back(root / "..");
  for (const fs::path& base : bases)
    for (const char* place : {"", "analysis", "evermotion_dataset/analysis", "contrib/mikeroberts3000"})
      if (fs::is_regular_file(base / place / name)) return base / place / name;
  return root / name;
}

struct ListTally {
  std::vector<std::string> bad;
  std::map<std::string, std::set<std::string>> partitions;   ///< by scene
  std::map<std::pair<std::string, std::string>, std::set<int>> included;
};

std::string complaint(const Row& row, bool has_partition, std::set<std::string>& seen, std::size_t number) {
  const std::string& scene = row.at("scene_name");
  const std::string& camera = row.at("camera_name");
  const std::string& inside = row.at("included_in_public_release");
  const std::string& reason = row.at("exclude_reason");
  const std::optional<int> frame = as_whole(row.at("frame_id"));
  if (!is_scene_name(scene) || !is_camera_name(camera) || !frame || *frame < 0)
    return fmt::format("row {} names {} {} {}", number, scene, camera, row.at("frame_id"));
  if (!seen.insert(fmt::format("{}/{}/{}", scene, camera, *frame)).second)
    return fmt::format("row {} repeats {} {} frame {}", number, scene, camera, *frame);
  if (inside != "True" && inside != "False")
    return fmt::format("row {} has included_in_public_release '{}'", number, inside);
  if ((inside == "True") != reason.empty())
    return fmt::format("row {} is included={} with reason '{}'", number, inside, reason);
  if (!has_partition) return {};
  const std::string& part = row.at("split_partition_name");
  const bool known = part == "train" || part == "val" || part == "test";
  if (known != (inside == "True") || (inside == "False" && !part.empty()))
    return fmt::format("row {} is included={} in partition '{}'", number, inside, part);
  return {};
}

ListTally tally(const std::vector<Row>& rows, bool has_partition) {
  ListTally t;
  std::set<std::string> seen;
  std::size_t number = 0;
  for (const Row& row : rows) {
    if (std::string text = complaint(row, has_partition, seen, ++number); !text.empty()) t.bad.push_back(std::move(text));
    std::string inside = row.at("included_in_public_release");
    std::transform(inside.begin(), inside.end(), inside.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const std::optional<int> frame = as_whole(row.at("frame_id"));
    if (inside == "true" && frame) t.included[{row.at("scene_name"), row.at("camera_name")}].insert(*frame);
    if (has_partition && !row.at("split_partition_name").empty())
      t.partitions[row.at("scene_name")].insert(row.at("split_partition_name"));
  }
  return t;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return text;
}

void judge_partitions(const ListTally& t, const std::string& path, Findings& to) {
  const auto both = std::find_if(t.partitions.begin(), t.partitions.end(), [](const auto& p) { return p.second.size() > 1; });
  to.test("F13.partition", path, both == t.partitions.end(), "each scene in one partition",
          [&] { return fmt::format("{} is in {}", both->first, joined(both->second)); });
  std::set<std::string> empty{"train", "val", "test"};
  for (const auto& [scene, parts] : t.partitions)
    for (const std::string& part : parts) empty.erase(part);
  if (!empty.empty() && both == t.partitions.end()) to.note("the split has no images in " + joined(empty));
}

void judge_split(DatasetFacts& data, Findings& to) {
  for (const bool split : {false, true}) {
    const std::string name = split ? "metadata_images_split_scene_v1.csv" : "metadata_images.csv";
    const fs::path path = find_table(data.root, name);
    const std::string rel = data.rel(path);
    const auto rows = read_table(path, rel, split ? metadata_images_split_columns() : metadata_images_columns(),
                                 "F13.split", split, to);
    if (!rows) {
      if (split) to.none("F13.split", "F13.partition", "F13.manifest");
      continue;
    }
    ListTally t = tally(*rows, split);
    to.test("F13.split", rel, t.bad.empty(), "well-formed rows",
            [&] { return fmt::format("{} bad rows; {}", t.bad.size(), t.bad[0]); });
    if (!split) continue;
    judge_partitions(t, rel, to);
    if (data.all_scenes) {
      std::set<std::string> gone;
      for (const auto& [key, frames] : t.included)
        if (!std::binary_search(data.scene_names.begin(), data.scene_names.end(), key.first)) gone.insert(key.first);
      to.test("F13.manifest", rel, gone.empty(), "every listed scene is on disk",
              [&] { return "no folder for " + joined(gone); });
    }
    data.split = Split{std::move(t.included), rel};
  }
}

std::string trajectory_complaint(const Row& row, const std::set<std::string>& known) {
  const std::string& name = row.at("Animation");
  if (name.size() < 12 || !is_scene_name(name.substr(0, 10)) || name[10] != '_' || !is_camera_name(name.substr(11)))
    return "Animation '" + name + "'";
  if (known.contains(name)) return name + " twice";
  if (row.at("Scene type").empty()) return name + " without a scene type";
  for (const char* pass : {"geometry", "pre", "final"}) {
    const std::string& job = row.at(fmt::format("Rendering job ({})", pass));
    if (!job.empty() && job != rendering_job_name(name.substr(0, 10), name.substr(11), pass))
      return fmt::format("{} has rendering job '{}'", name, job);
  }
  return {};
}

void judge_trajectories(DatasetFacts& data, Findings& to) {
  const fs::path path = find_table(data.root, "metadata_camera_trajectories.csv");
  const std::string rel = data.rel(path);
  const auto rows = read_table(path, rel, metadata_camera_trajectories_columns(), "F13.trajectories", true, to);
  if (!rows) return to.none("F13.trajectories");
  data.trajectories.emplace();
  std::vector<std::string> bad;
  for (const Row& row : *rows) {
    if (std::string text = trajectory_complaint(row, *data.trajectories); !text.empty()) bad.push_back(std::move(text));
    data.trajectories->insert(row.at("Animation"));
  }
  to.test("F13.trajectories", rel, bad.empty(), "well-formed rows",
          [&] { return fmt::format("{} bad rows; {}", bad.size(), bad[0]); });
}

void judge_parameters(DatasetFacts& data, Findings& to) {
  const fs::path path = find_table(data.root, "metadata_camera_parameters.csv");
  const std::string rel = data.rel(path);
  const auto rows = read_table(path, rel, metadata_camera_parameters_columns(), "F13.parameters", true, to);
  if (!rows) return to.none("F13.parameters", "F13.canonical");
  for (const Row& row : *rows) {
    const std::string& scene = row.at("scene_name");
    to.test("F13.parameters", rel, !data.parameters.contains(scene), "one row a scene", scene + " twice");
    data.parameters[scene] = row;
  }
}

}  // namespace

std::string DatasetFacts::rel(const fs::path& path) const {
  const std::string text = path.lexically_relative(root).generic_string();
  return text.empty() ? path.generic_string() : text;
}

void judge_dataset_tables(DatasetFacts& data, Findings& to) {
  Findings quiet(to.skips());
  Findings& csv = data.kinds.has("csv") ? to : quiet;
  judge_split(data, csv);
  judge_trajectories(data, csv);
  judge_parameters(data, csv);
}

}  // namespace simulacra::auditing
