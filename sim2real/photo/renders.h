// SPDX-License-Identifier: Apache-2.0
// Renders for a fit: linear light of a data set's frames, or of a folder of pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "render/base/parallel.h"
#include "sim2real/calibrate/fit.h"
#include "sim2real/gap/images.h"

namespace simulacra::sim2real {

struct RenderSetOptions {
  std::size_t most = 64;       ///< of more frames a seeded choice
  int width = 0, height = 0;   ///< of the real pictures: renders at least twice as large are made smaller by areas; 0 = as they are
  bool depth = false;          ///< blur by depth asks for it
  std::uint64_t seed = 1;
  ParallelFor parallel = serial_for;
};

struct RenderSet {
  std::vector<calibrate::Render> renders;
  std::vector<std::string> names;
  std::vector<std::size_t> groups;   ///< scenes; empty for a folder of pictures
  int shrunk = 1;                    ///< so many pixels of a frame along an axis became one
  double fov_x_deg = 60;             ///< of the frames
  std::string name;
};
/// A data set in our layout, or a folder of pictures (display values of sRGB are taken back to linear light; what they cut off
/// stays cut off). Throws UsageError as gap::read_images() and scan_frames() do, and where depth is asked for and absent.
RenderSet read_renders(const std::filesystem::path& folder, const RenderSetOptions& options);

/// What the renders look like without a sensor: as gap::read_dataset_images() shows frames, in 8 bits.
std::vector<Plane> shown_without_sensor(const RenderSet& set);

}  // namespace simulacra::sim2real
