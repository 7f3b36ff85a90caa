// SPDX-License-Identifier: Apache-2.0
// Seconds of the label pass and of the color pass of one view, one JSON object a line and repeat. Loading the
// scene and building its acceleration structure are timed apart.
//
//   frame_bench SCENE [--size 640x360] [--spp 16] [--threads 2] [--max-depth 17] [--repeats 1] [--seed 0] [-o FILE.exr]
//
// Repeat r has the seed SEED + r. With -o the last frame is written, so that others can judge its error.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>

#include "dataset/exr/exr.h"
#include "tests/bench/bench_scene.h"

namespace {

using namespace simulacra;

struct Request {
  std::string scene, size = "640x360", output;
  RenderOptions render{.spp = 16, .threads = 2};
  int repeats = 1;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void run(const Request& request) {
  int width = 0, height = 0;
  bench::parse_size(request.size, width, height);
  const double before = cpu_seconds();
  const bench::View view = bench::load_view(request.scene, width, height);
  const double load_cpu = cpu_seconds() - before;
  for (int r = 0; r < request.repeats; ++r) {
    RenderOptions options = request.render;
    options.seed += static_cast<std::uint64_t>(r);
    const Frame frame = render(view.scene, view.camera, options);
    const FrameStats& s = frame.stats;
    std::printf("{\"seed\": %ju, \"spp\": %d, \"samples\": %ju, \"rays\": %ju, \"color_seconds\": %.4f, \"color_cpu_seconds\": "
                "%.4f, \"label_seconds\": %.4f, \"label_cpu_seconds\": %.4f, \"load_cpu_seconds\": %.4f, \"nan_samples\": %ju}\n",
                static_cast<std::uintmax_t>(options.seed), options.spp,
                static_cast<std::uintmax_t>(width) * static_cast<std::uintmax_t>(height) * static_cast<std::uintmax_t>(options.spp),
                static_cast<std::uintmax_t>(s.rays), s.color_seconds, s.color_cpu_seconds, s.label_seconds,
                s.label_cpu_seconds, load_cpu, static_cast<std::uintmax_t>(s.nan_samples));
    if (!request.output.empty() && r + 1 == request.repeats) write_exr(request.output, frame, {});
  }
}

}  // namespace

int main(int argc, char** argv) try {
  Request request;
  CLI::App app("Seconds of the label pass and of the color pass");
  app.add_option("SCENE", request.scene)->required()->check(CLI::ExistingFile);
  app.add_option("--size", request.size)->capture_default_str();
  app.add_option("--spp", request.render.spp)->check(CLI::Range(0, 1 << 20))->capture_default_str();
  app.add_option("--threads", request.render.threads)->check(CLI::Range(0, 1024))->capture_default_str();
  app.add_option("--max-depth", request.render.max_depth)->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--repeats", request.repeats)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--seed", request.render.seed)->capture_default_str();
  app.add_option("-o,--output", request.output, "FILE.exr");
  CLI11_PARSE(app, argc, argv);
  run(request);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
