// SPDX-License-Identifier: Apache-2.0
// From a description to the model of a hit, in two steps: what is the same everywhere once per scene, what a
// texture or vertex color changes once per hit.
#pragma once

#include <map>
#include <tuple>

#include "render/material/bsdf_models.h"
#include "render/material/src/inputs.h"
#include "render/material/src/rough_transmittance.h"

namespace simulacra {

/// Tables that depend on parameters of a material, each once.
class ModelTables {
 public:
  const RoughTransmittance* rough_transmittance(MicrofacetKind kind, float alpha, float eta);

 private:
  std::map<std::tuple<MicrofacetKind, float, float>, RoughTransmittance> rough_transmittance_;
};

/// The model with all textures at their factors. Throws Error for parameters that make no model. A blend has
/// none of its own: BlackModel.
BsdfModel make_model(const MaterialDescription& m, const TextureSet& textures, ModelTables& tables);
/// True when update_model() has something to do.
bool model_varies(const MaterialDescription& m);
/// Puts the inputs at a hit into a copy of make_model()'s result.
void update_model(BsdfModel& model, const MaterialDescription& m, const Inputs& at);

/// True when the input is other than 0 somewhere.
inline bool may_be_positive(const FloatInput& input) { return input.factor != 0 || input.offset != 0; }

}  // namespace simulacra
