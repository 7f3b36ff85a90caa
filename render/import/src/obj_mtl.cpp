// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/obj_mtl.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "render/import/src/obj_text.h"

namespace simulacra::obj {
namespace {

constexpr std::size_t kMaxUnknownWords = 8;   // warnings a file about unknown statements
constexpr std::size_t kMaxBadLines = 50;       // and about statements that cannot be read

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

const std::map<std::string, Slot, std::less<>> kMapSlots = {
    {"map_kd", Slot::kd}, {"map_ks", Slot::ks}, {"map_ke", Slot::ke}, {"map_ns", Slot::ns},
    {"map_d", Slot::d}, {"map_opacity", Slot::d}, {"map_bump", Slot::bump}, {"bump", Slot::bump},
    {"norm", Slot::normal}, {"map_norm", Slot::normal}, {"map_kn", Slot::normal}, {"map_pr", Slot::roughness},
    {"map_pm", Slot::metallic}, {"map_ps", Slot::sheen}, {"map_pc", Slot::coat}, {"map_pcr", Slot::coat_roughness}};

/// Statements that mean nothing to a path tracer.
const std::set<std::string, std::less<>> kWithoutMeaning = {"ka", "map_ka", "sharpness", "map_aat", "km"};

/// Options of map statements and how many words follow at most; -o, -s and -t take one to three numbers.
const std::map<std::string, int, std::less<>> kMapOptions = {
    {"-blendu", 1}, {"-blendv", 1}, {"-bm", 1}, {"-boost", 1}, {"-cc", 1}, {"-clamp", 1}, {"-imfchan", 1},
    {"-mm", 2}, {"-o", 3}, {"-s", 3}, {"-t", 3}, {"-texres", 1}, {"-type", 1}, {"-colorspace", 1}};

class Parser {
 public:
  Parser(const std::filesystem::path& file, Diagnostics& diagnostics)
      : path_(file), file_(file.string()), diagnostics_(diagnostics) {}

  std::vector<MtlMaterial> run() {
    const std::string text = read_obj_text(path_);
    Lines lines(text);
    std::string_view line;
    while (lines.next(line)) {
      line_ = lines.number();
      std::string_view rest = line;
      const std::string_view word = take_word(rest);
      if (!word.empty()) statement(word, rest);
    }
    if (num_bad_ > kMaxBadLines)
      warn("further statements", fmt::format("{} cannot be read and are left out", num_bad_ - kMaxBadLines));
    if (num_further_unknown_ > 0)
      warn("further unknown statements", fmt::format("{} are left out", num_further_unknown_));
    return std::move(materials_);
  }

 private:
  void warn(std::string culprit, std::string text) {
    diagnostics_.warn(file_, std::move(culprit), std::move(text));
  }
  void bad(std::string_view word, std::string_view what) {
    if (++num_bad_ > kMaxBadLines) return;
    warn(fmt::format("line {}", line_), fmt::format("'{}' {}; the statement is left out", shown(word), what));
  }

  void statement(std::string_view word, std::string_view rest) {
    const std::string key = lower(word);
    if (key == "newmtl") return begin(take_name(rest));
    if (kWithoutMeaning.contains(key)) return;
    if (materials_.empty()) return bad(word, "stands before the first newmtl");
    MtlMaterial& m = materials_.back();
    if (const auto slot = kMapSlots.find(key); slot != kMapSlots.end()) return map_statement(m, slot->second, word, rest);
    if (key == "kd") return color(m.kd, word, rest);
    if (key == "ks") return color(m.ks, word, rest);
    if (key == "ke") return color(m.ke, word, rest);
    if (key == "tf") return color(m.tf, word, rest);
    if (key == "ns") return number(m.ns, word, rest);
    if (key == "ni") return number(m.ni, word, rest);
    if (key == "tr") return number(m.tr, word, rest);
    if (key == "pr") return number(m.pr, word, rest);
    if (key == "pm") return number(m.pm, word, rest);
    if (key == "ps") return number(m.ps, word, rest);
    if (key == "pc") return number(m.pc, word, rest);
    if (key == "pcr") return number(m.pcr, word, rest);
    if (key == "d") return dissolve(m, word, rest);
    if (key == "illum") return illumination(m, word, rest);
    unknown(word);
  }

  void begin(std::string_view name) {
    MtlMaterial material;
    material.name = name;
    material.file = path_;
    if (!names_.insert(material.name).second)
      warn(shown(name), "is defined twice; the first definition counts");
    materials_.push_back(std::move(material));
  }

  void unknown(std::string_view word) {
    const std::string key = shown(word);
    if (unknown_.size() >= kMaxUnknownWords && !unknown_.contains(key)) {
      ++num_further_unknown_;
    } else if (unknown_.insert(key).second) {
      warn(key, "has no counterpart and is left out");
    }
  }

  std::optional<float> finite(std::string_view word) const {
    const std::optional<double> value = as_number(word);
    if (!value || !std::isfinite(*value) || std::abs(*value) > 1e30) return std::nullopt;
    return static_cast<float>(*value);
  }

  void number(std::optional<float>& value, std::string_view word, std::string_view rest) {
    const std::optional<float> parsed = finite(take_word(rest));
    if (!parsed) return bad(word, "has no number");
    value = parsed;
  }

  void dissolve(MtlMaterial& m, std::string_view word, std::string_view rest) {
    std::string_view first = take_word(rest);
    if (first == "-halo") {
      warn(fmt::format("{} in {}", "d -halo", shown(m.name)), "is read as plain opacity");
      first = take_word(rest);
    }
    const std::optional<float> parsed = finite(first);
    if (!parsed) return bad(word, "has no number");
    m.d = parsed;
  }

  void illumination(MtlMaterial& m, std::string_view word, std::string_view rest) {
    const std::optional<float> parsed = finite(take_word(rest));
    if (!parsed || *parsed < 0 || *parsed > 10) return bad(word, "has no number from 0 to 10");
    m.illum = static_cast<int>(*parsed);
  }

  /// One number is gray. CIE XYZ and spectral files are not read.
  void color(std::optional<Rgb>& value, std::string_view word, std::string_view rest) {
    std::array<float, 3> v{};
    std::size_t count = 0;
    for (std::string_view next = take_word(rest); !next.empty() && count < 3; next = take_word(rest)) {
      if (next == "xyz" || next == "spectral") return bad(word, "is given as xyz or spectral, which is not read");
      const std::optional<float> parsed = finite(next);
      if (!parsed) return bad(word, fmt::format("has '{}' where a number was expected", shown(next)));
      v[count++] = *parsed;
    }
    if (count == 0) return bad(word, "has no number");
    if (count == 2) return bad(word, "has 2 numbers, not 1 or 3");
    value = count == 1 ? Rgb(v[0]) : Rgb(v[0], v[1], v[2]);
  }

  void map_statement(MtlMaterial& m, Slot slot, std::string_view word, std::string_view rest) {
    MapStatement map;
    std::string_view before_name = take_name(rest);
    std::string name;
    while (!before_name.empty()) {
      std::string_view tail = before_name;
      const std::string_view next = take_word(tail);
      const std::string key = lower(next);
      if (const auto option = kMapOptions.find(key); option != kMapOptions.end()) {
        map_option(map, key, option->second, tail, m);
      } else {
        // The name goes on, with the blanks in it as they stand, up to the next option.
        const std::size_t length = name_length(before_name);
        if (!name.empty()) name += ' ';
        name += take_name(before_name.substr(0, length));
        tail = before_name.substr(length);
      }
      before_name = take_name(tail);
    }
    if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (name.empty()) return bad(word, "names no file");
    map.written = std::move(name);
    m.maps[slot] = std::move(map);
  }

  /// Length of the front of `text` before the next word that is a map option.
  static std::size_t name_length(std::string_view text) {
    std::string_view rest = text;
    while (true) {
      const std::string_view word = take_word(rest);
      if (word.empty()) return text.size();
      if (kMapOptions.contains(lower(word))) return static_cast<std::size_t>(word.data() - text.data());
    }
  }

  void map_option(MapStatement& map, const std::string& key, int max_words, std::string_view& tail,
                  const MtlMaterial& m) {
    const auto not_used = [&](std::string_view value) {
      warn(fmt::format("{} {} in {}", key, shown(value), shown(m.name)), "has no counterpart and is left out");
    };
    if (max_words == 1) {
      const std::string_view word = take_word(tail);
      const std::string value = lower(word);
      if (key == "-clamp") {
        map.clamp = value == "on";
      } else if (key == "-imfchan") {
        map.channel = value.empty() ? '\0' : value[0];
        if (std::string_view("rgbmlz").find(map.channel) == std::string_view::npos) {
          not_used(word);
          map.channel = 0;
        }
      } else if (key == "-colorspace") {
        map.color_space = value;
      } else if (key == "-bm") {
        map.bump_multiplier = finite(word);
        if (!map.bump_multiplier) not_used(word);
      } else if (!((key == "-blendu" || key == "-blendv") && value == "on") && !(key == "-cc" && value == "off")) {
        not_used(word);
      }
      return;
    }
    std::array<float, 3> v{};
    const int count = numbers_of_option(tail, max_words, v);
    if (key == "-s") map.uv_scale = {count > 0 ? v[0] : 1, count > 1 ? v[1] : 1};
    if (key == "-o") map.uv_offset = {v[0], v[1]};
    if (key == "-mm" && count == 2) {
      map.base = v[0];
      map.gain = v[1];
    }
    if (key == "-t") not_used("");
  }

  int numbers_of_option(std::string_view& tail, int max_words, std::array<float, 3>& v) const {
    int count = 0;
    while (count < max_words) {
      std::string_view after = tail;
      const std::optional<float> value = finite(take_word(after));
      if (!value) break;
      v[static_cast<std::size_t>(count++)] = *value;
      tail = after;
    }
    return count;
  }

  std::filesystem::path path_;
  std::string file_;
  Diagnostics& diagnostics_;
  std::vector<MtlMaterial> materials_;
  std::set<std::string> names_, unknown_;
  std::size_t num_further_unknown_ = 0, num_bad_ = 0;
  int line_ = 0;
};

}  // namespace

std::vector<MtlMaterial> parse_mtl(const std::filesystem::path& file, Diagnostics& diagnostics) {
  return Parser(file, diagnostics).run();
}

}  // namespace simulacra::obj
