// SPDX-License-Identifier: Apache-2.0
// What a fit found, and whether it helps: gap meters between pictures that the fit did not see and the renders, as they are and
// through the fitted camera.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "render/image/frame.h"
#include "sim2real/calibrate/fit.h"
#include "sim2real/gap/report.h"

namespace simulacra::calibrate {

struct FitFacts {
  Fit fit;
  std::string renders, real;               ///< names of the folders
  std::size_t fitted_on = 0, judged_on = 0;  ///< real pictures
  int shrunk = 1;
  std::string jpeg;                        ///< where the quality comes from, for people
  gap::Gap before, after;                  ///< against the judging pictures
  std::vector<Plane> plain, photographed, examples;   ///< some for the page: renders, the same through the camera, real ones
};

/// Parameters with intervals, then meters before and after beside their floor.
std::string fit_text(const FitFacts& facts);
std::string fit_json(const FitFacts& facts);
/// One HTML page without other resources.
std::string fit_page(const FitFacts& facts);

struct MeterRow {
  std::string name, unit;
  double before = 0, after = 0, floor = 0;
};
/// Every meter of gap::Distances; the classifier's as its area.
std::vector<MeterRow> meter_rows(const gap::Gap& before, const gap::Gap& after);

}  // namespace simulacra::calibrate
