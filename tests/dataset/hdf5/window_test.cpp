// SPDX-License-Identifier: Apache-2.0
#include "dataset/hdf5/window.h"

#include <atomic>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra::hdf5 {
namespace {

using testing::HasSubstr;
using Sizes = std::vector<std::size_t>;

const Sizes kShape = {217, 333, 3};

/// Elements whose bytes tell their flat index.
std::vector<std::byte> coded_bytes(Element element, const Sizes& shape) {
  const std::size_t count = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  std::vector<std::byte> bytes(count * byte_size(element));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u) >> 11);
  return bytes;
}

std::vector<Storage> storages(const Sizes& shape) {
  Storage whole_pixels = image_storage(shape);
  whole_pixels.chunk.back() = shape.back();
  return {image_storage(shape), Storage{image_storage(shape).chunk, 1, false}, whole_pixels, Storage{}};
}

struct Box {
  Sizes first, extent;
};
const std::vector<Box> kBoxes = {{{0, 0, 0}, {217, 333, 3}}, {{95, 127, 0}, {2, 2, 3}}, {{96, 128, 1}, {96, 128, 1}},
                                 {{216, 332, 2}, {1, 1, 1}},  {{13, 40, 0}, {200, 256, 3}}, {{0, 300, 0}, {217, 33, 2}}};

class EveryWindow : public testing::TestWithParam<Element> {};

TEST_P(EveryWindow, IsThePartOfTheArrayInTheOrderThatWasAskedFor) {
  const test::TempDir folder;
  const std::size_t size = byte_size(GetParam());
  const auto bytes = coded_bytes(GetParam(), kShape);
  for (const Storage& storage : storages(kShape)) {
    const auto file = folder.path() / "a.hdf5";
    write(file, GetParam(), kShape, bytes, storage);
    const WindowReader reader(file);
    ASSERT_EQ(reader.shape(), kShape);
    ASSERT_EQ(reader.element(), GetParam());
    for (const auto& [first, extent] : kBoxes) {
      const std::size_t rows = extent[0], columns = extent[1], channels = extent[2];
      for (const Sizes& stride : {Sizes{columns * channels, channels, 1}, Sizes{columns, 1, rows * columns}}) {
        std::vector<std::byte> out(rows * columns * channels * size);
        reader.read(first, extent, stride, out.data());
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t c = 0; c < columns; ++c)
            for (std::size_t k = 0; k < channels; ++k) {
              const std::size_t in_array = ((first[0] + r) * kShape[1] + first[1] + c) * kShape[2] + first[2] + k;
              const std::size_t in_out = r * stride[0] + c * stride[1] + k * stride[2];
              ASSERT_EQ(std::memcmp(out.data() + in_out * size, bytes.data() + in_array * size, size), 0)
                  << r << " " << c << " " << k << " chunks of " << storage.chunk.size() << " shuffled " << storage.shuffle;
            }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hdf5, EveryWindow, testing::Values(Element::f16, Element::f32, Element::f64, Element::u8),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

std::string answer(const std::filesystem::path& file) {
  try {
    const WindowReader reader(file);
    std::vector<std::byte> out(217 * 333 * 3 * 8);
    if (reader.shape() != kShape) return "another shape";
    reader.read(Sizes{0, 0, 0}, kShape, Sizes{999, 3, 1}, out.data());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(WindowReader, NamesDamagedFiles) {
  const test::TempDir folder;
  const auto file = folder.path() / "frame.hdf5";
  const auto whole = encode(Element::f16, kShape, coded_bytes(Element::f16, kShape), image_storage(kShape));
  auto flipped = whole;
  flipped[flipped.size() / 2] ^= 0x10;
  write_file_atomically(file, flipped);
  EXPECT_THAT(answer(file), HasSubstr("frame.hdf5: the array cannot be read: chunk "));
  write_file_atomically(file, std::span(whole).first(whole.size() / 2));
  EXPECT_THAT(answer(file), HasSubstr("frame.hdf5: "));
  write_file_atomically(file, {});
  EXPECT_THAT(answer(file), HasSubstr("frame.hdf5: the file is empty"));
  EXPECT_THAT(answer(folder.path() / "none.hdf5"), HasSubstr("none.hdf5: cannot be opened: No such file"));
  EXPECT_THAT(answer(folder.path()), HasSubstr("is not a regular file"));
}

TEST(WindowReader, RandomDamageNeverDoesMoreThanThrow) {
  const test::TempDir folder;
  const auto file = folder.path() / "frame.hdf5";
  const auto whole = encode(Element::f16, kShape, coded_bytes(Element::f16, kShape), image_storage(kShape));
  std::mt19937 random(7);
  int refused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    auto bytes = whole;
    for (std::size_t k = 0; k <= trial % 4u; ++k)
      bytes[random() % std::min<std::size_t>(bytes.size(), 5000)] = static_cast<std::uint8_t>(random());
    write_file_atomically(file, bytes);
    refused += answer(file).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 25);
}

TEST(WindowReader, SaysThatAFileHasChanged) {
  const test::TempDir folder;
  const auto file = folder.path() / "frame.hdf5";
  write(file, Element::u8, Sizes{4, 4}, coded_bytes(Element::u8, {4, 4}), image_storage(Sizes{4, 4}));
  const WindowReader reader(file);
  write(file, Element::u8, Sizes{5, 5}, coded_bytes(Element::u8, {5, 5}), image_storage(Sizes{5, 5}));
  std::array<std::byte, 16> out{};
  try {
    reader.read(Sizes{0, 0}, Sizes{4, 4}, Sizes{4, 1}, out.data());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("frame.hdf5: has changed since it was first read"));
  }
}

TEST(WindowReader, ServesThreadsAtTheSameTime) {
  const test::TempDir folder;
  const auto bytes = coded_bytes(Element::f16, kShape);
  write(folder.path() / "a.hdf5", Element::f16, kShape, bytes, image_storage(kShape));
  const WindowReader reader(folder.path() / "a.hdf5");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<std::byte> out(bytes.size());
      for (int repeat = 0; repeat < 5; ++repeat) {
        reader.read(Sizes{0, 0, 0}, kShape, Sizes{999, 3, 1}, out.data());
        if (out != bytes) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace simulacra::hdf5
