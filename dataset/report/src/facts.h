// SPDX-License-Identifier: Apache-2.0
// What the page tells about a data set, gathered from its files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/schema/layout.h"
#include "dataset/schema/manifest.h"
#include "render/base/parallel.h"
#include "render/labels/labels.h"

namespace simulacra::reporting {

/// How a label is turned into a picture.
enum class Look : std::uint8_t { light, albedo, depth, normal, position, texture, entity, semantic, instance, material, bits };

/// One cell of a frame's grid.
struct Modality {
  Label label;
  std::string_view title, unit;
  Look look;
  std::optional<Preview> preview;   ///< the file on disk that shows it, when there is one
  bool smooth;                      ///< may be interpolated when enlarged; labels must not
};

inline constexpr std::array kModalities = {
    Modality{Label::color, "color", "radiance, tone-mapped", Look::light, Preview::tonemap, true},
    Modality{Label::diffuse_reflectance, "diffuse reflectance", "unitless, gamma 2.2", Look::albedo, std::nullopt, true},
    Modality{Label::diffuse_illumination, "diffuse illumination", "radiance, exposed as color", Look::light, std::nullopt, true},
    Modality{Label::residual, "residual", "radiance, exposed as color", Look::light, std::nullopt, true},
    Modality{Label::depth_meters, "depth", "m, Euclidean", Look::depth, Preview::depth_meters, false},
    Modality{Label::depth_planar_meters, "planar depth", "m, along the axis", Look::depth, std::nullopt, false},
    Modality{Label::normal_world, "normal, world", "unit vector", Look::normal, Preview::normal_world, false},
    Modality{Label::normal_cam, "normal, camera", "unit vector", Look::normal, Preview::normal_cam, false},
    Modality{Label::normal_bump_world, "bump normal, world", "unit vector", Look::normal, Preview::normal_bump_world, false},
    Modality{Label::normal_bump_cam, "bump normal, camera", "unit vector", Look::normal, Preview::normal_bump_cam, false},
    Modality{Label::position, "position", "asset units, world; xyz as rgb", Look::position, std::nullopt, false},
    Modality{Label::tex_coord, "texture coordinate", "u v w as rgb", Look::texture, Preview::tex_coord, false},
    Modality{Label::semantic, "semantic", "NYU40 class", Look::semantic, Preview::semantic, false},
    Modality{Label::semantic_instance, "instance", "id", Look::instance, Preview::semantic_instance, false},
    Modality{Label::render_entity_id, "render entity", "id", Look::entity, Preview::render_entity_id, false},
    Modality{Label::material_id, "material", "id", Look::material, std::nullopt, false},
    Modality{Label::valid_mask, "validity", "bits", Look::bits, std::nullopt, false},
    Modality{Label::transparency, "transparency", "bits", Look::bits, std::nullopt, false},
};
static_assert(kModalities.size() == kNumLabels);

/// Pixels of each class in a frame; index 0 is "unlabelled surface", 41 "no surface".
using ClassPixels = std::array<std::uint64_t, 42>;

struct Cell {
  std::string source;       ///< of the picture: a relative link or a data URI; empty when there is none
  std::string file;         ///< relative link to the stored values
  std::string range;        ///< "0.52 to 6.80 m" and the like; may be empty
  std::string problem;      ///< why there is no picture
};

struct FramePage {
  FrameName name;
  int width = 0, height = 0;
  std::array<Cell, kModalities.size()> cells;   ///< as kModalities
  ClassPixels classes{};
  std::size_t instances = 0;                    ///< seen in this frame
  std::optional<FrameRecord> record;
};

struct ScenePage {
  std::string name;
  std::optional<SceneRecord> record;
  std::string credits;
  double meters_per_unit = 0;                   ///< 0 = unknown
  std::vector<FramePage> frames;
};

struct DatasetPage {
  std::string title;
  std::optional<DatasetRecord> record;
  std::uint64_t bytes = 0;                      ///< of all files of the manifest
  std::vector<ScenePage> scenes;
  std::vector<std::string> problems;
};

/// Reads what the page needs. Links are relative to `page_folder`.
DatasetPage gather(const std::filesystem::path& root, const std::filesystem::path& page_folder, const ParallelFor& parallel);

/// Fills the cells, sizes and classes of one frame. Pictures inside the page are at most `width` pixels wide.
void fill_frame(const std::filesystem::path& scenes_folder, const std::filesystem::path& page_folder, int width, FramePage& frame);

/// `path` as a link from a page in `from`, percent-encoded.
std::string link_to(const std::filesystem::path& path, const std::filesystem::path& from);

}  // namespace simulacra::reporting
