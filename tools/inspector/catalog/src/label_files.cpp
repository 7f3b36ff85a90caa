// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/catalog/label_files.h"

#include <algorithm>
#include <cmath>

#include "dataset/schema/layout.h"
#include "render/base/error.h"
#include "render/labels/labels.h"

namespace simulacra::inspector {

namespace fs = std::filesystem;

LabelFile label_of_file(const fs::path& file) {
  if (!fs::is_regular_file(file)) fail_usage("{}: no such file", file.string());
  const std::string name = file.filename().string();
  const auto parsed = parse_image_file_name(name);
  return {parsed ? std::string(parsed->kind) : file.stem().string(), file};
}

std::vector<LabelFile> label_files(const FrameList& list, std::size_t frame_idx) {
  const FrameEntry& entry = list.frames.at(frame_idx);
  std::vector<LabelFile> files;
  for (const FrameFile& file : files_of_frame(list.scene_of(frame_idx), entry.camera, entry.frame))
    if (!file.preview && std::ranges::find(files, file.name, &LabelFile::label) == files.end()) files.push_back({file.name, file.path});
  std::ranges::sort(files, {}, [](const LabelFile& f) { return place_of_label(f.label); });
  return files;
}

std::pair<std::size_t, std::string> place_of_label(const std::string& label) {
  const LabelSpec* row = find_label(label);
  return {row ? index_of(row->id) : kNumLabels, label};
}

std::string channel_name(const std::string& label, std::size_t channel, std::size_t channels) {
  if (channels < 2) return "";
  const LabelSpec* row = find_label(label);
  return row && channel < row->channels.size() ? std::string(1, row->channels[channel]) : std::to_string(channel);
}

nlohmann::ordered_json number_or_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

}  // namespace simulacra::inspector
