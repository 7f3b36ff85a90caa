// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/material/src/inputs.h"

namespace simulacra {

/// The shading normal after the material's normal map, then its bump map; unit, in the hemisphere of
/// geometric_normal. A surface without usable texture coordinates keeps its normal.
Vec3 perturbed_normal(const MaterialDescription& m, const Inputs& at);

}  // namespace simulacra
