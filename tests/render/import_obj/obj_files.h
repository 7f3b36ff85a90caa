// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "render/base/files.h"
#include "render/description/diagnostics.h"
#include "render/import/import.h"
#include "tests/support/shared_data.h"

namespace simulacra::test {

/// An OBJ file with its MTL in a folder of their own.
class ObjFiles {
 public:
  explicit ObjFiles(const std::string& obj, const std::string& mtl = "") {
    write_text_atomically(dir_.path() / "model.obj", obj);
    if (!mtl.empty()) write_text_atomically(dir_.path() / "model.mtl", mtl);
  }
  void put(const std::string& name, const std::string& text) { write_text_atomically(dir_.path() / name, text); }
  SceneDescription import() { return import_obj(dir_.path() / "model.obj", diagnostics); }
  /// "culprit: text" of each warning, one a line.
  std::string warnings() const {
    std::string all;
    for (const ImportWarning& w : diagnostics.warnings()) all += w.culprit + ": " + w.text + "\n";
    return all;
  }
  Diagnostics diagnostics;

 private:
  TempDir dir_;
};

}  // namespace simulacra::test
