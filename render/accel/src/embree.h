// SPDX-License-Identifier: Apache-2.0
// The differences between Embree 3 and 4 in one place.
#pragma once

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

namespace simulacra::embree {

#if RTC_VERSION_MAJOR >= 4

using QueryContext = RTCRayQueryContext;
inline void init_context(QueryContext& context) { rtcInitRayQueryContext(&context); }
inline void intersect(RTCScene scene, QueryContext& context, RTCRayHit& hit) {
  RTCIntersectArguments args;
  rtcInitIntersectArguments(&args);
  args.context = &context;
  rtcIntersect1(scene, &hit, &args);
}
inline void occluded(RTCScene scene, QueryContext& context, RTCRay& ray) {
  RTCOccludedArguments args;
  rtcInitOccludedArguments(&args);
  args.context = &context;
  rtcOccluded1(scene, &ray, &args);
}

#else

using QueryContext = RTCIntersectContext;
inline void init_context(QueryContext& context) { rtcInitIntersectContext(&context); }
inline void intersect(RTCScene scene, QueryContext& context, RTCRayHit& hit) { rtcIntersect1(scene, &context, &hit); }
inline void occluded(RTCScene scene, QueryContext& context, RTCRay& ray) { rtcOccluded1(scene, &context, &ray); }

#endif

}  // namespace simulacra::embree
