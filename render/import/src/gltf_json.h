// SPDX-License-Identifier: Apache-2.0
// A JSON value together with the place it stands at, so that every refusal names file and JSON pointer.
// All readers check the type and throw UsageError with one line when it is not the expected one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace simulacra::gltf {

using Json = nlohmann::json;

/// Text out of a file made fit for a one-line message: control characters become '?', and what is
/// longer than 80 bytes is cut.
std::string printable(std::string_view text);

class JsonRef {
 public:
  JsonRef(const Json& value, std::string pointer, const std::string& file)
      : value_(&value), pointer_(std::move(pointer)), file_(&file) {}

  const Json& value() const { return *value_; }
  /// The JSON pointer, for instance "/materials/3".
  const std::string& pointer() const { return pointer_; }
  /// The pointer and, where it has one, the object's name: "/materials/3 (Lamp)".
  std::string label() const;
  /// The member "name", or nothing.
  std::string name() const;

  /// A member, or nothing when it is absent; refuses when this is no object.
  std::optional<JsonRef> find(std::string_view key) const;
  JsonRef require(std::string_view key) const;
  /// The object extensions.NAME, or nothing.
  std::optional<JsonRef> extension(std::string_view name) const;

  /// Number of elements; refuses when this is no array.
  std::size_t size() const;
  JsonRef operator[](std::size_t i) const;

  double number() const;
  std::uint64_t unsigned_integer() const;
  bool boolean() const;
  const std::string& text() const;
  template <std::size_t N>
  std::array<double, N> numbers() const {
    if (size() != N) refuse("an array of " + std::to_string(N) + " numbers");
    std::array<double, N> result{};
    for (std::size_t i = 0; i < N; ++i) result[i] = (*this)[i].number();
    return result;
  }

  double number_or(std::string_view key, double otherwise) const;
  std::uint64_t unsigned_or(std::string_view key, std::uint64_t otherwise) const;
  bool boolean_or(std::string_view key, bool otherwise) const;

  /// Throws "FILE: POINTER = what is there, expected EXPECTED".
  [[noreturn]] void refuse(std::string_view expected) const;
  /// Throws "FILE: POINTER: TEXT".
  [[noreturn]] void refuse_because(std::string_view text) const;

 private:
  const Json* value_;
  std::string pointer_;
  const std::string* file_;
};

}  // namespace simulacra::gltf
