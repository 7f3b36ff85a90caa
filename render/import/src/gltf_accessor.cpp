// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_accessor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "render/base/error.h"

namespace simulacra::gltf {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF buffers are little-endian");

std::size_t byte_size(ComponentType type) {
  switch (type) {
    case ComponentType::i8:
    case ComponentType::u8: return 1;
    case ComponentType::i16:
    case ComponentType::u16: return 2;
    case ComponentType::u32:
    case ComponentType::f32: return 4;
  }
  return 0;
}

ComponentType component_type(const JsonRef& reference) {
  const std::uint64_t number = reference.unsigned_integer();
  for (const auto type : {ComponentType::i8, ComponentType::u8, ComponentType::i16, ComponentType::u16,
                          ComponentType::u32, ComponentType::f32})
    if (number == static_cast<std::uint64_t>(type)) return type;
  reference.refuse("5120, 5121, 5122, 5123, 5125 or 5126");
}

struct Shape {
  std::string_view name;
  std::size_t num_components;
  bool is_matrix;
};
constexpr std::array kShapes = {Shape{"SCALAR", 1, false}, Shape{"VEC2", 2, false}, Shape{"VEC3", 3, false},
                                Shape{"VEC4", 4, false},   Shape{"MAT2", 4, true},  Shape{"MAT3", 9, true},
                                Shape{"MAT4", 16, true}};

/// `count` elements of `element_bytes`, `stride` bytes apart.
struct Elements {
  std::span<const std::uint8_t> bytes;
  std::uint64_t stride = 0;
  const std::uint8_t* at(std::uint64_t i) const { return bytes.data() + i * stride; }
};

// The elements of a buffer view, or a refusal when they do not lie in it.
Elements elements(Document& document, const JsonRef& owner, const JsonRef& view_reference, std::uint64_t count,
                  std::size_t element_bytes) {
  const std::size_t view_index = document.index(view_reference, "bufferViews");
  if (count == 0) return {};
  const auto view = document.view(view_index);
  const std::uint64_t offset = owner.unsigned_or("byteOffset", 0);
  std::uint64_t stride = document.stride(view_index);
  if (stride == 0) stride = element_bytes;
  if (stride < element_bytes)
    owner.refuse_because(fmt::format("its buffer view has byteStride {}, but an element takes {} bytes", stride,
                                     element_bytes));
  std::uint64_t needed = 0;
  const bool overflow = __builtin_mul_overflow(count - 1, stride, &needed) ||
                        __builtin_add_overflow(needed, std::uint64_t{element_bytes}, &needed) ||
                        __builtin_add_overflow(needed, offset, &needed);
  if (overflow || needed > view.size())
    owner.refuse_because(fmt::format("{} elements of {} bytes at byteOffset {} go beyond the {} bytes of buffer view {}",
                                     count, element_bytes, offset, view.size(), view_index));
  return {view.subspan(offset), stride};
}

template <typename T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void decode_element(const std::uint8_t* from, bool normalized, std::span<float> to) {
  for (std::size_t c = 0; c < to.size(); ++c) {
    const T value = load<T>(from + c * sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      to[c] = value;
    } else if (normalized) {
      constexpr double kLargest = static_cast<double>(std::numeric_limits<T>::max());
      to[c] = static_cast<float>(std::max(static_cast<double>(value) / kLargest, -1.0));
    } else {
      to[c] = static_cast<float>(value);
    }
  }
}

void decode(const std::uint8_t* from, ComponentType type, bool normalized, std::span<float> to) {
  switch (type) {
    case ComponentType::i8: return decode_element<std::int8_t>(from, normalized, to);
    case ComponentType::u8: return decode_element<std::uint8_t>(from, normalized, to);
    case ComponentType::i16: return decode_element<std::int16_t>(from, normalized, to);
    case ComponentType::u16: return decode_element<std::uint16_t>(from, normalized, to);
    case ComponentType::u32: return decode_element<std::uint32_t>(from, normalized, to);
    case ComponentType::f32: return decode_element<float>(from, normalized, to);
  }
}

std::uint32_t decode_index(const std::uint8_t* from, ComponentType type) {
  switch (type) {
    case ComponentType::u8: return *from;
    case ComponentType::u16: return load<std::uint16_t>(from);
    case ComponentType::u32: return load<std::uint32_t>(from);
    case ComponentType::i8:
    case ComponentType::i16:
    case ComponentType::f32: break;
  }
  SIM_CHECK(false);
  return 0;
}

bool is_index_type(ComponentType type) {
  return type == ComponentType::u8 || type == ComponentType::u16 || type == ComponentType::u32;
}

// Calls store(i, bytes of the element) for all elements: those of the buffer view, then the sparse ones.
template <typename Store>
void for_each_element(Document& document, const Accessor& accessor, const Store& store) {
  const JsonRef entry = document.item("accessors", accessor.index);
  const std::size_t bytes = byte_size(accessor.component) * accessor.num_components;
  if (const auto view = entry.find("bufferView")) {
    const Elements dense = elements(document, entry, *view, accessor.count, bytes);
    for (std::uint64_t i = 0; i < accessor.count; ++i) store(i, dense.at(i));
  }
  const auto sparse = entry.find("sparse");
  if (!sparse) return;
  const std::uint64_t changed = sparse->require("count").unsigned_integer();
  if (changed > accessor.count) sparse->require("count").refuse(fmt::format("at most {}", accessor.count));
  const JsonRef where = sparse->require("indices"), what = sparse->require("values");
  const ComponentType index_type = component_type(where.require("componentType"));
  if (!is_index_type(index_type)) where.require("componentType").refuse("5121, 5123 or 5125");
  const Elements at = elements(document, where, where.require("bufferView"), changed, byte_size(index_type));
  const Elements values = elements(document, what, what.require("bufferView"), changed, bytes);
  for (std::uint64_t k = 0; k < changed; ++k) {
    const std::uint32_t i = decode_index(at.at(k), index_type);
    if (i >= accessor.count)
      where.refuse_because(fmt::format("entry {} = {}, but the accessor has {} elements", k, i, accessor.count));
    store(i, values.at(k));
  }
}

// Bounds the count before memory is taken: by the bytes of the buffer view, else by a fixed limit.
void check_count(Document& document, const JsonRef& entry, const Accessor& accessor) {
  if (const auto view = entry.find("bufferView")) {
    const std::size_t bytes = byte_size(accessor.component) * accessor.num_components;
    static_cast<void>(elements(document, entry, *view, accessor.count, bytes));
  } else if (accessor.count > kMaxElementsWithoutBuffer) {
    entry.refuse_because(fmt::format("{} elements without a buffer view, at most {} are read", accessor.count,
                                     kMaxElementsWithoutBuffer));
  }
}

}  // namespace

Accessor accessor_of(const Document& document, const JsonRef& reference) {
  Accessor result;
  result.index = document.index(reference, "accessors");
  const JsonRef entry = document.item("accessors", result.index);
  result.component = component_type(entry.require("componentType"));
  result.count = entry.require("count").unsigned_integer();
  result.normalized = entry.boolean_or("normalized", false);
  const JsonRef type = entry.require("type");
  const auto shape = std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& s) { return s.name == type.text(); });
  if (shape == kShapes.end()) type.refuse("SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4");
  result.num_components = shape->num_components;
  result.is_matrix = shape->is_matrix;
  return result;
}

std::vector<float> read_floats(Document& document, const Accessor& accessor, bool as_normalized) {
  check_count(document, document.item("accessors", accessor.index), accessor);
  const bool normalized = accessor.normalized || as_normalized;
  const std::size_t width = accessor.num_components;
  std::vector<float> result(accessor.count * width);
  for_each_element(document, accessor, [&](std::uint64_t i, const std::uint8_t* from) {
    decode(from, accessor.component, normalized, std::span(result).subspan(i * width, width));
  });
  return result;
}

std::vector<std::uint32_t> read_indices(Document& document, const Accessor& accessor) {
  const JsonRef entry = document.item("accessors", accessor.index);
  if (!is_index_type(accessor.component)) entry.require("componentType").refuse("5121, 5123 or 5125 for indices");
  if (accessor.num_components != 1) entry.require("type").refuse("SCALAR for indices");
  check_count(document, entry, accessor);
  std::vector<std::uint32_t> result(accessor.count);
  for_each_element(document, accessor, [&](std::uint64_t i, const std::uint8_t* from) {
    result[i] = decode_index(from, accessor.component);
  });
  return result;
}

}  // namespace simulacra::gltf
