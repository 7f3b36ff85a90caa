// SPDX-License-Identifier: Apache-2.0
// simulacra render: one view of a scene file as a multi-part EXR or a tone-mapped PNG.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "dataset/annotate/annotate.h"
#include "dataset/exr/exr.h"
#include "dataset/store/tone_map.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/log.h"
#include "render/import/import.h"
#include "render/session/default_view.h"
#include "render/session/session.h"
#include "render/texture/texture.h"
#include "tools/program/interrupt.h"
#include "tools/program/options.h"
#include "tools/simulacra/verbs.h"

namespace simulacra::tools {
namespace {

namespace fs = std::filesystem;

struct RenderRequest {
  fs::path scene, output;
  std::optional<std::string> size, camera;
  int spp = 64, threads = 0, max_depth = 0;
  std::uint64_t seed = 0;
  double exposure_ev = 0;
  bool strict = false;
};

constexpr int kDefaultDepth = 17;

enum class Format { exr, png };

/// Everything that can be wrong with the request is found before the scene is read.
Format check_output(const RenderRequest& r) {
  const std::string extension = r.output.extension().string();
  const fs::path folder = r.output.has_parent_path() ? r.output.parent_path() : fs::path(".");
  if (extension != ".exr" && extension != ".png")
    fail_usage("-o: '{}': expected a name that ends in .exr or .png", r.output.string());
  if (!fs::is_directory(folder)) fail_usage("-o: '{}': there is no folder '{}'", r.output.string(), folder.string());
  if (fs::is_directory(r.output)) fail_usage("-o: '{}' is a folder", r.output.string());
  check_can_write("-o", r.output);
  if (!fs::exists(r.scene)) fail_usage("{}: no such file", r.scene.string());
  return extension == ".exr" ? Format::exr : Format::png;
}

Size film_size(const RenderRequest& r, const CameraDescription& camera) {
  if (r.size) return parse_size("--size", *r.size);
  if (camera.width > 0 && camera.height > 0) return {camera.width, camera.height};
  return {1024, 768};
}

CameraDescription choose_camera(const RenderRequest& r, const Scene& scene) {
  if (r.camera) return find_camera(scene.description(), *r.camera);
  const auto& cameras = scene.description().cameras;
  if (!cameras.empty()) {
    if (cameras.size() > 1)
      log_info("{} cameras; taking the first, '{}' (--camera takes another)", cameras.size(), cameras[0].name);
    return cameras[0];
  }
  std::string why;
  CameraDescription camera = default_view(scene, why);
  log_info("no camera in {}; the view is {}", r.scene.string(), why);
  return camera;
}

std::vector<std::uint8_t> tone_mapped_png(const Frame& frame, double exposure_ev) {
  const Plane& color = frame.plane(Label::color);
  std::vector<std::uint8_t> valid;
  for (const std::int32_t id : frame.plane(Label::render_entity_id).i) valid.push_back(id >= 0 ? 1 : 0);
  const double scale = tone_map_scale(color.f, valid) * std::exp2(exposure_ev);
  return encode_png(frame.width, frame.height, 3, tone_mapped(color.f, scale));
}

std::map<std::string, std::string> exr_metadata(const RenderRequest& r, const Frame& frame, const RenderOptions& options) {
  return {{"software", "simulacra " SIMULACRA_VERSION},
          {"scene", r.scene.filename().string()},
          {"spp", std::to_string(options.spp)},
          {"seed", std::to_string(options.seed)},
          {"maxDepth", std::to_string(options.max_depth)},
          {"nanSamples", std::to_string(frame.stats.nan_samples)},
          {"limitedPixels", std::to_string(frame.stats.limited_pixels)},
          {"maxIdentityError", fmt::format("{:.9g}", frame.stats.max_identity_error)},
          {"maxIdentityErrorInFloat16Steps", fmt::format("{:.4f}", frame.stats.max_identity_error_steps)}};
}

int run(const RenderRequest& r) {
  const Format format = check_output(r);
  if (r.size) parse_size("--size", *r.size);
  if (format == Format::png && r.spp == 0) fail_usage("--spp: 0 renders labels only, a PNG needs color; write an .exr");

  Diagnostics diagnostics;
  SceneDescription description = import_scene(r.scene, diagnostics);
  AnnotationReport annotation;
  annotate(description, default_label_rules(), annotation);
  RenderOptions options;
  options.spp = r.spp;
  options.seed = r.seed;
  options.threads = r.threads;
  options.max_depth = r.max_depth > 0 ? r.max_depth : description.max_depth > 0 ? description.max_depth : kDefaultDepth;
  const Scene scene(std::move(description), {}, diagnostics);
  report_warnings(diagnostics, r.strict);
  if (!scene.has_light() && r.spp > 0)
    fail_usage("{}: the scene has no light; place it in a scene YAML with `environment:` or `lights:`, or give a material "
               "`emission:` (or render labels only with --spp 0)", r.scene.string());
  const CameraDescription description_of_camera = choose_camera(r, scene);
  const Size size = film_size(r, description_of_camera);
  const Camera camera(description_of_camera, size.width, size.height);

  const Interrupt interrupt;
  ProgressLine progress(r.output.filename().string());
  const Frame frame = render(scene, camera, options,
                             {[&](double share) { progress.update(share); }, interrupt.flag()});
  progress.done();

  if (format == Format::exr) write_exr(r.output, frame, exr_metadata(r, frame, options));
  else write_file_atomically(r.output, tone_mapped_png(frame, r.exposure_ev));
  log_info("{}: {}x{}, {} samples a pixel, {:.1f} s ({:.2f} s labels), {} NaN samples", r.output.string(), frame.width,
           frame.height, options.spp, frame.stats.color_seconds, frame.stats.label_seconds, frame.stats.nan_samples);
  return 0;
}

void declare(CLI::App& app, int& exit_code) {
  auto r = std::make_shared<RenderRequest>();
  app.add_option("SCENE", r->scene, "glTF, GLB, OBJ, Mitsuba XML or scene YAML")->required()->check(a_name());
  app.add_option("-o,--output", r->output, "FILE.exr: color, its split and every label; FILE.png: tone-mapped color")
      ->required()
      ->check(a_name());
  app.add_option("--size", r->size, "WIDTHxHEIGHT in pixels (default: the file's film, else 1024x768)");
  app.add_option("--spp", r->spp, "samples a pixel; 0 = labels only")->check(whole_number(0, 1 << 20))->capture_default_str();
  app.add_option("--seed", r->seed, "same seed, same bytes")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  app.add_option("--threads", r->threads, "0 = all cores")->check(whole_number(0, 1024))->capture_default_str();
  app.add_option("--camera", r->camera, "name, or index from 0 (default: the first; without any, a view is chosen and said)");
  app.add_option("--max-depth", r->max_depth, "1 = emission only, 2 = direct light (default: the file's, else 17)")
      ->check(whole_number(1, 1024));
  app.add_option("--exposure", r->exposure_ev, "stops, for PNG")->check(number(-50, 50))->capture_default_str();
  app.add_flag("--strict", r->strict, "any import warning is an error");
  app.footer("Example:\n  simulacra render room.glb -o room.exr --size 1024x768 --spp 64");
  app.callback([r, &exit_code] { exit_code = run(*r); });
}

}  // namespace

const Verb kRenderVerb{"render", "render one view with every label to EXR, or to PNG", declare};

}  // namespace simulacra::tools
