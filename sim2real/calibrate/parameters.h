// SPDX-License-Identifier: Apache-2.0
// Which numbers of a camera a fit changes, and on what scale.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim2real/sensor/options.h"

namespace simulacra::calibrate {

/// On the fit's scale a value is a plain number: its logarithm for what is positive and spans decades.
struct Parameter {
  std::string_view name;       ///< key below `camera`, with an index where it is a list
  bool logarithm;              ///< the scale is ln(value)
  double lo, hi;               ///< on the scale
  double step;                 ///< of finite differences, and about what pictures can tell apart, on the scale
  double least_begin;          ///< where a fit begins at least, on the scale: blur has no slope at 0
  double width;                ///< of the weak belief in the start, on the scale: pulls back only what pictures do not tell
  double (*get)(const sensor::CameraOptions&);
  void (*set)(sensor::CameraOptions&, double value);
};

/// In this order, since one is relative to another. Noise: pixel.full_well_e (which shot noise follows from), read_noise_share:
/// pixel.read_noise_e over full_well_e, so that the two change different noise. Blur: blur.psf_sigma_px. Lens: corner_loss r g b,
/// red_px_at_corner, blue_px_at_corner. Light: exposure.auto_level. Development: white_gains r b (green is 1), contrast, and gamma for
/// the curve of that name. JPEG's quality is not among them: it is read off the pictures (see jpeg_traces.h).
std::span<const Parameter> parameters();
/// Those that can be fitted for this camera: `gamma` with its curve only; without names all of them, else those whose name holds one
/// of `names`. Throws UsageError for a name that fits none.
std::vector<const Parameter*> fitted_parameters(const sensor::CameraOptions& camera, std::span<const std::string> names = {});

double on_scale(const Parameter& p, const sensor::CameraOptions& camera);
void put_on_scale(const Parameter& p, sensor::CameraOptions& camera, double value);

}  // namespace simulacra::calibrate
