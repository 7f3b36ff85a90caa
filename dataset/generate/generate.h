// SPDX-License-Identifier: Apache-2.0
// From a request to a data set on disk: the only place where the data set meets the renderer.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "dataset/generate/options.h"

namespace simulacra {

struct GenerateRun {
  std::filesystem::path root;  ///< the data set's folder
  int threads = 0;             ///< 0 = all cores; has no influence on any byte that is written
  bool strict = false;         ///< an import warning is a UsageError
  std::string version;         ///< of the program
  /// Called now and then from one thread at a time, with the share of this run's work that is done.
  std::function<void(double share)> progress;
  /// Told once a scene: its warnings and what it is made of. May be empty.
  std::function<void(const std::string& line)> say;
  const std::atomic<bool>* cancel = nullptr;   ///< set from outside to stop
};

struct GenerateResult {
  int scenes = 0, frames = 0;  ///< of the whole set
  int rendered = 0;            ///< frames that this run made
  int kept = 0;                ///< frames that were there and verified
  bool cancelled = false;      ///< stopped early; every finished frame is on disk
  double seconds = 0;          ///< wall time of this run
  double identity_error_steps = 0;  ///< largest of all frames, in float16 steps of color
};

/// Makes the set, or completes one that was interrupted: frames that are there and verify are not rendered again,
/// and the finished tree is the same as that of one uninterrupted run, but for times in the manifest.
///
/// Throws UsageError before anything is written when the request cannot be met: an unreadable scene, no light, a folder
/// of other things or of another request. Throws Error when work fails (no views, disk full).
GenerateResult generate(const GenerateRequest& request, const GenerateRun& run);

}  // namespace simulacra
