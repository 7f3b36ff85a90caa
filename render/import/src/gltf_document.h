// SPDX-License-Identifier: Apache-2.0
// A glTF 2.0 file, opened: its JSON, the binary chunk of a .glb, and the buffers it names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/description/diagnostics.h"
#include "render/import/src/gltf_json.h"

namespace simulacra::gltf {

/// What one file may ask for at most. All are far beyond any interior; they bound the memory that a
/// damaged or hostile file can take.
inline constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{512} << 20;
inline constexpr std::size_t kMaxJsonValues = 16'000'000;
inline constexpr int kMaxJsonDepth = 200;
inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{3} << 30;    ///< of all buffers together
inline constexpr std::uint64_t kMaxGeometryBytes = std::uint64_t{3} << 30;  ///< of all meshes together
inline constexpr std::uint64_t kMaxImageBytes = std::uint64_t{2} << 30;     ///< of all embedded images
inline constexpr std::uint64_t kMaxElementsWithoutBuffer = 16'000'000;      ///< of an accessor without a buffer view
inline constexpr std::size_t kMaxObjects = 4'000'000;

class Document {
 public:
  /// Reads the JSON (and the chunks of a .glb), checks version and required extensions, and warns of
  /// extensions that are not understood. Throws UsageError, or Error when the file cannot be opened.
  Document(const std::filesystem::path& file, Diagnostics& diagnostics);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const std::filesystem::path& file() const { return file_; }
  const std::string& file_name() const { return file_name_; }
  JsonRef top() const { return {json_, "", file_name_}; }

  /// Number of entries of a top-level list such as "nodes"; 0 when there is none.
  std::size_t count(std::string_view list) const;
  JsonRef item(std::string_view list, std::size_t index) const;
  /// Reads an index into a top-level list and checks that the list is long enough.
  std::size_t index(const JsonRef& reference, std::string_view list) const;

  /// The bytes of a buffer view. Buffers are loaded when first asked for.
  std::span<const std::uint8_t> view(std::size_t buffer_view);
  /// Its byteStride; 0 when it has none.
  std::uint64_t stride(std::size_t buffer_view) const;

  void warn(std::string culprit, std::string text) const;

 private:
  struct Buffer {
    bool loaded = false;
    std::vector<std::uint8_t> bytes;       // of a URI
    std::span<const std::uint8_t> content;
  };
  std::string_view split_container();
  void parse(std::string_view text);
  std::span<const std::uint8_t> buffer(std::size_t index);
  std::vector<std::uint8_t> read_uri(const JsonRef& uri) const;

  std::filesystem::path file_;
  std::string file_name_;
  Diagnostics* diagnostics_;
  std::vector<std::uint8_t> container_;
  std::span<const std::uint8_t> binary_chunk_;
  bool has_binary_chunk_ = false;
  Json json_;
  std::vector<Buffer> buffers_;
  std::uint64_t loaded_bytes_ = 0;
  mutable std::size_t num_warnings_ = 0;
};

/// Refuses a version other than 2.x and a required extension that is not understood; warns of the rest.
void check_version(const Document& document);
void check_extensions(const Document& document);

}  // namespace simulacra::gltf
