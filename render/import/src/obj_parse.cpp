// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/obj_parse.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "render/base/error.h"
#include "render/import/src/obj_text.h"

namespace simulacra::obj {
namespace {

constexpr std::size_t kMaxUnknownWords = 8;   // warnings about unknown statements
constexpr std::int64_t kMaxIndex = std::numeric_limits<std::int32_t>::max();
/// A texture coordinate or normal that does not exist, until the end of the file tells.
constexpr std::int32_t kNone = -1;

class Parser {
 public:
  Parser(std::string_view text, std::string file, Diagnostics& diagnostics)
      : lines_(text), file_(std::move(file)), diagnostics_(diagnostics) {}

  File run() {
    std::string_view line;
    while (lines_.next(line)) {
      std::string_view rest = line;
      const std::string_view word = take_word(rest);
      if (!word.empty()) statement(word, rest);
    }
    finish();
    return std::move(result_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    fail_usage("{}:{}: {}", file_, lines_.number(), fmt::format(text, std::forward<Args>(args)...));
  }

  void statement(std::string_view word, std::string_view rest) {
    if (word == "v") return position(rest);
    if (word == "f" || word == "fo") return face(rest);
    if (word == "vt") return texture_coordinate(rest);
    if (word == "vn") return normal(rest);
    if (word == "o") return select([&] { part_.object = take_name(rest); });
    if (word == "g") return select([&] { part_.group = take_name(rest); });
    if (word == "usemtl") return use_material(take_name(rest));
    if (word == "s") return smoothing(take_name(rest));
    if (word == "mtllib") return result_.material_files.emplace_back(take_name(rest)), void();
    left_out(word);
  }

  /// Reads up to N numbers; returns how many stood there.
  template <std::size_t N>
  std::size_t numbers(std::string_view rest, std::string_view what, std::array<double, N>& values) {
    std::size_t count = 0;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const std::optional<double> value = as_number(word.substr(0, word.find('#')));
      if (!value) refuse("'{}' has '{}' where a number was expected", what, shown(word));
      if (count < N) values[count] = *value;
      ++count;
      if (word.find('#') != std::string_view::npos) break;
    }
    return count;
  }

  void position(std::string_view rest) {
    std::array<double, 7> v{};
    const std::size_t count = numbers(rest, "v", v);
    if (count < 3) refuse("'v' has {} numbers; expected x y z", count);
    if (result_.positions.size() >= static_cast<std::size_t>(kMaxIndex)) refuse("more than {} vertices", kMaxIndex);
    result_.positions.emplace_back(v[0], v[1], v[2]);
    if (count >= 6) {
      const std::size_t first = count == 6 ? 3 : (v[3] == 1 && v[6] != 1 ? 4 : 3);
      const bool has_alpha = first == 3 && count >= 7;
      result_.colors.resize(result_.positions.size() - 1, Vec4{1, 1, 1, 1});
      result_.colors.push_back({static_cast<float>(v[first]), static_cast<float>(v[first + 1]),
                                static_cast<float>(v[first + 2]), has_alpha ? static_cast<float>(v[6]) : 1.0f});
    } else if (!result_.colors.empty()) {
      result_.colors.push_back({1, 1, 1, 1});
    }
  }

  void texture_coordinate(std::string_view rest) {
    std::array<double, 3> v{};
    if (numbers(rest, "vt", v) < 1) refuse("'vt' has no number; expected u v");
    result_.uvs.push_back({static_cast<float>(v[0]), static_cast<float>(v[1])});
  }

  void normal(std::string_view rest) {
    std::array<double, 3> v{};
    const std::size_t count = numbers(rest, "vn", v);
    if (count < 3) refuse("'vn' has {} numbers; expected x y z", count);
    result_.normals.push_back(Vec3(Vec3d(v[0], v[1], v[2])));
  }

  /// A reference as written ("3" or "-1") against `defined` elements so far; `what` for the message.
  std::int32_t index(std::string_view text, std::size_t defined, std::string_view what, std::string_view word) {
    std::int64_t value = 0;
    if (text.size() > 1 && text[0] == '+') text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      refuse("'f' has '{}' where vertex/texture/normal numbers were expected", shown(word));
    const std::int64_t resolved = value < 0 ? static_cast<std::int64_t>(defined) + value : value - 1;
    if (value == 0 || resolved < 0 || resolved > kMaxIndex)
      refuse("'f' refers to {} {}, and {} are defined; numbers begin at 1, or at -1 backwards", what, value, defined);
    return static_cast<std::int32_t>(resolved);
  }

  Corner corner(std::string_view word) {
    Corner c;
    const std::size_t first = word.find('/');
    c.position = index(word.substr(0, first), result_.positions.size(), "vertex", word);
    if (first == std::string_view::npos) return c;
    const std::string_view tail = word.substr(first + 1);
    const std::size_t second = tail.find('/');
    const std::string_view uv = tail.substr(0, second);
    if (!uv.empty()) c.uv = index(uv, result_.uvs.size(), "texture coordinate", word);
    if (second == std::string_view::npos) return c;
    const std::string_view n = tail.substr(second + 1);
    if (!n.empty()) c.normal = index(n, result_.normals.size(), "normal", word);
    return c;
  }

  void face(std::string_view rest) {
    Face f;
    const std::size_t first = result_.corners.size();
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const std::string_view reference = word.substr(0, word.find('#'));
      if (!reference.empty()) result_.corners.push_back(corner(reference));
      if (reference.size() != word.size()) break;
    }
    const std::size_t count = result_.corners.size() - first;
    if (count < 3) {
      result_.corners.resize(first);
      ++num_short_faces_;
      return;
    }
    if (result_.corners.size() > std::numeric_limits<std::uint32_t>::max()) refuse("more than 2^32 face corners");
    f.first_corner = static_cast<std::uint32_t>(first);
    f.num_corners = static_cast<std::uint32_t>(count);
    f.smoothing = smoothing_;
    f.part = current_part();
    result_.faces.push_back(f);
    face_lines_.push_back(lines_.number());
  }

  template <typename Change>
  void select(const Change& change) {
    change();
    part_is_known_ = false;
  }

  std::uint32_t current_part() {
    if (part_is_known_) return part_index_;
    const std::string key = fmt::format("{}\n{}\n{}", part_.object, part_.group, part_.material);
    const auto [it, is_new] = part_of_key_.emplace(key, static_cast<std::uint32_t>(result_.parts.size()));
    if (is_new) result_.parts.push_back(part_);
    part_index_ = it->second;
    part_is_known_ = true;
    return part_index_;
  }

  void use_material(std::string_view name) {
    if (name.empty()) return select([&] { part_.material = -1; });
    const auto [it, is_new] =
        material_of_name_.emplace(std::string(name), static_cast<int>(result_.material_names.size()));
    if (is_new) result_.material_names.emplace_back(name);
    select([&] { part_.material = it->second; });
  }

  void smoothing(std::string_view text) {
    if (text == "off" || text == "null" || text.empty()) {
      smoothing_ = 0;
    } else if (text == "on") {
      smoothing_ = 1;
    } else if (const std::optional<double> group = as_number(text); group && *group >= 0 && *group < 4e9) {
      smoothing_ = static_cast<std::uint32_t>(*group);
    } else {
      diagnostics_.warn(file_, fmt::format("s {}", shown(text)), "is no smoothing group; the statement is left out");
    }
  }

  void left_out(std::string_view word) {
    const std::string key = shown(word);
    if (word == "p" || word == "l") {
      ++left_out_[word == "p" ? "p (points)" : "l (lines)"];
    } else if (left_out_.size() < kMaxUnknownWords || left_out_.contains(key)) {
      ++left_out_[key];
    } else {
      ++num_further_left_out_;
    }
  }

  void finish() {
    check_references();
    for (const auto& [word, count] : left_out_)
      diagnostics_.warn(file_, word, fmt::format("is not read; {} such statements are left out", count));
    if (num_further_left_out_ > 0)
      diagnostics_.warn(file_, "further unknown statements", fmt::format("{} are left out", num_further_left_out_));
    if (num_short_faces_ > 0)
      diagnostics_.warn(file_, "f", fmt::format("{} faces with fewer than 3 corners are left out", num_short_faces_));
    if (result_.faces.empty())
      fail_usage("{}: no face stands in it ({} vertices, {} other statements); expected a mesh", file_,
                 result_.positions.size(), total_left_out());
  }

  std::size_t total_left_out() const {
    std::size_t sum = num_further_left_out_ + num_short_faces_;
    for (const auto& entry : left_out_) sum += entry.second;
    return sum;
  }

  /// Positive numbers may refer to what comes later, so they are checked last.
  void check_references() {
    std::size_t bad_uvs = 0, bad_normals = 0;
    for (std::size_t i = 0; i < result_.faces.size(); ++i) {
      const Face& f = result_.faces[i];
      for (std::uint32_t k = 0; k < f.num_corners; ++k) {
        Corner& c = result_.corners[f.first_corner + k];
        if (static_cast<std::size_t>(c.position) >= result_.positions.size())
          fail_usage("{}:{}: 'f' refers to vertex {}, and {} are defined", file_, face_lines_[i], c.position + 1,
                     result_.positions.size());
        if (c.uv != kNone && static_cast<std::size_t>(c.uv) >= result_.uvs.size()) c.uv = kNone, ++bad_uvs;
        if (c.normal != kNone && static_cast<std::size_t>(c.normal) >= result_.normals.size())
          c.normal = kNone, ++bad_normals;
      }
    }
    if (bad_uvs > 0)
      diagnostics_.warn(file_, "f", fmt::format("{} corners refer to texture coordinates that are not defined "
                                                "({} are); they get none", bad_uvs, result_.uvs.size()));
    if (bad_normals > 0)
      diagnostics_.warn(file_, "f", fmt::format("{} corners refer to normals that are not defined ({} are); "
                                                "they get none", bad_normals, result_.normals.size()));
  }

  Lines lines_;
  std::string file_;
  Diagnostics& diagnostics_;
  File result_;
  std::vector<int> face_lines_;

  Part part_;
  bool part_is_known_ = false;
  std::uint32_t part_index_ = 0;
  std::uint32_t smoothing_ = 0;
  std::unordered_map<std::string, std::uint32_t> part_of_key_;
  std::unordered_map<std::string, int> material_of_name_;

  std::map<std::string, std::size_t> left_out_;
  std::size_t num_further_left_out_ = 0, num_short_faces_ = 0;
};

}  // namespace

File parse_obj(std::string_view text, const std::filesystem::path& file, Diagnostics& diagnostics) {
  return Parser(text, file.string(), diagnostics).run();
}

}  // namespace simulacra::obj
