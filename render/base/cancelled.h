// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simulacra {

/// Thrown by work that was stopped on request: no error, and nothing half-done was left behind. Not an Error.
struct Cancelled {};

}  // namespace simulacra
