// SPDX-License-Identifier: Apache-2.0
// Accessors: typed arrays in the buffers of a glTF file, decoded and bounds-checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "render/import/src/gltf_document.h"

namespace simulacra::gltf {

enum class ComponentType : std::uint16_t { i8 = 5120, u8 = 5121, i16 = 5122, u16 = 5123, u32 = 5125, f32 = 5126 };

/// The head of an accessor, checked.
struct Accessor {
  std::size_t index = 0;
  ComponentType component = ComponentType::f32;
  std::size_t num_components = 1;  ///< 1 SCALAR, 2..4 VECn, 4 MAT2, 9 MAT3, 16 MAT4
  bool is_matrix = false;
  bool normalized = false;
  std::uint64_t count = 0;
};

/// Reads the head of the accessor that `reference` names.
Accessor accessor_of(const Document& document, const JsonRef& reference);

/// count * num_components numbers. Normalized integers become [0, 1] or [-1, 1]; others keep their value.
/// Sparse entries are applied. Throws UsageError when the bytes do not suffice.
/// `as_normalized` decodes integers as if the accessor said "normalized".
std::vector<float> read_floats(Document& document, const Accessor& accessor, bool as_normalized = false);

/// `count` unsigned numbers of a SCALAR accessor of type u8, u16 or u32.
std::vector<std::uint32_t> read_indices(Document& document, const Accessor& accessor);

}  // namespace simulacra::gltf
