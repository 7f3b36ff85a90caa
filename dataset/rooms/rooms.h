// SPDX-License-Identifier: Apache-2.0
// Seeded furnished rooms: one rectangular room with door, window, lamps and daylight, furnished from a catalogue.
// A room is a function of (options, seed, the catalogue's files) alone, the same on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dataset/rooms/catalogue.h"
#include "dataset/rooms/plan.h"
#include "render/config/config.h"
#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra {

struct RoomOptions {
  std::string catalogue;              ///< folder or file; "" = the Debian package sweethome3d-furniture
  std::vector<std::string> licences;  ///< only models under these licences; empty = all
  std::vector<std::string> include;   ///< of characters, exterior, vehicles: left out unless named here
  std::string type = "any";           ///< living, bedroom, kitchen, office, bathroom, any
  std::string light = "any";          ///< day, night, any
  double clutter = 1.0;               ///< small things, as a multiple of the usual number
  std::string cache;                  ///< folder for unpacked models; "" = a temporary one, removed again
};
void fields(config::Fields& f, RoomOptions& o);

struct Room {
  SceneDescription scene;  ///< world frame, metres; class_hint and instance_key set on every object
  std::string credits;     ///< text: every model with name, author, licence and source
  std::string room_type;   ///< living, bedroom, …
  std::string light;       ///< day or night
  Box3d interior;          ///< the space between walls, floor and ceiling
  rooms::RoomPlan plan;    ///< what stands where
};

/// Throws UsageError for options that make no room (no catalogue, unknown licence, nothing left to place) and
/// Error for a damaged catalogue. A model that cannot be imported is warned of and another one is taken.
Room make_room(const RoomOptions& options, std::uint64_t seed, Diagnostics& diagnostics);

/// Makes several rooms without reading the catalogue and the models again.
class RoomMaker {
 public:
  explicit RoomMaker(RoomOptions options);
  ~RoomMaker();
  RoomMaker(RoomMaker&&) noexcept;
  RoomMaker& operator=(RoomMaker&&) noexcept;
  Room make(std::uint64_t seed, Diagnostics& diagnostics);
  const rooms::Catalogue& catalogue() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

namespace rooms {

/// Tops of pieces as layout needs them; null for a piece whose model cannot be used.
using Tops = std::function<const TopMap*(std::size_t piece)>;

/// What may be placed: indices into Catalogue::pieces after the filters of the options. Throws UsageError when the
/// options name an unknown licence, category, or leave no piece.
std::vector<std::size_t> usable_pieces(const Catalogue& catalogue, const RoomOptions& options);

/// The layout alone. `tops` may be empty: then every piece has a flat top at its height.
RoomPlan plan_room(const Catalogue& catalogue, const std::vector<std::size_t>& usable, const RoomOptions& options,
                   std::uint64_t seed, const Tops& tops);

}  // namespace rooms
}  // namespace simulacra
