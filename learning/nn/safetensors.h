// SPDX-License-Identifier: Apache-2.0
// Files of named tensors in the safetensors format: eight bytes of length, a JSON header, the values. Read and written by
// the Python package `safetensors` too.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <map>
#include <string>

namespace simulacra::nn {

using TensorMap = std::map<std::string, torch::Tensor>;

struct TensorFile {
  TensorMap tensors;
  std::map<std::string, std::string> metadata;
};

/// Metadata key of a file's own sum_of(); read_tensors() compares where it is given.
inline constexpr const char* kSumKey = "simulacra.sum";
/// A number in which every bit of every tensor counts, in hexadecimal, at the speed of memory: each step is invertible, so a change
/// in one word cannot be lost, and two that cancel are one in 2^64.
std::string sum_of(const TensorMap& tensors);

/// Types: F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL. Throws Error "file: tensor 'name': …" in one line for what is
/// truncated, of an unknown type, of a shape that does not fill its bytes, doubled, overlapping, leaves a gap, or is not what the
/// file's own sum was made of.
TensorFile read_tensors(const std::filesystem::path& path);
/// The metadata alone, of the header: whatever the values are.
std::map<std::string, std::string> read_metadata(const std::filesystem::path& path);

/// Appears complete or not at all. Tensors are written row major, in the order of the Python package: wide types first,
/// then by name; the same file gives the same bytes. Throws Error that names the tensor whose type has no name there.
void write_tensors(const std::filesystem::path& path, const TensorFile& file);

}  // namespace simulacra::nn
