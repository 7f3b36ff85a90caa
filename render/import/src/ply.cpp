// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/ply.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra {
namespace {

enum class Type : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };
enum class Format : std::uint8_t { ascii, little, big };

struct PlyProperty {
  std::string name;
  Type type = Type::f32;
  std::optional<Type> count_type;  ///< a list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

std::size_t size_of(Type t) {
  constexpr std::array<std::size_t, 8> kSizes = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(t)];
}

std::optional<Type> type_named(std::string_view name) {
  constexpr std::pair<std::string_view, Type> kTypes[] = {
      {"char", Type::i8},   {"uchar", Type::u8},   {"short", Type::i16},  {"ushort", Type::u16}, {"int", Type::i32},
      {"uint", Type::u32},  {"float", Type::f32},  {"double", Type::f64}, {"int8", Type::i8},    {"uint8", Type::u8},
      {"int16", Type::i16}, {"uint16", Type::u16}, {"int32", Type::i32},  {"uint32", Type::u32}, {"float32", Type::f32},
      {"float64", Type::f64}};
  for (const auto& [known, type] : kTypes)
    if (known == name) return type;
  return std::nullopt;
}

template <typename T>
double decode(const std::uint8_t* bytes, bool swap) {
  std::array<std::uint8_t, sizeof(T)> raw;
  for (std::size_t i = 0; i < sizeof(T); ++i) raw[i] = bytes[swap ? sizeof(T) - 1 - i : i];
  return static_cast<double>(std::bit_cast<T>(raw));
}

double decode(Type type, const std::uint8_t* bytes, bool swap) {
  switch (type) {
    case Type::i8: return decode<std::int8_t>(bytes, swap);
    case Type::u8: return decode<std::uint8_t>(bytes, swap);
    case Type::i16: return decode<std::int16_t>(bytes, swap);
    case Type::u16: return decode<std::uint16_t>(bytes, swap);
    case Type::i32: return decode<std::int32_t>(bytes, swap);
    case Type::u32: return decode<std::uint32_t>(bytes, swap);
    case Type::f32: return decode<float>(bytes, swap);
    case Type::f64: return decode<double>(bytes, swap);
  }
  return 0;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && std::string_view(" \t\r").find(line[i]) != std::string_view::npos) ++i;
    const std::size_t begin = i;
    while (i < line.size() && std::string_view(" \t\r").find(line[i]) == std::string_view::npos) ++i;
    if (i > begin) words.push_back(line.substr(begin, i - begin));
  }
  return words;
}

/// Where a vertex property goes: position, normal, uv, color.
struct Slot {
  enum class Kind : std::uint8_t { none, position, normal, uv, color } kind = Kind::none;
  std::size_t component = 0;
};

Slot slot_of(std::string_view name) {
  using Kind = Slot::Kind;
  constexpr std::pair<std::string_view, Slot> kSlots[] = {
      {"x", {Kind::position, 0}},   {"y", {Kind::position, 1}},     {"z", {Kind::position, 2}},
      {"nx", {Kind::normal, 0}},    {"ny", {Kind::normal, 1}},      {"nz", {Kind::normal, 2}},
      {"u", {Kind::uv, 0}},         {"v", {Kind::uv, 1}},           {"s", {Kind::uv, 0}},
      {"t", {Kind::uv, 1}},         {"texture_u", {Kind::uv, 0}},   {"texture_v", {Kind::uv, 1}},
      {"red", {Kind::color, 0}},    {"green", {Kind::color, 1}},    {"blue", {Kind::color, 2}},
      {"alpha", {Kind::color, 3}},  {"r", {Kind::color, 0}},        {"g", {Kind::color, 1}},
      {"b", {Kind::color, 2}},      {"diffuse_red", {Kind::color, 0}}, {"diffuse_green", {Kind::color, 1}},
      {"diffuse_blue", {Kind::color, 2}}};
  for (const auto& [known, slot] : kSlots)
    if (known == name) return slot;
  return {};
}

double full_scale(Type t) {
  if (t == Type::u8) return 255;
  if (t == Type::u16) return 65535;
  return 1;
}

class PlyReader {
 public:
  PlyReader(const std::filesystem::path& file, const PlyWarning& warn)
      : file_(file), warn_(warn), bytes_(read_file(file)) {}
  MeshDescription read();

 private:
  [[noreturn]] void refuse(const std::string& what) const { fail_usage("{}: {}", file_.string(), what); }
  std::string_view header_line();
  void read_header();
  void header_entry(const std::vector<std::string_view>& words);
  void property_entry(const std::vector<std::string_view>& words);
  void check_size(const PlyElement& element) const;
  double value(Type type);
  std::uint64_t list_length(Type type);
  void vertices(const PlyElement& element);
  void faces(const PlyElement& element);
  void add_face();
  void skip(const PlyElement& element);
  void prepare(const PlyElement& element, std::vector<Slot>& slots);

  const std::filesystem::path& file_;
  const PlyWarning& warn_;
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::optional<Format> format_;
  std::vector<PlyElement> elements_;
  std::vector<double> polygon_;
  bool have_vertices_ = false, have_faces_ = false;
  MeshDescription mesh_;
};

std::string_view PlyReader::header_line() {
  const std::size_t begin = at_;
  while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
  if (at_ == bytes_.size()) refuse("header without end_header");
  const char* text = reinterpret_cast<const char*>(bytes_.data());
  std::string_view line(text + begin, at_ - begin);
  ++at_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void PlyReader::property_entry(const std::vector<std::string_view>& w) {
  if (elements_.empty()) refuse("property before any element");
  PlyProperty p;
  const bool list = w.size() >= 2 && w[1] == "list";
  if (w.size() != (list ? 5u : 3u)) refuse(fmt::format("property line of {} words, expected {}", w.size(), list ? 5 : 3));
  const auto type = type_named(w[list ? 3 : 1]);
  if (!type) refuse(fmt::format("property type '{}', expected char … double", w[list ? 3 : 1]));
  p.type = *type;
  if (list) {
    p.count_type = type_named(w[2]);
    if (!p.count_type || *p.count_type == Type::f32 || *p.count_type == Type::f64)
      refuse(fmt::format("list count type '{}', expected an integer type", w[2]));
  }
  p.name = w.back();
  elements_.back().properties.push_back(std::move(p));
}

void PlyReader::header_entry(const std::vector<std::string_view>& w) {
  if (w[0] == "format") {
    if (w.size() != 3) refuse(fmt::format("format line of {} words, expected 3", w.size()));
    if (w[1] == "ascii") format_ = Format::ascii;
    else if (w[1] == "binary_little_endian") format_ = Format::little;
    else if (w[1] == "binary_big_endian") format_ = Format::big;
    else refuse(fmt::format("format '{}', expected ascii, binary_little_endian or binary_big_endian", w[1]));
    if (w[2] != "1.0") refuse(fmt::format("format version '{}', expected 1.0", w[2]));
  } else if (w[0] == "element") {
    PlyElement e;
    const auto parsed = w.size() == 3 ? std::from_chars(w[2].data(), w[2].data() + w[2].size(), e.count)
                                      : std::from_chars_result{nullptr, std::errc::invalid_argument};
    if (parsed.ec != std::errc{} || parsed.ptr != w[2].data() + w[2].size())
      refuse("element line, expected: element NAME COUNT");
    e.name = w[1];
    elements_.push_back(std::move(e));
  } else if (w[0] == "property") {
    property_entry(w);
  } else if (w[0] != "comment" && w[0] != "obj_info") {
    refuse(fmt::format("header line '{}', expected format, element, property, comment or end_header", w[0]));
  }
}

void PlyReader::read_header() {
  if (bytes_.size() < 4 || std::memcmp(bytes_.data(), "ply", 3) != 0) refuse("does not start with 'ply'");
  header_line();
  for (;;) {
    const std::vector<std::string_view> words = words_of(header_line());
    if (words.empty()) continue;
    if (words[0] == "end_header") break;
    if (!format_ && words[0] != "format" && words[0] != "comment" && words[0] != "obj_info")
      refuse("no format line before the first element");
    header_entry(words);
  }
  if (!format_) refuse("no format line");
}

/// Memory is reserved only for what the file can hold.
void PlyReader::check_size(const PlyElement& element) const {
  std::uint64_t least = 0;
  for (const PlyProperty& p : element.properties)
    least += *format_ == Format::ascii ? 2 : size_of(p.count_type.value_or(p.type));
  if (least == 0) {
    if (element.count > bytes_.size()) refuse(fmt::format("element {} has {} entries without content", element.name, element.count));
    return;
  }
  // The last number of an ascii file needs no space after it.
  if (element.count > (bytes_.size() - at_ + 1) / least)
    refuse(fmt::format("element {} has {} entries, but the file ends before", element.name, element.count));
}

double PlyReader::value(Type type) {
  if (*format_ != Format::ascii) {
    const std::size_t size = size_of(type);
    if (bytes_.size() - at_ < size) refuse("the file ends too early");
    const bool swap = (*format_ == Format::big) == (std::endian::native == std::endian::little);
    const double v = decode(type, bytes_.data() + at_, swap);
    at_ += size;
    return v;
  }
  const char* text = reinterpret_cast<const char*>(bytes_.data());
  while (at_ < bytes_.size() && std::string_view(" \t\r\n").find(text[at_]) != std::string_view::npos) ++at_;
  if (at_ == bytes_.size()) refuse("the file ends too early");
  if (text[at_] == '+') ++at_;
  double v = 0;
  const auto [end, error] = std::from_chars(text + at_, text + bytes_.size(), v);
  const auto next = static_cast<std::size_t>(end - text);
  if (error == std::errc::invalid_argument ||
      (next < bytes_.size() && std::string_view(" \t\r\n").find(text[next]) == std::string_view::npos))
    refuse(fmt::format("byte {}: expected a number", at_));
  at_ = next;
  return error == std::errc{} ? v : 0.0;
}

std::uint64_t PlyReader::list_length(Type type) {
  const double n = value(type);
  if (!(n >= 0) || n > static_cast<double>(bytes_.size())) refuse(fmt::format("a list of {:g} entries", n));
  return static_cast<std::uint64_t>(n);
}

void PlyReader::prepare(const PlyElement& element, std::vector<Slot>& slots) {
  std::array<std::size_t, 5> seen{};
  for (const PlyProperty& p : element.properties) {
    const Slot slot = p.count_type ? Slot{} : slot_of(p.name);
    if (slot.kind == Slot::Kind::none) warn_(p.name, "vertex property not used");
    else seen[static_cast<std::size_t>(slot.kind)] |= std::size_t{1} << slot.component;
    slots.push_back(slot);
  }
  const auto has = [&](Slot::Kind kind, std::size_t bits) { return (seen[static_cast<std::size_t>(kind)] & bits) == bits; };
  if (!has(Slot::Kind::position, 7)) refuse("vertices without x, y and z");
  mesh_.positions.resize(element.count);
  if (has(Slot::Kind::normal, 7)) mesh_.normals.resize(element.count);
  if (has(Slot::Kind::uv, 3)) mesh_.uv[0].resize(element.count);
  if (has(Slot::Kind::color, 7)) mesh_.colors.assign(element.count, {0, 0, 0, 1});
}

void PlyReader::vertices(const PlyElement& element) {
  if (have_vertices_) refuse("two vertex elements");
  have_vertices_ = true;
  std::vector<Slot> slots;
  prepare(element, slots);
  for (std::size_t i = 0; i < element.count; ++i) {
    for (std::size_t j = 0; j < slots.size(); ++j) {
      const PlyProperty& p = element.properties[j];
      if (p.count_type) {
        for (std::uint64_t n = list_length(*p.count_type); n > 0; --n) value(p.type);
        continue;
      }
      const auto v = static_cast<float>(value(p.type));
      const std::size_t c = slots[j].component;
      switch (slots[j].kind) {
        case Slot::Kind::none: break;
        case Slot::Kind::position: mesh_.positions[i][c] = v; break;
        case Slot::Kind::normal:
          if (!mesh_.normals.empty()) mesh_.normals[i][c] = v;
          break;
        case Slot::Kind::uv:
          if (!mesh_.uv[0].empty()) mesh_.uv[0][i][c] = v;
          break;
        case Slot::Kind::color: {
          if (mesh_.colors.empty()) break;
          Vec4& color = mesh_.colors[i];
          float* const component[] = {&color.x, &color.y, &color.z, &color.w};
          *component[c] = static_cast<float>(static_cast<double>(v) / full_scale(p.type));
          break;
        }
      }
    }
    if (!is_finite(mesh_.positions[i])) refuse(fmt::format("position of vertex {} is not finite", i));
    if (!mesh_.uv[0].empty() && !(std::isfinite(mesh_.uv[0][i].x) && std::isfinite(mesh_.uv[0][i].y)))
      refuse(fmt::format("uv of vertex {} is not finite", i));
  }
}

void PlyReader::add_face() {
  const std::size_t n = mesh_.positions.size();
  std::vector<std::uint32_t> corners;
  for (const double index : polygon_) {
    if (!(index >= 0) || index >= static_cast<double>(n) || index != std::floor(index))
      refuse(fmt::format("a face refers to vertex {:g}, expected 0 to {}", index, static_cast<long long>(n) - 1));
    corners.push_back(static_cast<std::uint32_t>(index));
  }
  for (std::size_t i = 2; i < corners.size(); ++i) mesh_.triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

void PlyReader::faces(const PlyElement& element) {
  if (!have_vertices_) refuse("faces before vertices");
  if (have_faces_) refuse("two face elements");
  have_faces_ = true;
  bool any = false;
  for (const PlyProperty& p : element.properties) {
    const bool indices = p.count_type && (p.name == "vertex_indices" || p.name == "vertex_index");
    any |= indices;
    if (indices && (p.type == Type::f32 || p.type == Type::f64)) refuse("vertex indices of a floating type");
    if (!indices) warn_(p.name, "face property not used");
  }
  if (!any && element.count > 0) refuse("faces without a list vertex_indices");
  for (std::size_t i = 0; i < element.count; ++i)
    for (const PlyProperty& p : element.properties) {
      if (!p.count_type) {
        value(p.type);
        continue;
      }
      polygon_.clear();
      for (std::uint64_t n = list_length(*p.count_type); n > 0; --n) polygon_.push_back(value(p.type));
      if (p.name == "vertex_indices" || p.name == "vertex_index") add_face();
    }
}

void PlyReader::skip(const PlyElement& element) {
  warn_(element.name, "element not used");
  for (std::uint64_t i = 0; i < element.count; ++i)
    for (const PlyProperty& p : element.properties)
      for (std::uint64_t n = p.count_type ? list_length(*p.count_type) : 1; n > 0; --n) value(p.type);
}

MeshDescription PlyReader::read() {
  read_header();
  for (const PlyElement& element : elements_) {
    check_size(element);
    if (element.name == "vertex") vertices(element);
    else if (element.name == "face") faces(element);
    else skip(element);
  }
  if (!have_vertices_) refuse("no vertex element");
  if (!have_faces_) refuse("no face element: point clouds are not supported");
  mesh_.name = file_.stem().string();
  return std::move(mesh_);
}

}  // namespace

MeshDescription read_ply(const std::filesystem::path& file, const PlyWarning& warn) { return PlyReader(file, warn).read(); }

}  // namespace simulacra
