// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/images.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/texture/texture.h"
#include "sim2real/gap/src/random.h"

namespace simulacra::gap {
namespace {

namespace fs = std::filesystem;

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

void check_image(const std::string& where, const Plane& image) {
  if (image.width < kLeastSide || image.height < kLeastSide)
    fail_usage("{}: {} x {} pixels, but the gap meters need at least {} x {}", where, image.width, image.height, kLeastSide, kLeastSide);
  if (!std::ranges::all_of(image.f, [](float v) { return std::isfinite(v); }))
    fail_usage("{}: holds values that are not finite; the gap meters need finite ones", where);
}

/// The middle of a picture, without alpha.
Plane plane_of(const Picture& picture, int most_side, bool linear) {
  const int width = std::min(picture.width, most_side), height = std::min(picture.height, most_side);
  const int left = (picture.width - width) / 2, top = (picture.height - height) / 2;
  Plane plane{width, height, picture.channels >= 3 ? 3 : 1, {}, {}};
  plane.f.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(plane.channels));
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      for (int k = 0; k < plane.channels; ++k) {
        const auto pixel = static_cast<std::size_t>(top + r) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(left + c);
        const float v = picture.pixels[pixel * static_cast<std::size_t>(picture.channels) + static_cast<std::size_t>(k)];
        plane.f.push_back(linear && std::isfinite(v) ? srgb(v) : v);
      }
  return plane;
}

std::string_view kind(const Plane& image) { return image.channels == 3 ? "color" : "gray"; }

Plane read_image(const fs::path& file, const ReadOptions& options) try {
  Plane plane = plane_of(read_picture(file), options.most_side_px, extension_of(file.string()) == ".exr");
  check_image(file.string(), plane);
  return plane;
} catch (const UsageError&) {
  throw;
} catch (const Error& e) {
  fail_usage("{}; take it out of the folder", e.what());
}

void check_set(const ImageSet& set) {
  if (set.images.size() < kLeastImages)
    fail_usage("{}: {} PNG, JPEG or EXR pictures, but the gap meters need at least {}", set.name, set.images.size(), kLeastImages);
  SIM_CHECK(set.names.size() == set.images.size());
  for (std::size_t i = 0; i < set.images.size(); ++i) {
    const Plane& image = set.images[i];
    SIM_CHECK(image.channels == 1 || image.channels == 3);
    check_image(set.name + ": " + set.names[i], image);
    if (image.channels != set.channels())
      fail_usage("{}: {} is {} and {} is {}; a set must be all gray or all color", set.name, set.names.front(), kind(set.images.front()),
                 set.names[i], kind(image));
  }
}

/// Names to read: all, or a seeded choice in their order.
std::vector<std::string> chosen(std::vector<std::string> names, const ReadOptions& options) {
  if (names.size() <= options.most_images) return names;
  std::vector<std::size_t> order = Random(options.seed, 0).permutation(names.size());
  order.resize(options.most_images);
  std::ranges::sort(order);
  std::vector<std::string> kept;
  for (const std::size_t i : order) kept.push_back(std::move(names[i]));
  return kept;
}

}  // namespace

ImageSet read_images(const fs::path& folder, const ReadOptions& options) {
  if (!fs::is_directory(folder)) fail_usage("{}: is no folder; a folder of PNG, JPEG or EXR pictures is expected", folder.string());
  std::vector<std::string> names = sorted_names(folder);
  std::erase_if(names, [&](const std::string& name) { return !is_picture(name) || !fs::is_regular_file(folder / name); });
  if (names.size() < kLeastImages)
    fail_usage("{}: {} PNG, JPEG or EXR pictures, but the gap meters need at least {}", folder.string(), names.size(), kLeastImages);
  ImageSet set{folder.string(), {}, chosen(std::move(names), options)};
  std::vector<Plane> images(set.names.size());
  // The first bad file in the order of names is the one named, on any number of threads.
  std::vector<std::string> failures(set.names.size());
  options.parallel(images.size(), [&](std::size_t i) {
    try {
      images[i] = read_image(folder / set.names[i], options);
    } catch (const UsageError& e) {
      failures[i] = e.what();
    }
  });
  for (const std::string& failure : failures)
    if (!failure.empty()) throw UsageError(failure);
  set.images = std::move(images);
  check_set(set);
  return set;
}

void check_sets(const ImageSet& synthetic, const ImageSet& real) {
  check_set(synthetic), check_set(real);
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
