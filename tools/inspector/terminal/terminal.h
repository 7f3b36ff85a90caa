// SPDX-License-Identifier: Apache-2.0
// Values, statistics and pictures of a frame as text, for a terminal or a script.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "render/base/parallel.h"
#include "tools/inspector/catalog/frame_list.h"
#include "tools/inspector/catalog/label_files.h"

namespace simulacra::inspector {

/// The frame called `key` ("ai_900_001/cam_00/0007"); the first when `key` is empty. Throws UsageError that names some.
std::size_t frame_called(const FrameList& list, const std::string& key);

/// Names that go with the ids of a scene; empty maps for a single file.
struct IdNames {
  std::map<int, std::string> entities, instances, materials;
};
/// "chair"; "no class" for what has none.
std::string class_name(int semantic);
IdNames id_names(const FrameList& list, std::size_t scene_idx);

/// One label's values at a pixel. `problem` in place of values where the file cannot be read.
struct PixelValue {
  std::string label, unit, name, problem;      ///< unit "m", "radiance" or empty; name of a class, entity, instance, material
  std::vector<double> values;
};
/// x from the left, y from the top, from 0. Throws UsageError when a readable file has no such pixel.
std::vector<PixelValue> pixel_values(const std::vector<LabelFile>& files, const IdNames& names, std::size_t x, std::size_t y);
/// Lines of label, values, unit, name; and the identity's error, color - (reflectance * illumination + residual), where all
/// four are there.
std::string pixel_text(const std::vector<PixelValue>& values);
std::string pixel_json(const std::vector<PixelValue>& values);

/// Of all values of a label over some frames, each channel for itself. Percentiles are of every n-th value where there are
/// more than kMostKept, which moves them by less than 0.1 % of rank.
inline constexpr std::size_t kMostKept = 2'000'000;
struct LabelStatistics {
  std::string label, channel;                  ///< channel "R"; empty for labels of one
  std::size_t values = 0, not_finite = 0;
  double least = 0, mean = 0, most = 0;        ///< of the finite ones
  double p1 = 0, median = 0, p99 = 0;
  std::vector<std::pair<int, double>> classes; ///< of `semantic`: class and share of pixels, the largest first
};
struct SetStatistics {
  std::size_t frames = 0;
  std::vector<LabelStatistics> labels;
  std::vector<std::string> problems;           ///< files that could not be read, a line each
};
/// `frames`: the files of each frame.
SetStatistics statistics_of(const std::vector<std::vector<LabelFile>>& frames, const ParallelFor& parallel = serial_for);
std::string statistics_text(const SetStatistics& statistics);
std::string statistics_json(const SetStatistics& statistics);

struct PictureOptions {
  std::size_t columns = 80;      ///< of the terminal; half-block characters show two rows of pixels a line
  bool sixel = false;            ///< sixel graphics in place of characters, 8 pixels a column
};
/// The picture with 24-bit colors: light tone-mapped, directions as colors, classes and instances in their colors, other
/// values in viridis between their ends. Throws Error naming the file.
std::string picture_text(const LabelFile& file, const PictureOptions& options);

}  // namespace simulacra::inspector
