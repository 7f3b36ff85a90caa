// SPDX-License-Identifier: Apache-2.0
#include "render/image/frame.h"

#include <cmath>

#include <gtest/gtest.h>

namespace simulacra {
namespace {

TEST(Frame, NewPlanesHoldWhatStandsForNothing) {
  Frame frame;
  frame.width = 5;
  frame.height = 3;
  for (const LabelSpec& row : kLabels) {
    EXPECT_FALSE(frame.has(row.id));
    const Plane& plane = frame.allocate(row.id);
    EXPECT_TRUE(frame.has(row.id));
    EXPECT_EQ(plane.channels, static_cast<int>(row.channels.size()));
    EXPECT_EQ(plane.f.size() + plane.i.size(), 5u * 3u * row.channels.size()) << row.name;
    EXPECT_EQ(plane.i.empty(), is_float(row.dtype)) << row.name;
    for (const float v : plane.f)
      EXPECT_TRUE(std::isnan(row.invalid) ? std::isnan(v) : v == static_cast<float>(row.invalid)) << row.name;
    for (const std::int32_t v : plane.i) EXPECT_EQ(v, row.invalid) << row.name;
  }
}

TEST(Frame, PixelsAreInterleavedRowByRowFromTheTop) {
  Frame frame;
  frame.width = 4;
  frame.height = 3;
  const Plane& plane = frame.allocate(Label::color);
  EXPECT_EQ(plane.at(0, 0), 0u);
  EXPECT_EQ(plane.at(0, 1, 2), 5u);
  EXPECT_EQ(plane.at(2, 3, 2), plane.f.size() - 1);
}

}  // namespace
}  // namespace simulacra
