// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/src/row_maker.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "dataset/schema/canonical.h"
#include "render/base/error.h"

namespace simulacra::tensors {
namespace {

constexpr float kMostRadiance = 65504;   // of float16

/// Memory of one thread, kept from row to row.
struct Scratch {
  std::vector<float> stored, sampled;
  std::vector<std::int32_t> stored_ids, ids;
  std::vector<std::uint8_t> no_number;
};

Scratch& scratch() {
  thread_local Scratch memory;
  return memory;
}

Mat3d cam_from_pixel(const ViewPlan& plan, const FrameIndex& index, int height, int width) {
  const CropWindow& w = plan.window;
  const double x_step = static_cast<double>(w.columns) / width, y_step = static_cast<double>(w.rows) / height;
  const double x0 = plan.mirrored ? w.column + w.columns : w.column, sign = plan.mirrored ? -1 : 1;
  Mat3d uv_from_pixel;
  uv_from_pixel.m = {{{2 * sign * x_step / index.width, 0, 2 * x0 / index.width - 1},
                      {0, -2 * y_step / index.height, 1 - 2.0 * w.row / index.height},
                      {0, 0, 1}}};
  return Mat3d::diagonal(sign, 1, 1) * index.scene_of(plan.frame_idx).cam_from_uv * uv_from_pixel;
}

}  // namespace

/// What all steps of one row share.
struct RowMaker::Row {
  const ViewPlan& plan;
  std::int64_t number;
  std::vector<int> rows, columns;        ///< of the window, for each row and column of the image
  float exposure = 1;                    ///< from stored radiance to what the image shows, linear
  bool has_no_number = false;            ///< scratch().no_number marks pixels without a color
  std::size_t pixels() const { return rows.size() * columns.size(); }
};

void RowMaker::make(const ViewPlan& plan, std::int64_t number, Batch& batch) const {
  Row row{plan, number, nearest_map(plan.window.rows, options_.height, false),
          nearest_map(plan.window.columns, options_.width, plan.mirrored)};
  make_image(row, batch);
  for (const Target target : targets_) make_target(row, target, batch.labels.at(target));
  const Mat3d lens = cam_from_pixel(plan, index_, options_.height, options_.width);
  float* const to = batch.cam_from_pixel.data_ptr<float>() + number * 9;
  for (std::size_t i = 0; i < 9; ++i) to[i] = static_cast<float>(lens(i / 3, i % 3));
  const auto at = static_cast<std::size_t>(number);
  batch.frame_idx[at] = plan.frame_idx;
  batch.frames[at] = index_.name(plan.frame_idx);
}

void RowMaker::make_image(Row& row, Batch& batch) const {
  const CropWindow& w = row.plan.window;
  const std::size_t pixels = row.pixels();
  float* const out = batch.image.data_ptr<float>() + row.number * static_cast<std::int64_t>(3 * pixels);
  Scratch& memory = scratch();
  reader_.read(row.plan.frame_idx, Label::color, w, memory.stored);
  if (w.rows == options_.height && w.columns == options_.width)
    gather(memory.stored.data(), w.rows, w.columns, 3, row.rows, row.columns, out);
  else AreaResize(w.rows, w.columns, options_.height, options_.width, row.plan.mirrored).apply(memory.stored.data(), 3, out);

  row.has_no_number = any_nan({out, 3 * pixels});
  if (row.has_no_number) {
    memory.no_number.assign(pixels, 0);
    for (std::size_t i = 0; i < 3 * pixels; ++i)
      if (std::isnan(out[i])) memory.no_number[i % pixels] = 1;
  }
  const float brightness = row.plan.color.exposure;
  const bool mapped = options_.color == "tone_mapped";
  const float limit = mapped ? 1 : kMostRadiance;
  if (mapped) {
    // Brightness is a factor on encoded values, so a power of it on linear ones.
    row.exposure = reader_.tone_map_scale(row.plan.frame_idx) * std::pow(brightness, static_cast<float>(kToneMapGamma));
    tone_map({out, 3 * pixels}, row.exposure);
  } else {
    row.exposure = brightness;
    expose({out, 3 * pixels}, row.exposure, limit);
  }
  apply_change(row.plan.color, out, pixels, limit);
  if (row.has_no_number)
    for (std::size_t i = 0; i < 3 * pixels; ++i)
      if (memory.no_number[i % pixels]) out[i] = 0;
}

void RowMaker::make_target(Row& row, Target target, LabelTensor& label) const {
  const auto pixels = static_cast<std::int64_t>(row.pixels());
  bool* const mask = label.mask.data_ptr<bool>() + row.number * pixels;
  if (target == Target::semantics) {
    make_semantics(row, label.values.data_ptr<std::int64_t>() + row.number * pixels, mask);
  } else {
    float* const values = label.values.data_ptr<float>() + row.number * pixels * spec(target).channels;
    switch (target) {
      case Target::depth: make_depth(row, values, mask); break;
      case Target::depth_planar: make_depth_planar(row, values, mask); break;
      case Target::normals: make_normals(row, values, mask); break;
      case Target::positions: make_positions(row, values, mask); break;
      case Target::albedo:
        make_colors(row, Label::diffuse_reflectance, 1, values, mask);
        mask_without_surface(row, mask);
        break;
      case Target::shading:
        make_colors(row, Label::diffuse_illumination, row.exposure, values, mask);
        mask_without_shading(row, mask);
        break;
      case Target::residual: make_colors(row, Label::residual, row.exposure, values, mask); break;
      case Target::semantics: break;
    }
  }
  if (row.has_no_number)
    for (std::size_t i = 0; i < row.pixels(); ++i) mask[i] &= scratch().no_number[i] == 0;
  // One value everywhere that is no label.
  if (target == Target::semantics) {
    std::int64_t* const values = label.values.data_ptr<std::int64_t>() + row.number * pixels;
    for (std::int64_t i = 0; i < pixels; ++i)
      if (!mask[i]) values[i] = -1;
  } else {
    float* const values = label.values.data_ptr<float>() + row.number * pixels * spec(target).channels;
    for (int c = 0; c < spec(target).channels; ++c)
      for (std::int64_t i = 0; i < pixels; ++i) values[c * pixels + i] = mask[i] ? values[c * pixels + i] : 0.0f;
  }
}

void RowMaker::make_colors(Row& row, Label stored, float factor, float* values, bool* mask) const {
  const CropWindow& w = row.plan.window;
  Scratch& memory = scratch();
  reader_.read(row.plan.frame_idx, stored, w, memory.stored);
  if (w.rows == options_.height && w.columns == options_.width)
    gather(memory.stored.data(), w.rows, w.columns, 3, row.rows, row.columns, values);
  else AreaResize(w.rows, w.columns, options_.height, options_.width, row.plan.mirrored).apply(memory.stored.data(), 3, values);
  const std::size_t pixels = row.pixels();
  for (std::size_t i = 0; i < 3 * pixels; ++i) values[i] *= factor;
  for (std::size_t i = 0; i < pixels; ++i)
    mask[i] = std::isfinite(values[i]) && std::isfinite(values[pixels + i]) && std::isfinite(values[2 * pixels + i]);
}

void RowMaker::make_depth(Row& row, float* values, bool* mask) const {
  const CropWindow& w = row.plan.window;
  Scratch& memory = scratch();
  reader_.read(row.plan.frame_idx, Label::depth_meters, w, memory.stored);
  gather(memory.stored.data(), w.rows, w.columns, 1, row.rows, row.columns, values);
  for (std::size_t i = 0; i < row.pixels(); ++i) mask[i] = values[i] > 0 && std::isfinite(values[i]);
}

void RowMaker::make_depth_planar(Row& row, float* values, bool* mask) const {
  const CropWindow& w = row.plan.window;
  if (has(index_.frames[row.plan.frame_idx].labels, Label::depth_planar_meters)) {
    Scratch& memory = scratch();
    reader_.read(row.plan.frame_idx, Label::depth_planar_meters, w, memory.stored);
    gather(memory.stored.data(), w.rows, w.columns, 1, row.rows, row.columns, values);
    for (std::size_t i = 0; i < row.pixels(); ++i) mask[i] = values[i] > 0 && std::isfinite(values[i]);
    return;
  }
  // Distance times the cosine between the pixel's ray and the axis.
  make_depth(row, values, mask);
  const Mat3 lens = [&] {
    const Mat3d& m = index_.scene_of(row.plan.frame_idx).cam_from_uv;
    return Mat3::from_columns(Vec3(m.column(0)), Vec3(m.column(1)), Vec3(m.column(2)));
  }();
  float* value = values;
  for (const int r : row.rows) {
    const float v = 1 - 2 * (static_cast<float>(w.row + r) + 0.5f) / static_cast<float>(index_.height);
    for (const int c : row.columns) {
      const float u = 2 * (static_cast<float>(w.column + c) + 0.5f) / static_cast<float>(index_.width) - 1;
      const Vec3 ray = lens * Vec3(u, v, 1);
      *value++ *= -ray.z / length(ray);
    }
  }
  for (std::size_t i = 0; i < row.pixels(); ++i) mask[i] &= values[i] > 0;
}

void RowMaker::make_normals(Row& row, float* values, bool* mask) const {
  const CropWindow& w = row.plan.window;
  const LabelSet there = index_.frames[row.plan.frame_idx].labels;
  const Label in_camera = options_.bump_normals ? Label::normal_bump_cam : Label::normal_cam;
  const bool stored_in_camera = has(there, in_camera);
  const Label stored = stored_in_camera ? in_camera : options_.bump_normals ? Label::normal_bump_world : Label::normal_world;
  Scratch& memory = scratch();
  reader_.read(row.plan.frame_idx, stored, w, memory.stored);
  gather(memory.stored.data(), w.rows, w.columns, 3, row.rows, row.columns, values);

  Mat3 turn;
  if (!stored_in_camera) {
    const Mat3d m = transpose(index_.world_from_cam(row.plan.frame_idx)->linear);
    turn = Mat3::from_columns(Vec3(m.column(0)), Vec3(m.column(1)), Vec3(m.column(2)));
  }
  const std::size_t pixels = row.pixels();
  const float sign = row.plan.mirrored ? -1.0f : 1.0f;
  constexpr float kLeast = 1e-3f;   // the public set holds zero vectors, and others that are not unit
  float *const x = values, *const y = values + pixels, *const z = values + 2 * pixels;
  if (!stored_in_camera)
    for (std::size_t i = 0; i < pixels; ++i) {
      const Vec3 n = turn * Vec3(x[i], y[i], z[i]);
      x[i] = n.x; y[i] = n.y; z[i] = n.z;
    }
  for (std::size_t i = 0; i < pixels; ++i) {
    const float size = std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]), scale = 1 / size;
    mask[i] = size > kLeast && size < kMostRadiance;
    x[i] *= sign * scale;
    y[i] *= scale;
    z[i] *= scale;
  }
}

void RowMaker::make_positions(Row& row, float* values, bool* mask) const {
  const CropWindow& w = row.plan.window;
  Scratch& memory = scratch();
  reader_.read(row.plan.frame_idx, Label::position, w, memory.stored);
  gather(memory.stored.data(), w.rows, w.columns, 3, row.rows, row.columns, values);
  const Affine3d cam_from_world = inverse(*index_.world_from_cam(row.plan.frame_idx));
  const double unit = index_.scene_of(row.plan.frame_idx).meters_per_asset_unit;
  const std::size_t pixels = row.pixels();
  const float sign = row.plan.mirrored ? -1.0f : 1.0f;
  float *const x = values, *const y = values + pixels, *const z = values + 2 * pixels;
  for (std::size_t i = 0; i < pixels; ++i) {
    const Vec3 p(cam_from_world.point(Vec3d(Vec3(x[i], y[i], z[i])) * unit));
    mask[i] = is_finite(p);
    x[i] = sign * p.x;
    y[i] = p.y;
    z[i] = p.z;
  }
}

void RowMaker::make_semantics(Row& row, std::int64_t* values, bool* mask) const {
  const CropWindow& w = row.plan.window;
  constexpr std::int32_t kLastClass = 40;
  Scratch& memory = scratch();
  memory.ids.resize(row.pixels());
  reader_.read(row.plan.frame_idx, Label::semantic, w, memory.stored_ids);
  gather(memory.stored_ids.data(), w.rows, w.columns, 1, row.rows, row.columns, memory.ids.data());
  std::int32_t most = 0;
  for (std::size_t i = 0; i < memory.ids.size(); ++i) {
    values[i] = memory.ids[i];
    mask[i] = memory.ids[i] > 0;
    most = std::max(most, memory.ids[i]);
  }
  if (most > kLastClass)
    fail("{}: there is a class {}; NYU40 has 1 to {}", index_.file(row.plan.frame_idx, Label::semantic).string(), most, kLastClass);
}

void RowMaker::mask_without_surface(Row& row, bool* mask) const {
  if (!has(index_.frames[row.plan.frame_idx].labels, Label::render_entity_id)) return;
  Scratch& memory = scratch();
  memory.ids.resize(row.pixels());
  reader_.read(row.plan.frame_idx, Label::render_entity_id, row.plan.window, memory.stored_ids);
  gather(memory.stored_ids.data(), row.plan.window.rows, row.plan.window.columns, 1, row.rows, row.columns, memory.ids.data());
  for (std::size_t i = 0; i < memory.ids.size(); ++i) mask[i] &= memory.ids[i] != -1;
}

void RowMaker::mask_without_shading(Row& row, bool* mask) const {
  const CropWindow& w = row.plan.window;
  Scratch& memory = scratch();
  const std::size_t pixels = row.pixels();
  if (has(index_.frames[row.plan.frame_idx].labels, Label::valid_mask)) {
    constexpr std::int32_t kShadingIsDefined = 2;
    memory.ids.resize(pixels);
    reader_.read(row.plan.frame_idx, Label::valid_mask, w, memory.stored_ids);
    gather(memory.stored_ids.data(), w.rows, w.columns, 1, row.rows, row.columns, memory.ids.data());
    for (std::size_t i = 0; i < pixels; ++i) mask[i] &= (memory.ids[i] & kShadingIsDefined) != 0;
    return;
  }
  // The public set: a quotient by the reflectance, so without meaning where that is 0.
  memory.sampled.resize(3 * pixels);
  reader_.read(row.plan.frame_idx, Label::diffuse_reflectance, w, memory.stored);
  gather(memory.stored.data(), w.rows, w.columns, 3, row.rows, row.columns, memory.sampled.data());
  for (std::size_t i = 0; i < pixels; ++i)
    mask[i] &= memory.sampled[i] > 0 && memory.sampled[pixels + i] > 0 && memory.sampled[2 * pixels + i] > 0;
  mask_without_surface(row, mask);
}

}  // namespace simulacra::tensors
