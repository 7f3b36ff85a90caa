// SPDX-License-Identifier: Apache-2.0
// The state of a training run as one safetensors file: weights, optimizer, average, random numbers, position in the data, the
// effective configuration and a fingerprint of the data set. Resuming from it gives the bits that the run would have given.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "dataset/frames/frame_index.h"
#include "learning/tensors/loader.h"

namespace simulacra::learning {

/// The `kind` of a file that this format holds: another kind is a foreign checkpoint.
inline constexpr const char* kCheckpointFormat = "simulacra-checkpoint/2";

struct Checkpoint {
  std::string kind;                          ///< "train" or "pretrain"
  std::int64_t step = 0;                     ///< steps done
  LoaderState loader;
  std::string config;                        ///< YAML
  std::string data_fingerprint;              ///< of fingerprint()
  int processes = 1;                         ///< that shared the run: more of them make larger batches
  std::map<std::string, torch::Tensor> tensors;  ///< "model.…", "optimizer.…", "average.…", "random.cpu"
};

/// SHA-256 over names and sizes of the frames' label files, in order.
std::string fingerprint(const FrameIndex& frames);

/// FOLDER/checkpoints/step-000000200.safetensors, complete or absent; then removes all but the newest `keep`.
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint, int keep);
/// Throws Error that names the file when it is damaged (a sum over all values tells), or no checkpoint, or of another kind
/// than `kind`.
Checkpoint read_checkpoint(const std::filesystem::path& file, const std::string& kind);
/// The newest of a run's folder; nullopt when there is none.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& folder);

/// Copies "PREFIX.name" of `tensors` into `named`, all of them. Throws Error that names what is missing, left over, or of
/// another shape or type, and `file`.
void restore(const std::map<std::string, torch::Tensor>& tensors, const std::string& prefix, const std::map<std::string, torch::Tensor>& named,
             const std::string& file);

/// Parameters and buffers by name.
std::map<std::string, torch::Tensor> state_of(const torch::nn::Module& module);

}  // namespace simulacra::learning
