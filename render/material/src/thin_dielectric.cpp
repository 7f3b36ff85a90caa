// SPDX-License-Identifier: Apache-2.0
#include "render/material/bsdf_models.h"
#include "render/material/fresnel.h"
#include "render/material/src/hemisphere.h"

namespace simulacra {
namespace {

// R + T R T + T R³ T + ... of the two interfaces.
float plate_reflectance(const ThinDielectricModel& model, Vec3 wo) {
  const float r = fresnel_dielectric(std::abs(wo.z), model.eta).reflectance;
  return 2 * r / (1 + r);
}

}  // namespace

std::optional<BsdfSample> sample(const ThinDielectricModel& model, Vec3 wo, float u_lobe, Vec2) {
  const float r = plate_reflectance(model, wo);
  BsdfSample s;
  s.delta = true;
  if (u_lobe < r) {
    s.wi = reflect(wo);
    s.weight = model.reflectance;
    s.pdf = r;
  } else {
    s.wi = -wo;
    s.weight = model.transmittance;
    s.pdf = 1 - r;
    s.straight = true;
  }
  return s;
}

Rgb straight_transmittance(const ThinDielectricModel& model, Vec3 wo) {
  return model.transmittance * (1 - plate_reflectance(model, wo));
}

}  // namespace simulacra
