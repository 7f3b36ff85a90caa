// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/conventions.h"

#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "dataset/schema/canonical.h"
#include "dataset/schema/layout.h"

namespace simulacra {
namespace {

constexpr std::string_view kIntroduction = R"(# Conventions of this data set

Files follow the layout of the Hypersim data set, so its readers work unchanged. Each HDF5 file holds one array
called `dataset`. Row 0 of an image is its top, column 0 its left; channels come last, in the order R, G, B or
x, y, z.

## Frames and units

- **World**: right-handed, z up. Positions are in asset units; `_detail/metadata_scene.csv` says how many metres one
  unit is ({mpau} here). Depth is always in metres.
- **Camera**: +x right, +y up, +z backward (it looks along -z). `camera_keyframe_orientations` holds
  R_world_from_cam: its columns are the camera's axes in the world. p_world = R p_cam + C. For OpenCV's axes (y down,
  z forward) multiply R by diag(1, -1, -1) from the right.
- **Pixels**: pixel (row r, column c) covers [c, c+1) x [r, r+1); its center lies at +0.5. u = 2(c + 0.5)/W - 1,
  v = 1 - 2(r + 0.5)/H. The ray through it is M_cam_from_uv (u, v, 1) in the camera frame.
- **Lens**: pinhole without shift, horizontal field of view {fov:.6f}°. K = [[{f:.6f}, 0, {cx}], [0, {f:.6f}, {cy}], [0, 0, 1]]
  for points in pixels with the center of the first pixel at (0.5, 0.5); subtract 0.5 from cx and cy where a
  library puts it at (0, 0). The camera of a scene is its row of `metadata_camera_parameters.csv`.
- **Light**: color, illumination and residual are linear Rec. 709 radiance in one unscaled unit: no exposure, no
  tone map, no clamp. color = diffuse_reflectance x diffuse_illumination + residual, computed from the stored values,
  holds to within half a float16 step.
- **Geometry labels** are measured along one ray through the pixel's center: they are not filtered, and at edges they
  differ from color, which is a mean over the pixel. The ray passes surfaces whose opacity is below 0.5 and stops
  at glass.
- **None** is -1 for every id, and NaN for depth, position and normals; `valid_mask` says the same in a file of its
  own. Ids start at 1 (`material_id` at 0).

## Labels

)";

constexpr std::string_view kFiles = R"(
`depth_meters` is a distance from the camera's center, not a z coordinate; `depth_planar_meters` is the z coordinate.

## Files of a scene

| file | content |
|---|---|
| `images/scene_cam_XX_final_hdf5/frame.IIII.LABEL.hdf5` | color and its parts |
| `images/scene_cam_XX_geometry_hdf5/frame.IIII.LABEL.hdf5` | geometry and ids |
| `images/scene_cam_XX_*_preview/` | pictures to look at; `tonemap.jpg` puts the 90th percentile of luminance at 0.8 |
| `_detail/cam_XX/camera_keyframe_*.hdf5` | poses; row i belongs to frame i |
| `_detail/metadata_nodes.csv` | render_entity_id (`node_id`) to object |
| `_detail/metadata_node_strings.csv` | names of paths, meshes, materials and textures of each entity |
| `_detail/mesh/mesh_objects_si.hdf5`, `mesh_objects_sii.hdf5` | class and instance of each object, -1 none |
| `_detail/mesh/metadata_semantic_instance_bounding_box_*` | boxes; row i belongs to instance i, +inf where there is none |
| `_detail/mesh/metadata_instances.csv` | one row an instance: class, name, box, area |
| `_detail/mesh/metadata_materials.csv` | row i is material_id i |
| `_detail/mesh/mesh_vertices.hdf5`, `mesh_faces_vi.hdf5`, `mesh_faces_oi.hdf5` | triangles in the world frame and their objects |
| `_detail/CREDITS.txt` | authors and licences of the models, where a scene was put together from some |

Classes are those of NYU40; walls, floors and ceilings have a class and no instance. A box of type
`object_aligned_2d` stands upright, x along its longer side.

## Files of the data set

| file | content |
|---|---|
| `config.yaml` | the configuration everything was made with |
| `manifest.jsonl` | every file with size, SHA-256, seed and time; every frame with what was counted in it |
| `metadata_camera_parameters.csv` | matrices of each scene's camera |
| `analysis/metadata_images.csv`, `metadata_images_split_scene_v1.csv` | frames, and the partition of their scene |
| `analysis/metadata_camera_trajectories.csv` | cameras and the type of their room |

## Example

```python
import h5py, numpy as np
read = lambda path: h5py.File(path)["dataset"][:]
scene, frame = "ai_900_001", 0
images = f"{scene}/images/scene_cam_00_geometry_hdf5/frame.{frame:04d}."
depth = read(images + "depth_meters.hdf5").astype(float)                  # metres, along the ray
R = read(f"{scene}/_detail/cam_00/camera_keyframe_orientations.hdf5")[frame]
C = read(f"{scene}/_detail/cam_00/camera_keyframe_positions.hdf5")[frame]
H, W = depth.shape
v, u = np.meshgrid(1 - 2 * (np.arange(H) + .5) / H, 2 * (np.arange(W) + .5) / W - 1, indexing="ij")
t = np.tan({fov_rad} / 2)
ray = np.stack([u * t, v * t * H / W, -np.ones_like(u)], -1)
ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
points = C + (depth[..., None] * ray) @ R.T                                # equals frame.IIII.position.hdf5
```
)";

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

nlohmann::ordered_json json_of(const LabelSpec& row) {
  nlohmann::ordered_json label;
  label["name"] = row.name;
  label["dtype"] = name_of(row.dtype);
  label["channels"] = row.channels;
  label["unit"] = name_of(row.unit);
  label["space"] = name_of(row.space);
  label["reduce"] = name_of(row.reduce);
  label["folder"] = row.folder == Folder::final_pass ? "final" : "geometry";
  label["profile"] = row.profile == Profile::hypersim ? "hypersim" : "further";
  // JSON knows no NaN.
  label["invalid"] = std::isnan(row.invalid) ? nlohmann::ordered_json("NaN") : nlohmann::ordered_json(row.invalid);
  label["range"] = {row.lo, row.hi};
  label["doc"] = row.doc;
  return label;
}

}  // namespace

std::string_view name_of(Reduce reduce) { return reduce == Reduce::mean ? "mean" : "center_ray"; }

std::string conventions_markdown(const Conventions& c) {
  std::string text(kIntroduction);
  text = replaced(text, "{mpau}", fmt::format("{:g}", c.meters_per_asset_unit));
  text = replaced(text, "{fov:.6f}", fmt::format("{:.6g}", c.fov_x_rad * 180 / kPiD));
  text = replaced(text, "{f:.6f}", fmt::format("{:.6f}", focal_length_px(c.width, c.fov_x_rad)));
  text = replaced(text, "{cx}", fmt::format("{:g}", 0.5 * c.width));
  text = replaced(text, "{cy}", fmt::format("{:g}", 0.5 * c.height));
  return text + labels_as_markdown() + replaced(std::string(kFiles), "{fov_rad}", fmt::format("{}", c.fov_x_rad));
}

std::string conventions_json(const Conventions& c) {
  nlohmann::ordered_json out;
  out["schema_version"] = kSchemaVersion;
  out["world"] = {{"handedness", "right"}, {"up", "+z"}, {"meters_per_asset_unit", c.meters_per_asset_unit}};
  out["camera"] = {{"x", "right"}, {"y", "up"}, {"z", "backward"}, {"orientation", "world_from_cam, columns are axes"}};
  const double f = focal_length_px(c.width, c.fov_x_rad);
  out["image"] = {{"width", c.width}, {"height", c.height}, {"pixel_center", 0.5}, {"row_0", "top"}};
  out["pinhole"] = {{"fov_x_rad", c.fov_x_rad}, {"fx_px", f}, {"fy_px", f}, {"cx_px", 0.5 * c.width},
                    {"cy_px", 0.5 * c.height}};
  out["identity"] = "color = diffuse_reflectance * diffuse_illumination + residual";
  out["none_id"] = -1;
  for (const LabelSpec& row : kLabels) out["labels"].push_back(json_of(row));
  return out.dump(1) + "\n";
}

}  // namespace simulacra
