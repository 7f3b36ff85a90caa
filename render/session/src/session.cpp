// SPDX-License-Identifier: Apache-2.0
#include "render/session/session.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <mutex>

#include "render/base/error.h"
#include "render/film/labels_pass.h"
#include "render/film/split.h"
#include "render/integrator/path.h"

namespace simulacra {
namespace {

constexpr int kTile = 32;

class Stopwatch {
 public:
  double wall() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  double cpu() const { return process_cpu() - cpu_start_; }

 private:
  static double process_cpu() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_start_ = process_cpu();
};

/// Counts finished tiles and tells the caller, from one thread at a time.
class Progress {
 public:
  Progress(const RenderControl& control, std::size_t tiles) : control_(control), tiles_(tiles) {}
  void check_cancelled() const {
    if (control_.cancel != nullptr && control_.cancel->load(std::memory_order_relaxed)) throw Cancelled{};
  }
  void tile_done() {
    const std::size_t done = ++done_;
    if (!control_.progress) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) control_.progress(static_cast<double>(done) / static_cast<double>(tiles_));
  }

 private:
  RenderControl control_;
  std::size_t tiles_;
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
};

/// What one tile counted; summed in tile order, so that sums do not depend on threads.
struct TileStats {
  std::uint64_t nan_samples = 0, limited = 0, unlabelled = 0, empty = 0, rays = 0;
  double error = 0, error_steps = 0;
};

struct Job {
  const Scene::State& scene;
  const Camera& camera;
  const RenderOptions& options;
  Frame& frame;
};

void store(Plane& plane, std::size_t at, Rgb value) {
  plane.f[at] = value.r;
  plane.f[at + 1] = value.g;
  plane.f[at + 2] = value.b;
}

/// A sample index beyond those of the color pass: the path that looks for the light on black surfaces.
constexpr std::uint32_t kWhiteSample = 0x40000000u;

Rgb white_illumination(const Job& job, int column, int row, std::uint32_t pixel, TileStats& stats) {
  Sampler sampler(job.options.seed, pixel, kWhiteSample);
  const PathOptions path{job.options.max_depth, job.options.roulette_depth};
  const PathSample s = trace_path(job.scene, job.camera.center_ray(column, row), sampler, path, true);
  stats.rays += s.rays;
  return is_finite(s.diffuse) ? s.diffuse : Rgb{};
}

void color_pixel(const Job& job, int column, int row, TileStats& stats) {
  const auto pixel = static_cast<std::uint32_t>(row * job.frame.width + column);
  const PathOptions path{job.options.max_depth, job.options.roulette_depth};
  PixelSums sums;
  for (int i = 0; i < job.options.spp; ++i) {
    Sampler sampler(job.options.seed, pixel, static_cast<std::uint32_t>(i));
    const Vec2 film = sampler.next2();
    const Vec2 lens = job.camera.has_lens() ? sampler.next2() : Vec2{0.5f, 0.5f};
    const Ray ray = job.camera.ray({column + static_cast<double>(film.x), row + static_cast<double>(film.y)}, lens);
    const PathSample s = trace_path(job.scene, ray, sampler, path);
    stats.rays += s.rays;
    sums.add(s);
  }
  stats.nan_samples += sums.nan_samples;

  const bool surface = job.frame.plane(Label::render_entity_id).i[job.frame.plane(Label::render_entity_id).at(row, column)] >= 0;
  const bool black_channel = sums.reflectance.r == 0 || sums.reflectance.g == 0 || sums.reflectance.b == 0;
  Rgb white{};
  if (surface && black_channel) white = white_illumination(job, column, row, pixel, stats);

  const SplitPixel p = split_pixel(sums, white);
  stats.limited += p.limited ? 1 : 0;
  stats.error = std::max(stats.error, p.identity_error);
  stats.error_steps = std::max(stats.error_steps, p.identity_error_steps);
  const std::size_t at = job.frame.plane(Label::color).at(row, column);
  store(job.frame.plane(Label::color), at, p.color);
  store(job.frame.plane(Label::diffuse_reflectance), at, p.reflectance);
  store(job.frame.plane(Label::diffuse_illumination), at, p.illumination);
  store(job.frame.plane(Label::residual), at, p.residual);
}

void label_pixel(const Job& job, int column, int row, TileStats& stats) {
  const auto hit = label_hit(job.scene, job.camera, column, row);
  write_labels(job.frame, job.scene, job.camera, column, row, hit);
  if (!hit) ++stats.empty;
  else if (job.scene.description.objects[static_cast<std::size_t>(hit->at.object)].semantic < 0) ++stats.unlabelled;
}

template <typename Pixel>
void for_each_tile(const Job& job, Progress& progress, std::vector<TileStats>& stats, const Pixel& pixel) {
  const int across = (job.frame.width + kTile - 1) / kTile;
  tbb::parallel_for(std::size_t{0}, stats.size(), [&](std::size_t tile) {
    progress.check_cancelled();
    const int x0 = static_cast<int>(tile) % across * kTile, y0 = static_cast<int>(tile) / across * kTile;
    for (int y = y0; y < std::min(y0 + kTile, job.frame.height); ++y)
      for (int x = x0; x < std::min(x0 + kTile, job.frame.width); ++x) pixel(job, x, y, stats[tile]);
    progress.tile_done();
  });
}

void sum(FrameStats& total, const std::vector<TileStats>& tiles) {
  for (const TileStats& t : tiles) {
    total.nan_samples += t.nan_samples;
    total.limited_pixels += t.limited;
    total.unlabelled_pixels += t.unlabelled;
    total.empty_pixels += t.empty;
    total.rays += t.rays;
    total.max_identity_error = std::max(total.max_identity_error, t.error);
    total.max_identity_error_steps = std::max(total.max_identity_error_steps, t.error_steps);
  }
}

}  // namespace

void fields(config::Fields& f, RenderOptions& o) {
  f.field("spp", o.spp, "camera samples a pixel; 0 renders labels only", {0, 1 << 20});
  f.field("seed", o.seed, "the same seed gives the same bytes, whatever the number of threads");
  f.field("threads", o.threads, "0 = all cores", {0, 1024});
  f.field("max_depth", o.max_depth, "1 = emission only, 2 = direct light, …", {1, 1024});
  f.field("roulette_depth", o.roulette_depth, "depth from which paths may end early by Russian roulette", {1, 1024});
}

Frame render(const Scene& scene, const Camera& camera, const RenderOptions& options, const RenderControl& control) {
  Frame frame;
  frame.width = camera.width();
  frame.height = camera.height();
  for (const LabelSpec& row : kLabels)
    if (row.reduce == Reduce::center_ray || options.spp > 0) frame.allocate(row.id);

  const Job job{scene.state(), camera, options, frame};
  const auto tiles_in = [](int n) { return static_cast<std::size_t>((n + kTile - 1) / kTile); };
  const std::size_t tiles = tiles_in(frame.width) * tiles_in(frame.height);
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] {
    Progress labels_progress(RenderControl{{}, control.cancel}, tiles);
    std::vector<TileStats> stats(tiles);
    const Stopwatch label_watch;
    for_each_tile(job, labels_progress, stats, label_pixel);
    frame.stats.label_seconds = label_watch.wall();
    frame.stats.label_cpu_seconds = label_watch.cpu();
    sum(frame.stats, stats);
    if (options.spp == 0) return;

    Progress progress(control, tiles);
    std::vector<TileStats> color_stats(tiles);
    const Stopwatch color_watch;
    for_each_tile(job, progress, color_stats, color_pixel);
    frame.stats.color_seconds = color_watch.wall();
    frame.stats.color_cpu_seconds = color_watch.cpu();
    sum(frame.stats, color_stats);
  });
  // Without a color pass there is no illumination either.
  if (options.spp == 0)
    for (std::int32_t& v : frame.plane(Label::valid_mask).i) v &= 1;
  return frame;
}

ParallelFor tbb_parallel_for(int threads) {
  return [threads](std::size_t count, const std::function<void(std::size_t)>& body) {
    tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, body); });
  };
}

}  // namespace simulacra
