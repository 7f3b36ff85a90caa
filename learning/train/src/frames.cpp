// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/train.h"

#include "learning/train/model_files.h"
#include "render/base/error.h"

namespace simulacra::learning {

TrainFrames frames_of(const std::string& data, const SplitOptions& o) {
  if (data.empty()) fail_usage("data: no data set is named; give --data DIR, or `data` in the configuration");
  FrameIndex all = scan_frames(data);
  TrainFrames frames;
  if (o.by == "none") {
    frames.train = std::move(all);
  } else if (o.by == "table") {
    frames = {frames_of_partition(all, "train"), frames_of_partition(all, "val")};
  } else if (o.by == "scene") {
    Split split = split_by_scene(all, 1 - o.held_back, o.seed);
    frames = {std::move(split.first), std::move(split.second)};
  } else {
    frames.train = fraction_of_frames(all, 1 - o.held_back, o.seed);
    std::vector<std::size_t> others;
    for (std::size_t i = 0, t = 0; i < all.size(); ++i) {
      if (t < frames.train.size() && frames.train.name(t) == all.name(i)) ++t;
      else others.push_back(i);
    }
    if (others.empty()) fail_usage("split.held_back: {} of {} frames holds nothing back", o.held_back, all.size());
    frames.held_back = with_frames(all, others);
  }
  if (o.labelled < 1) frames.train = fraction_of_frames(frames.train, o.labelled, o.seed + 1);
  return frames;
}

nn::Model make_model(const TrainOptions& o) {
  torch::manual_seed(o.run.seed);
  nn::ModelOptions options = o.model;
  options.tasks = task_names(o.tasks);
  nn::Model model(options);
  if (!o.run.start_from.empty()) load_encoder(o.run.start_from, model);
  return model;
}

}  // namespace simulacra::learning
