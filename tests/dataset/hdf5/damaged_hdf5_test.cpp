// SPDX-License-Identifier: Apache-2.0
// Damaged and foreign files are answered with one line, or read; nothing else.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/hdf5/hdf5.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

#ifdef __SANITIZE_ADDRESS__
// The HDF5 library loses a few hundred bytes where it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

namespace simulacra::hdf5 {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::uint8_t> sample_file() {
  const std::vector<std::size_t> shape{100, 150, 3};
  std::vector<std::byte> bytes(100 * 150 * 3 * 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u) >> 13);
  return encode(Element::f16, shape, bytes, image_storage(shape));
}

/// The message of the Error, or "" when the file was read.
std::string answer(std::span<const std::uint8_t> bytes) {
  try {
    inspect_bytes(bytes, "frame.hdf5");
    read_bytes(bytes, "frame.hdf5");
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(DamagedHdf5, ATruncatedFileIsOneLineThatNamesIt) {
  const auto whole = sample_file();
  for (std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{95}, whole.size() / 4, whole.size() / 2, whole.size() - 1})
    EXPECT_THAT(answer(std::span(whole).first(size)), AllOf(HasSubstr("frame.hdf5: "), Not(HasSubstr("\n")))) << size;
  EXPECT_EQ(answer({}), "frame.hdf5: the file is empty");
}

TEST(DamagedHdf5, AFlippedBitInTheCompressedDataIsFound) {
  auto bytes = sample_file();
  // The chunks are by far the largest part of the file: its middle lies in one of them.
  bytes[bytes.size() / 2] ^= 0x10;
  EXPECT_THAT(answer(bytes), HasSubstr("frame.hdf5: the array cannot be read: chunk "));
}

TEST(DamagedHdf5, RandomDamageNeverDoesMoreThanThrow) {
  const auto whole = sample_file();
  std::mt19937 random(7);
  int refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    auto bytes = whole;
    const std::size_t structure = std::min<std::size_t>(bytes.size(), 5000);
    for (std::size_t k = 0; k <= trial % 4u; ++k) bytes[random() % structure] = static_cast<std::uint8_t>(random());
    const std::string text = answer(bytes);
    refused += text.empty() ? 0 : 1;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_GT(refused, 50);
}

TEST(DamagedHdf5, WhatIsNoHdf5IsCalledSo) {
  const std::string text = "P6 1 1 255 abc, and some more text so that it is no tiny file";
  EXPECT_THAT(answer({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}),
              HasSubstr("frame.hdf5: not an HDF5 file, or a damaged one"));
}

TEST(DamagedHdf5, AMissingDatasetAndAMissingFileAreNamed) {
  const auto bytes = sample_file();
  try {
    read_bytes(bytes, "frame.hdf5", "poses");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "frame.hdf5: there is no dataset 'poses'");
  }
  try {
    read("/nonexistent/frame.hdf5");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/frame.hdf5: cannot be opened"));
  }
}

TEST(DamagedHdf5, OddFilesOfOtherProgramsAreReadOrRefused) {
  SIM_NEED_SHARED_DATA(shared);
  int read_datasets = 0, refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared / "data/hdf5-odd")) {
    if (entry.path().extension() != ".hdf5") continue;
    std::vector<std::string> names;
    try {
      names = inspect(entry.path()).root_names;
    } catch (const Error&) {
      ++refused;
    }
    for (const std::string& name : names) {
      try {
        read(entry.path(), name);
        ++read_datasets;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr(entry.path().filename().string()), Not(HasSubstr("\n"))));
        ++refused;
      }
    }
  }
  EXPECT_GT(read_datasets, 20);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace simulacra::hdf5
