// SPDX-License-Identifier: Apache-2.0
// OpenImageIO beside fork(): decoders run in forked children, so no lock of the library may be held by
// another thread at the moment of a fork, and it may own no worker threads that a child would wait for.
#pragma once

#include <shared_mutex>

namespace simulacra {

/// Taken shared around every use of OpenImageIO in this process, exclusively around fork(). The first
/// call also switches the library's own threads off.
std::shared_mutex& oiio_mutex();

}  // namespace simulacra
