// SPDX-License-Identifier: Apache-2.0
#include "tools/simulacra/study_pictures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "render/base/base64.h"
#include "render/base/error.h"
#include "render/texture/texture.h"
#include "sim2real/gap/images.h"

namespace simulacra::tools {
namespace {

std::string png_uri(const Plane& image, int width, int height) {
  return "data:image/png;base64," + base64(encode_png(width, height, image.channels, display_bytes(middle_of(image, width, height))));
}

}  // namespace

std::vector<preference::Item> picture_items(const preference::StudyConfig& config) {
  std::vector<gap::ImageSet> sets;
  int width = config.side_px, height = config.side_px;
  for (const preference::PictureSource& source : config.pictures) {
    gap::ReadOptions options;
    options.most_images = static_cast<std::size_t>(source.most), options.least_images = 1;
    options.most_side_px = config.side_px, options.seed = config.options.seed;
    sets.push_back(gap::read_any_images(source.folder, options));
    if (sets.back().channels() != sets.front().channels())
      fail_usage("{} is {} and {} is not: that would tell them apart", sets.back().name, sets.back().channels() == 3 ? "color" : "gray", sets.front().name);
    for (const Plane& p : sets.back().images) width = std::min(width, p.width), height = std::min(height, p.height);
  }
  std::vector<preference::Item> items;
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::size_t i = 0; i < sets[s].images.size(); ++i)
      items.push_back({config.pictures[s].condition + "/" + sets[s].names[i], config.pictures[s].condition, png_uri(sets[s].images[i], width, height), "", ""});
  return items;
}

}  // namespace simulacra::tools
