// SPDX-License-Identifier: Apache-2.0
// Stands between the program and Embree: counts the time inside its two query functions, or records the rays
// that they are asked, or lets calls through. A program that links embree_tap.cpp calls this instead of the
// library. For one tracing thread at a time.
#pragma once

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <cstdint>
#include <vector>

namespace simulacra::bench {

/// One query as the path loop asked it, and what Embree answered.
struct Query {
  RTCRay ray;            ///< as asked
  float answer_tfar;     ///< after the call: distance of the hit, -inf for an occluded ray
  unsigned geometry;     ///< hit.geomID; RTC_INVALID_GEOMETRY_ID for a miss
  bool closest;          ///< rtcIntersect1, else rtcOccluded1
};

enum class Tap : std::uint8_t { open, timing, recording };

struct TapState {
  Tap mode = Tap::open;
  std::uint64_t ticks = 0, calls = 0;   ///< timing: of the processor's time-stamp counter
  std::vector<Query> queries;           ///< recording
  RTCScene scene = nullptr;             ///< the last one asked
};
TapState& tap();

/// Asks Embree the query again, without what the program does around it: answers tfar and geometry as above.
/// Surfaces that a filter of the program would let light pass count as opaque.
void ask_again(RTCScene scene, Query& query);

/// Counter ticks now.
std::uint64_t ticks_now();

}  // namespace simulacra::bench
