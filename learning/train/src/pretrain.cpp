// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/pretrain.h"

#include <fmt/format.h>

#include "learning/nn/weights.h"
#include "learning/optim/flat_parameters.h"
#include "learning/train/checkpoint.h"
#include "learning/train/precision.h"
#include "learning/train/run_folder.h"
#include "learning/train/src/steps.h"
#include "render/base/cancelled.h"
#include "render/base/error.h"

namespace simulacra::learning {
namespace {

using torch::Tensor;

/// The encoder with its projector.
struct ContrastModelImpl : torch::nn::Module {
  ContrastModelImpl(const nn::VitOptions& vit, const ContrastOptions& c)
      : encoder(register_module("encoder", nn::VisionTransformer(vit))),
        hidden(register_module("hidden", torch::nn::Linear(vit.dim, c.hidden))),
        out(register_module("out", torch::nn::Linear(c.hidden, c.out))) {}
  /// [N, 3, H, W] -> [N, out]
  Tensor forward(const Tensor& image) { return out(torch::gelu(hidden(encoder->pooled(encoder->forward(image))))); }

  nn::VisionTransformer encoder;
  torch::nn::Linear hidden, out;
};
TORCH_MODULE(ContrastModel);

struct Run {
  PretrainOptions options;
  std::shared_ptr<Collective> peers;
  ContrastModel model;
  optim::FlatParameters parameters;
  optim::Optimizer optimizer;
  Loader loader;
  PolyViewOptions objective;
  std::int64_t step = 0;
  double share_right = 0;
  double wait_seconds = 0;                 ///< for data, in this process
  std::int64_t views_of_places = 0, views_alone = 0;   ///< second and further views in this call; of them those of the same frame

  static ContrastModel seeded(const PretrainOptions& o) {
    torch::manual_seed(o.run.seed);
    return ContrastModel(o.model, o.contrast);
  }
  Run(const PretrainOptions& o, FrameIndex frames, std::shared_ptr<Collective> others)
      : options(o),
        peers(std::move(others)),
        model(seeded(o)),
        parameters(optim::groups_by_decay(*model, o.run.weight_decay)),
        optimizer(parameters, o.optimizer),
        loader(std::move(frames), o.loader, {peers ? peers->rank() : 0, peers ? peers->size() : 1}),
        objective{.objective = poly_view_from_name(o.contrast.objective), .temperature = o.contrast.temperature} {}

  int world() const { return peers ? peers->size() : 1; }
};

/// u [K, M, d]: the share of rows whose nearest other row is of the same sample.
double share_of_right_neighbours(const Tensor& u) {
  const torch::NoGradGuard no_gradients;
  const std::int64_t k = u.size(0), m = u.size(1);
  const Tensor z = torch::nn::functional::normalize(u.detach().to(torch::kFloat32).flatten(0, 1), torch::nn::functional::NormalizeFuncOptions().dim(1));
  Tensor likeness = z.mm(z.t());
  likeness.fill_diagonal_(-2);
  const Tensor sample = torch::arange(k * m, torch::kInt64).div(m, "floor");
  return likeness.argmax(1).div(m, "floor").eq(sample).to(torch::kFloat64).mean().item<double>();
}

/// Views that should show a frame's place from elsewhere, and show the frame itself since no other does.
void count_views_alone(Run& run, const Batch& batch) {
  if (run.options.loader.view_source != "places") return;
  for (std::size_t row = 0; row < batch.frame_idx.size(); ++row) {
    const std::size_t view = row % static_cast<std::size_t>(batch.views);
    if (view == 0) continue;
    ++run.views_of_places;
    if (batch.frame_idx[row] == batch.frame_idx[row - view]) ++run.views_alone;
  }
}

/// Most views have no other: what is learnt is augmentation, whatever was asked for.
void warn_of_views_alone(const Run& run, const std::function<void(const std::string&)>& say) {
  if (2 * run.views_alone <= run.views_of_places) return;
  say(fmt::format("warning: {:.0f} % of the views are of the same frame, since no other shows at least {} of its place; lower loader.min_overlap",
                  100.0 * static_cast<double>(run.views_alone) / static_cast<double>(run.views_of_places), run.options.loader.min_overlap));
}

StepReport take_step(Run& run) {
  const Stopwatch waiting;
  const Batch batch = run.loader.next();
  run.wait_seconds += waiting.seconds();
  run.parameters.zero_gradients();
  Tensor u;
  {
    const Precision precision(run.options.run.precision);
    u = run.model->forward(batch.image);
  }
  count_views_alone(run, batch);
  u = u.view({batch.num_samples(), batch.views, u.size(1)});
  const Tensor loss = run.peers ? poly_view_loss(u, run.objective, run.peers) : poly_view_loss(u, run.objective);
  loss.backward();
  const StepReport report = update(run.parameters, run.optimizer, run.options.schedule, run.peers.get(), loss.item<double>(), run.step);
  run.step = report.step;
  run.share_right = share_of_right_neighbours(u);
  return report;
}

/// Throws UsageError when no frame can have another that shows its place.
void need_places(const FrameIndex& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (frames.world_from_cam(i) && has(frames.frames[i].labels, Label::depth_meters)) return;
  fail_usage("loader.view_source: places needs frames with pose and depth_meters, and {} has none; take augmentation", frames.root.string());
}

Checkpoint checkpoint_of(Run& run, const std::string& config, const std::string& data) {
  Checkpoint c{.kind = "pretrain", .step = run.step, .loader = run.loader.state(), .config = config, .data_fingerprint = data, .processes = run.world(), .tensors = {}};
  add_run_state(c, *run.model, run.optimizer);
  return c;
}

}  // namespace

void fields(config::Fields& f, ContrastOptions& o) {
  static constexpr std::array<std::string_view, 6> kObjectives = {"geometric", "arithmetic", "suff_stats_view", "suff_stats_rest", "multi_crop", "sup_con"};
  f.field("objective", o.objective, "which poly-view loss; with two views all but sup_con are NT-Xent", kObjectives);
  f.field("temperature", o.temperature, "of the scores", {1e-4, 100});
  f.field("hidden", o.hidden, "width of the projector's hidden layer", {1, 65536});
  f.field("out", o.out, "width of the projections", {1, 65536});
}

void fields(config::Fields& f, PretrainOptions& o) {
  f.field("data", o.data, "folder of the data set");
  f.group("split", o.split, "which frames take part; give what training will have");
  f.group("loader", o.loader, "how views are made");
  f.group("model", o.model, "the encoder");
  f.group("contrast", o.contrast, "the objective");
  f.group("optimizer", o.optimizer, "the update");
  f.group("schedule", o.schedule, "learning rate by step; total is the number of steps");
  f.group("run", o.run, "the run");
}

void check(const PretrainOptions& o) {
  if (o.schedule.total < 1) fail_usage("schedule.total: {} steps; give the number of steps", o.schedule.total);
  if (o.loader.views < 2) fail_usage("loader.views: {}; a contrast needs at least 2", o.loader.views);
  if (o.loader.batch_size < 2) fail_usage("loader.batch_size: {}; a contrast needs at least 2 frames", o.loader.batch_size);
  if (!o.loader.labels.empty()) fail_usage("loader.labels: pretraining takes none; leave the key out");
  if (o.model.channels != 3) fail_usage("model.channels: {}; images have 3", o.model.channels);
  if (!o.run.start_from.empty()) fail_usage("run.start_from: pretraining begins with drawn weights; leave the key out");
  if (o.run.accumulate != 1) fail_usage("run.accumulate: {}; a contrast needs its whole batch at once", o.run.accumulate);
}

PretrainResult pretrain(const PretrainOptions& asked, const TrainControl& control) {
  check(asked);
  PretrainOptions options = asked;
  options.run.precision = effective_precision(asked.run.precision);
  options.data = settled_path(asked.data);
  if (options.run.threads > 0) at::set_num_threads(options.run.threads);
  const FrameIndex frames = frames_of(options.data, options.split).train;
  need_whole_patches(options.loader, frames, options.model);
  need_memory(options.model);
  if (options.loader.view_source == "places") need_places(frames);
  const std::string config = config::to_yaml(config::write(options)), data = fingerprint(frames);
  Run run(options, frames, control.peers);
  const bool first_rank = !run.peers || run.peers->rank() == 0;
  const auto say = [&](const std::string& line) { if (first_rank && control.say) control.say(line); };
  if (control.dry_run) {
    const Batch first = run.loader.next();
    run.loader.seek(first.state);
    const Stopwatch watch;
    take_step(run);
    say(fmt::format("frames      {}, {} x {} pixels", frames.size(), frames.width, frames.height));
    say(fmt::format("image       {} ({} views a frame)", c10::str(first.image.sizes()), first.views));
    say(fmt::format("parameters  {:.2f} million", static_cast<double>(run.parameters.count()) / 1e6));
    say(fmt::format("time        {:.2f} s a step, {} for {} steps", watch.seconds(), duration_text(watch.seconds() * options.schedule.total), options.schedule.total));
    return {};
  }

  RunFolder folder(control.out, config, first_rank);
  if (const auto file = newest_checkpoint(control.out)) {
    const Checkpoint c = read_checkpoint(*file, "pretrain");
    need_same_run(c, *file, config, data, options.data, run.world());
    restore_run_state(c, *file, *run.model, run.optimizer);
    run.loader.seek(c.loader);
    run.step = c.step;
    say(fmt::format("goes on from {}", file->string()));
  }
  PretrainResult result;
  if (run.step >= options.schedule.total && std::filesystem::exists(control.out / "encoder.safetensors")) {
    say("it had ended; nothing is written");
    return result;
  }
  folder.open_curves(run.step + 1);

  run.wait_seconds = 0;
  const Pace pace(run.step, std::int64_t{options.loader.batch_size} * (run.peers ? run.peers->size() : 1));
  const auto save = [&] { if (first_rank) write_checkpoint(control.out, checkpoint_of(run, config, data), options.run.keep); };
  while (run.step < options.schedule.total) {
    if (stop_asked(control, run.peers.get())) {
      save();
      throw Cancelled{};
    }
    StepReport report = take_step(run);
    pace.fill(report, run.wait_seconds);
    if (first_rank && control.progress) control.progress(report);
    if (due(run.step, options.run.log_every))
      folder.add(run.step, {{"pretrain/loss", report.loss}, {"pretrain/share_right", run.share_right}, {"pretrain/learning_rate", report.learning_rate}});
    if (due(run.step, options.run.checkpoint_every)) save();
    result = {.took_steps = true, .loss = report.loss, .share_right = run.share_right};
  }
  save();
  warn_of_views_alone(run, say);
  if (first_rank) nn::save_encoder(control.out / "encoder.safetensors", run.model->encoder);
  return result;
}

}  // namespace simulacra::learning
