// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dataset/trajectory/src/random.h"
#include "dataset/trajectory/views.h"

namespace simulacra {

/// A view near `base`: moved by at most options.variation_m (less in narrow spaces) and turned by at most
/// options.variation_deg in yaw and pitch. It keeps every limit that base keeps, and is no worse than base in the
/// others; the farther the tries fail, the smaller the variation, so that there always is one.
Pose vary(const ViewRequest& request, const Pose& base, Random& random, RejectionCounts& rejections);

}  // namespace simulacra
