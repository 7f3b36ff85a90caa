// SPDX-License-Identifier: Apache-2.0
// Makes small glTF files for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "render/import/import.h"
#include "tests/support/shared_data.h"

namespace simulacra::test {

inline std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() || k < 2 ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

/// Buffer 0 with one buffer view and one accessor per added array, in order.
class Arrays {
 public:
  /// Returns the accessor's index. `further` is JSON put into the accessor, for instance ", \"normalized\": true".
  template <typename T>
  std::size_t add(std::string_view type, int component_type, const std::vector<T>& values, std::size_t count,
                  std::string_view further = "") {
    const std::size_t offset = bytes_.size();
    bytes_.resize(offset + values.size() * sizeof(T));
    std::memcpy(bytes_.data() + offset, values.data(), values.size() * sizeof(T));
    const std::size_t index = count_++;
    views_ += fmt::format("{}{{\"buffer\": 0, \"byteOffset\": {}, \"byteLength\": {}}}", index == 0 ? "" : ", ", offset,
                          values.size() * sizeof(T));
    accessors_ += fmt::format("{}{{\"bufferView\": {}, \"componentType\": {}, \"type\": \"{}\", \"count\": {}{}}}",
                              index == 0 ? "" : ", ", index, component_type, type, count, further);
    return index;
  }
  std::size_t floats(std::string_view type, const std::vector<float>& values, std::size_t count) {
    return add(type, 5126, values, count);
  }
  /// The members "buffers", "bufferViews" and "accessors".
  std::string json() const {
    return fmt::format(
        R"("buffers": [{{"byteLength": {}, "uri": "data:application/octet-stream;base64,{}"}}],
           "bufferViews": [{}], "accessors": [{}])",
        bytes_.size(), base64(bytes_), views_, accessors_);
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::string views_, accessors_;
  std::size_t count_ = 0;
};

/// A whole file: asset and the given members.
inline std::string gltf(std::string_view members) {
  return fmt::format(R"({{"asset": {{"version": "2.0"}}{}{}}})", members.empty() ? "" : ", ", members);
}

/// One triangle (0,0,0) (1,0,0) (0,1,0) at a node, with the given members beside it.
inline std::string triangle_with(std::string_view members, std::string_view node = "\"mesh\": 0",
                                 std::string_view primitive = "") {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  return gltf(fmt::format(R"({}, "meshes": [{{"name": "Leaf", "primitives": [{{"attributes": {{"POSITION": 0}}{}}}]}}],
                             "nodes": [{{"name": "Table", {}}}]{})",
                          arrays.json(), primitive, node, members));
}

/// A folder with the file "test.gltf" (or another name) in it, and what came of importing it.
class Imported {
 public:
  explicit Imported(std::string_view text, const char* name = "test.gltf") {
    write(name, text);
    scene = import_gltf(folder.path() / name, diagnostics);
  }
  TempDir folder;
  Diagnostics diagnostics;
  SceneDescription scene;

  /// "culprit: text" of every warning, one a line.
  std::string warnings() const {
    std::string text;
    for (const ImportWarning& w : diagnostics.warnings()) text += fmt::format("{}: {}\n", w.culprit, w.text);
    return text;
  }

 private:
  void write(const char* name, std::string_view text) const {
    std::ofstream(folder.path() / name, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
  }
};

/// The message with which a file is refused; empty when it is imported.
inline std::string refusal(std::string_view text, const char* name = "test.gltf") {
  try {
    const Imported imported(text, name);
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

/// A .glb of the given chunks: (type, content) pairs, with the length and version that the caller chooses.
inline std::string glb(const std::vector<std::pair<std::uint32_t, std::string>>& chunks, std::uint32_t version = 2,
                       std::uint32_t extra_length = 0) {
  const auto number = [](std::uint32_t n) {
    return std::string{static_cast<char>(n & 255u), static_cast<char>(n >> 8 & 255u), static_cast<char>(n >> 16 & 255u),
                       static_cast<char>(n >> 24)};
  };
  std::string body;
  for (const auto& [type, content] : chunks) body += number(static_cast<std::uint32_t>(content.size())) + number(type) + content;
  return "glTF" + number(version) + number(static_cast<std::uint32_t>(body.size()) + 12 + extra_length) + body;
}
inline constexpr std::uint32_t kJsonChunk = 0x4e4f534a, kBinaryChunk = 0x004e4942;

}  // namespace simulacra::test
