// SPDX-License-Identifier: Apache-2.0
// What both catalogue formats share: a row as named texts, turned into a Piece.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dataset/rooms/catalogue.h"

namespace simulacra::rooms {

using Fields = std::map<std::string, std::string, std::less<>>;

/// The columns' names in one format; sizes are centimetres in both.
struct CatalogueKeys {
  std::string_view width, depth, height, elevation;
  std::string_view light_x, light_y, light_z, light_color, light_diameter;
};
inline constexpr CatalogueKeys kPropertiesKeys{"width",
                                               "depth",
                                               "height",
                                               "elevation",
                                               "lightSourceX",
                                               "lightSourceY",
                                               "lightSourceZ",
                                               "lightSourceColor",
                                               "lightSourceDiameter"};
inline constexpr CatalogueKeys kCsvKeys{
    "width_cm", "depth_cm", "height_cm", "elevation_cm", "lightX", "lightY", "lightZ", "lightColor", "lightDiameter"};

/// Throws Error "where: …" when a size is missing or no positive number, or another value cannot be read.
Piece piece_from_fields(const Fields& fields, const CatalogueKeys& keys, const std::string& where);

}  // namespace simulacra::rooms
