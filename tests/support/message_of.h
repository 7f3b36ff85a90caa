// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "render/base/error.h"

namespace simulacra::test {

/// The message of the Error that `body` throws.
template <typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace simulacra::test
