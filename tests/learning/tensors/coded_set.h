// SPDX-License-Identifier: Apache-2.0
// A data set whose values tell where they stand, so that any mix-up of rows, columns, channels, frames or labels shows.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "render/labels/labels.h"

namespace simulacra::test {

struct CodedSet {
  int scenes = 1, cameras = 1, frames = 6;   ///< cameras per scene, frames per camera
  int width = 200, height = 150;             ///< several chunks of 96 x 128
  double meters_per_asset_unit = 0.5;
  std::vector<Label> labels = {Label::color, Label::depth_meters, Label::depth_planar_meters, Label::semantic, Label::position,
                               Label::normal_cam, Label::diffuse_reflectance, Label::diffuse_illumination, Label::residual,
                               Label::render_entity_id};
  bool poses = true;
};

/// Value of a label at a pixel. color: (column, row, number of the frame in the set). depth_meters: column + 1, NaN where
/// the sum of row and column is a multiple of 7. depth_planar_meters: 1000 (row + 1) + column. semantic: row % 40 + 1, -1 where
/// column is a multiple of 5. position: (2 column, 2 row, -2 number). normal_cam: +x in the left half of
/// the frame, +z in the right half, 0 in row 0. diffuse_reflectance: 0.25, 0.5, 1 where column is even, else 0.
/// diffuse_illumination: column + 1, row + 1, 2. residual: 1. render_entity_id: 1, -1 in the last column.
double coded_value(Label label, int row, int column, std::size_t channel, int number, const CodedSet& set);

/// Scenes ai_900_001 …, cameras cam_00 …, frames 0 …; each camera stands at the origin and looks along -z of the world.
void write_coded_set(const std::filesystem::path& root, const CodedSet& set);

/// One label file of the layout, from a formula of row, column and channel.
void write_label(const std::filesystem::path& file, Label label, int width, int height,
                 const std::function<double(int, int, std::size_t)>& value);

/// The Error's message of what `body` does; empty when it throws none.
std::string message_of(const std::function<void()>& body);

}  // namespace simulacra::test
