// SPDX-License-Identifier: Apache-2.0
// A catalogue of plain boxes, so that rooms can be made where no furniture package is installed.
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace simulacra::test {

struct TinyPiece {
  const char* name;
  const char* category;
  double width_cm, depth_cm, height_cm, elevation_cm = 0;
  const char* licence = "CC0-1.0";
};

inline const std::vector<TinyPiece>& tiny_pieces() {
  static const std::vector<TinyPiece> pieces = {
      {"Sofa", "Living room", 190, 85, 80},
      {"Coffee table", "Living room", 110, 60, 45},
      {"Armchair", "Living room", 75, 80, 85},
      {"TV stand", "Living room", 135, 45, 50},
      {"TV", "Living room", 80, 15, 50},
      {"Bookcase", "Living room", 90, 35, 180},
      {"Table", "Living room", 140, 90, 74},
      {"Chair", "Living room", 45, 50, 88},
      {"Bed", "Bedroom", 160, 205, 90},
      {"Bedside table", "Bedroom", 45, 40, 45},
      {"Wardrobe", "Bedroom", 150, 60, 205},
      {"Chest", "Bedroom", 140, 50, 82, 0, "CC-BY-3.0"},
      {"Desk", "Office", 140, 70, 73},
      {"Chair", "Office", 60, 60, 95},
      {"Laptop", "Office", 34, 25, 27},
      {"Filing cabinet", "Office", 40, 52, 60},
      {"Lower cabinet", "Kitchen", 60, 60, 88},
      {"Sink cabinet", "Kitchen", 60, 60, 110},
      {"Upper cabinet", "Kitchen", 60, 35, 72, 145},
      {"Large stove", "Kitchen", 90, 62, 85},
      {"Fridge", "Kitchen", 60, 60, 170},
      {"Toaster", "Kitchen", 27, 16, 18},
      {"Washing machine", "Kitchen", 60, 60, 84},
      {"Bath", "Bathroom", 170, 70, 60},
      {"Toilets unit", "Bathroom", 40, 65, 78},
      {"Washbasin", "Bathroom", 58, 45, 90},
      {"Towel rack", "Bathroom", 60, 10, 45, 90},
      {"Soap", "Bathroom", 10, 6, 8},
      {"Vase", "Miscellaneous", 20, 20, 30},
      {"Book", "Miscellaneous", 20, 28, 3},
      {"Radiator", "Miscellaneous", 100, 12, 60},
      {"Plant", "Living room", 60, 60, 110},
      {"Lamp", "Lights", 25, 25, 45},
      {"Clock", "Bedroom", 8, 5, 8},
      {"Female", "Characters", 50, 40, 165},
      {"Bicycle", "Vehicles", 46, 149, 84},
      {"Window", "Doors and windows", 100, 20, 120},
  };
  return pieces;
}

/// Writes catalogue.csv and one box model of 1 x 1 x 1 in "library/".
inline void write_tiny_catalogue(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "library");
  std::ofstream(folder / "library" / "box.obj")
      << "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv -1 2 -1\nv 1 2 -1\nv 1 2 1\nv -1 2 1\n"
         "f 1 2 3 4\nf 8 7 6 5\nf 4 3 7 8\nf 2 1 5 6\nf 1 4 8 5\nf 3 2 6 7\n";
  std::ofstream csv(folder / "catalogue.csv");
  csv << "library,index,name,category,width_cm,depth_cm,height_cm,elevation_cm,movable,doorOrWindow,creator,licence,"
         "model,bytes,features,lightX,lightY,lightZ,lightColor,modelRotation\n";
  int index = 0;
  for (const TinyPiece& p : tiny_pieces())
    csv << fmt::format("library,{},\"{}\",{},{},{},{},{},true,{},Author {},{},box.obj,100,,,,,,\n",
                       ++index,
                       p.name,
                       p.category,
                       p.width_cm,
                       p.depth_cm,
                       p.height_cm,
                       p.elevation_cm,
                       std::string(p.name) == "Window" ? "true" : "false",
                       index,
                       p.licence);
}

}  // namespace simulacra::test
