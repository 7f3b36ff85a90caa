// SPDX-License-Identifier: Apache-2.0
// What an open dataset is: type, shape, storage. Call under a LibraryLock.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/hdf5/src/handle.h"

namespace simulacra::hdf5 {

/// The root dataset of that name; throws Error when there is none, or something else of that name.
Handle open_dataset(const Handle& file, const std::string& dataset, const std::string& name);

/// The element whose little-endian type this is.
std::optional<Element> element_of(hid_t type);
/// "float16", "int64 big-endian", "compound".
std::string describe_type(hid_t type);
/// The element of a dataset; throws Error naming its type when it is none of ours.
Element checked_element(const Handle& dataset, const std::string& name);

std::vector<std::size_t> shape_of(const Handle& dataset, const std::string& name);
/// Bytes of the whole array. Throws Error when they are beyond kMaxArrayBytes, or cannot come out of what is stored.
std::size_t checked_bytes(const Handle& dataset, Element element, std::span<const std::size_t> shape, const std::string& name);
/// In the order of writing: "shuffle", "gzip", "fletcher32", …
std::vector<std::string> filters_of(const Handle& properties);
/// Extents of a chunk. `properties` are those of a chunked dataset.
std::vector<std::size_t> chunk_of(const Handle& properties, const std::string& name);

/// Storage that is unpacked without the library: chunks in a zlib stream, perhaps shuffled before.
struct DeflatedChunks {
  std::vector<std::size_t> chunk_shape;
  bool shuffled = false;
};
/// nullopt for arrays of another storage. Throws Error when the chunks cannot be those of an array of this shape in a
/// file of so many bytes.
std::optional<DeflatedChunks> deflated_chunks(const Handle& dataset, std::span<const std::size_t> shape,
                                              std::size_t element_bytes, std::size_t file_bytes, const std::string& name);

}  // namespace simulacra::hdf5
