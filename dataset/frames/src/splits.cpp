// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "dataset/schema/checksum.h"
#include "dataset/schema/csv.h"
#include "dataset/frames/frame_index.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

/// A number that depends on seed and text only, so that orders by it are nested and survive added frames.
std::uint64_t key_of(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;   // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mix_seed(std::array{seed, hash});
}

std::size_t share_of(double share, std::size_t count, std::size_t least, std::size_t most) {
  if (!(share > 0 && share <= 1)) fail_usage("a share of {} was asked for; it must be above 0 and at most 1", share);
  return std::clamp(static_cast<std::size_t>(std::lround(share * static_cast<double>(count))), least, most);
}

/// The `count` names with the smallest keys.
std::set<std::string> chosen(std::vector<std::string> names, std::size_t count, std::uint64_t seed) {
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    const std::uint64_t key_a = key_of(seed, a), key_b = key_of(seed, b);
    return key_a != key_b ? key_a < key_b : a < b;
  });
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)};
}

template <typename Keep>
FrameIndex kept(const FrameIndex& index, Keep&& keep) {
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (keep(i)) frames.push_back(i);
  return with_frames(index, frames);
}

/// Partition of each frame of the table, by frame_key().
std::map<std::string, std::string> read_partitions(const std::filesystem::path& file) {
  const CsvTable table = read_csv(file);
  const std::size_t scene = table.column("scene_name"), camera = table.column("camera_name"), frame = table.column("frame_id"),
                    partition = table.column("split_partition_name");
  std::map<std::string, std::string> partitions;
  for (const auto& row : table.rows) {
    if (row[partition].empty()) continue;
    partitions[fmt::format("{}/{}/{:0>4}", row[scene], row[camera], row[frame])] = row[partition];
  }
  return partitions;
}

}  // namespace

FrameIndex with_frames(const FrameIndex& index, std::span<const std::size_t> frame_idx) {
  FrameIndex part = index;
  part.frames.clear();
  for (const std::size_t i : frame_idx) part.frames.push_back(index.frames.at(i));
  return part;
}

FrameIndex with_labels(const FrameIndex& index, LabelSet wanted) {
  FrameIndex part = kept(index, [&](std::size_t i) { return (index.frames[i].labels & wanted) == wanted; });
  if (!part.frames.empty()) return part;
  LabelSet anywhere = 0;
  for (const FrameFacts& frame : index.frames) anywhere |= frame.labels;
  fail_usage("{}: no frame holds {} together; missing everywhere: {}; there are: {}", index.root.string(), names_of(wanted),
             names_of(wanted & ~anywhere), names_of(anywhere));
}

FrameIndex frames_of_partition(const FrameIndex& index, std::string_view partition, const std::filesystem::path& table) {
  const auto file = table.empty() ? index.root / kAnalysisFolder / "metadata_images_split_scene_v1.csv" : table;
  if (!std::filesystem::exists(file)) fail_usage("{}: there is no such split table; split by scene instead, or name one", file.string());
  const auto partitions = read_partitions(file);
  std::map<std::string, std::size_t> counts;
  const auto partition_of = [&](std::size_t i) {
    const auto found = partitions.find(frame_key(index.name(i)));
    return found == partitions.end() ? std::string("none") : found->second;
  };
  FrameIndex part = kept(index, [&](std::size_t i) {
    const std::string name = partition_of(i);
    ++counts[name];
    return name == partition;
  });
  if (!part.frames.empty()) return part;
  std::string there;
  for (const auto& [name, count] : counts) there += fmt::format("{}{} {}", there.empty() ? "" : ", ", name, count);
  fail_usage("{}: none of the {} frames is of the partition '{}'; frames of each: {}", file.string(), index.size(), partition, there);
}

Split split_by_scene(const FrameIndex& index, double share, std::uint64_t seed) {
  std::set<std::string> scenes;
  for (std::size_t i = 0; i < index.size(); ++i) scenes.insert(index.scene_of(i).name);
  if (scenes.size() < 2)
    fail_usage("{}: a split by scene needs two scenes, and there is {}", index.root.string(), scenes.size());
  const std::size_t count = share_of(share, scenes.size(), 1, scenes.size() - 1);
  const auto first = chosen({scenes.begin(), scenes.end()}, count, seed);
  return {kept(index, [&](std::size_t i) { return first.contains(index.scene_of(i).name); }),
          kept(index, [&](std::size_t i) { return !first.contains(index.scene_of(i).name); })};
}

FrameIndex fraction_of_frames(const FrameIndex& index, double share, std::uint64_t seed) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < index.size(); ++i) names.push_back(frame_key(index.name(i)));
  const auto few = chosen(names, share_of(share, names.size(), std::min<std::size_t>(1, names.size()), names.size()), seed);
  return kept(index, [&](std::size_t i) { return few.contains(names[i]); });
}

}  // namespace simulacra
