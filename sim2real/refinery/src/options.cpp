// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

constexpr int kMost = 1 << 30;

Padding padding_of(const std::string& name) {
  if (name == "zeros") return Padding::zeros;
  return name == "reflect" ? Padding::reflect : Padding::replicate;
}

}  // namespace

void fields(config::Fields& f, InputOptions& o) {
  static constexpr std::array<std::string_view, 2> kKinds = {"color", "depth"};
  f.field("kind", o.kind, "what is refined: color, tone-mapped as for a training, or depth along the viewing axis", kKinds);
  f.field("near_m", o.near_m, "depth that becomes -1, metres", {0, 1000});
  f.field("far_m", o.far_m, "depth that becomes 1, metres; so do larger ones, and pixels without depth", {0.01, 10000});
  f.field("noise", o.noise, "deviation of normal noise on what the refiner sees, in the range -1 to 1", {0, 1});
}

void fields(config::Fields& f, RealOptions& o) {
  static constexpr std::array<std::string_view, 3> kFrom = {"auto", "pictures", "data_set"};
  static constexpr std::array<std::string_view, 2> kExposures = {"as_it_is", "tone_mapped"};
  f.field("from", o.from, "pictures of a folder, frames of a data_set, or auto: a data set where the folder holds one", kFrom);
  f.field("exposure", o.exposure, "of pictures: tone_mapped scales each as frames are, to luminance 0.8 at the 90th percentile", kExposures);
  f.field("shrink", o.shrink, "so many pixels of a picture along an axis become one", {1, 64});
  f.field("most", o.most, "pictures; of a larger folder a seeded choice", {8, 1000000});
  f.field("most_side_px", o.most_side_px, "after shrinking; of a larger picture the middle is taken", {32, 16384});
  f.field("depth_unit_m", o.depth_unit_m, "of 16-bit depth pictures, metres; 0 in them is no measurement", {1e-6, 1});
}

void fields(config::Fields& f, NetworkOptions& o) {
  static constexpr std::array<std::string_view, 3> kNames = {"gaze", "hand", "frame"}, kPaddings = {"replicate", "reflect", "zeros"};
  static constexpr std::array<std::string_view, 2> kDiscriminators = {"local", "global"};
  f.field("name", o.name, "gaze and hand as published; frame: smaller, for whole frames", kNames);
  f.field("all_filters_7", o.all_filters_7, "of hand: 7 x 7 filters in all layers, not in the first only");
  f.field("width", o.width, "channels inside the refiner; 0 = the named network's", {0, 1024});
  f.field("blocks", o.blocks, "residual blocks of the refiner; -1 = the named network's", {-1, 100});
  f.field("padding", o.padding, "what lies beyond the border; zeros print a frame into pictures", kPaddings);
  f.field("slope", o.slope, "of LeakyReLU below 0", {0, 1});
  f.field("discriminator", o.discriminator, "local: a judgement a patch; global: one a crop, by a fully connected layer on the same trunk", kDiscriminators);
}

void fields(config::Fields& f, LossOptions& o) {
  static constexpr std::array<std::string_view, 3> kKeep = {"identity", "derivative", "channel_mean"};
  static constexpr std::array<std::string_view, 2> kConventions = {"means", "sums"};
  f.field("keep", o.keep, "what refinement shall keep: the picture itself, differences of neighbours, or the mean over channels", kKeep);
  f.field("lambda", o.lambda, "weight of that", {0, 1e6});
  f.field("lambda_of", o.lambda_of, "means: over values, beside a mean over patches; sums: over an image, beside a sum over patches", kConventions);
  f.field("cycle", o.cycle, "cycle_gan: weight of there and back", {0, 1e6});
  f.field("identity", o.identity, "cycle_gan: weight of leaving alone what is already there", {0, 1e6});
}

void fields(config::Fields& f, SchedulingOptions& o) {
  f.field("rounds", o.rounds, "of refiner and discriminator in turn", {0, kMost});
  f.field("refiner_warmup", o.refiner_warmup, "steps with the regulariser alone", {0, kMost});
  f.field("discriminator_warmup", o.discriminator_warmup, "steps of the discriminator alone", {0, kMost});
  f.field("refiner_steps", o.refiner_steps, "K_g of a round; above 2 the refiner runs away", {1, 1000});
  f.field("discriminator_steps", o.discriminator_steps, "K_d of a round", {1, 1000});
  f.field("batch", o.batch, "crops of either set; even with a history", {1, 65536});
  f.field("history", o.history, "refined images that the discriminator meets again: a multiple of half a batch; 0 = none", {0, 1 << 24});
  f.field("rows", o.rows, "of a crop, pixels; 0 = whole frames", {0, 16384});
  f.field("columns", o.columns, "of a crop, pixels; 0 = whole frames", {0, 16384});
  f.field("flip", o.flip, "probability of mirroring left and right, in both sets", {0, 1});
  f.field("refiner_lr", o.refiner_lr, "learning rate, Adam with beta1 0.5", {0, 10});
  f.field("discriminator_lr", o.discriminator_lr, "learning rate, Adam with beta1 0.5", {0, 10});
  f.field("histogram_batches", o.histogram_batches, "histogram_matching: batches of either set that are read", {1, 65536});
  f.field("log_every", o.log_every, "rounds between rows of the curves", {1, kMost});
  f.field("checkpoint_every", o.checkpoint_every, "steps between checkpoints; 0 = only at the end", {0, kMost});
  f.field("keep", o.keep, "newest checkpoints that stay", {1, 1000});
  f.field("threads", o.threads, "of tensor operations; 0 = all cores", {0, 1024});
}

void fields(config::Fields& f, DriftOptions& o) {
  f.field("every", o.every, "rounds between measurements; 0 = only at the end", {0, kMost});
  f.field("frames", o.frames, "measured, evenly spread over the set", {1, 100000});
  f.field("limit_px", o.limit_px, "the run stops when the median over tiles is above, pixels", {0, 100});
  f.field("tail", o.tail, "the quantile over tiles that has a limit of its own", {0.5, 1});
  f.field("tail_limit_px", o.tail_limit_px, "the run stops when that quantile is above, pixels", {0, 100});
  f.field("least_correlation", o.least_correlation, "the run stops when edges before and after agree less, median over tiles", {-1, 1});
  f.field("depth_step", o.depth_step, "relative step between neighbours that is a border of depth", {0.001, 10});
  f.field("edge_share", o.edge_share, "strongest edges of a picture that count as borders, as a share of its pixels", {0.001, 0.5});
  f.field("tile", o.tile, "side of a tile, pixels", {12, 512});
}

void fields(config::Fields& f, OutputOptions& o) {
  f.field("jpeg_quality", o.jpeg_quality, "of previews", {1, 100});
  f.field("compression_level", o.compression_level, "of HDF5 files, 1 to 12", {1, 12});
}

void fields(config::Fields& f, RefineOptions& o) {
  static constexpr std::array<std::string_view, 4> kMethods = {"refiner", "cycle_gan", "histogram_matching", "dann"};
  f.field("method", o.method, "refiner: S+U learning; cycle_gan and histogram_matching are baselines", kMethods);
  f.field("data", o.data, "folder of the synthetic data set");
  f.field("real", o.real, "folder of unlabelled real pictures, or of a data set");
  f.group("input", o.input, "what of a frame is refined");
  f.group("real_pictures", o.real_pictures, "how the real folder is read");
  f.group("network", o.network, "refiner and discriminator");
  f.group("loss", o.loss, "the refiner's loss");
  f.group("train", o.train, "the training");
  f.group("drift", o.drift, "when labels count as moved");
  f.group("output", o.output, "the refined copy");
  f.field("seed", o.seed, "of weights, batches, history and noise");
}

void check(const RefineOptions& o) {
  if (o.method == "dann")
    fail_usage("method: dann adapts the features of an estimator and refines no picture; it is in sim2real/refine/domain.h, for trainings");
  if (o.data.empty()) fail_usage("--data: give the synthetic data set's folder");
  if (o.real.empty()) fail_usage("--real: give the folder of real pictures");
  if (o.input.kind == "depth" && !(o.input.near_m < o.input.far_m)) fail_usage("input: near_m ({}) is to be below far_m ({})", o.input.near_m, o.input.far_m);
  if ((o.train.rows == 0) != (o.train.columns == 0)) fail_usage("train: rows and columns are to be both 0 or both above");
  if (o.network.discriminator == "global" && o.train.rows == 0) fail_usage("network.discriminator: a global one needs crops of one size: give train.rows and train.columns");
  if (o.method == "histogram_matching") return;
  if (o.train.history > 0) History(o.train.history, o.train.batch, o.seed);
  check(training_options(o, std::max(o.train.rows, 64), std::max(o.train.columns, 64)));
}

std::int64_t channels_of(const RefineOptions& o) { return o.input.kind == "depth" ? 1 : 3; }

RefinerOptions refiner_options(const RefineOptions& o) {
  const NetworkOptions& n = o.network;
  RefinerOptions r = n.name == "gaze" ? gaze_refiner() : n.name == "hand" ? hand_refiner(n.all_filters_7) : frame_refiner();
  r.image_channels = channels_of(o);
  r.padding = padding_of(n.padding);
  r.slope = n.slope;
  if (n.width > 0) r.width = n.width;
  if (n.blocks >= 0) r.blocks = n.blocks;
  return r;
}

DiscriminatorOptions discriminator_options(const RefineOptions& o, std::int64_t rows, std::int64_t columns) {
  const NetworkOptions& n = o.network;
  DiscriminatorOptions d = n.name == "gaze" ? gaze_discriminator() : n.name == "hand" ? hand_discriminator() : frame_discriminator();
  d.image_channels = channels_of(o);
  d.padding = padding_of(n.padding);
  d.slope = n.slope;
  if (n.discriminator == "global") d.global_for = {rows, columns};
  return d;
}

TrainingOptions training_options(const RefineOptions& o, std::int64_t rows, std::int64_t columns) {
  TrainingOptions t;
  const std::array<std::int64_t, 2> map = map_size(discriminator_options(o, rows, columns), rows, columns);
  t.lambda = o.loss.lambda_of == "sums" ? o.loss.lambda : lambda_for_sums(o.loss.lambda, channels_of(o) * rows * columns, map[0] * map[1]);
  t.psi = feature_map(o.loss.keep);
  t.batch = o.train.batch;
  t.refiner_warmup = o.train.refiner_warmup;
  t.discriminator_warmup = o.train.discriminator_warmup;
  t.rounds = o.train.rounds;
  t.refiner_steps = o.train.refiner_steps;
  t.discriminator_steps = o.train.discriminator_steps;
  t.history = o.train.history;
  t.seed = o.seed;
  return t;
}

}  // namespace simulacra::sim2real
