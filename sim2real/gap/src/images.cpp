// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/images.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "dataset/frames/frame_index.h"
#include "dataset/hdf5/hdf5.h"
#include "dataset/store/tone_map.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/texture/texture.h"
#include "sim2real/gap/src/random.h"

namespace simulacra::gap {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotFinite = ": holds values that are not finite; take it out of the folder";

std::string extension_of(const std::string& name) {
  std::string extension = fs::path(name).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

bool is_picture(const std::string& name) {
  const std::string e = extension_of(name);
  return e == ".png" || e == ".jpg" || e == ".jpeg" || e == ".exr";
}

float srgb(float linear) {
  const float x = std::clamp(linear, 0.0f, 1.0f);
  return x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
}

[[noreturn]] void refuse_values(const std::string& where) { fail_usage("{}{}", where, kNotFinite); }

[[noreturn]] void refuse_count(const std::string& where, std::size_t there, std::size_t least) {
  fail_usage("{}: {} PNG, JPEG or EXR pictures, but at least {} are needed", where, there, least);
}

void check_image(const std::string& where, const Plane& image) {
  if (image.width < kLeastSide || image.height < kLeastSide)
    fail_usage("{}: {} x {} pixels, but at least {} x {} are needed", where, image.width, image.height, kLeastSide, kLeastSide);
  if (!std::ranges::all_of(image.f, [](float v) { return std::isfinite(v); }))
    refuse_values(where);
}

/// The middle of a picture, without alpha.
Plane plane_of(const Picture& picture, int most_side) {
  const int width = std::min(picture.width, most_side), height = std::min(picture.height, most_side);
  const int left = (picture.width - width) / 2, top = (picture.height - height) / 2;
  Plane plane{width, height, picture.channels >= 3 ? 3 : 1, {}, {}};
  plane.f.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(plane.channels));
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      for (int k = 0; k < plane.channels; ++k) {
        const auto pixel = static_cast<std::size_t>(top + r) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(left + c);
        plane.f.push_back(picture.pixels[pixel * static_cast<std::size_t>(picture.channels) + static_cast<std::size_t>(k)]);
      }
  return plane;
}

std::string_view kind(const Plane& image) { return image.channels == 3 ? "color" : "gray"; }

void check_set(const ImageSet& set, std::size_t least) {
  if (set.images.size() < least) refuse_count(set.name, set.images.size(), least);
  SIM_CHECK(set.names.size() == set.images.size() && (set.groups.empty() || set.groups.size() == set.images.size()));
  for (std::size_t i = 0; i < set.images.size(); ++i) {
    const Plane& image = set.images[i];
    SIM_CHECK(image.channels == 1 || image.channels == 3);
    check_image(set.name + ": " + set.names[i], image);
    if (image.channels != set.channels())
      fail_usage("{}: {} is {} and {} is {}; a set must be all gray or all color", set.name, set.names.front(), kind(set.images.front()),
                 set.names[i], kind(image));
  }
}

/// Numbers below `count`: all, or a seeded choice of most_images in rising order.
std::vector<std::size_t> chosen(std::size_t count, const ReadOptions& options) {
  std::vector<std::size_t> order = Random(options.seed, 0).permutation(count);
  if (count > options.most_images) order.resize(options.most_images);
  std::ranges::sort(order);
  return order;
}

std::vector<std::string> picture_names(const fs::path& folder) {
  std::vector<std::string> names = sorted_names(folder);
  std::erase_if(names, [&](const std::string& name) { return !is_picture(name) || !fs::is_regular_file(folder / name); });
  return names;
}

/// The frame's color in the 8 bits of tonemap.jpg, its middle. The whole frame decides its exposure.
Plane frame_plane(const FrameIndex& index, std::size_t frame_idx, int most_side) {
  const hdf5::Array stored = hdf5::read(index.file(frame_idx, Label::color));
  const std::size_t pixels = static_cast<std::size_t>(index.width) * static_cast<std::size_t>(index.height);
  if (stored.size() != 3 * pixels)
    fail("{}: {} values; frames of this set have {} x {} pixels of 3", index.file(frame_idx, Label::color).string(), stored.size(), index.width, index.height);
  std::vector<float> rgb(stored.size());
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<float>(stored.at(i));
  std::vector<std::uint8_t> valid(pixels, 1);
  if (has(index.frames[frame_idx].labels, Label::render_entity_id)) {
    const hdf5::Array ids = hdf5::read(index.file(frame_idx, Label::render_entity_id));
    for (std::size_t i = 0; i < pixels && ids.size() == pixels; ++i) valid[i] = ids.at(i) != -1;
  }
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      if (std::isnan(rgb[3 * i + k])) rgb[3 * i + k] = 0, valid[i] = 0;
  Picture picture{index.width, index.height, 3, {}};
  for (const std::uint8_t v : tone_mapped(rgb, tone_map_scale(rgb, valid))) picture.pixels.push_back(static_cast<float>(v) / 255);
  return plane_of(picture, most_side);
}

}  // namespace

ImageSet read_images(const fs::path& folder, const ReadOptions& options) {
  if (!fs::is_directory(folder)) fail_usage("{}: is no folder; a folder of PNG, JPEG or EXR pictures is expected", folder.string());
  const std::vector<std::string> names = picture_names(folder);
  if (names.size() < options.least_images) refuse_count(folder.string(), names.size(), options.least_images);
  ImageSet set{folder.string(), {}, {}};
  std::vector<fs::path> files;
  for (const std::size_t i : chosen(names.size(), options)) set.names.push_back(names[i]), files.push_back(folder / names[i]);
  set.images.resize(files.size());
  // The first bad file in the order of names is the one named, whichever is ready first.
  std::vector<std::string> failures(files.size());
  read_pictures(files, [&](std::size_t i, Picture picture, const std::string& failure) {
    if (!failure.empty()) failures[i] = failure + "; take it out of the folder";
    else if (picture.nonfinite > 0) failures[i] = files[i].string() + kNotFinite;
    else set.images[i] = plane_of(picture, options.most_side_px);
  });
  for (const std::string& failure : failures)
    if (!failure.empty()) throw UsageError(failure);
  options.parallel(files.size(), [&](std::size_t i) {
    if (extension_of(set.names[i]) == ".exr") std::ranges::transform(set.images[i].f, set.images[i].f.begin(), srgb);
  });
  check_set(set, options.least_images);
  return set;
}

ImageSet read_dataset_images(const fs::path& root, const ReadOptions& options) {
  const FrameIndex index = as_request([&] { return with_labels(scan_frames(root), label_bit(Label::color)); });
  ImageSet set{root.string(), {}, {}};
  const std::vector<std::size_t> frames = chosen(index.size(), options);
  if (frames.size() < options.least_images)
    fail_usage("{}: {} frames with color, but at least {} are needed", root.string(), frames.size(), options.least_images);
  for (const std::size_t i : frames) set.names.push_back(frame_key(index.name(i))), set.groups.push_back(index.camera_of(i).scene_idx);
  set.images.resize(frames.size());
  options.parallel(frames.size(), [&](std::size_t i) { set.images[i] = as_request([&] { return frame_plane(index, frames[i], options.most_side_px); }); });
  check_set(set, options.least_images);
  return set;
}

bool is_dataset(const fs::path& folder) {
  if (!fs::is_directory(folder) || !picture_names(folder).empty()) return false;
  const fs::path scenes = fs::is_directory(folder / "scenes") ? folder / "scenes" : folder;
  return std::ranges::any_of(sorted_names(scenes), [&](const std::string& name) { return fs::is_directory(scenes / name / "images"); });
}

ImageSet read_any_images(const fs::path& folder, const ReadOptions& options) {
  return is_dataset(folder) ? read_dataset_images(folder, options) : read_images(folder, options);
}

void check_sets(const ImageSet& synthetic, const ImageSet& real) {
  check_set(synthetic, kLeastImages), check_set(real, kLeastImages);
  if (synthetic.channels() != real.channels())
    fail_usage("{} is {} and {} is {}; the gap meters compare gray with gray or color with color", synthetic.name,
               kind(synthetic.images.front()), real.name, kind(real.images.front()));
}

Plane luma(const Plane& image) {
  if (image.channels == 1) return image;
  Plane y{image.width, image.height, 1, {}, {}};
  y.f.resize(image.f.size() / 3);
  for (std::size_t i = 0; i < y.f.size(); ++i)
    y.f[i] = 0.2126f * image.f[3 * i] + 0.7152f * image.f[3 * i + 1] + 0.0722f * image.f[3 * i + 2];
  return y;
}

}  // namespace simulacra::gap
