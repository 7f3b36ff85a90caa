// SPDX-License-Identifier: Apache-2.0
// The one array of an HDF5 file, read with every check of the container on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/audit/src/findings.h"
#include "dataset/hdf5/hdf5.h"

namespace simulacra::auditing {

using hdf5::Element;

/// Size of each axis: a number, or -1 for any.
using Shape = std::vector<std::int64_t>;

struct StoredArray : hdf5::Array {
  std::size_t rows() const { return shape.empty() ? 1 : shape[0]; }
  /// All values; T has the size of the element.
  template <typename T>
  std::vector<T> values() const {
    const auto span = as<T>();
    return {span.begin(), span.end()};
  }
};

struct ArrayWish {
  Element element{};
  Shape shape{};
  bool image = false;        ///< must be gzip-compressed; else plain is expected
  bool required = true;      ///< absence is a failure
  bool attributes = false;   ///< may have attributes (our further files)
};

/// The array, or nothing when the file is absent or wrong; what is wrong goes to `to`. `relative` names the
/// file in messages.
std::optional<StoredArray> read_array(const std::filesystem::path& path, const std::string& relative,
                                      const ArrayWish& wish, Findings& to);

/// Width and height of the first image-like array below `folder` (files in name order), when there is one.
std::optional<std::pair<int, int>> size_of_any_image(const std::filesystem::path& folder);

}  // namespace simulacra::auditing
