// SPDX-License-Identifier: Apache-2.0
// The verbs that need LibTorch. They live in an executable of their own, simulacra-learn, which simulacra starts: so a
// render never loads LibTorch. This list is all that simulacra itself knows of them.
#pragma once

#include <array>

#include "tools/program/program.h"

namespace simulacra::tools {

inline constexpr VerbElsewhere kRefineElsewhere{"refine", "make a data set look like real pictures without moving its labels"};

inline constexpr std::array kLearnVerbs = {
    VerbElsewhere{"train", "train a vision transformer on a labelled data set"},
    VerbElsewhere{"pretrain", "pretrain its encoder by contrast between views, without labels"},
    VerbElsewhere{"evaluate", "judge a trained model, and show its predictions on a page"},
    kRefineElsewhere,
};

extern const Verb kTrainVerb, kPretrainVerb, kEvaluateVerb, kGapVerb, kRefineVerb;

}  // namespace simulacra::tools
