// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/options.h"

#include <array>
#include <cmath>
#include <string_view>

namespace simulacra {

void fields(config::Fields& f, PhotometricOptions& o) {
  f.field("brightness", o.brightness, "factor on image values, in 1 - b to 1 + b: an exposure", {0, 1});
  f.field("contrast", o.contrast, "factor on the difference to the mean luminance, in 1 - c to 1 + c", {0, 1});
  f.field("saturation", o.saturation, "factor on the difference to the pixel's luminance, in 1 - s to 1 + s", {0, 1});
  f.field("grayscale", o.grayscale, "probability of no saturation at all", {0, 1});
  f.field("hue", o.hue, "turn about the gray axis, in -h to h of a full turn", {0, 0.5});
  f.field("noise", o.noise, "standard deviation of noise, in image units", {0, 1});
}

void fields(config::Fields& f, LoaderOptions& o) {
  static constexpr std::array<std::string_view, 2> kColors = {"tone_mapped", "linear"};
  static constexpr std::array<std::string_view, 2> kSources = {"augmentation", "places"};
  f.field("labels", o.labels, "what comes with the image: depth, depth_planar, normals, semantics, albedo, shading, residual, positions");
  f.field("color", o.color, "tone_mapped: 90th percentile at 0.8, gamma 1/2.2; linear: as stored", kColors);
  f.field("bump_normals", o.bump_normals, "normals with bump and normal maps");
  f.field("batch_size", o.batch_size, "frames a batch, of each process", {1, 65536});
  f.field("height", o.height, "of the images, pixels; 0 = the frame's", {0, 16384});
  f.field("width", o.width, "of the images, pixels; 0 = the frame's", {0, 16384});
  f.field("scale_min", o.scale_min, "fewest frame pixels per image pixel: 1 is a plain crop", {0.1, 100});
  f.field("scale_max", o.scale_max, "most frame pixels per image pixel", {0.1, 100});
  f.field("random_crop", o.random_crop, "where the image lies in the frame is drawn; else the middle");
  f.field("flip", o.flip, "probability of mirroring left and right", {0, 1});
  f.group("photometric", o.photometric, "random changes of colors");
  f.field("views", o.views, "views of each frame", {1, 64});
  f.field("view_source", o.view_source, "augmentation: of the same frame; places: other frames that show the same place", kSources);
  f.field("min_overlap", o.min_overlap, "share of surface points that two views of a place have in common", {0, 1});
  f.field("shuffle", o.shuffle, "another order each epoch");
  f.field("drop_last", o.drop_last, "leave out what does not fill the last batch of an epoch");
  f.field("skip_incomplete", o.skip_incomplete, "leave out frames that lack a label, instead of refusing the set");
  f.field("seed", o.seed, "of order, crops and augmentations");
  f.field("threads", o.threads, "threads that prepare batches; 0 = none", {0, 256});
  f.field("prefetch", o.prefetch, "batches prepared ahead", {1, 64});
}

LoaderOptions for_evaluation(LoaderOptions o) {
  o.random_crop = o.shuffle = o.drop_last = false;
  o.flip = 0;
  o.photometric = {};
  o.views = 1;
  o.scale_min = o.scale_max = std::sqrt(o.scale_min * o.scale_max);
  return o;
}

}  // namespace simulacra
