// SPDX-License-Identifier: Apache-2.0
// A data set made to look like real pictures: trained, watched for moved labels, and written as a copy.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "learning/train/train.h"
#include "sim2real/refinery/drift_meter.h"
#include "sim2real/refinery/options.h"

namespace simulacra::sim2real {

struct RefineControl {
  std::filesystem::path out;                   ///< the refined copy
  /// Folder of the run: config.yaml, scalars.csv, checkpoints/, refiner.safetensors, page.html. Empty: OUT with ".run" behind.
  std::filesystem::path run;
  std::string version;                         ///< of the program, for the manifest
  const std::atomic<bool>* cancel = nullptr;   ///< set from outside: a checkpoint is written, then Cancelled thrown
  std::function<void(const learning::StepReport&)> progress;
  std::function<void(const std::string&)> say; ///< a line for people
};

struct RefineResult {
  std::size_t frames = 0;
  DriftReading drift;                          ///< of the finished refinement
  double train_images_per_s = 0, write_images_per_s = 0;   ///< 0 where nothing was trained
  std::string weights_sha256;
  std::filesystem::path run, page;
};

/// The refined copy is a function of the options and both folders: kills and links change no bit of it. A run's folder with a
/// checkpoint of the same options goes on from there.
///
/// Throws UsageError, with nothing written, when folders or options do not fit; Error when labels moved over a limit of
/// options.drift (the run's folder then has curves and page, and there is no copy), or a loss is not finite.
RefineResult refine(const RefineOptions& options, const RefineControl& control);

}  // namespace simulacra::sim2real
