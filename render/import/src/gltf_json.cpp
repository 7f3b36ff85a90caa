// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_json.h"

#include <cmath>

#include "render/base/error.h"

namespace simulacra::gltf {
namespace {

std::string found(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: return "an object";
    case Json::value_t::array: return fmt::format("an array of {}", value.size());
    case Json::value_t::string: return fmt::format("'{}'", printable(value.get_ref<const std::string&>()));
    case Json::value_t::null: return "null";
    case Json::value_t::boolean: return value.get<bool>() ? "true" : "false";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return value.dump();
    case Json::value_t::binary:
    case Json::value_t::discarded: break;
  }
  return "nothing";
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string result(text.substr(0, kLongest));
  if (text.size() > kLongest) {
    // Not in the middle of a UTF-8 sequence.
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xc0u) == 0x80u) result.pop_back();
    if (!result.empty() && static_cast<unsigned char>(result.back()) >= 0x80u) result.pop_back();
    result += "…";
  }
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20u || c == 0x7f) c = '?';
  return result;
}

std::string JsonRef::label() const {
  const std::string own = name();
  return own.empty() ? pointer_ : fmt::format("{} ({})", pointer_, printable(own));
}

std::string JsonRef::name() const {
  const auto given = find("name");
  return given ? given->text() : std::string();
}

std::optional<JsonRef> JsonRef::find(std::string_view key) const {
  if (!value_->is_object()) refuse("an object");
  const auto at = value_->find(key);
  if (at == value_->end()) return std::nullopt;
  return JsonRef(*at, fmt::format("{}/{}", pointer_, printable(key)), *file_);
}

JsonRef JsonRef::require(std::string_view key) const {
  auto member = find(key);
  if (!member) refuse_because(fmt::format("'{}' is missing", key));
  return *std::move(member);
}

std::optional<JsonRef> JsonRef::extension(std::string_view name) const {
  const auto all = find("extensions");
  if (!all) return std::nullopt;
  auto one = all->find(name);
  if (one && !one->value().is_object()) one->refuse("an object");
  return one;
}

std::size_t JsonRef::size() const {
  if (!value_->is_array()) refuse("an array");
  return value_->size();
}

JsonRef JsonRef::operator[](std::size_t i) const {
  SIM_CHECK(i < size());
  return JsonRef((*value_)[i], fmt::format("{}/{}", pointer_, i), *file_);
}

double JsonRef::number() const {
  if (!value_->is_number()) refuse("a number");
  const double result = value_->get<double>();
  if (!std::isfinite(result)) refuse("a finite number");
  return result;
}

std::uint64_t JsonRef::unsigned_integer() const {
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  // JSON has one kind of number: some writers say 3.0.
  if (value_->is_number_float()) {
    const double given = value_->get<double>();
    if (given >= 0 && given <= 9007199254740992.0 && given == std::floor(given))
      return static_cast<std::uint64_t>(given);
  }
  refuse("a whole number from 0");
}

bool JsonRef::boolean() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

const std::string& JsonRef::text() const {
  if (!value_->is_string()) refuse("a text");
  return value_->get_ref<const std::string&>();
}

double JsonRef::number_or(std::string_view key, double otherwise) const {
  const auto member = find(key);
  return member ? member->number() : otherwise;
}

std::uint64_t JsonRef::unsigned_or(std::string_view key, std::uint64_t otherwise) const {
  const auto member = find(key);
  return member ? member->unsigned_integer() : otherwise;
}

bool JsonRef::boolean_or(std::string_view key, bool otherwise) const {
  const auto member = find(key);
  return member ? member->boolean() : otherwise;
}

void JsonRef::refuse(std::string_view expected) const {
  fail_usage("{}: {} = {}, expected {}", *file_, pointer_.empty() ? "the file" : pointer_, found(*value_), expected);
}

void JsonRef::refuse_because(std::string_view text) const {
  fail_usage("{}: {}{}", *file_, pointer_.empty() ? "" : pointer_ + ": ", text);
}

}  // namespace simulacra::gltf
