// SPDX-License-Identifier: Apache-2.0
// Everything that a refinement is a function of, beside the two sets of pictures.
#pragma once

#include <cstdint>
#include <string>

#include "render/config/config.h"
#include "sim2real/refine/cycle.h"
#include "sim2real/refine/training.h"

namespace simulacra::sim2real {

/// What of a frame is refined.
struct InputOptions {
  std::string kind = "color";        ///< color: tone-mapped as for a training; depth: along the viewing axis
  double near_m = 0.2, far_m = 8;    ///< depths that become -1 and 1; beyond, and where nothing is, 1
  double noise = 0;                  ///< deviation of normal noise on what the refiner sees, range [-1, 1]
};
void fields(config::Fields& f, InputOptions& o);

/// Where unlabelled real pictures come from.
struct RealOptions {
  std::string from = "auto";         ///< pictures, data_set, or auto: a data set where the folder holds frames of one
  std::string exposure = "as_it_is"; ///< tone_mapped: scaled as frames are, to luminance 0.8 at the 90th percentile
  int shrink = 1;                    ///< so many pixels of a picture along an axis become one
  int most = 500;                    ///< pictures; of a larger folder a seeded choice
  int most_side_px = 512;            ///< after shrinking; of a larger picture the middle
  double depth_unit_m = 0.001;       ///< of 16-bit depth pictures; 0 in them is no measurement
};
void fields(config::Fields& f, RealOptions& o);

struct NetworkOptions {
  std::string name = "frame";        ///< gaze, hand, frame: see networks.h
  bool all_filters_7 = false;        ///< of hand: not the first one only
  int width = 0, blocks = -1;        ///< in place of the named refiner's
  std::string padding = "replicate"; ///< or reflect, zeros
  double slope = 0.1;                ///< of LeakyReLU
  std::string discriminator = "local";  ///< or global, on an equal trunk
};
void fields(config::Fields& f, NetworkOptions& o);

struct LossOptions {
  std::string keep = "identity";     ///< psi: a name of feature_map()
  double lambda = 4;
  std::string lambda_of = "means";   ///< or sums: see lambda_for_means()
  double cycle = 10, identity = 5;   ///< of cycle_gan
};
void fields(config::Fields& f, LossOptions& o);

struct SchedulingOptions {
  int rounds = 2000;
  int refiner_warmup = 300, discriminator_warmup = 100;
  int refiner_steps = 1, discriminator_steps = 1;   ///< K_g and K_d
  int batch = 16, history = 512;
  int rows = 64, columns = 64;       ///< of crops; 0 = whole frames
  double flip = 0.5;                 ///< probability of mirroring, of synthetic and real alike
  double refiner_lr = 2e-4, discriminator_lr = 2e-4;
  int histogram_batches = 64;        ///< what histogram_matching reads
  int log_every = 10, checkpoint_every = 200, keep = 2;
  int threads = 0;                   ///< of tensor operations; 0 = all cores
};
void fields(config::Fields& f, SchedulingOptions& o);

/// When labels count as moved: see drift_meter.h.
struct DriftOptions {
  int every = 200;                   ///< rounds between measurements; one is always at the end
  int frames = 24;                   ///< measured, evenly spread
  double limit_px = 0.5;             ///< of the median over tiles
  double tail = 0.9, tail_limit_px = 1.5;  ///< of that quantile
  double least_correlation = 0.3;    ///< of edges before and after, median over tiles
  double depth_step = 0.05;          ///< relative step that is a border of depth
  double edge_share = 0.05;          ///< strongest edges of a picture, as a share of its pixels
  int tile = 16;
};
void fields(config::Fields& f, DriftOptions& o);

struct OutputOptions {
  int jpeg_quality = 90, compression_level = 1;
};
void fields(config::Fields& f, OutputOptions& o);

struct RefineOptions {
  std::string method = "refiner";    ///< refiner, cycle_gan, histogram_matching
  std::string data, real;            ///< folders
  InputOptions input;
  RealOptions real_pictures;
  NetworkOptions network;
  LossOptions loss;
  SchedulingOptions train;
  DriftOptions drift;
  OutputOptions output;
  std::uint64_t seed = 1;
};
void fields(config::Fields& f, RefineOptions& o);
/// Throws UsageError for combinations that make no sense, naming the keys.
void check(const RefineOptions& o);

std::int64_t channels_of(const RefineOptions& o);
RefinerOptions refiner_options(const RefineOptions& o);
/// rows, columns: of the crops, for a global judgement.
DiscriminatorOptions discriminator_options(const RefineOptions& o, std::int64_t rows, std::int64_t columns);
/// lambda by the convention of sums, for crops of this size.
TrainingOptions training_options(const RefineOptions& o, std::int64_t rows, std::int64_t columns);

}  // namespace simulacra::sim2real
