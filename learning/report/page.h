// SPDX-License-Identifier: Apache-2.0
// What a training came to, as one HTML page without other resources: scores, curves, predictions beside labels, and the
// confusion of classes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "learning/train/evaluate.h"

namespace simulacra::learning {

struct EvaluationFacts {
  std::filesystem::path run;           ///< folder of the training: its scalars.csv gives the curves
  std::string data;                    ///< folder of the judged data set
  Scores scores;
  std::vector<ShownFrame> shown;
};

std::string evaluation_page(const EvaluationFacts& facts);

}  // namespace simulacra::learning
