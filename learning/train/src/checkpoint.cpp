// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "dataset/schema/checksum.h"
#include "learning/nn/safetensors.h"
#include "render/base/error.h"
#include "render/labels/labels.h"

namespace simulacra::learning {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-", kSuffix = ".safetensors";
constexpr std::size_t kDigits = 9;

std::vector<fs::path> checkpoints_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder / "checkpoints", absent)) {
    const std::string name = entry.path().filename().string();
    if (name.size() == kPrefix.size() + kDigits + kSuffix.size() && name.starts_with(kPrefix) && name.ends_with(kSuffix) &&
        name.find_first_not_of("0123456789", kPrefix.size()) == kPrefix.size() + kDigits)
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // the step has a fixed number of digits
  return files;
}

/// What to do about a file that cannot be used.
constexpr const char* kRemedy = "delete it, and the run goes on from the checkpoint before, or from the beginning";

template <typename T>
T number_of(const std::map<std::string, std::string>& metadata, const std::string& key, const fs::path& file) {
  const auto found = metadata.find(key);
  T value{};
  if (found == metadata.end()) fail("{}: the checkpoint does not say its {}", file.string(), key);
  const std::string& text = found->second;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
    fail("{}: the checkpoint's {} is '{}', no number", file.string(), key, text);
  return value;
}

}  // namespace

std::string fingerprint(const FrameIndex& frames) {
  Sha256 sum;
  for (std::size_t i = 0; i < frames.size(); ++i)
    for (const LabelSpec& label : kLabels) {
      if (!has(frames.frames[i].labels, label.id)) continue;
      const fs::path file = frames.file(i, label.id);
      sum.add(fmt::format("{} {}\n", fs::relative(file, frames.scenes_folder).generic_string(), fs::file_size(file)));
    }
  return sum.hex();
}

void write_checkpoint(const fs::path& folder, const Checkpoint& c, int keep) {
  nn::TensorFile file;
  file.tensors = c.tensors;
  file.metadata = {{"format", kCheckpointFormat}, {"kind", c.kind}, {"step", std::to_string(c.step)},
                   {"loader.epoch", std::to_string(c.loader.epoch)}, {"loader.position", std::to_string(c.loader.position)},
                   {"config", c.config}, {"data_fingerprint", c.data_fingerprint}, {"processes", std::to_string(c.processes)}, {"sum", nn::sum_of(c.tensors)}};
  std::error_code error;
  fs::create_directories(folder / "checkpoints", error);
  if (error) fail("{}: cannot be made: {}", (folder / "checkpoints").string(), error.message());
  nn::write_tensors(folder / "checkpoints" / fmt::format("{}{:09}{}", kPrefix, c.step, kSuffix), file);
  std::vector<fs::path> files = checkpoints_of(folder);
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < files.size(); ++i) fs::remove(files[i]);
}

Checkpoint read_checkpoint(const fs::path& path, const std::string& kind) {
  nn::TensorFile file;
  try {
    file = nn::read_tensors(path);
  } catch (const Error& e) {
    fail("{}; {}", e.what(), kRemedy);
  }
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kCheckpointFormat)
    fail("{}: is no checkpoint of a run (expected the format {}, found {})", path.string(), kCheckpointFormat,
         format == file.metadata.end() ? "none" : format->second);
  Checkpoint c;
  c.kind = file.metadata["kind"];
  if (c.kind != kind) fail("{}: is a checkpoint of '{}', not of '{}'", path.string(), c.kind, kind);
  c.step = number_of<std::int64_t>(file.metadata, "step", path);
  c.loader = {number_of<std::uint64_t>(file.metadata, "loader.epoch", path), number_of<std::uint64_t>(file.metadata, "loader.position", path)};
  c.config = file.metadata["config"];
  c.data_fingerprint = file.metadata["data_fingerprint"];
  c.processes = number_of<int>(file.metadata, "processes", path);
  c.tensors = std::move(file.tensors);
  if (file.metadata["sum"] != nn::sum_of(c.tensors)) fail("{}: is damaged, its values do not have the sum it states; {}", path.string(), kRemedy);
  return c;
}

std::optional<fs::path> newest_checkpoint(const fs::path& folder) {
  const std::vector<fs::path> files = checkpoints_of(folder);
  if (files.empty()) return std::nullopt;
  return files.back();
}

void restore(const std::map<std::string, torch::Tensor>& tensors, const std::string& prefix, const std::map<std::string, torch::Tensor>& named,
             const std::string& file) {
  const torch::NoGradGuard no_gradients;
  for (const auto& [name, value] : named) {
    const auto found = tensors.find(prefix + "." + name);
    if (found == tensors.end()) fail("{}: holds no {}.{}", file, prefix, name);
    if (found->second.sizes() != value.sizes() || found->second.scalar_type() != value.scalar_type())
      fail("{}: {}.{} is {} {}, expected {} {}", file, prefix, name, c10::toString(found->second.scalar_type()), c10::str(found->second.sizes()),
           c10::toString(value.scalar_type()), c10::str(value.sizes()));
    torch::Tensor target = value;
    target.copy_(found->second);
  }
  for (const auto& [name, value] : tensors)
    if (name.starts_with(prefix + ".") && !named.contains(name.substr(prefix.size() + 1))) fail("{}: {} has no place in this model", file, name);
}

std::map<std::string, torch::Tensor> state_of(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> state;
  for (const auto& p : module.named_parameters()) state[p.key()] = p.value().detach();
  for (const auto& b : module.named_buffers()) state[b.key()] = b.value();
  return state;
}

}  // namespace simulacra::learning
