// SPDX-License-Identifier: Apache-2.0
// One frame: reading its images, then everything that one frame alone can tell.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dataset/audit/src/frame_images.h"
#include "dataset/audit/src/stored_array.h"
#include "dataset/schema/layout.h"
#include "render/base/half.h"

namespace simulacra::auditing {
namespace {

std::array<double, 32> make_steps() {
  std::array<double, 32> steps{};
  for (std::size_t e = 0; e < 31; ++e) steps[e] = std::ldexp(1.0, std::max(1, static_cast<int>(e)) - 25);
  steps[31] = std::nan("");
  return steps;
}
const std::array<double, 32> kHalfStep = make_steps();

std::vector<float> make_half_values() {
  std::vector<float> values(65536);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float_from_half(static_cast<std::uint16_t>(i));
  return values;
}

Image decode(const StoredArray& array, std::size_t channels) {
  static const std::vector<float> value_of = make_half_values();
  Image image;
  image.channels = channels;
  if (array.element == Element::i16) {
    const auto v = array.as<std::int16_t>();
    image.i.assign(v.begin(), v.end());
  } else {
    image.bits = array.values<std::uint16_t>();
    image.f.resize(image.bits.size());
    std::transform(image.bits.begin(), image.bits.end(), image.f.begin(), [](std::uint16_t h) { return value_of[h]; });
  }
  return image;
}

void load(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera, int frame, FrameImages& f, Findings& to) {
  const std::int64_t any = -1;
  Shape size{scene.size ? scene.size->second : any, scene.size ? scene.size->first : any};
  for (std::size_t k = 0; k < kNumImageKinds; ++k) {
    const LabelSpec& label = kLabels[k];
    const std::filesystem::path path = data.scenes_folder / label_path({scene.name, camera, frame}, label.id);
    f.paths[k] = data.rel(path);
    if (!data.kinds.has(label.id)) continue;
    Shape shape = size;
    if (label.channels.size() > 1) shape.push_back(static_cast<std::int64_t>(label.channels.size()));
    const Element element = label.dtype == DType::i16 ? Element::i16 : Element::f16;
    const auto array = read_array(path, f.paths[k], {.element = element, .shape = shape, .image = true}, to);
    if (!array) continue;
    f.height = array->shape[0], f.width = array->shape[1];
    f.images[k] = decode(*array, label.channels.size());
  }
}

void place(const SceneFacts& scene, const CameraFacts& camera, int frame, FrameImages& f) {
  std::size_t row = 0, rows = 0;
  if (camera.indices) {
    const auto at = std::find(camera.indices->begin(), camera.indices->end(), frame);
    if (at == camera.indices->end()) rows = 0;
    else row = static_cast<std::size_t>(at - camera.indices->begin()), rows = camera.indices->size();
  } else if (camera.eyes && frame < static_cast<int>(camera.eyes->size())) {
    row = static_cast<std::size_t>(frame), rows = camera.eyes->size();
  }
  if (row < rows) {
    if (camera.eyes && row < camera.eyes->size() && is_finite((*camera.eyes)[row])) f.eye = (*camera.eyes)[row];
    if (camera.world_from_cam && row < camera.world_from_cam->size()) {
      const Mat3d& r = (*camera.world_from_cam)[row];
      if (is_finite(r.column(0)) && is_finite(r.column(1)) && is_finite(r.column(2))) f.world_from_cam = r;
    }
  }
  const Size size{static_cast<int>(f.width), static_cast<int>(f.height)};
  if (scene.cam_from_uv) f.cam_from_uv = scene.cam_from_uv;
  else f.cam_from_uv = pinhole(size, camera.fov_rad.value_or(scene.fov_rad));
  if (!f.world_from_cam) return;
  f.shown.resize(f.pixels());
  f.rays.reserve(f.pixels());
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const bool moved = scene.label_source.size() == f.pixels() && scene.label_source[p] >= 0;
    f.shown[p] = moved ? static_cast<std::size_t>(scene.label_source[p]) : p;
    const double u = 2 * (static_cast<double>(f.shown[p] % f.width) + 0.5) / static_cast<double>(f.width) - 1;
    const double v = 1 - 2 * (static_cast<double>(f.shown[p] / f.width) + 0.5) / static_cast<double>(f.height);
    f.rays.push_back(normalize(*f.cam_from_uv * Vec3d{u, v, 1}));
  }
}

std::array<std::pair<double, std::int64_t>, 2> upward(const FrameImages& f) {
  std::array<std::pair<double, std::int64_t>, 2> sums{};
  const Image *semantic = f.get(Label::semantic), *normal = f.get(Label::normal_world);
  if (!semantic || !normal) return sums;
  for (std::size_t p = 0; p < f.pixels(); ++p) {
    const int s = semantic->i[p];
    if ((s != 2 && s != 22) || !normal->finite(p)) continue;
    auto& [sum, count] = sums[s == 2 ? 0 : 1];
    sum += normal->at(p, 2);
    ++count;
  }
  return sums;
}

}  // namespace

double Image::step(std::size_t pixel, std::size_t channel) const {
  const unsigned half = bits[pixel * channels + channel];
  if ((half & 0x7fffu) == 0x7bffu) return std::numeric_limits<double>::infinity();  // the largest one
  return kHalfStep[(half >> 10) & 31u];
}

std::string Image::text(std::size_t pixel) const {
  if (!i.empty()) return fmt::format("{}", i[pixel]);
  std::string out;
  for (std::size_t c = 0; c < channels; ++c) out += fmt::format("{}{:.5g}", c ? " " : "", at(pixel, c));
  return out;
}

void judge_frame(const DatasetFacts& data, SceneFacts& scene, const CameraFacts& camera, int frame, bool tonemap,
                 Findings& to, ContentMarks& marks) {
  FrameImages f;
  load(data, scene, camera.name, frame, f, to);
  if (!f.any() || f.pixels() == 0) return;
  // Without a stated size, the images of a frame must at least agree among themselves.
  for (auto& image : f.images)
    if (image && std::max(image->f.size(), image->i.size()) != f.pixels() * image->channels) image.reset();
  if (const Image* ids = f.get(Label::render_entity_id)) {
    f.empty.emplace(f.pixels());
    for (std::size_t p = 0; p < f.pixels(); ++p) (*f.empty)[p] = ids->i[p] == -1;
  }
  place(scene, camera, frame, f);
  std::map<int, std::map<int, std::string>> classes;
  judge_ids(scene, f, to);
  judge_masks(f, to);
  judge_light(f, to);
  judge_labels(scene, f, to, classes);
  judge_geometry(scene, f, to);
  judge_normals(f, to);
  if (tonemap) judge_tonemap(data, scene, camera.name, frame, f, to);
  if (data.kinds.all()) judge_further(data, scene, camera.name, frame, f, to);
  marks = content_of(f, to);
  const auto up = upward(f);
  if (!scene.boxes.empty()) see_boxes(scene, f);

  const std::lock_guard guard(scene.lock);
  for (const auto& [instance, seen] : classes)
    for (const auto& [semantic, path] : seen) {
      std::string& known = scene.classes[instance][semantic];
      if (known.empty() || path < known) known = path;
    }
  for (std::size_t k = 0; k < 2; ++k) {
    // Whole thousandths, so that the sum does not depend on the order of frames.
    scene.up_sum[k] += std::round(up[k].first * 1000) / 1000;
    scene.up_count[k] += up[k].second;
  }
}

}  // namespace simulacra::auditing
