// SPDX-License-Identifier: Apache-2.0
#include "render/base/html.h"

namespace simulacra {

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

}  // namespace simulacra
