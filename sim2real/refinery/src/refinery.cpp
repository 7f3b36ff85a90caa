// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/refinery.h"

#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dataset/schema/checksum.h"
#include "learning/nn/safetensors.h"
#include "learning/train/checkpoint.h"
#include "learning/train/run_folder.h"
#include "render/base/cancelled.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "sim2real/refinery/method.h"
#include "sim2real/refinery/page.h"
#include "sim2real/refinery/refined_copy.h"
#include "sim2real/refinery/sources.h"

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;
using learning::Checkpoint;
using torch::Tensor;

constexpr const char* kCheckpointKind = "refine";
constexpr std::size_t kShownPairs = 8, kShownReal = 8;

/// Apart from one another whatever their numbers.
enum class NoiseOf : std::uint64_t { crops, drift, frames };

Tensor with_noise(const Tensor& images, double deviation, std::array<std::uint64_t, 4> seed) {
  if (deviation == 0) return images;
  auto generator = at::make_generator<at::CPUGeneratorImpl>(mix_seed(seed));
  return (images + deviation * torch::randn(images.sizes(), generator)).clamp(-1, 1);
}

std::string digest_of(const NamedTensors& weights) {
  Sha256 sum;
  for (const auto& [name, value] : weights) {
    const Tensor flat = value.contiguous().to(torch::kFloat);
    sum.add(name).add("\n").add_values(std::span(flat.const_data_ptr<float>(), static_cast<std::size_t>(flat.numel())));
  }
  return sum.hex();
}

CropOptions crops_of(const RefineOptions& o, const FrameIndex& frames, std::uint64_t seed) {
  CropOptions c;
  c.batch = o.train.batch;
  c.rows = o.train.rows > 0 ? o.train.rows : frames.height;
  c.columns = o.train.columns > 0 ? o.train.columns : frames.width;
  c.flip = o.train.flip;
  c.seed = seed;
  return c;
}

/// Everything that a run is made of, once the request is known to be right.
class Run {
 public:
  Run(const RefineOptions& o, const RefineControl& control)
      : options_(o), control_(control), frames_(usable_frames(scan_frames(o.data), o.input)) {
    RefinedCopy::check_request(frames_, control.out);
    const CropOptions crops = crops_of(o, frames_, o.seed);
    synthetic_.emplace(frames_, o.input, crops);
    real_ = open_real(o, crops_of(o, frames_, o.seed + 1));
    meter_.emplace(frames_, o);
    method_ = make_method(o, crops.rows, crops.columns);
    config_ = config::to_yaml(config::write(o));
    folder_ = control.run.empty() ? fs::path(control.out.string() + ".run") : control.run;
    data_digest_ = sha256_hex(learning::fingerprint(frames_) + real_->digest());
  }

  RefineResult operator()() {
    say(fmt::format("{} frames of {} x {} px to refine, {} real pictures, method {}", frames_.size(), frames_.width, frames_.height, real_->size(), options_.method));
    learning::RunFolder folder(folder_, config_, true);
    resume();
    folder.open_curves(step_ + 1);
    train(folder);
    last_drift_ = measure(folder);
    save();
    nn::write_tensors(folder_ / "refiner.safetensors", {method_->weights(), {{"method", options_.method}, {"config", config_}}});
    result_.weights_sha256 = digest_of(method_->weights());
    write_copy();
    write_page("");
    result_.frames = frames_.size();
    result_.drift = last_drift_;
    result_.run = folder_;
    return result_;
  }

 private:
  void say(const std::string& line) const { if (control_.say) control_.say(line); }
  bool cancelled() const { return control_.cancel && control_.cancel->load(); }

  Batches synthetic_batches() {
    return [this](std::int64_t) {
      const LoaderState at = synthetic_->state();
      return with_noise(synthetic_->next(), options_.input.noise, {options_.seed, static_cast<std::uint64_t>(NoiseOf::crops), at.epoch, at.position});
    };
  }

  void resume() {
    const auto file = learning::newest_checkpoint(folder_);
    if (!file) return;
    const Checkpoint c = learning::read_checkpoint(*file, kCheckpointKind);
    if (c.config != config_) fail_usage("{}: is of a run with another configuration: {}", file->string(), learning::first_difference(c.config, config_));
    if (c.data_fingerprint != data_digest_) fail_usage("{}: is of a run on other frames or other real pictures", file->string());
    NamedTensors method;
    for (const auto& [name, value] : c.tensors)
      if (name.starts_with("method.")) method[name.substr(7)] = value;
    method_->restore(method, file->string());
    if (!c.tensors.contains("real.position")) fail("{}: holds no real.position", file->string());
    real_->seek(c.tensors.at("real.position"));
    synthetic_->seek(c.loader);
    step_ = c.step;
    say("goes on from " + file->string());
  }

  void save() {
    Checkpoint c{.kind = kCheckpointKind, .step = step_, .loader = synthetic_->state(), .config = config_, .data_fingerprint = data_digest_, .tensors = {}};
    for (const auto& [name, value] : method_->state()) c.tensors["method." + name] = value;
    c.tensors["real.position"] = real_->position();
    learning::write_checkpoint(folder_, c, options_.train.keep);
  }

  void train(learning::RunFolder& folder) {
    const std::int64_t steps = method_->steps(), first = step_;
    const auto start = std::chrono::steady_clock::now();
    const Batches synthetic = synthetic_batches(), real = [this](std::int64_t) { return real_->next(); };
    while (step_ < steps) {
      if (cancelled()) {
        save();
        throw Cancelled{};
      }
      const NamedScalars losses = method_->step(step_++, synthetic, real);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      result_.train_images_per_s = static_cast<double>((step_ - first) * options_.train.batch) / seconds;
      report(losses, steps, seconds / static_cast<double>(step_ - first));
      if (step_ % options_.train.log_every == 0 || step_ == steps) log(folder, losses);
      const std::int64_t round = step_ - method_->warmup();
      if (options_.drift.every > 0 && round > 0 && round % options_.drift.every == 0 && step_ < steps) measure(folder);
      if (options_.train.checkpoint_every > 0 && step_ % options_.train.checkpoint_every == 0) save();
    }
  }

  void report(const NamedScalars& losses, std::int64_t steps, double seconds_a_step) const {
    if (!control_.progress) return;
    learning::StepReport r;
    r.step = step_, r.steps = steps;
    for (const auto& [name, value] : losses)
      if (std::isfinite(value)) { r.loss = value; break; }
    r.images_per_s = result_.train_images_per_s;
    r.seconds_left = static_cast<double>(steps - step_) * seconds_a_step;
    control_.progress(r);
  }

  void log(learning::RunFolder& folder, const NamedScalars& values) const {
    NamedScalars there;
    for (const auto& v : values)
      if (std::isfinite(v.second)) there.push_back(v);
    folder.add(step_, there);
  }

  /// Throws Error when labels moved.
  DriftReading measure(learning::RunFolder& folder) {
    std::uint64_t frame = 0;
    const DriftReading reading = meter_->measure([&](const Tensor& images) {
      return method_->refine(with_noise(images, options_.input.noise, {options_.seed, static_cast<std::uint64_t>(NoiseOf::drift), frame++, 0}));
    });
    log(folder, reading.scalars());
    if (const std::string broken = broken_limit(reading, options_.drift); !broken.empty()) {
      last_drift_ = reading;
      write_page(broken);
      fail("labels moved at step {}: {}; nothing was written but {}", step_, broken, (folder_ / "page.html").string());
    }
    return reading;
  }

  RefinementFacts facts() const {
    fs::path real = fs::absolute(options_.real).lexically_normal();
    if (real.filename().empty()) real = real.parent_path();   // "photos/"
    return {control_.version, result_.weights_sha256, real.filename().string(), real_->digest(), last_drift_};
  }

  void write_copy() {
    const auto start = std::chrono::steady_clock::now();
    RefinedCopy copy(frames_, control_.out, options_, config_, facts());
    WholeFrames whole(frames_, options_.input);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (cancelled()) throw Cancelled{};
      const Tensor before = whole.next();
      copy.put(i, method_->refine(with_noise(before, options_.input.noise, {options_.seed, static_cast<std::uint64_t>(NoiseOf::frames), i, 0})));
    }
    copy.finish();
    result_.write_images_per_s = static_cast<double>(frames_.size()) / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void write_page(const std::string& verdict) {
    PageFacts facts{options_, folder_, last_drift_, verdict, {}, real_->examples(kShownReal)};
    const std::vector<Tensor>& shown = meter_->images();
    for (std::size_t i = 0; i < std::min(kShownPairs, shown.size()); ++i) {
      const Tensor& before = shown[i * shown.size() / std::min(kShownPairs, shown.size())];
      facts.pairs.emplace_back(before.squeeze(0), method_->refine(with_noise(before, options_.input.noise, {options_.seed, static_cast<std::uint64_t>(NoiseOf::drift), i, 0})).squeeze(0));
    }
    result_.page = folder_ / "page.html";
    write_text_atomically(result_.page, refinement_page(facts));
  }

  const RefineOptions& options_;
  const RefineControl& control_;
  FrameIndex frames_;
  std::optional<FrameCrops> synthetic_;
  std::unique_ptr<RealSource> real_;
  std::optional<DriftMeter> meter_;
  std::unique_ptr<Method> method_;
  std::string config_, data_digest_;
  fs::path folder_;
  std::int64_t step_ = 0;
  DriftReading last_drift_;
  RefineResult result_;
};

}  // namespace

RefineResult refine(const RefineOptions& options, const RefineControl& control) {
  check(options);
  if (options.train.threads > 0) at::set_num_threads(options.train.threads);
  return Run(options, control)();
}

}  // namespace simulacra::sim2real
