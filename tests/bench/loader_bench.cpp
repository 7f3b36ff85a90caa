// SPDX-License-Identifier: Apache-2.0
// Images a second of the loader: color, depth, normals and semantics of random crops, in batches.
//
//   loader_bench SET [--height 192] [--width 256] [--batch 8] [--threads 2] [--images 200] [--color tone_mapped|linear]
//
// Prints one JSON object a measured pass: the first reads every file's table of chunks, later ones have them. Checksums
// let another loader show that it made the same tensors: "--fixed" takes the middle of each frame without a flip, in order.
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "learning/tensors/loader.h"
#include "render/base/error.h"

namespace {

using namespace simulacra;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Sums that depend on every value, so that nothing of the work can be left out.
std::vector<double> checksums(const Batch& batch) {
  std::vector<double> sums{batch.image.sum(torch::kFloat64).item<double>()};
  for (const auto& [target, label] : batch.labels) {
    sums.push_back(label.values.sum(torch::kFloat64).item<double>());
    sums.push_back(label.mask.sum(torch::kFloat64).item<double>());
  }
  return sums;
}

void measure(Loader& loader, int images, const char* pass) {
  const double wall = wall_seconds(), cpu = cpu_seconds();
  std::int64_t done = 0;
  while (done < images) done += loader.next().num_samples();
  const double wall_taken = wall_seconds() - wall, cpu_taken = cpu_seconds() - cpu, count = static_cast<double>(done);
  fmt::print("{{\"pass\": \"{}\", \"images\": {}, \"seconds\": {:.4f}, \"cpu_seconds\": {:.4f}, \"images_per_second\": {:.2f}, "
             "\"images_per_cpu_second\": {:.2f}}}\n", pass, done, wall_taken, cpu_taken, count / wall_taken, count / cpu_taken);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Images a second of the loader");
  std::string set;
  LoaderOptions o;
  o.labels = {"depth", "normals", "semantics"};
  o.height = 192;
  o.width = 256;
  o.batch_size = 8;
  int images = 200;
  bool fixed = false;
  app.add_option("set", set)->required();
  app.add_option("--height", o.height);
  app.add_option("--width", o.width);
  app.add_option("--batch", o.batch_size);
  app.add_option("--threads", o.threads);
  app.add_option("--images", images);
  app.add_option("--color", o.color);
  app.add_flag("--fixed", fixed);
  CLI11_PARSE(app, argc, argv);
  try {
    torch::set_num_threads(1);
    if (fixed) {
      Loader loader(scan_frames(set), for_evaluation(o));
      fmt::print("{{\"checksums\": [{}]}}\n", fmt::join(checksums(loader.next()), ", "));
      return 0;
    }
    Loader loader(scan_frames(set), o);
    measure(loader, static_cast<int>(loader.samples_per_epoch()), "first epoch");
    measure(loader, images, "later");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
