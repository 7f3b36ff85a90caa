// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace simulacra {

/// Something outside the program failed: a file, a device, a library. The message is one line and
/// says where, what was found and what was expected. `main` prints it and exits with 1.
/// Bugs of our own are not Errors: see SIM_CHECK.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The request itself was wrong: an option, a config key, a name, an unreadable scene file that the
/// user named. The message names the culprit and the valid choices. `main` exits with 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...));
}

template <typename... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> text, Args&&... args) {
  throw UsageError(fmt::format(text, std::forward<Args>(args)...));
}

/// work(), with every Error turned into a UsageError: of work on what the user named, where all that goes wrong is the request's
/// fault.
template <typename Work>
auto as_request(Work work) {
  try {
    return work();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    throw UsageError(e.what());
  }
}

[[noreturn]] void check_failed(const char* what, const char* file, int line);

/// Stops the program on a bug of our own. Kept in every build, so not for a loop over samples.
#define SIM_CHECK(condition) \
  ((condition) ? void(0) : ::simulacra::check_failed(#condition, __FILE__, __LINE__))

}  // namespace simulacra
