// SPDX-License-Identifier: Apache-2.0
// Catalogues of furniture models with real sizes: Sweet Home 3D libraries (.sh3f, zip archives with a
// PluginFurnitureCatalog.properties) or folders with a CSV of the same columns.
//  - Sizes are metres. A model's own axes are those of Sweet Home 3D: x to the right, y up, z to the front.
//  - Order is that of the files: the same catalogue gives the same rows on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/rooms/zip.h"
#include "render/base/vec.h"

namespace simulacra::rooms {

/// A lamp's bulb: center relative to the middle of the piece's base (x right, y up, z to the front).
struct LightSource {
  Vec3d center_m;
  double diameter_m = 0.05;
  Rgb color{1.0f};
};

/// One row of a catalogue.
struct Piece {
  std::string library;   ///< e.g. "Scopia"
  std::string name;      ///< "Bed"; several pieces may share it
  std::string category;  ///< a room type, "Lights", "Characters", …
  std::string creator;
  std::string licence;  ///< SPDX: "CC0-1.0", "CC-BY-3.0", "CC-BY-3.0-US", or the catalogue's own word
  double width_m = 0, depth_m = 0, height_m = 0;
  double elevation_m = 0;  ///< of its base above the floor (things on walls)
  bool movable = true, door_or_window = false;
  Mat3d model_rotation;  ///< turns the model upright and to the front before it is scaled
  std::vector<LightSource> lights;
  std::string model;              ///< path of the OBJ inside its library
  std::uint64_t model_bytes = 0;  ///< 0 = unknown
  std::size_t library_index = 0;  ///< into Catalogue::libraries
  std::string id() const { return library + "/" + model; }
};

/// Where the models of one library lie.
struct Library {
  std::string name;                           ///< stem of the archive, or the value of the CSV's column
  std::string source;                         ///< for credits
  std::shared_ptr<const ZipArchive> archive;  ///< null: a folder
  std::filesystem::path folder;               ///< when archive is null
};

struct Catalogue {
  std::filesystem::path location;
  std::vector<Library> libraries;
  std::vector<Piece> pieces;
  std::size_t rows_without_model = 0;  ///< CSV rows whose OBJ file is not in the folder
};

/// Folder of the Debian package.
inline constexpr std::string_view kPackageFolder = "/usr/share/sweethome3d/furniture";
inline constexpr std::string_view kPackageName = "sweethome3d-furniture";

/// Reads a folder of .sh3f files, one .sh3f file, a folder with a catalogue CSV (the file with the most rows
/// among *.csv), or one CSV file. Empty means the Debian package's folder. Throws UsageError when there is
/// no catalogue at `location` (the message says how to get one) and Error for a damaged one.
Catalogue read_catalogue(const std::filesystem::path& location);

// The two formats, on text in memory; `where` names the text in messages.
std::vector<Piece> parse_properties_catalogue(std::string_view text, const std::string& where);
std::vector<Piece> parse_csv_catalogue(std::string_view text, const std::string& where);

/// "Creative Commons Attribution 3.0 license" -> "CC-BY-3.0", "Public domain" -> "CC0-1.0"; other text as it is.
std::string licence_from_text(std::string_view text);

/// Writes the files of a piece's model folder below `folder` (archives) or finds them (folders); returns the
/// path of the OBJ file. Files that are already there are kept.
std::filesystem::path unpack_model(const Catalogue& catalogue, const Piece& piece, const std::filesystem::path& folder);

}  // namespace simulacra::rooms
