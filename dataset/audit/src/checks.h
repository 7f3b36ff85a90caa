// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace simulacra::auditing {

struct CheckSpec {
  std::string_view id, title;
};

/// Every check, in the order of the report. A title that ends in " *" is judged over all frames together:
/// it fails when more than kContentShare of them break it.
inline constexpr std::array kChecks = {
    CheckSpec{"M.complete", "the manifest says that the data set was finished"},
    CheckSpec{"M.files", "every file of the manifest is there with its size"},
    CheckSpec{"M.checksum", "every file of the manifest has its SHA-256"},
    CheckSpec{"F1.names", "folders and files follow the naming patterns"},
    CheckSpec{"F1.files", "no required file is missing"},
    CheckSpec{"F1.readable", "every HDF5 file opens and decodes"},
    CheckSpec{"F1.key", "the root holds one array, called 'dataset'"},
    CheckSpec{"F1.attributes", "no HDF5 attributes"},
    CheckSpec{"F1.cameras", "metadata_cameras.csv and the camera folders agree"},
    CheckSpec{"F2.dtype", "element types are those of the format, little-endian"},
    CheckSpec{"F2.shape", "array shapes are those of the format"},
    CheckSpec{"F2.gzip", "images are gzip-compressed; no filter needs a plug-in"},
    CheckSpec{"F2.size", "images are 1024x768 (with --complete)"},
    CheckSpec{"F3.count", "at most 32767 nodes and instances"},
    CheckSpec{"F3.entity", "render_entity_id is -1 or 1..N"},
    CheckSpec{"F3.semantic", "semantic is -1 or 1..40"},
    CheckSpec{"F3.instance", "semantic_instance is -1 or 1..K-1"},
    CheckSpec{"F4.mask", "geometry is NaN exactly where render_entity_id is -1"},
    CheckSpec{"F4.inf", "no infinite value"},
    CheckSpec{"F4.labels", "semantic and semantic_instance are -1 at empty pixels"},
    CheckSpec{"F4.texcoord", "tex_coord is a number everywhere"},
    CheckSpec{"F5.depth", "depth_meters is the distance from the camera to position, in metres"},
    CheckSpec{"F6.ray", "position lies on the ray of the pixel center"},
    CheckSpec{"F6.unproject", "camera + depth_meters along that ray is position"},
    CheckSpec{"F6.centre", "no shift between position and pixel centers on average"},
    CheckSpec{"F6.planar", "planar depth by the 886.81 px formula is -z in the camera"},
    CheckSpec{"F7.unit", "normals have length 1"},
    CheckSpec{"F7.facing", "normals face the viewer"},
    CheckSpec{"F7.camera", "normal_cam is normal_world in the camera frame"},
    CheckSpec{"F8.rotation", "camera orientations are rotations with determinant +1"},
    CheckSpec{"F8.indices", "keyframes are numbered 0..N-1 and cover every frame"},
    CheckSpec{"F8.finite", "camera positions and look-at points are finite"},
    CheckSpec{"F8.lookat", "look-at points lie ahead of their cameras"},
    CheckSpec{"F8.up", "z is up: for cameras, floors and ceilings"},
    CheckSpec{"F9.range", "color, illumination and residual lie in [0, 65504)"},
    CheckSpec{"F9.reflectance", "diffuse_reflectance lies in [0, 1]"},
    CheckSpec{"F9.identity", "color = reflectance * illumination + residual within float16 rounding"},
    CheckSpec{"F9.psnr", "that sum reaches 40 dB"},
    CheckSpec{"F9.background", "reflectance and illumination are 0 inside empty regions"},
    CheckSpec{"F10.tonemap", "tonemap.jpg puts the 90th percentile of luminance at 0.8"},
    CheckSpec{"F10.preview", "previews are whole JPEG or PNG files of the image size"},
    CheckSpec{"F11.nodes", "metadata_nodes.csv lists nodes 1..N of existing objects"},
    CheckSpec{"F11.objects", "object tables hold legal ids and agree in length"},
    CheckSpec{"F11.semantic", "semantic is render_entity_id looked up in the object table"},
    CheckSpec{"F11.instance", "semantic_instance is render_entity_id looked up in the object table"},
    CheckSpec{"F11.oneclass", "an instance has exactly one class"},
    CheckSpec{"F11.stuff", "walls, floors and ceilings have no instance"},
    CheckSpec{"F11.colours", "color tables: row 0 is -1, classes have the NYU40 colors"},
    CheckSpec{"F12.rows", "box rows are finite for instances with geometry, +inf elsewhere"},
    CheckSpec{"F12.rotation", "box orientations are rotations of their type"},
    CheckSpec{"F12.extents", "box sides are not negative and in order"},
    CheckSpec{"F12.contain", "boxes hold every visible point of their instance"},
    CheckSpec{"F12.tight", "box faces turned to a camera are reached"},
    CheckSpec{"F12.mesh", "boxes fit the mesh exactly (where mesh files are present)"},
    CheckSpec{"F12.contiguous", "instance ids run 1..K-1 without a gap"},
    CheckSpec{"F13.scene", "metadata_scene.csv is the one row meters_per_asset_unit"},
    CheckSpec{"F13.cameras", "metadata_cameras.csv and metadata_camera.csv are well formed"},
    CheckSpec{"F13.nodes", "node and object tables are well formed"},
    CheckSpec{"F13.split", "the image lists are well formed"},
    CheckSpec{"F13.partition", "no scene is in two partitions"},
    CheckSpec{"F13.manifest", "frames on disk are those that the split includes"},
    CheckSpec{"F13.trajectories", "metadata_camera_trajectories.csv: 10 columns, a row a trajectory"},
    CheckSpec{"F13.parameters", "metadata_camera_parameters.csv: 87 columns, consistent matrices"},
    CheckSpec{"F13.canonical", "the camera is the 60 degree pinhole without shift"},
    CheckSpec{"F14.scale", "meters_per_asset_unit is not 0.001"},
    CheckSpec{"F14.step", "float16 positions are finer than 35 mm"},
    CheckSpec{"F15.nan", "fewer than 3 % empty pixels *"},
    CheckSpec{"F15.range", "depths span at least 0.5 m *"},
    CheckSpec{"F15.grey", "tone-mapped colors span at least 10 levels *"},
    CheckSpec{"F15.flat", "no color or depth fills more than 30 % of a frame *"},
    CheckSpec{"F15.near", "fewer than 5 % of pixels are nearer than 0.05 m *"},
    CheckSpec{"F15.far", "no depth beyond 65.5 m *"},
    CheckSpec{"X.planar", "depth_planar_meters is depth_meters along the viewing axis"},
    CheckSpec{"X.valid", "valid_mask tells where there is a surface"},
    CheckSpec{"X.source", "label_source.hdf5, of copies with a lens, names a pixel of the image for each pixel, or -1"},
    CheckSpec{"X.material", "material_id is a row of the material table where there is a surface, else -1"},
};

inline constexpr double kContentShare = 0.10;

/// Row of a check; an unknown id is a bug.
std::size_t check_row(std::string_view id);
/// "F12.rows" -> "F12".
std::string_view family_of(std::string_view id);

}  // namespace simulacra::auditing
