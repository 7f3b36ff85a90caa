// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "tools/learn/verbs.h"
#include "tools/program/program.h"

namespace {

/// A step allocates and frees hundreds of megabytes in pieces of the same sizes. As shipped, the C library gives each piece
/// back to the system at once and gets zeroed pages for the next one; here it keeps them.
void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  using namespace simulacra::tools;
  keep_freed_memory();
  constexpr std::array kVerbs = {&kTrainVerb, &kPretrainVerb, &kEvaluateVerb, &kGapVerb, &kRefineVerb};
  return run_program(kVerbs, {}, argc, argv);
}
