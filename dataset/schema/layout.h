// SPDX-License-Identifier: Apache-2.0
// Names and places of the Hypersim layout. Paths are relative to the data set's folder, with '/'.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "render/labels/labels.h"

namespace simulacra {

inline constexpr std::string_view kAnalysisFolder = "analysis";   ///< data-set tables
inline constexpr std::string_view kManifestFile = "manifest.jsonl";
inline constexpr std::string_view kConfigFile = "config.yaml";    ///< effective configuration
inline constexpr std::string_view kStateFolder = ".simulacra";    ///< working files while a set is being made

/// "ai_900_001". Volume and number each 0..999.
std::string scene_name(int volume, int number);
bool is_scene_name(std::string_view name);
/// "cam_00"; index 0..99.
std::string camera_name(int index);
bool is_camera_name(std::string_view name);
/// "ai_900_001_cam_00", the name in metadata_camera_trajectories.csv.
std::string trajectory_name(std::string_view scene, std::string_view camera);
/// "ai_900_001@scene_cam_00_final"; pass is "geometry", "pre" or "final".
std::string rendering_job_name(std::string_view scene, std::string_view camera, std::string_view pass);

/// One frame's address. Scene and camera by name.
struct FrameName {
  std::string scene, camera;
  int frame = 0;
  bool operator==(const FrameName&) const = default;
};
/// "ai_900_001/cam_00/0007", for messages and as a key.
std::string frame_key(const FrameName& name);

/// Pictures to look at, beside the data.
struct PreviewSpec {
  std::string_view name;       ///< "tonemap"
  Folder folder;
  std::string_view extension;  ///< "jpg" or "png"
};

enum class Preview : std::uint8_t {
  color, gamma, diffuse_illumination, diffuse_reflectance, residual, lambertian, non_lambertian, diff, tonemap,
  geometry_color, geometry_gamma, depth_meters, normal_cam, normal_world, normal_bump_cam, normal_bump_world,
  render_entity_id, semantic, semantic_instance, tex_coord
};

/// In the order of Preview.
inline constexpr std::array kPreviews = {
    PreviewSpec{"color", Folder::final_pass, "jpg"},
    PreviewSpec{"gamma", Folder::final_pass, "jpg"},
    PreviewSpec{"diffuse_illumination", Folder::final_pass, "jpg"},
    PreviewSpec{"diffuse_reflectance", Folder::final_pass, "jpg"},
    PreviewSpec{"residual", Folder::final_pass, "jpg"},
    PreviewSpec{"lambertian", Folder::final_pass, "jpg"},
    PreviewSpec{"non_lambertian", Folder::final_pass, "jpg"},
    PreviewSpec{"diff", Folder::final_pass, "jpg"},
    PreviewSpec{"tonemap", Folder::final_pass, "jpg"},
    PreviewSpec{"color", Folder::geometry, "jpg"},
    PreviewSpec{"gamma", Folder::geometry, "jpg"},
    PreviewSpec{"depth_meters", Folder::geometry, "png"},
    PreviewSpec{"normal_cam", Folder::geometry, "png"},
    PreviewSpec{"normal_world", Folder::geometry, "png"},
    PreviewSpec{"normal_bump_cam", Folder::geometry, "png"},
    PreviewSpec{"normal_bump_world", Folder::geometry, "png"},
    PreviewSpec{"render_entity_id", Folder::geometry, "png"},
    PreviewSpec{"semantic", Folder::geometry, "png"},
    PreviewSpec{"semantic_instance", Folder::geometry, "png"},
    PreviewSpec{"tex_coord", Folder::geometry, "png"},
};
constexpr const PreviewSpec& spec(Preview p) { return kPreviews[static_cast<std::size_t>(p)]; }

/// "ai_900_001/images/scene_cam_00_geometry_hdf5/frame.0000.depth_meters.hdf5"
std::string label_path(const FrameName& name, Label label);
/// A file beside that of `label`, which the label table does not know: "…/frame.0000.depth_planar_measured_meters.hdf5".
std::string path_beside(const FrameName& name, Label label, std::string_view suffix);
/// "ai_900_001/images/scene_cam_00_final_preview/frame.0000.tonemap.jpg"
std::string preview_path(const FrameName& name, Preview preview);

/// Parts of an image folder's name, "scene_cam_XX_<final|geometry>_<hdf5|preview>".
struct ImageFolderName {
  std::string camera;
  Folder pass{};
  bool hdf5 = false;                  ///< else previews
};
std::optional<ImageFolderName> parse_image_folder_name(std::string_view name);
/// Parts of an image file's name, "frame.IIII.<kind>.<extension>": four digits; kind of a-z, 0-9 and _; hdf5, jpg or png.
struct ImageFileName {
  int frame = 0;
  std::string_view kind, extension;   ///< of the text that was parsed
};
std::optional<ImageFileName> parse_image_file_name(std::string_view name);

/// "ai_900_001/_detail/label_source.hdf5", of copies whose lens moved pixels: int32 [height, width], for each pixel the index (row *
/// width + column) of the pixel of the pinhole's image whose labels it holds, -1 where it shows what was not rendered. Geometry
/// of a pixel lies on the pinhole's ray of that pixel.
std::string label_source_path(std::string_view scene);

/// "ai_900_001/_detail", ".../_detail/mesh", ".../_detail/cam_00"
std::string detail_folder(std::string_view scene);
std::string mesh_folder(std::string_view scene);
std::string camera_folder(std::string_view scene, std::string_view camera);

enum class BoxType : std::uint8_t { object_aligned_2d, axis_aligned };
std::string_view name_of(BoxType type);
/// part is "positions", "orientations" or "extents".
std::string box_path(std::string_view scene, BoxType type, std::string_view part);

/// train, val or test by a hash of the scene's name, in shares 80 / 10 / 10.
std::string_view split_partition(std::string_view scene);

}  // namespace simulacra
