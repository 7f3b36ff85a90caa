// SPDX-License-Identifier: Apache-2.0
// The stored images of a frame, and numbers as JSON has them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/inspector/catalog/frame_list.h"

namespace simulacra::inspector {

/// An HDF5 image and the label that its name says: "frame.0000.depth_meters.hdf5" holds depth_meters.
struct LabelFile {
  std::string label;
  std::filesystem::path path;
};
/// Of one file; another name than an image's is the label itself. Throws UsageError when there is no such file.
LabelFile label_of_file(const std::filesystem::path& file);
/// HDF5 images of a frame, each label once, in the order of the label table, others by name after them.
std::vector<LabelFile> label_files(const FrameList& list, std::size_t frame_idx);

/// What labels are ordered by: the table's place, and the name of those that it does not have.
std::pair<std::size_t, std::string> place_of_label(const std::string& label);
/// "R" for channel 0 of color, empty for labels of one channel; the number for labels that the table does not have.
std::string channel_name(const std::string& label, std::size_t channel, std::size_t channels);

/// A number, or "NaN", "Infinity" and "-Infinity", which JSON does not have.
nlohmann::ordered_json number_or_text(double value);

}  // namespace simulacra::inspector
