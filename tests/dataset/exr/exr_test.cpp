// SPDX-License-Identifier: Apache-2.0
#include "dataset/exr/exr.h"

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/half.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Every label, each value a function of label, pixel and channel; the first row is empty sky.
Frame coded_frame(int width, int height) {
  Frame frame;
  frame.width = width;
  frame.height = height;
  for (const LabelSpec& row : kLabels) {
    Plane& plane = frame.allocate(row.id);
    for (int r = 1; r < height; ++r)
      for (int c = 0; c < width; ++c)
        for (int k = 0; k < plane.channels; ++k) {
          const int code = (31 * r + 17 * c + 7 * k + 3 * static_cast<int>(index_of(row.id))) % 997;
          const float value = static_cast<float>(code) * 0.0371f - 3.0f;
          if (row.dtype == DType::f16) plane.f[plane.at(r, c, k)] = round_to_half(value);
          else if (row.dtype == DType::f32) plane.f[plane.at(r, c, k)] = value;
          else plane.i[plane.at(r, c, k)] = row.dtype == DType::u8 ? code % 4 : code;
        }
  }
  return frame;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

TEST(Exr, EveryLabelSurvivesTheRoundTripInAnOddSize) {
  const test::TempDir folder;
  const auto file = folder.path() / "frame.exr";
  const Frame frame = coded_frame(67, 33);
  write_exr(file, frame);
  const Frame read = read_exr(file);
  EXPECT_EQ(read.width, 67);
  EXPECT_EQ(read.height, 33);
  for (const LabelSpec& row : kLabels) {
    EXPECT_TRUE(read.has(row.id)) << row.name;
    EXPECT_TRUE(same_bits(read.plane(row.id).f, frame.plane(row.id).f)) << row.name;
    EXPECT_EQ(read.plane(row.id).i, frame.plane(row.id).i) << row.name;
  }
  EXPECT_EQ(read.plane(Label::semantic).i[0], -1);
  EXPECT_TRUE(std::isnan(read.plane(Label::depth_meters).f[0]));
}

TEST(Exr, LabelsThatAreAbsentStayAbsent) {
  const test::TempDir folder;
  Frame frame;
  frame.width = 4;
  frame.height = 3;
  frame.allocate(Label::depth_meters);
  write_exr(folder.path() / "a.exr", frame);
  const Frame read = read_exr(folder.path() / "a.exr");
  EXPECT_TRUE(read.has(Label::depth_meters));
  EXPECT_FALSE(read.has(Label::color));
}

TEST(Exr, EqualFramesGiveEqualBytes) {
  EXPECT_EQ(encode_exr(coded_frame(50, 40), {{"seed", "1"}}), encode_exr(coded_frame(50, 40), {{"seed", "1"}}));
}

TEST(Exr, MetadataAreKept) {
  const test::TempDir folder;
  write_exr(folder.path() / "a.exr", coded_frame(5, 5), {{"scene", "hall"}, {"spp", "64"}});
  const ExrMetadata metadata = read_exr_metadata(folder.path() / "a.exr");
  EXPECT_EQ(metadata.at("scene"), "hall");
  EXPECT_EQ(metadata.at("spp"), "64");
}

TEST(Exr, WhatCannotBeStoredIsRefused) {
  Frame empty;
  empty.width = empty.height = 4;
  EXPECT_THROW(encode_exr(empty), Error);
  empty.allocate(Label::material_id).i[3] = (1 << 24) + 1;
  try {
    encode_exr(empty);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("material_id: the value 16777217"));
  }
}

TEST(Exr, ADamagedFileIsOneLineThatNamesIt) {
  const test::TempDir folder;
  const auto file = folder.path() / "frame.exr";
  const std::vector<std::uint8_t> whole = encode_exr(coded_frame(67, 33));
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{100}, whole.size() / 2}) {
    write_file_atomically(file, std::span(whole).first(size));
    try {
      read_exr(file);
      ADD_FAILURE() << size << " bytes of " << whole.size() << " were read";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("frame.exr: "), Not(HasSubstr("\n"))));
    }
  }
}

}  // namespace
}  // namespace simulacra
