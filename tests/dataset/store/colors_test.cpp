// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/colors.h"

#include <cmath>
#include <cstdlib>

#include <gmock/gmock.h>

namespace simulacra {
namespace {

TEST(Colors, ViridisRunsFromPurpleToYellow) {
  EXPECT_THAT(viridis(0), ::testing::ElementsAre(68, 1, 84));
  EXPECT_THAT(viridis(1), ::testing::ElementsAre(253, 231, 36));
  EXPECT_EQ(viridis(-1), viridis(0));
  EXPECT_EQ(viridis(2), viridis(1));
  EXPECT_THAT(viridis(NAN), ::testing::ElementsAre(0, 0, 0));
  // Its green channel never falls.
  for (int i = 1; i <= 1000; ++i) EXPECT_GE(viridis(i / 1000.0)[1], viridis((i - 1) / 1000.0)[1]);
}

TEST(Colors, NeighbouringInstancesAreToldApart) {
  for (int i = 1; i < 300; ++i) {
    const Color8 a = instance_color(i), b = instance_color(i + 1);
    const int distance = std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
    EXPECT_GT(distance, 60) << "instances " << i << " and " << i + 1;
  }
}

TEST(Colors, NoneIsBlackAndClassesHaveTheirOwnColors) {
  EXPECT_THAT(semantic_color(-1), ::testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(semantic_color(1), ::testing::ElementsAre(174, 199, 232));
  EXPECT_THAT(semantic_color(40), ::testing::ElementsAre(100, 85, 144));
  EXPECT_THAT(instance_color(-1), ::testing::ElementsAre(0, 0, 0));
}

TEST(Colors, BytesAreTruncated) {
  EXPECT_EQ(to_byte(0.8), 204);
  EXPECT_EQ(to_byte(0.9999), 254);
  EXPECT_EQ(to_byte(1), 255);
  EXPECT_EQ(to_byte(7), 255);
  EXPECT_EQ(to_byte(-1), 0);
  EXPECT_EQ(to_byte(NAN), 0);
}

}  // namespace
}  // namespace simulacra
