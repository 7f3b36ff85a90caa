// SPDX-License-Identifier: Apache-2.0
// Two files, or two data sets frame by frame, compared value by value.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/hdf5/hdf5.h"
#include "render/base/parallel.h"
#include "tools/inspector/catalog/frame_list.h"

namespace simulacra::inspector {

/// Values a and b agree when |a - b| <= absolute + relative * max(|a|, |b|), or when both are NaN, or the same infinity.
struct Tolerance {
  double absolute = 0, relative = 0;
};

/// 0 for ids and masks, and for labels that the table does not know. Else two steps of binary16, which is what a sum taken in
/// another order can move a rounded value by: relative 2^-9, and absolute 2^-9 of the label's scale (1 mm for lengths, 0.002
/// for unit vectors and reflectance, 0.001 for radiance and texture coordinates).
Tolerance default_tolerance(std::string_view label);

/// "depth_meters=0.01" or "depth_meters=0.01,0.001": absolute, relative. Throws UsageError saying what is expected.
std::pair<std::string, Tolerance> parse_tolerance(const std::string& text);

/// The value that is furthest beyond its tolerance, or, where all agree, the one that differs most.
struct WorstValue {
  std::string frame;                  ///< "ai_900_001/cam_00/0007"; empty for files
  std::size_t x = 0, y = 0, channel = 0;
  double a = 0, b = 0;
  double difference = 0;              ///< |a - b|; infinite where one of them is not finite
  double excess = 0;                  ///< difference less what is allowed
};

struct LabelComparison {
  std::string label;
  Tolerance tolerance;
  std::size_t channels = 1;
  std::size_t frames = 0, frames_over = 0;
  std::size_t values = 0, differing = 0, over = 0;   ///< differing: a != b at all; over: beyond the tolerance
  std::optional<WorstValue> worst;    ///< nothing where all values are the same
};

struct SetComparison {
  std::vector<LabelComparison> labels;          ///< in the order of the label table, others by name after them
  std::vector<std::string> only_a, only_b;      ///< frames, or labels of frames ("frame: label"), that the other lacks
  std::vector<std::string> problems;            ///< files that cannot be read or have other shapes, a line each
  std::vector<std::pair<std::string, std::size_t>> frames_over;   ///< frames with values over, the worst first
  std::size_t frames = 0;                       ///< compared
  bool agree() const;
};

/// Planes of the same shape. Throws Error naming both shapes when they differ; types of elements may.
LabelComparison compare_planes(const hdf5::Array& a, const hdf5::Array& b, const Tolerance& tolerance);

struct CompareOptions {
  std::map<std::string, Tolerance> tolerances;  ///< in place of the defaults
  std::vector<std::string> labels;              ///< only these; empty = all
  std::string frame;                            ///< only this frame_key(); empty = all
  ParallelFor parallel = serial_for;
};

/// Frames are paired by scene, camera and number. Throws UsageError when `options.frame` is in neither.
SetComparison compare_sets(const FrameList& a, const FrameList& b, const CompareOptions& options);
/// The arrays of two files. `label`: whose tolerance; empty = from the first file's name ("frame.0000.LABEL.hdf5").
SetComparison compare_files(const std::filesystem::path& a, const std::filesystem::path& b, const CompareOptions& options, std::string label = {});

std::string comparison_text(const SetComparison& comparison, std::size_t most_lines = 10);
std::string comparison_json(const SetComparison& comparison);

}  // namespace simulacra::inspector
