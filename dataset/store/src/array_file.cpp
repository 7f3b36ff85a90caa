// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/src/array_file.h"

#include "dataset/hdf5/hdf5.h"

namespace simulacra {

OutputFile array_file(std::string path, std::vector<std::size_t> shape, std::span<const std::int64_t> values) {
  return {std::move(path), hdf5::encode(hdf5::Element::i64, shape, std::as_bytes(values)), 0};
}

OutputFile array_file(std::string path, std::vector<std::size_t> shape, std::span<const double> values) {
  return {std::move(path), hdf5::encode(hdf5::Element::f64, shape, std::as_bytes(values)), 0};
}

}  // namespace simulacra
