// SPDX-License-Identifier: Apache-2.0
// How batches are made of frames. Image and labels go through the same geometry: a window of the frame is cut out, shrunk
// where asked for (areas of colors, nearest pixels of everything else), and perhaps mirrored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "render/config/config.h"

namespace simulacra {

/// Random changes of the image's colors, each drawn once a view. They are the camera's: labels stay, except that
/// brightness, which is an exposure, multiplies shading and residual too, so that albedo * shading + residual remains
/// the exposed linear color. Order: brightness, contrast, saturation, hue, noise; then limited to the image's range.
struct PhotometricOptions {
  double brightness = 0;   ///< factor in [1 - b, 1 + b] on image values
  double contrast = 0;     ///< factor in [1 - c, 1 + c] on the difference to the view's mean luminance
  double saturation = 0;   ///< factor in [1 - s, 1 + s] on the difference to the pixel's luminance
  double grayscale = 0;    ///< probability of saturation 0
  double hue = 0;          ///< turn about the gray axis in [-h, h] of a full turn
  double noise = 0;        ///< standard deviation, image units: a sum of four uniform numbers a channel
  bool any() const { return brightness > 0 || contrast > 0 || saturation > 0 || grayscale > 0 || hue > 0 || noise > 0; }
};
void fields(config::Fields& f, PhotometricOptions& o);

struct LoaderOptions {
  std::vector<std::string> labels;           ///< names of Targets
  std::string color = "tone_mapped";         ///< or "linear"; see Batch::image
  bool bump_normals = false;                 ///< normals with bump and normal maps
  int batch_size = 16;                       ///< frames, of this process
  int height = 0, width = 0;                 ///< of a batch's images, pixels; 0 = the frame's
  double scale_min = 1, scale_max = 1;       ///< frame pixels per image pixel, drawn log-uniformly: 1 is a plain crop
  bool random_crop = true;                   ///< else the middle
  double flip = 0.5;                         ///< probability of mirroring left and right
  PhotometricOptions photometric;
  int views = 1;                             ///< rows a sample: see view_source
  /// "augmentation": every view is another draw on the same frame. "places": views after the first are, where there are
  /// such, other frames of the scene that show the same place: see views.h.
  std::string view_source = "augmentation";
  double min_overlap = 0.3;                  ///< share of surface points that two views of a place have in common
  bool shuffle = true;
  bool drop_last = true;                     ///< leave out what does not fill the last batch of an epoch
  bool skip_incomplete = false;              ///< leave out frames that lack a label, instead of refusing the set
  std::uint64_t seed = 0;
  int threads = 2;                           ///< that prepare batches ahead; 0 = the caller does it
  int prefetch = 2;                          ///< batches prepared ahead
};
void fields(config::Fields& f, LoaderOptions& o);

/// The same options without anything random, for evaluation: the middle of each frame, once, in order, all of them.
LoaderOptions for_evaluation(LoaderOptions options);

}  // namespace simulacra
