// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_document.h"

#include <cstring>
#include <system_error>
#include <utility>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/import/src/gltf_uri.h"

namespace simulacra::gltf {
namespace {

constexpr std::uint32_t kGlbMagic = 0x46546c67;   // "glTF"
constexpr std::uint32_t kJsonChunk = 0x4e4f534a;  // "JSON"
constexpr std::uint32_t kBinaryChunk = 0x004e4942;

std::uint32_t little_endian_32(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at]) | static_cast<std::uint32_t>(bytes[at + 1]) << 8 |
         static_cast<std::uint32_t>(bytes[at + 2]) << 16 | static_cast<std::uint32_t>(bytes[at + 3]) << 24;
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The library's own text without its "[json.exception.parse_error.101] " in front.
std::string parser_message(std::string_view text) {
  const std::size_t bracket = text.find("] ");
  if (text.starts_with("[json") && bracket != std::string_view::npos) text.remove_prefix(bracket + 2);
  std::string line;
  for (std::size_t at = 0; at < text.size() && at < 240; at += 80) line += printable(text.substr(at, 80));
  return line;
}

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

/// Walks over JSON without keeping it, and refuses what is too deep or too much to be kept. (The
/// library's parser with a callback would do it in one go, but takes quadratic time on long lists.)
class SizeCheck : public nlohmann::json_sax<Json> {
 public:
  explicit SizeCheck(const std::string& file_name) : file_name_(file_name) {}
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool key(string_t&) override { return value(); }
  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  // Json::parse meets the same error and words it.
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  bool value() {
    if (++num_values_ > kMaxJsonValues) fail_usage("{}: more than {} JSON values", file_name_, kMaxJsonValues);
    return true;
  }
  bool enter() {
    if (++depth_ > kMaxJsonDepth) fail_usage("{}: JSON nested deeper than {} levels", file_name_, kMaxJsonDepth);
    return value();
  }
  bool leave() {
    --depth_;
    return true;
  }

  const std::string& file_name_;
  std::size_t num_values_ = 0;
  int depth_ = 0;
};

}  // namespace

Document::Document(const std::filesystem::path& file, Diagnostics& diagnostics)
    : file_(file), file_name_(file.string()), diagnostics_(&diagnostics) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    fail_usage("{}: not a regular file, expected a .gltf or .glb file", file_name_);
  container_ = read_file(file);
  parse(split_container());
  check_version(*this);
  buffers_.resize(count("buffers"));
  check_extensions(*this);
  if (!has_binary_chunk_) std::vector<std::uint8_t>().swap(container_);
}

// The JSON text; finds the binary chunk on the way.
std::string_view Document::split_container() {
  const std::span<const std::uint8_t> all = container_;
  const bool named_glb = file_.extension() == ".glb" || file_.extension() == ".GLB";
  if (all.empty()) fail_usage("{}: is empty, expected glTF 2.0", file_name_);
  if (all.size() < 4 || little_endian_32(all, 0) != kGlbMagic) {
    if (named_glb && !looks_like_json(as_text(all)))
      fail_usage("{}: begins with '{}', expected the GLB header 'glTF'", file_name_,
                 printable(as_text(all.first(std::min<std::size_t>(4, all.size())))));
    return as_text(all);
  }
  if (all.size() < 20) fail_usage("{}: {} bytes, too short for a GLB header and chunk", file_name_, all.size());
  const std::uint32_t version = little_endian_32(all, 4), length = little_endian_32(all, 8);
  if (version != 2)
    fail_usage("{}: binary glTF version {}, only version 2 is read; convert the file to glTF 2.0", file_name_, version);
  if (length > all.size())
    fail_usage("{}: its header says {} bytes, the file has {}; it is cut short", file_name_, length, all.size());
  if (length < 20) fail_usage("{}: its header says {} bytes, too short for a chunk", file_name_, length);
  if (length < all.size()) warn("GLB length", fmt::format("{} bytes after its end are left out", all.size() - length));

  std::string_view json;
  std::uint64_t at = 12;
  for (std::size_t chunk = 0; at + 8 <= length; ++chunk) {
    const std::uint64_t size = little_endian_32(all, at);
    const std::uint32_t type = little_endian_32(all, at + 4);
    if (size > length - at - 8)
      fail_usage("{}: chunk {} of {} bytes at byte {} goes beyond the end", file_name_, chunk, size, at);
    const auto content = all.subspan(at + 8, size);
    if (chunk == 0 && type != kJsonChunk)
      fail_usage("{}: the first chunk has type {:#x}, expected JSON ({:#x})", file_name_, type, kJsonChunk);
    if (chunk == 0) json = as_text(content);
    if (chunk == 1 && type == kBinaryChunk) {
      binary_chunk_ = content;
      has_binary_chunk_ = true;
    } else if (chunk > 0) {
      warn(fmt::format("GLB chunk {}", chunk), fmt::format("its type {:#x} is not expected there; it is left out", type));
    }
    at += 8 + size;
  }
  if (json.empty()) fail_usage("{}: its JSON chunk is empty", file_name_);
  return json;
}

void Document::parse(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    fail_usage("{}: is UTF-16 text, expected UTF-8", file_name_);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.size() > kMaxJsonBytes)
    fail_usage("{}: {} bytes of JSON, at most {} are read", file_name_, text.size(), kMaxJsonBytes);
  SizeCheck sizes(file_name_);
  try {
    static_cast<void>(Json::sax_parse(text.begin(), text.end(), &sizes));
    json_ = Json::parse(text.begin(), text.end());
  } catch (const Json::exception& e) {
    fail_usage("{}: is no valid JSON: {}", file_name_, parser_message(e.what()));
  }
  if (!json_.is_object()) fail_usage("{}: its JSON is no object, expected glTF 2.0", file_name_);
}

std::size_t Document::count(std::string_view list) const {
  const auto found = top().find(list);
  return found ? found->size() : 0;
}

JsonRef Document::item(std::string_view list, std::size_t index) const { return top().require(list)[index]; }

std::size_t Document::index(const JsonRef& reference, std::string_view list) const {
  const std::uint64_t index = reference.unsigned_integer(), size = count(list);
  if (index >= size)
    reference.refuse(size == 0 ? fmt::format("an entry of '{}', which has none", list)
                               : fmt::format("an entry of '{}', 0 to {}", list, size - 1));
  return static_cast<std::size_t>(index);
}

std::vector<std::uint8_t> Document::read_uri(const JsonRef& uri) const {
  const std::string& text = uri.text();
  if (is_data_uri(text)) {
    auto bytes = data_uri_bytes(text);
    if (!bytes) uri.refuse("a data: URI with valid base64");
    return *std::move(bytes);
  }
  if (is_remote_uri(text)) uri.refuse("a file beside the glTF file; download it first");
  const auto path = existing_file(file_.parent_path(), text);
  if (!path) uri.refuse("an existing file");
  return read_file(*path, kMaxBufferBytes);
}

std::span<const std::uint8_t> Document::buffer(std::size_t index) {
  Buffer& buffer = buffers_[index];
  if (buffer.loaded) return buffer.content;
  const JsonRef entry = item("buffers", index);
  const std::uint64_t byte_length = entry.require("byteLength").unsigned_integer();
  if (const auto uri = entry.find("uri")) {
    buffer.bytes = read_uri(*uri);
    buffer.content = buffer.bytes;
    loaded_bytes_ += buffer.bytes.size();
    if (loaded_bytes_ > kMaxBufferBytes)
      entry.refuse_because(fmt::format("the buffers hold more than {} bytes", kMaxBufferBytes));
  } else {
    if (index != 0 || !has_binary_chunk_)
      entry.refuse_because("has no 'uri', expected a file, a data: URI or the binary chunk of a .glb");
    buffer.content = binary_chunk_;
  }
  if (buffer.content.size() < byte_length)
    entry.refuse_because(fmt::format("byteLength = {}, but there are {} bytes", byte_length, buffer.content.size()));
  buffer.content = buffer.content.first(byte_length);
  buffer.loaded = true;
  return buffer.content;
}

std::span<const std::uint8_t> Document::view(std::size_t buffer_view) {
  const JsonRef entry = item("bufferViews", buffer_view);
  const auto whole = buffer(index(entry.require("buffer"), "buffers"));
  const std::uint64_t offset = entry.unsigned_or("byteOffset", 0);
  const std::uint64_t length = entry.require("byteLength").unsigned_integer();
  if (offset > whole.size() || length > whole.size() - offset)
    entry.refuse_because(fmt::format("byteOffset {} and byteLength {} go beyond the {} bytes of its buffer", offset,
                                     length, whole.size()));
  return whole.subspan(offset, length);
}

std::uint64_t Document::stride(std::size_t buffer_view) const {
  return item("bufferViews", buffer_view).unsigned_or("byteStride", 0);
}

void Document::warn(std::string culprit, std::string text) const {
  // A damaged file can have as many faults as vertices: the first ones tell enough.
  constexpr std::size_t kMostWarnings = 1000;
  if (++num_warnings_ > kMostWarnings) {
    culprit = "warnings";
    text = fmt::format("more than {}; the rest are left out", kMostWarnings);
    if (num_warnings_ > kMostWarnings + 1) return;
  }
  diagnostics_->warn(file_name_, std::move(culprit), std::move(text));
}

}  // namespace simulacra::gltf
