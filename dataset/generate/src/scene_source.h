// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "dataset/annotate/annotate.h"
#include "dataset/generate/options.h"
#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra {

/// A scene in the world frame, annotated, with what is known of it beside.
struct SourcedScene {
  SceneDescription description;
  AnnotationReport annotation;
  std::string source;          ///< file name, or "rooms"
  std::string scene_type;
  std::string credits;         ///< may be empty
  std::uint64_t seed = 0;
};

/// Makes the scenes of a request, one after the other.
class SceneSource {
 public:
  explicit SceneSource(const GenerateRequest& request) : request_(request) {}
  /// Scene `index` from 0. Throws UsageError for what the user can change, Error otherwise.
  SourcedScene make(int index, Diagnostics& diagnostics);

 private:
  SourcedScene room(std::uint64_t seed, Diagnostics& diagnostics);
  SourcedScene imported(Diagnostics& diagnostics) const;

  const GenerateRequest& request_;
  std::unique_ptr<RoomMaker> rooms_;
};

/// The tables' name for a kind of room: "living" is "Living room".
std::string scene_type_of_room(const std::string& room_type);

}  // namespace simulacra
