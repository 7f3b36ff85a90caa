// SPDX-License-Identifier: Apache-2.0
#include "render/description/diagnostics.h"

#include <algorithm>

namespace simulacra {

void Diagnostics::warn(std::string file, std::string culprit, std::string text) {
  const bool known = std::any_of(warnings_.begin(), warnings_.end(), [&](const ImportWarning& w) {
    return w.file == file && w.culprit == culprit && w.text == text;
  });
  if (!known) warnings_.push_back({std::move(file), std::move(culprit), std::move(text)});
}

}  // namespace simulacra
