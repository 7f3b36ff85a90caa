// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/mitsuba_text.h"

#include <charconv>

#include "render/base/srgb.h"

namespace simulacra::mitsuba {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::optional<Rgb> parse_hex(std::string_view digits) {
  if (digits.size() != 6) return std::nullopt;
  Rgb out;
  for (std::size_t i = 0; i < 3; ++i) {
    unsigned byte = 0;
    const char* begin = digits.data() + 2 * i;
    const auto [end, error] = std::from_chars(begin, begin + 2, byte, 16);
    if (error != std::errc{} || end != begin + 2) return std::nullopt;
    out[i] = static_cast<float>(linear_from_srgb(byte / 255.0));
  }
  return out;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  std::string item;
  for (const char c : text) {
    if (c != ',' && !is_space(c)) {
      item += c;
      continue;
    }
    if (!item.empty()) items.push_back(std::move(item));
    item.clear();
  }
  if (!item.empty()) items.push_back(std::move(item));
  return items;
}

std::optional<double> parse_number(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range && text.find("e-") != std::string_view::npos) return 0.0;
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> values;
  for (const std::string& item : split_list(text)) {
    const auto value = parse_number(item);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return values;
}

std::optional<Rgb> parse_color(std::string_view text, bool srgb) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (!text.empty() && text.front() == '#') return parse_hex(text.substr(1));
  auto v = parse_numbers(text);
  if (!v || (v->size() != 1 && v->size() != 3)) return std::nullopt;
  if (v->size() == 1) v->assign(3, v->front());
  Rgb out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = static_cast<float>(srgb ? linear_from_srgb((*v)[i]) : (*v)[i]);
  return out;
}

}  // namespace simulacra::mitsuba
