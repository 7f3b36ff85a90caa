// SPDX-License-Identifier: Apache-2.0
#include "dataset/generate/generate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "dataset/generate/src/fingerprint.h"
#include "dataset/generate/src/scene_source.h"
#include "dataset/generate/src/view_judge.h"
#include "dataset/schema/checksum.h"
#include "dataset/schema/csv.h"
#include "dataset/store/dataset_folder.h"
#include "dataset/store/dataset_tables.h"
#include "dataset/store/frame_files.h"
#include "dataset/store/geometry.h"
#include "dataset/store/scene_files.h"
#include "render/base/error.h"
#include "render/session/session.h"

namespace simulacra {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDefaultDepth = 17;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

DatasetRecord plan_of(const GenerateRequest& request, const std::string& version) {
  const GenerateOptions& o = request.options;
  DatasetRecord plan;
  plan.version = version;
  plan.config_sha256 = sha256_hex(request.config_yaml);
  plan.seed = o.seed;
  plan.scenes = o.dataset.scenes;
  plan.cameras = o.cameras.count;
  plan.frames = o.cameras.frames;
  plan.width = o.dataset.width;
  plan.height = o.dataset.height;
  return plan;
}

/// A scene that can be rendered, with its views.
struct PreparedScene {
  SourcedScene source;
  std::unique_ptr<Scene> scene;
  std::vector<std::vector<Pose>> views;   ///< per camera
  std::string content_sha256;
  std::vector<std::string> warnings;
  double seconds = 0;
};

class Generator {
 public:
  Generator(const GenerateRequest& request, const GenerateRun& run)
      : request_(request), options_(request.options), run_(run), parallel_for_(tbb_parallel_for(run.threads)),
        folder_(run.root, plan_of(request, run.version), request.config_yaml), source_(request) {}

  GenerateResult go() {
    const Clock::time_point start = Clock::now();
    result_.scenes = options_.dataset.scenes;
    result_.frames = options_.dataset.scenes * options_.cameras.count * options_.cameras.frames;
    try {
      make_all();
    } catch (const Cancelled&) {
      result_.cancelled = true;
    }
    for (const auto& [key, frame] : folder_.manifest().frames)
      result_.identity_error_steps = std::max(result_.identity_error_steps, frame.max_identity_error_steps);
    result_.seconds = seconds_since(start);
    return result_;
  }

 private:
  void make_all() {
    // What can be refused is found out before the folder is touched; of a finished set nothing needs to be read.
    std::optional<PreparedScene> first;
    const std::optional<DatasetRecord>& there = folder_.manifest().dataset;
    int first_index = 0;
    while (first_index + 1 < options_.dataset.scenes && is_done(name_of_scene(first_index))) ++first_index;
    if (!there || !there->complete) first = prepare(first_index);
    folder_.open(parallel_for_);
    if (!folder_.is_complete()) {
      count_work();
      put_tables();
      for (int i = 0; i < options_.dataset.scenes; ++i) {
        if (is_done(name_of_scene(i))) continue;
        make_scene(i, i == first_index && first ? *std::exchange(first, std::nullopt) : prepare(i));
      }
      put_tables();
    } else {
      result_.kept = result_.frames;
    }
    folder_.finish();
  }

  void count_work() {
    result_.kept = static_cast<int>(folder_.manifest().frames.size());
    to_render_ = result_.frames - result_.kept;
  }

  std::string name_of_scene(int index) const {
    return scene_name(options_.dataset.volume, options_.dataset.first_scene + index);
  }
  std::vector<std::string> camera_names() const {
    std::vector<std::string> names;
    for (int i = 0; i < options_.cameras.count; ++i) names.push_back(camera_name(i));
    return names;
  }

  // ---------------------------------------------------------------- tables of the set

  /// Scenes that were not made yet are called "Other" until their kind is known.
  void put_tables() {
    std::vector<SceneSummary> scenes;
    for (int i = 0; i < options_.dataset.scenes; ++i) {
      SceneSummary s;
      s.name = name_of_scene(i);
      const auto known = folder_.manifest().scenes.find(s.name);
      s.scene_type = known == folder_.manifest().scenes.end() ? "Other" : known->second.scene_type;
      s.cameras = camera_names();
      s.frames_per_camera = options_.cameras.frames;
      const double fov = options_.cameras.fov_x_deg * kPiD / 180;
      s.camera = {s.name, options_.dataset.width, options_.dataset.height, 1, fov,
                  pinhole_cam_from_uv(options_.dataset.width, options_.dataset.height, fov)};
      scenes.push_back(std::move(s));
    }
    folder_.put_changed(dataset_tables(scenes), options_.seed, {}, parallel_for_);
  }

  // ---------------------------------------------------------------- one scene

  void take_warnings(const Diagnostics& diagnostics, PreparedScene& p) const {
    for (const ImportWarning& w : diagnostics.warnings())
      p.warnings.push_back(fmt::format("{}: {}: {}", std::filesystem::path(w.file).filename().string(), w.culprit, w.text));
    if (run_.strict && !p.warnings.empty())
      fail_usage("{} ({} warnings in all; refused by --strict)", p.warnings[0], p.warnings.size());
    if (run_.say)
      for (const std::string& warning : p.warnings) run_.say("warning: " + warning);
  }

  PreparedScene prepare(int index) {
    const Clock::time_point start = Clock::now();
    PreparedScene p;
    Diagnostics diagnostics;
    p.source = source_.make(index, diagnostics);
    check_cancelled();
    p.content_sha256 = fingerprint(p.source.description);
    check_unchanged(name_of_scene(index), p.content_sha256);
    p.scene = std::make_unique<Scene>(std::move(p.source.description), SceneOptions{}, diagnostics);
    take_warnings(diagnostics, p);
    if (!p.scene->has_light())
      fail_usage("{}: the scene has no light; add scene.environment, scene.lights or scene.materials.NAME.emission to the "
                 "configuration", p.source.source);
    p.views = views_of(*p.scene, index);
    p.seconds = seconds_since(start);
    return p;
  }

  std::vector<std::vector<Pose>> views_of(const Scene& scene, int index) const {
    const std::array<std::uint64_t, 3> seed{options_.seed, static_cast<std::uint64_t>(index), 0x766965777375ull};
    const double aspect = static_cast<double>(options_.dataset.width) / options_.dataset.height;
    return make_views({scene.description(), probe_of(scene), options_.cameras, aspect, mix_seed(seed),
                       judge_by_rendering(scene, options_, run_.threads, run_.cancel)});
  }

  void check_unchanged(const std::string& scene, const std::string& content_sha256) const {
    const auto before = folder_.manifest().scenes.find(scene);
    if (before == folder_.manifest().scenes.end() || before->second.content_sha256 == content_sha256) return;
    fail_usage("{}: {} was made from another version of {}; name a new folder", run_.root.string(), scene,
               before->second.source);
  }

  std::string unlabelled_path(const std::string& scene) const { return detail_folder(scene) + "/metadata_unlabelled.csv"; }

  bool is_done(const std::string& scene) const {
    if (!folder_.has_scene(scene) || !folder_.has_file(unlabelled_path(scene))) return false;
    for (const std::string& camera : camera_names())
      for (int frame = 0; frame < options_.cameras.frames; ++frame)
        if (!folder_.has_frame({scene, camera, frame})) return false;
    return true;
  }

  void make_scene(int index, PreparedScene p) {
    const std::string name = name_of_scene(index);
    if (run_.say) run_.say(describe(name, p));
    if (!folder_.has_scene(name)) put_scene(name, p);
    for (std::size_t camera = 0; camera < p.views.size(); ++camera)
      for (std::size_t frame = 0; frame < p.views[camera].size(); ++frame) make_frame(name, p, index, camera, frame);
    put_unlabelled(name, p);
    put_tables();
  }

  std::string describe(const std::string& name, const PreparedScene& p) const {
    const SceneDescription& d = p.scene->description();
    return fmt::format("{}: {} ({}), {} objects, {} instances, {} unlabelled, {} views, ready after {:.1f} s", name,
                       p.source.source, p.source.scene_type, d.objects.size(), p.source.annotation.num_instances,
                       p.source.annotation.num_unlabelled, options_.cameras.count * options_.cameras.frames, p.seconds);
  }

  void put_scene(const std::string& name, const PreparedScene& p) {
    const SceneDescription& d = p.scene->description();
    const std::vector<std::string> cameras = camera_names();
    SceneFilesOptions o;
    o.max_mesh_triangles = static_cast<std::uint64_t>(options_.dataset.max_mesh_triangles);
    std::vector<OutputFile> files = scene_files(d, name, cameras, o);
    for (std::size_t i = 0; i < cameras.size(); ++i)
      for (OutputFile& file : camera_files(name, cameras[i], p.views[i])) files.push_back(std::move(file));
    if (!p.source.credits.empty()) files.push_back(text_file(detail_folder(name) + "/CREDITS.txt", p.source.credits));
    SceneRecord record;
    record.scene = name;
    record.source = p.source.source;
    record.scene_type = p.source.scene_type;
    record.content_sha256 = p.content_sha256;
    record.seed = p.source.seed;
    record.objects = static_cast<int>(d.objects.size());
    record.instances = p.source.annotation.num_instances;
    record.unlabelled_objects = p.source.annotation.num_unlabelled;
    record.warnings = p.warnings;
    if (num_world_triangles(d) > o.max_mesh_triangles && o.max_mesh_triangles > 0)
      record.warnings.push_back(fmt::format("no mesh files: {} triangles are above dataset.max_mesh_triangles",
                                            num_world_triangles(d)));
    record.seconds = p.seconds;
    folder_.put_changed(std::move(files), record.seed, {record}, parallel_for_);
  }

  // ---------------------------------------------------------------- one frame

  RenderOptions render_options(const Scene& scene, std::uint64_t seed) const {
    RenderOptions o;
    o.spp = options_.render.spp;
    o.seed = seed;
    o.threads = run_.threads;
    const int asked = options_.render.max_depth, file = scene.description().max_depth;
    o.max_depth = asked > 0 ? asked : file > 0 ? file : kDefaultDepth;
    o.roulette_depth = options_.render.roulette_depth;
    return o;
  }

  void check_cancelled() const {
    if (run_.cancel && run_.cancel->load()) throw Cancelled{};
  }

  void make_frame(const std::string& scene, const PreparedScene& p, int index, std::size_t camera, std::size_t number) {
    FrameRecord record;
    record.name = {scene, camera_name(static_cast<int>(camera)), static_cast<int>(number)};
    if (folder_.has_frame(record.name)) return;
    check_cancelled();
    const Clock::time_point start = Clock::now();
    const Pose& pose = p.views[camera][number];
    const std::array<std::uint64_t, 4> seed{options_.seed, static_cast<std::uint64_t>(index), camera, number};
    record.seed = mix_seed(seed);
    record.view = pose.origin;

    CameraDescription description = Camera::canonical(pose.world_from_cam);
    description.fov_rad = options_.cameras.fov_x_deg * kPiD / 180;
    const Camera view(description, options_.dataset.width, options_.dataset.height);
    const RenderOptions o = render_options(*p.scene, record.seed);
    record.spp = o.spp;
    const Frame frame = render(*p.scene, view, o, {[this](double share) { report(share); }, run_.cancel});
    store(frame, *p.scene, std::move(record), start);
    ++result_.rendered;
    report(0);
  }

  void store(const Frame& frame, const Scene& scene, FrameRecord record, Clock::time_point start) {
    const Clock::time_point store_start = Clock::now();
    const FrameFilesOptions o{options_.dataset.previews, options_.dataset.jpeg_quality, options_.dataset.compression_level};
    std::vector<OutputFile> files = frame_files(frame, record.name, o, parallel_for_);
    const FrameStats& s = frame.stats;
    record.nan_samples = s.nan_samples;
    record.limited_pixels = s.limited_pixels;
    record.unlabelled_pixels = s.unlabelled_pixels;
    record.empty_pixels = s.empty_pixels;
    record.max_identity_error = s.max_identity_error;
    record.max_identity_error_steps = s.max_identity_error_steps;
    record.rays = s.rays;
    record.color_seconds = s.color_seconds;
    record.label_seconds = s.label_seconds;
    record.color_cpu_seconds = s.color_cpu_seconds;
    record.label_cpu_seconds = s.label_cpu_seconds;
    for (const std::int32_t id : frame.plane(Label::render_entity_id).i) {
      if (id < 1) continue;
      const ObjectDescription& object = scene.description().objects[static_cast<std::size_t>(id) - 1];
      if (object.semantic == -1) ++record.unlabelled[object.name];
    }
    record.store_seconds = seconds_since(store_start);
    record.seconds = seconds_since(start);
    const std::uint64_t seed = record.seed;
    folder_.put(std::move(files), seed, {std::move(record)}, parallel_for_);
  }

  void report(double frame_share) const {
    if (run_.progress && to_render_ > 0) run_.progress((result_.rendered + frame_share) / to_render_);
  }

  /// Which names without a class cover how much of the images.
  void put_unlabelled(const std::string& scene, const PreparedScene& p) {
    std::map<std::string, std::uint64_t> pixels_of;
    std::uint64_t surface = 0;
    const std::uint64_t pixels = static_cast<std::uint64_t>(options_.dataset.width) *
                                 static_cast<std::uint64_t>(options_.dataset.height);
    for (const auto& [key, frame] : folder_.manifest().frames) {
      if (frame.name.scene != scene) continue;
      for (const auto& [name, count] : frame.unlabelled) pixels_of[name] += count;
      surface += pixels - frame.empty_pixels;
    }
    CsvTable table{{"object_name", "path", "material_name", "pixels", "share"}, {}};
    std::vector<const ObjectAnnotation*> seen;
    for (const ObjectAnnotation& object : p.source.annotation.objects)
      if (pixels_of.contains(object.name)) seen.push_back(&object);
    std::stable_sort(seen.begin(), seen.end(), [&](const ObjectAnnotation* a, const ObjectAnnotation* b) {
      return pixels_of[a->name] > pixels_of[b->name];
    });
    for (const ObjectAnnotation* object : seen) {
      const std::uint64_t count = pixels_of[object->name];
      table.rows.push_back({object->name, object->path, object->material, std::to_string(count),
                            fmt::format("{:.6f}", static_cast<double>(count) / static_cast<double>(surface))});
    }
    folder_.put_changed({text_file(unlabelled_path(scene), csv_text(table))}, p.source.seed, {}, parallel_for_);
  }

  const GenerateRequest& request_;
  const GenerateOptions& options_;
  const GenerateRun& run_;
  ParallelFor parallel_for_;
  DatasetFolder folder_;
  SceneSource source_;
  GenerateResult result_;
  int to_render_ = 0;
};

}  // namespace

GenerateResult generate(const GenerateRequest& request, const GenerateRun& run) { return Generator(request, run).go(); }

}  // namespace simulacra
