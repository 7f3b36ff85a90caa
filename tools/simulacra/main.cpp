// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

#include "tools/gap/gap_verb.h"
#include "tools/learn/verbs.h"
#include "tools/program/program.h"
#include "tools/simulacra/verbs.h"

namespace {

using namespace simulacra::tools;

constexpr std::array kVerbs = {&kGenerateVerb, &kRenderVerb, &kSceneVerb, &kAuditVerb, &kReportVerb, &kGapVerb, &kPreferenceVerb, &kInspectVerb, &kDiffVerb};

/// Becomes the learning executable beside this one; returns only when that fails.
int start_learning(char** argv) {
#ifdef SIMULACRA_HAS_TORCH
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "simulacra-learn";
  ::execv(program.c_str(), argv);
  return complain(fmt::format("{}: {} cannot be started; build the target simulacra-learn", argv[1], program.string()), 1);
#else
  return complain(fmt::format("{}: this build is without the learning half; configure with -DSIMULACRA_TORCH=ON", argv[1]), 2);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1)
    for (const VerbElsewhere& verb : kLearnVerbs)
      if (std::string_view(argv[1]) == verb.name) return start_learning(argv);
#ifdef SIMULACRA_HAS_TORCH
  if (gap_wants_network(argc, argv)) return start_learning(argv);
  return run_program(kVerbs, kLearnVerbs, argc, argv);
#else
  return run_program(kVerbs, {}, argc, argv);
#endif
}
