// SPDX-License-Identifier: Apache-2.0
// Rays per second inside the path loop, against a bare Embree loop on the very same rays.
//
//   rays_bench SCENE [--size 640x360] [--spp 1] [--max-depth 65] [--repeats 5] [--seed 0]
//
// One thread. The rays of one frame are recorded as the path loop asks them; then path loop and bare loop take
// turns, and each repeat prints one JSON object: CPU seconds of both, and the share of the path loop's time that
// passes inside Embree by the processor's counter. Every bare answer is compared with the recorded one.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>

#include "tests/bench/bench_scene.h"
#include "tests/bench/embree_tap.h"

namespace {

using namespace simulacra;

struct Request {
  std::string scene, size = "640x360";
  RenderOptions render{.spp = 1, .threads = 1, .max_depth = 65};
  int repeats = 5;
};

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The color pass' rays: the label pass asks one or more a pixel first, and they are dropped again.
std::vector<bench::Query> record(const bench::View& view, RenderOptions options) {
  bench::TapState& tap = bench::tap();
  tap.mode = bench::Tap::recording;
  const std::uint64_t color_rays = render(view.scene, view.camera, options).stats.rays;
  tap.mode = bench::Tap::open;
  if (color_rays > tap.queries.size()) fail("{} rays counted, {} recorded", color_rays, tap.queries.size());
  return {tap.queries.end() - static_cast<std::ptrdiff_t>(color_rays), tap.queries.end()};
}

struct Loop {
  double cpu = 0;
  std::uint64_t rays = 0;
};

Loop path_loop(const bench::View& view, const RenderOptions& options) {
  const FrameStats s = render(view.scene, view.camera, options).stats;
  return {s.color_cpu_seconds, s.rays};
}

/// Share of the color pass inside Embree: the ticks of its calls over those of the whole pass. The label pass
/// of the same view, timed alone, is taken off both.
double share_in_embree(const bench::View& view, RenderOptions options) {
  bench::TapState& tap = bench::tap();
  const auto timed = [&](int spp) {
    options.spp = spp;
    tap.ticks = tap.calls = 0;
    tap.mode = bench::Tap::timing;
    const std::uint64_t start = bench::ticks_now();
    render(view.scene, view.camera, options);
    const std::uint64_t all = bench::ticks_now() - start;
    tap.mode = bench::Tap::open;
    return std::pair{static_cast<double>(tap.ticks), static_cast<double>(all)};
  };
  const int spp = options.spp;
  const auto [labels_inside, labels_all] = timed(0);
  const auto [inside, all] = timed(spp);
  return (inside - labels_inside) / (all - labels_all);
}

Loop bare_loop(RTCScene scene, std::vector<bench::Query>& queries) {
  const double before = cpu_seconds();
  for (bench::Query& q : queries) bench::ask_again(scene, q);
  return {cpu_seconds() - before, queries.size()};
}

/// Share of shadow rays that passed a surface in the path loop, which the bare loop takes as opaque.
double compare(const std::vector<bench::Query>& recorded, const std::vector<bench::Query>& again) {
  std::size_t passed = 0;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const bench::Query &a = recorded[i], &b = again[i];
    const bool same = a.answer_tfar == b.answer_tfar && a.geometry == b.geometry;
    if (same) continue;
    if (a.closest || a.answer_tfar < 0) fail("ray {}: the bare loop found another answer", i);
    ++passed;
  }
  return static_cast<double>(passed) / static_cast<double>(recorded.size());
}

void run(const Request& request) {
  int width = 0, height = 0;
  bench::parse_size(request.size, width, height);
  const bench::View view = bench::load_view(request.scene, width, height);
  const std::vector<bench::Query> recorded = record(view, request.render);
  bench::tap().queries = {};
  std::vector<bench::Query> queries = recorded;
  std::size_t closest = 0;
  for (const bench::Query& q : recorded) closest += q.closest ? 1 : 0;
  for (int r = 0; r < request.repeats; ++r) {
    const Loop path = path_loop(view, request.render);
    const Loop bare = bare_loop(bench::tap().scene, queries);
    const double passed = compare(recorded, queries);
    if (path.rays != bare.rays) fail("{} rays in the path loop, {} in the bare loop", path.rays, bare.rays);
    std::printf("{\"rays\": %ju, \"closest\": %zu, \"path_cpu_seconds\": %.4f, \"bare_cpu_seconds\": %.4f, "
                "\"share_in_embree\": %.4f, \"passed_straight\": %.5f}\n",
                static_cast<std::uintmax_t>(path.rays), closest, path.cpu, bare.cpu,
                share_in_embree(view, request.render), passed);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  Request request;
  CLI::App app("Rays per second in the path loop and in a bare Embree loop");
  app.add_option("SCENE", request.scene)->required()->check(CLI::ExistingFile);
  app.add_option("--size", request.size)->capture_default_str();
  app.add_option("--spp", request.render.spp)->check(CLI::Range(1, 1 << 20))->capture_default_str();
  app.add_option("--max-depth", request.render.max_depth)->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--repeats", request.repeats)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--seed", request.render.seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  run(request);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
