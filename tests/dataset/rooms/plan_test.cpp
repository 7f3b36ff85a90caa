// SPDX-License-Identifier: Apache-2.0
// Invariants of layouts, over many seeds and every type of room. Tops are flat here: rooms_test.cpp has real models.
#include "dataset/rooms/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "dataset/rooms/rooms.h"
#include "render/base/error.h"
#include "tests/dataset/rooms/plan_checks.h"
#include "tests/dataset/rooms/tiny_catalogue.h"
#include "tests/support/shared_data.h"

namespace simulacra::rooms {
namespace {

constexpr int kSeeds = 40;

void check_many(const Catalogue& catalogue, double mean_pieces) {
  RoomOptions options;
  for (const std::string_view type : kRoomTypes) {
    options.type = type;
    const std::vector<std::size_t> usable = usable_pieces(catalogue, options);
    double pieces = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const RoomPlan plan = plan_room(catalogue, usable, options, seed, {});
      test::expect_sound(plan, catalogue, std::string(type) + " " + std::to_string(seed));
      for (const Placement& p : plan.placements) pieces += p.piece >= 0;
    }
    EXPECT_GT(pieces / kSeeds, mean_pieces) << type;  // rooms are furnished, not merely sound
  }
}

TEST(Plan, BoxesThatTouchDoNotOverlapAndTurnedOnesAreToldApart) {
  const PlanBox a{{0, 0}, {1, 0}, 1, 1, 0, 1};
  EXPECT_FALSE(overlap(a, {{1, 0}, {1, 0}, 1, 1, 0, 1}));
  EXPECT_TRUE(overlap(a, {{0.99, 0}, {1, 0}, 1, 1, 0, 1}));
  EXPECT_FALSE(overlap(a, {{0, 0}, {1, 0}, 1, 1, 1, 2}));
  // A diamond beside a corner: the boxes' bounds overlap, they do not.
  const double c = std::sqrt(0.5);
  EXPECT_FALSE(overlap(a, {{0.9, 0.9}, {c, c}, 1, 0.5, 0, 1}));
  EXPECT_TRUE(overlap(a, {{0.7, 0.7}, {c, c}, 1, 0.5, 0, 1}));
}

TEST(Plan, OutsideIsMeasured) {
  Shell shell;
  shell.width = 4;
  shell.depth = 3;
  shell.height = 2.5;
  EXPECT_LE(outside_by({{1.5, 0}, {1, 0}, 1, 1, 0, 1}, shell), 0);
  EXPECT_NEAR(outside_by({{1.6, 0}, {1, 0}, 1, 1, 0, 1}, shell), 0.1, 1e-12);
  EXPECT_NEAR(outside_by({{0, 0}, {1, 0}, 1, 1, 0, 2.7}, shell), 0.2, 1e-12);
  EXPECT_NEAR(outside_by({{0, 1}, {0, 1}, 2, 1, 0, 1}, shell), 0.5, 1e-12);
}

TEST(Plan, LayoutsOfATinyCatalogueAreSound) {
  const test::TempDir folder;
  test::write_tiny_catalogue(folder.path());
  check_many(read_catalogue(folder.path()), 6);
}

TEST(Plan, LayoutsOfTheDebianPackageAreSound) {
  if (!std::filesystem::exists(kPackageFolder)) GTEST_SKIP() << "skipped: sweethome3d-furniture is not installed";
  check_many(read_catalogue({}), 10);
}

TEST(Plan, TheChecksNoticeWhatIsWrong) {
  const test::TempDir folder;
  test::write_tiny_catalogue(folder.path());
  const Catalogue catalogue = read_catalogue(folder.path());
  RoomOptions options;
  options.type = "living";
  const RoomPlan good = plan_room(catalogue, usable_pieces(catalogue, options), options, 3, {});
  ASSERT_EQ(test::first_fault(good, catalogue), "");

  const auto sofa = static_cast<std::size_t>(std::find_if(good.placements.begin(),
                                                          good.placements.end(),
                                                          [](const Placement& p) { return p.name == "Sofa"; }) -
                                             good.placements.begin());
  ASSERT_LT(sofa, good.placements.size());
  RoomPlan floating = good, outside = good, double_booked = good, grown = good, in_door = good;
  floating.placements[sofa].box.z0 += 0.01;
  floating.placements[sofa].box.z1 += 0.01;
  outside.placements[sofa].box.center = {10, 10};
  double_booked.placements.push_back(good.placements[sofa]);
  grown.placements[sofa].box.width *= 1.01;
  const Wall wall = good.shell.walls()[static_cast<std::size_t>(good.shell.door.wall)];
  in_door.placements[sofa].box.center = wall.start + wall.along * good.shell.door.center + wall.inward * 0.9;
  for (const RoomPlan* bad : {&floating, &outside, &double_booked, &grown, &in_door})
    EXPECT_NE(test::first_fault(*bad, catalogue), "");
}

TEST(Plan, SeedsTypesAndOptionsMatter) {
  const test::TempDir folder;
  test::write_tiny_catalogue(folder.path());
  const Catalogue catalogue = read_catalogue(folder.path());
  RoomOptions options;
  std::map<RoomType, int> types;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    ++types[plan_room(catalogue, usable_pieces(catalogue, options), options, seed, {}).type];
  EXPECT_EQ(types.size(), kRoomTypes.size());  // "any" draws each type; the rarest is missed with (8/9)^60 < 0.1 %

  options.include = {"characters"};
  options.type = "living";
  bool visitor = false;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const Placement& p : plan_room(catalogue, usable_pieces(catalogue, options), options, seed, {}).placements)
      visitor |= p.semantic == "person";
  EXPECT_TRUE(visitor);
}

}  // namespace
}  // namespace simulacra::rooms
