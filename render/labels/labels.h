// SPDX-License-Identifier: Apache-2.0
// Every per-pixel quantity is one row of kLabels. Film, writers, checker, documents and inspector walk
// this table; adding a label is one row here and one case in render/film/src/label_value.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace simulacra {

/// The order is the order of kLabels.
enum class Label : std::uint8_t {
  color, diffuse_reflectance, diffuse_illumination, residual,
  depth_meters, position, normal_world, normal_cam, normal_bump_world, normal_bump_cam, tex_coord,
  render_entity_id, semantic, semantic_instance,
  depth_planar_meters, material_id, valid_mask, transparency
};

enum class DType : std::uint8_t { f16, f32, u8, i16, i32 };
enum class Unit : std::uint8_t { none, meter, radiance, identifier };
/// The frame a vector-valued label is expressed in.
enum class Space : std::uint8_t { none, camera, world };
/// `mean`: average over the pixel's samples. `center_ray`: one unjittered ray through the pixel center.
enum class Reduce : std::uint8_t { mean, center_ray };
/// Folder of the Hypersim layout: scene_cam_XX_final_hdf5 or scene_cam_XX_geometry_hdf5.
enum class Folder : std::uint8_t { final_pass, geometry };
/// `hypersim`: part of the public format, one of its 14 files. `further`: our own file beside them.
enum class Profile : std::uint8_t { hypersim, further };

struct LabelSpec {
  Label id;
  std::string_view name;      ///< HDF5 file suffix, EXR part name, word in configs
  DType dtype;
  std::string_view channels;  ///< one letter a channel: "RGB", "XYZ", "Z"
  Unit unit;
  Space space;
  Reduce reduce;
  Folder folder;
  Profile profile;
  double invalid;             ///< stored where no surface was hit
  double lo, hi;              ///< closed interval of valid values
  std::string_view doc;
};

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kHalfLimit = 65504;

inline constexpr std::array kLabels = {
    LabelSpec{Label::color, "color", DType::f16, "RGB", Unit::radiance, Space::none, Reduce::mean,
              Folder::final_pass, Profile::hypersim, 0, 0, kHalfLimit,
              "Radiance towards the camera, linear Rec. 709, unscaled: diffuse_reflectance * diffuse_illumination + "
              "residual, computed from those stored values. A miss holds the background."},
    LabelSpec{Label::diffuse_reflectance, "diffuse_reflectance", DType::f16, "RGB", Unit::none, Space::none,
              Reduce::mean, Folder::final_pass, Profile::hypersim, 0, 0, 1,
              "Albedo of the diffuse lobe at the first surface, mean over the pixel's samples."},
    LabelSpec{Label::diffuse_illumination, "diffuse_illumination", DType::f16, "RGB", Unit::radiance, Space::none,
              Reduce::mean, Folder::final_pass, Profile::hypersim, 0, 0, kHalfLimit,
              "Radiance that leaves through the diffuse lobe divided by diffuse_reflectance; where that is 0, the "
              "radiance a white diffuse surface would reflect there."},
    LabelSpec{Label::residual, "residual", DType::f16, "RGB", Unit::radiance, Space::none, Reduce::mean,
              Folder::final_pass, Profile::hypersim, 0, 0, kHalfLimit,
              "Everything that does not leave through the diffuse lobe of the first surface: reflections, "
              "transmission, emission, background."},
    LabelSpec{Label::depth_meters, "depth_meters", DType::f16, "Z", Unit::meter, Space::none, Reduce::center_ray,
              Folder::geometry, Profile::hypersim, kNaN, 0, kHalfLimit,
              "Euclidean distance from the camera's center of projection to the surface."},
    LabelSpec{Label::position, "position", DType::f16, "XYZ", Unit::meter, Space::world, Reduce::center_ray,
              Folder::geometry, Profile::hypersim, kNaN, -kHalfLimit, kHalfLimit,
              "Surface point in the world frame (z up, metres)."},
    LabelSpec{Label::normal_world, "normal_world", DType::f16, "XYZ", Unit::none, Space::world, Reduce::center_ray,
              Folder::geometry, Profile::hypersim, kNaN, -1, 1,
              "Unit shading normal without bump or normal map, turned to the viewer."},
    LabelSpec{Label::normal_cam, "normal_cam", DType::f16, "XYZ", Unit::none, Space::camera, Reduce::center_ray,
              Folder::geometry, Profile::hypersim, kNaN, -1, 1,
              "normal_world in the camera frame: x right, y up, z backward."},
    LabelSpec{Label::normal_bump_world, "normal_bump_world", DType::f16, "XYZ", Unit::none, Space::world,
              Reduce::center_ray, Folder::geometry, Profile::hypersim, kNaN, -1, 1,
              "Unit shading normal with bump and normal maps, turned to the viewer."},
    LabelSpec{Label::normal_bump_cam, "normal_bump_cam", DType::f16, "XYZ", Unit::none, Space::camera,
              Reduce::center_ray, Folder::geometry, Profile::hypersim, kNaN, -1, 1,
              "normal_bump_world in the camera frame."},
    LabelSpec{Label::tex_coord, "tex_coord", DType::f16, "UVW", Unit::none, Space::none, Reduce::center_ray,
              Folder::geometry, Profile::hypersim, 0, -kHalfLimit, kHalfLimit,
              "Texture coordinate of the mesh's first UV set; w is 0."},
    LabelSpec{Label::render_entity_id, "render_entity_id", DType::i16, "I", Unit::identifier, Space::none,
              Reduce::center_ray, Folder::geometry, Profile::hypersim, -1, 1, 32767,
              "Number of the render entity, from 1 in scene order: node_id of metadata_nodes.csv."},
    LabelSpec{Label::semantic, "semantic", DType::i16, "I", Unit::identifier, Space::none, Reduce::center_ray,
              Folder::geometry, Profile::hypersim, -1, 1, 40,
              "NYU40 class; -1 also where the entity is unlabelled."},
    LabelSpec{Label::semantic_instance, "semantic_instance", DType::i16, "I", Unit::identifier, Space::none,
              Reduce::center_ray, Folder::geometry, Profile::hypersim, -1, 1, 32767,
              "Instance, numbered from 1 without gaps; -1 for wall, floor, ceiling and what is unlabelled."},
    LabelSpec{Label::depth_planar_meters, "depth_planar_meters", DType::f32, "Z", Unit::meter, Space::camera,
              Reduce::center_ray, Folder::geometry, Profile::further, kNaN, 0, 1e6,
              "Coordinate along the viewing axis, positive in front of the camera."},
    LabelSpec{Label::material_id, "material_id", DType::i32, "I", Unit::identifier, Space::none, Reduce::center_ray,
              Folder::geometry, Profile::further, -1, 0, 2147483647,
              "Row of the scene's material table, from 0."},
    LabelSpec{Label::valid_mask, "valid_mask", DType::u8, "V", Unit::none, Space::none, Reduce::center_ray,
              Folder::geometry, Profile::further, 0, 0, 3,
              "Bit 0: the geometry labels hold a surface. Bit 1: diffuse_illumination is defined there."},
    LabelSpec{Label::transparency, "transparency", DType::u8, "T", Unit::none, Space::none, Reduce::center_ray,
              Folder::geometry, Profile::further, 0, 0, 3,
              "Bit 0: the labelled surface transmits light (glass). Bit 1: the ray passed a surface with opacity "
              "below 0.5 on its way."},
};

inline constexpr std::size_t kNumLabels = kLabels.size();

constexpr std::size_t index_of(Label label) { return static_cast<std::size_t>(label); }
constexpr const LabelSpec& spec(Label label) { return kLabels[index_of(label)]; }
constexpr std::size_t channel_count(Label label) { return spec(label).channels.size(); }
constexpr bool is_float(DType t) { return t == DType::f16 || t == DType::f32; }
constexpr std::size_t byte_size(DType t) {
  return t == DType::u8 ? 1 : (t == DType::f16 || t == DType::i16) ? 2 : 4;
}

std::string_view name_of(DType type);    ///< numpy's name: "float16"
std::string_view name_of(Unit unit);     ///< "m", "1", "radiance", "id"
std::string_view name_of(Space space);   ///< "camera", "world", "none"

/// The row of that name; null when there is none.
const LabelSpec* find_label(std::string_view name);
/// Throws UsageError, listing the known names, when there is none of that name.
Label label_from_name(std::string_view name);

/// The table as Markdown: render/labels/labels.md is this text, and a test keeps it so.
std::string labels_as_markdown();

namespace detail {
constexpr bool labels_are_consistent() {
  for (std::size_t i = 0; i < kLabels.size(); ++i) {
    const LabelSpec& a = kLabels[i];
    const bool nan = a.invalid != a.invalid;
    if (index_of(a.id) != i) return false;                      // rows in enum order
    if (a.channels.empty() || a.doc.empty()) return false;
    if (nan && !is_float(a.dtype)) return false;                // invalid fits the type
    if (a.unit == Unit::identifier && (is_float(a.dtype) || a.reduce == Reduce::mean)) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (kLabels[j].name == a.name) return false;              // unique names
  }
  return true;
}
static_assert(labels_are_consistent());
}  // namespace detail

}  // namespace simulacra
