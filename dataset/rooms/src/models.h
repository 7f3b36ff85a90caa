// SPDX-License-Identifier: Apache-2.0
// Furniture models, imported once: turned upright, scaled to the catalogue's size, with what is on top.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "dataset/rooms/catalogue.h"
#include "dataset/rooms/plan.h"
#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra::rooms {

struct Model {
  SceneDescription part;     ///< as imported; its images lie in memory
  Affine3d piece_from_part;  ///< to the piece frame: metres, z up, front to -y, base in the middle of z = 0
  TopMap top;
};

class ModelStore {
 public:
  /// Models are unpacked below `cache`, or below a temporary folder that is removed with the store.
  ModelStore(const Catalogue& catalogue, const std::filesystem::path& cache);
  ~ModelStore();
  ModelStore(const ModelStore&) = delete;
  ModelStore& operator=(const ModelStore&) = delete;

  /// Null when the model cannot be used.
  const Model* find(std::size_t piece);
  /// What its import had to say; for a model that cannot be used, why.
  void report(std::size_t piece, Diagnostics& diagnostics);

 private:
  struct Entry {
    std::unique_ptr<Model> model;
    std::vector<ImportWarning> warnings;
  };
  Entry load(std::size_t piece);
  const Entry& entry(std::size_t piece);

  const Catalogue& catalogue_;
  std::filesystem::path folder_;
  bool temporary_ = false;
  std::map<std::size_t, Entry> entries_;
};

/// The map of `part` moved by `piece_from_part`. Cells are about 2 cm.
TopMap top_map(const SceneDescription& part, const Affine3d& piece_from_part, double width_m, double depth_m);
/// How a model's box becomes the catalogue's. Throws Error when the model is flat along an axis or empty.
Affine3d fit_to_size(const SceneDescription& part, const Piece& piece);

}  // namespace simulacra::rooms
