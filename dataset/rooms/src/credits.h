// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dataset/rooms/catalogue.h"
#include "dataset/rooms/plan.h"

namespace simulacra::rooms {

/// Every model of the plan once: name, author, licence, source, and what was done with it (CC-BY asks for all four).
std::string credits_text(const Catalogue& catalogue, const RoomPlan& plan);

}  // namespace simulacra::rooms
