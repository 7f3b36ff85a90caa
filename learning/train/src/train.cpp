// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/train.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "learning/nn/weights.h"
#include "learning/optim/flat_parameters.h"
#include "learning/optim/model_average.h"
#include "learning/tensors/loader.h"
#include "learning/train/checkpoint.h"
#include "learning/train/model_files.h"
#include "learning/train/precision.h"
#include "learning/train/run_folder.h"
#include "learning/train/src/steps.h"
#include "learning/train/task_losses.h"
#include "render/base/cancelled.h"
#include "render/base/error.h"

namespace simulacra::learning {
namespace {

using torch::Tensor;

constexpr std::int64_t kStepsWithPixels = 100;  ///< after so many, a task without a pixel is worth a line

/// Everything that changes while training. References among the members make it immovable.
struct Run {
  TrainOptions options;
  std::shared_ptr<Collective> peers;
  std::vector<std::string> tasks;
  nn::Model model;
  optim::FlatParameters parameters;
  optim::Optimizer optimizer;
  std::optional<optim::ModelAverage> average;
  Loader loader;
  std::int64_t step = 0;
  double wait_seconds = 0;                 ///< for data, in this process
  Tensor counted;                          ///< [tasks] pixels that counted so far, in this call

  Run(const TrainOptions& o, FrameIndex frames, std::shared_ptr<Collective> others)
      : options(o),
        peers(std::move(others)),
        tasks(task_names(o.tasks)),
        model(make_model(o)),
        parameters(optim::groups_by_decay(*model, o.run.weight_decay)),
        optimizer(parameters, o.optimizer),
        loader(std::move(frames), loader_options(o, tasks), {rank(), world()}),
        counted(torch::zeros({static_cast<std::int64_t>(tasks.size())}, torch::kFloat64)) {
    if (o.average.rho > 0) average.emplace(parameters, buffers());
  }

  int rank() const { return peers ? peers->rank() : 0; }
  int world() const { return peers ? peers->size() : 1; }
  std::int64_t images_per_step() const { return std::int64_t{options.loader.batch_size} * options.run.accumulate * world(); }
  std::vector<Tensor> buffers() const { return model->buffers(); }

  static LoaderOptions loader_options(const TrainOptions& o, const std::vector<std::string>& tasks) {
    LoaderOptions loader = o.loader;
    loader.labels = tasks;
    return loader;
  }
};

std::vector<Batch> next_batches(Run& run) {
  const Stopwatch watch;
  std::vector<Batch> batches;
  for (int i = 0; i < run.options.run.accumulate; ++i) batches.push_back(run.loader.next());
  run.wait_seconds += watch.seconds();
  return batches;
}

/// Sum over tasks of weight times mean over the pixels that count in all batches of all processes: what one large batch
/// would give. Adds its gradient into the buffer. Returns this process's share of that sum, [1], and of each task's mean.
Tensor add_gradients(Run& run, const std::vector<Batch>& batches) {
  Tensor counts = torch::zeros({static_cast<std::int64_t>(run.tasks.size())}, torch::kFloat64);
  for (const Batch& batch : batches) counts += valid_pixels(run.tasks, batch);
  counts = summed(run.peers.get(), counts);
  run.counted += counts;
  Tensor shares = torch::zeros({1 + counts.size(0)}, torch::kFloat64);
  for (const Batch& batch : batches) {
    Tensor loss = torch::zeros({});
    Outputs outputs;
    {
      const Precision precision(run.options.run.precision);
      outputs = run.model->coarse(batch.image);
    }
    for (std::size_t t = 0; t < run.tasks.size(); ++t) {
      const double all = counts[static_cast<std::int64_t>(t)].item<double>();
      if (all == 0) continue;
      const DenseLoss task = task_loss(run.tasks[t], outputs, batch, run.options.tasks);
      const double part = static_cast<double>(task.num_valid) / all;
      loss = loss + task.value * (weight_of_task(run.tasks[t], run.options.tasks) * part);
      if (task.num_valid > 0) shares[static_cast<std::int64_t>(t) + 1] += task.value.item<double>() * part;
    }
    if (loss.requires_grad()) loss.backward();
    shares[0] += loss.item<double>();
  }
  return shares;
}

/// One step of the optimizer.
StepReport take_step(Run& run) {
  const std::vector<Batch> batches = next_batches(run);
  run.parameters.zero_gradients();
  const Tensor losses = summed(run.peers.get(), add_gradients(run, batches));
  StepReport report = update(run.parameters, run.optimizer, run.options.schedule, run.peers.get(), losses[0].item<double>(), run.step);
  for (std::size_t t = 0; t < run.tasks.size(); ++t) report.tasks.emplace_back(run.tasks[t], losses[static_cast<std::int64_t>(t) + 1].item<double>());
  run.step = report.step;
  if (run.average) {
    const AverageOptions& a = run.options.average;
    const double k = a.reference_batch > 0 ? static_cast<double>(run.images_per_step()) / a.reference_batch : 1;
    run.average->update(run.parameters, std::pow(a.rho, k));
  }
  return report;
}

Checkpoint checkpoint_of(Run& run, const std::string& config, const std::string& data) {
  Checkpoint c;
  c.kind = "train";
  c.step = run.step;
  c.loader = run.loader.state();
  c.config = config;
  c.data_fingerprint = data;
  c.processes = run.world();
  add_run_state(c, *run.model, run.optimizer);
  if (run.average) {
    c.tensors["average.values"] = run.average->values();
    for (std::size_t i = 0; i < run.average->buffers().size(); ++i) c.tensors[fmt::format("average.buffer_{}", i)] = run.average->buffers()[i];
  }
  return c;
}

void go_on_from(Run& run, const std::filesystem::path& file, const Checkpoint& c) {
  restore_run_state(c, file, *run.model, run.optimizer);
  if (run.average) {
    std::map<std::string, Tensor> average{{"values", run.average->values()}};
    for (std::size_t i = 0; i < run.average->buffers().size(); ++i) average[fmt::format("buffer_{}", i)] = run.average->buffers()[i];
    restore(c.tensors, "average", average, file.string());
  }
  run.loader.seek(c.loader);
  run.step = c.step;
}

/// Of the average where there is one, else of the model as it is.
Scores scores_of(Run& run, const FrameIndex& held_back) {
  if (run.average) run.average->swap_with(run.parameters);
  const Scores scores = evaluate(run.model, held_back, run.options);
  if (run.average) run.average->swap_with(run.parameters);
  return scores;
}

void write_model(Run& run, const std::filesystem::path& file, const std::string& data) {
  if (run.average) run.average->swap_with(run.parameters);
  nn::save_model(file, run.model, {{kTrainedOn, data}});
  if (run.average) run.average->swap_with(run.parameters);
}

/// A row of the curves.
NamedScalars scalars_of(const StepReport& report) {
  NamedScalars row = {{"train/loss", report.loss}, {"train/learning_rate", report.learning_rate}, {"train/gradient_norm", report.gradient_norm}};
  if (report.tasks.size() > 1)
    for (const auto& [task, loss] : report.tasks) row.emplace_back("train/" + task, loss);
  return row;
}

/// Says which tasks have not met a single pixel that counts in `steps` steps. Throws Error when none of them has.
void need_pixels(const Run& run, std::int64_t steps, const std::function<void(const std::string&)>& say) {
  std::vector<std::string> without;
  for (std::size_t t = 0; t < run.tasks.size(); ++t)
    if (run.counted[static_cast<std::int64_t>(t)].item<double>() == 0) without.push_back(run.tasks[t]);
  if (without.size() == run.tasks.size() && (steps == run.step || steps >= kStepsWithPixels))
    fail("no pixel of {} counted in {} steps: the frames' colors or labels are all masked (NaN, infinite, not a depth, unlabelled)",
         fmt::join(without, ", "), steps);
  if (!without.empty())
    say(fmt::format("warning: no pixel of {} counted in {} steps; what it predicts is not trained", fmt::join(without, ", "), steps));
}

void forecast(Run& run, const TrainFrames& frames, const std::function<void(const std::string&)>& say) {
  const Batch first = run.loader.next();
  run.loader.seek(first.state);
  take_step(run);
  const Stopwatch watch;
  take_step(run);
  const double seconds = watch.seconds();
  say(fmt::format("frames      {} to train, {} held back, {} x {} pixels", frames.train.size(), frames.held_back.size(), frames.train.width,
                  frames.train.height));
  say(fmt::format("image       {}", c10::str(first.image.sizes())));
  for (const auto& [target, label] : first.labels) say(fmt::format("{:<11} {}", spec(target).name, c10::str(label.values.sizes())));
  say(fmt::format("parameters  {:.2f} million in {} tensors", static_cast<double>(run.parameters.count()) / 1e6, run.parameters.entries().size()));
  const double state = static_cast<double>(run.parameters.size()) * 8 + static_cast<double>(run.optimizer.state_bytes());
  say(fmt::format("memory      {:.0f} MB of weights, gradients and optimizer; {:.0f} MB at most so far", state / 1e6, peak_memory_bytes() / 1e6));
  say(fmt::format("time        {:.2f} s a step of {} images, {} for {} steps", seconds, run.images_per_step(),
                  duration_text(seconds * run.options.schedule.total), run.options.schedule.total));
}

}  // namespace

TrainResult train(const TrainOptions& asked, const TrainControl& control) {
  // What is asked for, and whether it can be.
  check(asked);
  TrainOptions options = asked;
  options.run.precision = effective_precision(asked.run.precision);
  options.data = settled_path(asked.data);
  options.run.start_from = settled_path(asked.run.start_from);
  if (options.run.threads > 0) at::set_num_threads(options.run.threads);
  const TrainFrames frames = frames_of(options.data, options.split);
  need_whole_patches(options.loader, frames.train, options.model.vit);
  need_memory(options.model.vit);
  const std::string config = config::to_yaml(config::write(options)), data = fingerprint(frames.train);
  Run run(options, frames.train, control.peers);
  const bool first_rank = run.rank() == 0;
  const auto say = [&](const std::string& line) { if (first_rank && control.say) control.say(line); };
  if (options.run.precision != asked.run.precision) say("precision   " + options.run.precision + reason_of_precision(options.run.precision));
  if (control.dry_run) {
    forecast(run, frames, say);
    return {};
  }

  // From the newest checkpoint, or from the beginning.
  RunFolder folder(control.out, config, first_rank);
  if (const auto file = newest_checkpoint(control.out)) {
    const Checkpoint c = read_checkpoint(*file, "train");
    need_same_run(c, *file, config, data, options.data, run.world());
    go_on_from(run, *file, c);
    say(fmt::format("goes on from {}", file->string()));
  }
  TrainResult result;
  if (run.step >= options.schedule.total && std::filesystem::exists(control.out / "model.safetensors")) {
    say("it had ended; nothing is written");
    if (first_rank) result.scores = scores_of(run, frames.held_back);
    return result;
  }
  folder.open_curves(run.step + 1);

  // The steps.
  const std::int64_t first_step = run.step;
  const Pace pace(run.step, run.images_per_step());
  run.wait_seconds = 0;
  const auto save = [&] { if (first_rank) write_checkpoint(control.out, checkpoint_of(run, config, data), options.run.keep); };
  while (run.step < options.schedule.total) {
    if (stop_asked(control, run.peers.get())) {
      save();
      throw Cancelled{};
    }
    StepReport report = take_step(run);
    pace.fill(report, run.wait_seconds);
    result.loss = report.loss;
    if (first_rank && control.progress) control.progress(report);
    if (due(run.step, options.run.log_every)) folder.add(run.step, scalars_of(report));
    if (run.step == first_step + kStepsWithPixels || run.step == options.schedule.total) need_pixels(run, run.step - first_step, say);
    if (first_rank && due(run.step, options.run.evaluate_every) && run.step < options.schedule.total)
      folder.add(run.step, scores_of(run, frames.held_back).scalars());
    if (due(run.step, options.run.checkpoint_every)) save();
  }

  // What is left at the end.
  save();
  if (first_rank) {
    result.scores = scores_of(run, frames.held_back);
    folder.add(run.step, result.scores.scalars());
    write_model(run, control.out / "model.safetensors", data);
  }
  return result;
}

}  // namespace simulacra::learning
