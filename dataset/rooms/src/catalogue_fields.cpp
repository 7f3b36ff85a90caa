// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/src/catalogue_fields.h"

#include <charconv>
#include <cmath>

#include "dataset/rooms/zip.h"
#include "render/base/error.h"

namespace simulacra::rooms {
namespace {

constexpr double kMetersPerCm = 0.01;
constexpr double kMaxSizeCm = 1e5;     ///< a kilometre: beyond it a row is damaged
constexpr double kBulbDiameterCm = 5;  ///< where the catalogue names none

std::string text_of(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? "" : found->second;
}

double number_from(std::string_view text, std::string_view key, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    fail("{}: {} is '{}', expected a number", where, key, text);
  return value;
}

std::vector<double> numbers_from(std::string_view text, std::string_view key, const std::string& where) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    if (end > at) numbers.push_back(number_from(text.substr(at, end - at), key, where));
    at = end + 1;
  }
  return numbers;
}

double size_m(const Fields& fields, std::string_view key, const std::string& where) {
  const std::string text = text_of(fields, key);
  if (text.empty()) fail("{}: {} is missing", where, key);
  const double cm = number_from(text, key, where);
  if (!(cm > 0 && cm <= kMaxSizeCm))
    fail("{}: {} is {}, expected centimetres above 0 and at most {}", where, key, text, kMaxSizeCm);
  return cm * kMetersPerCm;
}

bool bool_from(const Fields& fields, std::string_view key, bool missing, const std::string& where) {
  const std::string text = text_of(fields, key);
  if (text.empty()) return missing;
  if (text == "true") return true;
  if (text == "false") return false;
  fail("{}: {} is '{}', expected true or false", where, key, text);
}

Mat3d rotation_from(const std::string& text, const std::string& where) {
  Mat3d rotation;
  if (text.empty()) return rotation;
  const std::vector<double> values = numbers_from(text, "modelRotation", where);
  if (values.size() != 9) fail("{}: modelRotation has {} numbers, expected 9", where, values.size());
  for (std::size_t i = 0; i < 9; ++i) rotation(i / 3, i % 3) = values[i];
  if (!(std::abs(determinant(rotation)) > 0.1)) fail("{}: modelRotation is no rotation", where);
  return rotation;
}

/// "#aa9770" as displayed sRGB to linear, so bulbs keep their tint.
Rgb color_from(std::string_view text, const std::string& where) {
  unsigned rgb = 0;
  const auto [end, error] = std::from_chars(text.data() + (text.empty() ? 0 : 1), text.data() + text.size(), rgb, 16);
  if (text.size() != 7 || text[0] != '#' || error != std::errc{} || end != text.data() + 7)
    fail("{}: light color is '{}', expected #rrggbb", where, text);
  const auto linear = [](unsigned byte) {
    const float v = static_cast<float>(byte) / 255.0f;
    return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
  };
  return {linear(rgb >> 16), linear((rgb >> 8) & 255), linear(rgb & 255)};
}

/// x from the left, y from the front, z from the base, all in cm; several bulbs are lists of equal length.
std::vector<LightSource> lights_from(const Fields& fields, const CatalogueKeys& keys, const Piece& piece,
                                     const std::string& where) {
  const std::vector<double> x = numbers_from(text_of(fields, keys.light_x), keys.light_x, where);
  const std::vector<double> y = numbers_from(text_of(fields, keys.light_y), keys.light_y, where);
  const std::vector<double> z = numbers_from(text_of(fields, keys.light_z), keys.light_z, where);
  const std::vector<double> diameter = numbers_from(text_of(fields, keys.light_diameter), keys.light_diameter, where);
  if (x.size() != y.size() || x.size() != z.size())
    fail("{}: {} light positions x, {} y, {} z; expected as many of each", where, x.size(), y.size(), z.size());
  const std::string colors = text_of(fields, keys.light_color);
  std::vector<LightSource> lights;
  for (std::size_t i = 0; i < x.size(); ++i) {
    LightSource light;
    light.center_m = {
        x[i] * kMetersPerCm - piece.width_m / 2, z[i] * kMetersPerCm, piece.depth_m / 2 - y[i] * kMetersPerCm};
    light.diameter_m = (i < diameter.size() && diameter[i] > 0 ? diameter[i] : kBulbDiameterCm) * kMetersPerCm;
    if (colors.size() >= 8 * i + 7) light.color = color_from(std::string_view(colors).substr(8 * i, 7), where);
    lights.push_back(light);
  }
  return lights;
}

/// A row's model path, relative to its library; archives write it with a leading '/'.
std::string model_from(const Fields& fields, const std::string& where) {
  std::string model = text_of(fields, "model");
  if (!model.empty() && model.front() == '/') model.erase(0, 1);
  if (!is_safe_member_name(model)) fail("{}: model '{}' is no path inside its library", where, model);
  return model;
}

}  // namespace

Piece piece_from_fields(const Fields& fields, const CatalogueKeys& keys, const std::string& where) {
  Piece piece;
  piece.name = text_of(fields, "name");
  if (piece.name.empty()) fail("{}: name is missing", where);
  piece.library = text_of(fields, "library");
  piece.category = text_of(fields, "category");
  piece.creator = text_of(fields, "creator");
  piece.licence = text_of(fields, "licence");
  piece.width_m = size_m(fields, keys.width, where);
  piece.depth_m = size_m(fields, keys.depth, where);
  piece.height_m = size_m(fields, keys.height, where);
  const std::string elevation = text_of(fields, keys.elevation);
  if (!elevation.empty()) piece.elevation_m = number_from(elevation, keys.elevation, where) * kMetersPerCm;
  piece.movable = bool_from(fields, "movable", true, where);
  piece.door_or_window = bool_from(fields, "doorOrWindow", false, where);
  piece.model_rotation = rotation_from(text_of(fields, "modelRotation"), where);
  piece.lights = lights_from(fields, keys, piece, where);
  piece.model = model_from(fields, where);
  const std::string bytes = text_of(fields, "bytes");
  if (!bytes.empty()) piece.model_bytes = static_cast<std::uint64_t>(std::max(0.0, number_from(bytes, "bytes", where)));
  return piece;
}

}  // namespace simulacra::rooms
