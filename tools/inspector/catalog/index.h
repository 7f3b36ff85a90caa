// SPDX-License-Identifier: Apache-2.0
// What the page knows before it opens a frame, and what it asks of one frame. All texts are JSON.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/inspector/catalog/frame_list.h"
#include "tools/inspector/catalog/planes.h"

namespace simulacra::inspector {

/// Weights of frames, by frame_key().
using FrameWeights = std::map<std::string, double>;
/// A table with the columns scene_name, camera_name, frame_id and weight. Throws UsageError naming the file.
FrameWeights read_weights(const std::filesystem::path& csv);

/// The data set and those that it is compared with. The frames of the first are the frames there are; in the others a
/// frame is found by scene, camera and number.
struct Sets {
  std::vector<FrameList> lists;
  FrameWeights weights;

  /// The frame of set `set_idx` that belongs to frame `frame_idx` of the first; nothing where it has none.
  std::optional<std::size_t> frame_in(std::size_t set_idx, std::size_t frame_idx) const;
};

/// {"title", "sets", "labels", "classes", "scenes", "frames": {one array a column}, "problems"}. `only` restricts the frames,
/// for a report of a sample.
std::string index_json(const Sets& sets, const std::vector<std::size_t>* only = nullptr);

/// {"labels": {name: {"file", "dtype", "shape", "bytes"} or {"file", "problem"}}, "previews": [name.ext], "folder", "record"}.
std::string frame_json(const FrameList& list, std::size_t frame_idx, PixelReaders& readers);

/// {name: [channel, …] or {"problem": line}}: every label's values of one pixel. NaN and infinities are texts.
std::string pixel_json(const FrameList& list, std::size_t frame_idx, std::size_t x, std::size_t y, PixelReaders& readers);

/// The file of a label of the frame; empty when there is none.
std::filesystem::path label_file(const FrameList& list, std::size_t frame_idx, std::string_view label);
/// The preview "tonemap.jpg" of the frame; pictures of the geometry pass are called "geometry.NAME.EXT".
std::filesystem::path preview_file(const FrameList& list, std::size_t frame_idx, std::string_view name);

}  // namespace simulacra::inspector
