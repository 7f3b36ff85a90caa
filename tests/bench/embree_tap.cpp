// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/embree_tap.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

namespace simulacra::bench {
namespace {

/// The library's own function, which ours of the same name hides.
template <typename Function>
Function* library_function(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "Embree has no function %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function*>(found);
}
const auto kIntersect = library_function<decltype(rtcIntersect1)>("rtcIntersect1");
const auto kOccluded = library_function<decltype(rtcOccluded1)>("rtcOccluded1");

const RTCRay& ray_of(const RTCRayHit& h) { return h.ray; }
const RTCRay& ray_of(const RTCRay& r) { return r; }
unsigned geometry_of(const RTCRayHit& h) { return h.hit.geomID; }
unsigned geometry_of(const RTCRay&) { return RTC_INVALID_GEOMETRY_ID; }

template <typename Asked, typename Call>
void through_tap(RTCScene scene, Asked& asked, bool closest, const Call& call) {
  TapState& t = tap();
  switch (t.mode) {
    case Tap::open: call(); return;
    case Tap::timing: {
      const std::uint64_t start = ticks_now();
      call();
      t.ticks += ticks_now() - start;
      ++t.calls;
      return;
    }
    case Tap::recording: {
      Query q{ray_of(asked), 0, 0, closest};
      call();
      q.answer_tfar = ray_of(asked).tfar;
      q.geometry = geometry_of(asked);
      t.queries.push_back(q);
      t.scene = scene;
      return;
    }
  }
}

/// The program's context is Embree's with fields of its own behind; all zero means to it: no surface passes light.
struct alignas(64) Context {
  char bytes[512];
#if RTC_VERSION_MAJOR >= 4
  RTCRayQueryContext* embree() { return reinterpret_cast<RTCRayQueryContext*>(bytes); }
#else
  RTCIntersectContext* embree() { return reinterpret_cast<RTCIntersectContext*>(bytes); }
#endif
};

#if RTC_VERSION_MAJOR >= 4
void bare_intersect(RTCScene scene, Context& context, RTCRayHit& hit) {
  RTCIntersectArguments args;
  rtcInitIntersectArguments(&args);
  args.context = context.embree();
  kIntersect(scene, &hit, &args);
}
void bare_occluded(RTCScene scene, Context& context, RTCRay& ray) {
  RTCOccludedArguments args;
  rtcInitOccludedArguments(&args);
  args.context = context.embree();
  kOccluded(scene, &ray, &args);
}
void init(Context& context) { rtcInitRayQueryContext(context.embree()); }
#else
void bare_intersect(RTCScene scene, Context& context, RTCRayHit& hit) { kIntersect(scene, context.embree(), &hit); }
void bare_occluded(RTCScene scene, Context& context, RTCRay& ray) { kOccluded(scene, context.embree(), &ray); }
void init(Context& context) { rtcInitIntersectContext(context.embree()); }
#endif

/// Cleared once a thread, since clearing it for each ray would be part of the time.
Context& thread_context() {
  thread_local Context context = [] {
    Context c;
    std::memset(&c, 0, sizeof c);
    return c;
  }();
  return context;
}

}  // namespace

TapState& tap() {
  static TapState state;
  return state;
}

std::uint64_t ticks_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
#endif
}

void ask_again(RTCScene scene, Query& query) {
  Context& context = thread_context();
  init(context);
  if (query.closest) {
    RTCRayHit h;
    h.ray = query.ray;
    h.hit.geomID = h.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    bare_intersect(scene, context, h);
    query.answer_tfar = h.ray.tfar;
    query.geometry = h.hit.geomID;
  } else {
    RTCRay r = query.ray;
    bare_occluded(scene, context, r);
    query.answer_tfar = r.tfar;
    query.geometry = RTC_INVALID_GEOMETRY_ID;
  }
}

}  // namespace simulacra::bench

// In place of the library's functions of these names.
#if RTC_VERSION_MAJOR >= 4
extern "C" void rtcIntersect1(RTCScene scene, RTCRayHit* hit, RTCIntersectArguments* args) {
  simulacra::bench::through_tap(scene, *hit, true, [&] { simulacra::bench::kIntersect(scene, hit, args); });
}
extern "C" void rtcOccluded1(RTCScene scene, RTCRay* ray, RTCOccludedArguments* args) {
  simulacra::bench::through_tap(scene, *ray, false, [&] { simulacra::bench::kOccluded(scene, ray, args); });
}
#else
extern "C" void rtcIntersect1(RTCScene scene, RTCIntersectContext* context, RTCRayHit* hit) {
  simulacra::bench::through_tap(scene, *hit, true, [&] { simulacra::bench::kIntersect(scene, context, hit); });
}
extern "C" void rtcOccluded1(RTCScene scene, RTCIntersectContext* context, RTCRay* ray) {
  simulacra::bench::through_tap(scene, *ray, false, [&] { simulacra::bench::kOccluded(scene, context, ray); });
}
#endif
