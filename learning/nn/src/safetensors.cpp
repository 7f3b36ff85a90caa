// SPDX-License-Identifier: Apache-2.0
#include "learning/nn/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::nn {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::uint64_t kMaxHeader = 100'000'000;  // that of the format
constexpr std::uint64_t kMaxFile = std::uint64_t{64} << 30;

struct Type {
  std::string_view name;
  torch::ScalarType scalar;
  std::uint64_t bytes;
};
// Wide types first, and among equals in the order that the Python package sorts by.
constexpr std::array<Type, 10> kTypes = {{{"I64", torch::kInt64, 8}, {"F64", torch::kFloat64, 8}, {"F32", torch::kFloat32, 4},
                                          {"I32", torch::kInt32, 4}, {"BF16", torch::kBFloat16, 2}, {"F16", torch::kFloat16, 2},
                                          {"I16", torch::kInt16, 2}, {"I8", torch::kInt8, 1}, {"U8", torch::kUInt8, 1},
                                          {"BOOL", torch::kBool, 1}}};

/// One tensor of a header; offsets within the values.
struct Entry {
  std::string name;
  const Type* type = nullptr;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

/// Parses the header; a key that stands twice is an error, which JSON libraries overlook.
Json parsed_header(const fs::path& path, std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const auto on_event = [&](int, nlohmann::json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      fail("{}: tensor '{}' stands twice in the header", path.string(), value.get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, on_event);
  } catch (const nlohmann::json::exception&) {
    fail("{}: the header is no JSON; this is no safetensors file", path.string());
  }
}

std::uint64_t non_negative(const fs::path& path, const std::string& name, const Json& value, const char* what) {
  if (!value.is_number_unsigned()) fail("{}: tensor '{}': {} holds {}, expected whole numbers from 0", path.string(), name, what, value.dump());
  return value.get<std::uint64_t>();
}

const Type& type_of(const fs::path& path, const std::string& name, const Json& value) {
  const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
  std::string known;
  for (const Type& t : kTypes) {
    if (t.name == word) return t;
    known += (known.empty() ? "" : ", ") + std::string(t.name);
  }
  fail("{}: tensor '{}' has the type {}; readable are {}", path.string(), name, word, known);
}

Entry entry_of(const fs::path& path, const std::string& name, const Json& value) {
  for (const char* key : {"dtype", "shape", "data_offsets"})
    if (!value.is_object() || !value.contains(key)) fail("{}: tensor '{}' has no {}", path.string(), name, key);
  Entry e{.name = name, .type = &type_of(path, name, value.at("dtype")), .shape = {}};
  const Json &shape = value.at("shape"), &offsets = value.at("data_offsets");
  if (!shape.is_array() || !offsets.is_array() || offsets.size() != 2)
    fail("{}: tensor '{}': shape has to be a list and data_offsets two numbers", path.string(), name);
  std::uint64_t bytes = e.type->bytes;
  for (const Json& side : shape) {
    const std::uint64_t s = non_negative(path, name, side, "shape");
    if (s > kMaxFile || (s > 0 && bytes > kMaxFile / s)) fail("{}: tensor '{}' would have more than {} bytes", path.string(), name, kMaxFile);
    bytes *= s;
    e.shape.push_back(static_cast<std::int64_t>(s));
  }
  e.begin = non_negative(path, name, offsets[0], "data_offsets");
  e.end = non_negative(path, name, offsets[1], "data_offsets");
  if (e.end < e.begin || e.end - e.begin != bytes)
    fail("{}: tensor '{}' spans bytes {} to {}, expected {} bytes for {} {}", path.string(), name, e.begin, e.end, bytes, e.type->name,
         shape.dump());
  return e;
}

/// The values have to be covered without gap or overlap.
void require_covered(const fs::path& path, std::vector<Entry> entries, std::uint64_t size) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t at = 0;
  for (const Entry& e : entries) {
    if (e.begin < at) fail("{}: tensor '{}' begins at byte {} and overlaps another, which ends at {}", path.string(), e.name, e.begin, at);
    if (e.begin > at) fail("{}: {} bytes before tensor '{}' belong to none", path.string(), e.begin - at, e.name);
    at = e.end;
    if (at > size) fail("{}: tensor '{}' ends at byte {}, the file has {}; it is truncated", path.string(), e.name, at, size);
  }
  if (at != size) fail("{}: {} bytes behind the last tensor belong to none", path.string(), size - at);
}

const Type& type_of(const fs::path& path, const std::string& name, const torch::Tensor& t) {
  for (const Type& type : kTypes)
    if (type.scalar == t.scalar_type()) return type;
  fail("{}: tensor '{}' is {}, which the format has no name for here", path.string(), name, c10::toString(t.scalar_type()));
}

std::map<std::string, std::string> texts_of(const fs::path& path, const Json& metadata) {
  std::map<std::string, std::string> texts;
  for (const auto& [key, text] : metadata.items()) {
    if (!text.is_string()) fail("{}: metadata '{}' is {}, expected text", path.string(), key, text.dump());
    texts.emplace(key, text.get<std::string>());
  }
  return texts;
}

}  // namespace

std::map<std::string, std::string> read_metadata(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t length = 0;
  if (!in.read(reinterpret_cast<char*>(&length), sizeof length) || length > kMaxHeader)
    fail("{}: it is truncated, or no safetensors file", path.string());
  std::string text(length, ' ');
  if (!in.read(text.data(), static_cast<std::streamsize>(length))) fail("{}: the header is truncated", path.string());
  const Json header = parsed_header(path, text);
  if (!header.is_object()) fail("{}: the header is no JSON object", path.string());
  return header.contains("__metadata__") ? texts_of(path, header["__metadata__"]) : std::map<std::string, std::string>{};
}

std::string sum_of(const TensorMap& tensors) {
  std::uint64_t sum = 0x9e3779b97f4a7c15u;
  const auto add = [&sum](std::uint64_t word) {
    sum = (sum ^ word) * 0xd6e8feb86659fd93u;
    sum ^= sum >> 32;
  };
  for (const auto& [name, tensor] : tensors) {
    const torch::Tensor t = tensor.detach().cpu().contiguous();
    const auto* bytes = static_cast<const char*>(t.const_data_ptr());
    const std::size_t size = static_cast<std::size_t>(t.numel()) * t.element_size();
    for (std::size_t at = 0; at < size; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min<std::size_t>(8, size - at));
      add(word);
    }
    add(size);
  }
  return fmt::format("{:016x}", sum);
}

TensorFile read_tensors(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path, kMaxFile);
  std::uint64_t length = 0;
  if (bytes.size() < 8) fail("{}: {} bytes are too few for a safetensors file", path.string(), bytes.size());
  std::memcpy(&length, bytes.data(), 8);
  if (length > kMaxHeader || length > bytes.size() - 8)
    fail("{}: the header is said to have {} bytes, the file has {}; it is truncated, or no safetensors file", path.string(), length, bytes.size());
  const Json header = parsed_header(path, {reinterpret_cast<const char*>(bytes.data()) + 8, length});
  if (!header.is_object()) fail("{}: the header is no JSON object", path.string());

  TensorFile file;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") entries.push_back(entry_of(path, name, value));
    else file.metadata = texts_of(path, value);
  }
  require_covered(path, entries, bytes.size() - 8 - length);
  for (const Entry& e : entries) {
    torch::Tensor t = torch::empty(e.shape, e.type->scalar);
    if (e.end > e.begin) std::memcpy(t.mutable_data_ptr(), bytes.data() + 8 + length + e.begin, e.end - e.begin);
    file.tensors.emplace(e.name, std::move(t));
  }
  if (const auto stated = file.metadata.find(kSumKey); stated != file.metadata.end() && stated->second != sum_of(file.tensors))
    fail("{}: is damaged: its values do not have the sum that it states", path.string());
  return file;
}

void write_tensors(const fs::path& path, const TensorFile& file) {
  // Order.
  std::vector<std::pair<std::string, const Type*>> order;
  for (const auto& [name, tensor] : file.tensors) order.emplace_back(name, &type_of(path, name, tensor));
  std::ranges::stable_sort(order, {}, [](const auto& item) { return item.second; });

  // Header, padded to eight bytes.
  Json header = Json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::uint64_t at = 0;
  for (const auto& [name, type] : order) {
    const torch::Tensor& t = file.tensors.at(name);
    const std::uint64_t end = at + static_cast<std::uint64_t>(t.numel()) * type->bytes;
    header[name] = {{"dtype", type->name}, {"shape", t.sizes().vec()}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');

  // Bytes.
  std::vector<std::uint8_t> bytes(8 + text.size() + at);
  const std::uint64_t length = text.size();
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, text.data(), text.size());
  std::uint8_t* to = bytes.data() + 8 + text.size();
  for (const auto& [name, type] : order) {
    const torch::Tensor t = file.tensors.at(name).detach().cpu().contiguous();
    const auto size = static_cast<std::size_t>(t.numel()) * type->bytes;
    if (size > 0) std::memcpy(to, t.const_data_ptr(), size);
    to += size;
  }
  write_file_atomically(path, bytes);
}

}  // namespace simulacra::nn
