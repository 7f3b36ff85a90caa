// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/views.h"

#include <gtest/gtest.h>

#include "dataset/schema/canonical.h"
#include "learning/tensors/src/places.h"
#include "tests/learning/tensors/room_set.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

/// A camera at (x, 0, 0) that looks along -z at a wall at z = -4; the wall is 4 / cosine away in each cell.
ViewGeometry before_a_wall(double x) {
  ViewGeometry view{translation({x, 0, 0}), pinhole_cam_from_uv(64, 48), {}};
  for (std::size_t r = 0; r < kViewGridRows; ++r)
    for (std::size_t c = 0; c < kViewGridColumns; ++c) {
      const Vec3d ray = view.cam_from_uv * Vec3d(2 * (static_cast<double>(c) + 0.5) / kViewGridColumns - 1,
                                                 1 - 2 * (static_cast<double>(r) + 0.5) / kViewGridRows, 1);
      view.distance.push_back(static_cast<float>(4 * length(ray) / -ray.z));
    }
  return view;
}

TEST(Views, TheShareSeenIsTheOverlapOfTheFrusta) {
  const ViewGeometry here = before_a_wall(0);
  EXPECT_EQ(view_overlap(here, here), 1);
  // The view is 8 tan(30 degrees) = 4.6188 wide on the wall: moved by 3/16 of it, 13 of 16 columns remain.
  const double width = 8 * std::tan(kPiD / 6);
  EXPECT_NEAR(seen_share(here, before_a_wall(width * 3 / 16)), 13 / 16.0, 1e-9);
  EXPECT_NEAR(seen_share(before_a_wall(width * 3 / 16), here), 13 / 16.0, 1e-9);
  EXPECT_EQ(view_overlap(here, before_a_wall(width * 1.01)), 0);
}

TEST(Views, WhatIsHiddenOrBehindIsNotSeen) {
  ViewGeometry screened = before_a_wall(0);
  for (std::size_t i = 0; i < screened.distance.size() / 2; ++i) screened.distance[i] = 1;   // a screen before the upper half
  EXPECT_NEAR(seen_share(before_a_wall(0), screened), 0.5, 1e-9);
  ViewGeometry turned = before_a_wall(0);
  turned.world_from_cam = rotation({0, 1, 0}, kPiD);
  EXPECT_EQ(seen_share(before_a_wall(0), turned), 0);
  ViewGeometry empty = before_a_wall(0);
  for (float& d : empty.distance) d = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(seen_share(empty, before_a_wall(0)), 0);
  EXPECT_EQ(seen_share(before_a_wall(0), empty), 0);
}

TEST(Views, NeighboursInARoomShowTheSamePlace) {
  const test::TempDir temp;
  test::write_room_set(temp.path(), 6, 64, 48);
  const FrameIndex index = scan_frames(temp.path());
  tensors::FrameReader reader(index);
  tensors::Places places(index, reader, 0.7);
  EXPECT_EQ(places.partners(0), std::vector<std::size_t>{1});
  EXPECT_EQ(places.partners(1), std::vector<std::size_t>{0});
  EXPECT_EQ(places.partners(2), std::vector<std::size_t>{3});
  EXPECT_EQ(places.partners(4), std::vector<std::size_t>{});
  tensors::Places anywhere(index, reader, 0.0);
  EXPECT_EQ(anywhere.partners(4).size(), 5u);
}

}  // namespace
}  // namespace simulacra
