// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tools/learn/verbs.h"
#include "tools/program/program.h"

int main(int argc, char** argv) {
  using namespace simulacra::tools;
  constexpr std::array kVerbs = {&kTrainVerb, &kPretrainVerb, &kEvaluateVerb};
  return run_program(kVerbs, {}, argc, argv);
}
