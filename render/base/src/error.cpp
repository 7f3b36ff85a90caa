// SPDX-License-Identifier: Apache-2.0
#include "render/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace simulacra {

void check_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s\n", file, line, what);
  std::abort();
}

}  // namespace simulacra
