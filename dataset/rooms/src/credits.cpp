// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/src/credits.h"

#include <fmt/core.h>

#include <set>
#include <string_view>

namespace simulacra::rooms {
namespace {

std::string_view licence_address(std::string_view licence) {
  if (licence == "CC0-1.0") return "https://creativecommons.org/publicdomain/zero/1.0/";
  if (licence == "CC-BY-3.0") return "https://creativecommons.org/licenses/by/3.0/";
  if (licence == "CC-BY-3.0-US") return "https://creativecommons.org/licenses/by/3.0/us/";
  return "";
}

/// A line's worth: catalogues are text from outside.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return text;
}

}  // namespace

std::string credits_text(const Catalogue& catalogue, const RoomPlan& plan) {
  std::set<std::size_t> used;
  for (const Placement& p : plan.placements)
    if (p.piece >= 0) used.insert(static_cast<std::size_t>(p.piece));
  std::string text =
      "3D models in this scene. Each was scaled to its catalogue size and moved; nothing else was changed.\n\n";
  std::set<std::string> licences;
  for (std::size_t index : used) {
    const Piece& piece = catalogue.pieces[index];
    const Library& library = catalogue.libraries.at(piece.library_index);
    const std::string author =
        piece.creator.empty() ? "author not named (library " + piece.library + ")" : piece.creator;
    text += one_line(fmt::format(
                "- \"{}\" by {}, {}; {} in {}", piece.name, author, piece.licence, piece.model, library.source)) +
            "\n";
    licences.insert(piece.licence);
  }
  if (used.empty()) text += "(none: everything in this scene was made by the generator)\n";
  text += "\nLicences:\n";
  for (const std::string& licence : licences)
    text += one_line(fmt::format("- {} {}", licence, licence_address(licence))) + "\n";
  return text +
         "\nWalls, doors, windows, lamps on the ceiling, pictures, mirrors, rugs and curtains were made by the "
         "generator.\n";
}

}  // namespace simulacra::rooms
