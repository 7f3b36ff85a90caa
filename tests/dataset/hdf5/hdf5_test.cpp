// SPDX-License-Identifier: Apache-2.0
#include "dataset/hdf5/hdf5.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/hdf5/src/chunks.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/half.h"
#include "tests/support/shared_data.h"

namespace simulacra::hdf5 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Elements whose bytes tell their flat index.
std::vector<std::byte> coded_bytes(Element element, std::span<const std::size_t> shape) {
  const std::size_t count = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  std::vector<std::byte> bytes(count * byte_size(element));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u) >> 11);
  return bytes;
}

/// Chunks that hold all channels of their pixels.
Storage all_channels(std::span<const std::size_t> shape) {
  Storage storage = image_storage(shape);
  if (shape.size() == 3) storage.chunk[2] = shape[2];
  return storage;
}

/// Runs the bodies backwards on several threads.
void scrambled_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = count; i-- > 0;)
        if (i % 3 == t) body(i);
    });
  for (std::thread& thread : threads) thread.join();
}

class EveryElement : public testing::TestWithParam<Element> {};

TEST_P(EveryElement, SurvivesTheRoundTripInOddSizes) {
  const Element element = GetParam();
  const std::vector<std::vector<std::size_t>> shapes = {{217, 333}, {217, 333, 3}, {96, 128, 1}, {1, 1}, {5, 700, 3}};
  for (const auto& shape : shapes) {
    const auto bytes = coded_bytes(element, shape);
    for (const Storage& storage : {Storage{}, image_storage(shape), Storage{image_storage(shape).chunk, 1, false},
                                   all_channels(shape)}) {
      const Array array = read_bytes(encode(element, shape, bytes, storage), "memory");
      EXPECT_EQ(array.element, element);
      EXPECT_EQ(array.shape, shape);
      EXPECT_TRUE(array.bytes == bytes) << name_of(element) << " " << shape[0] << " x " << shape[1];
    }
  }
}

TEST_P(EveryElement, AnyThreadsAndAnyTimeGiveTheSameBytes) {
  const std::vector<std::size_t> shape{217, 333, 3};
  const auto bytes = coded_bytes(GetParam(), shape);
  const auto serial = encode(GetParam(), shape, bytes, image_storage(shape));
  EXPECT_EQ(serial, encode(GetParam(), shape, bytes, image_storage(shape), scrambled_for));
}

INSTANTIATE_TEST_SUITE_P(Hdf5, EveryElement,
                         testing::Values(Element::f16, Element::f32, Element::f64, Element::u8, Element::i16,
                                         Element::i32, Element::i64),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

std::vector<std::byte> noise(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 24);
  return bytes;
}

struct PlaneCase {
  const char* name;
  std::size_t element_bytes;
  unsigned noisy;  ///< bit b: byte b of each element is noise, else it hardly varies
};

class MixedPlanes : public testing::TestWithParam<PlaneCase> {};

// Leading noise is stored and the rest deflated: every order of both must read back, in sizes that need one and several
// stored blocks, and take no more room than noise does.
TEST_P(MixedPlanes, AreOneStreamThatUnpacks) {
  const auto [name, element_bytes, noisy] = GetParam();
  for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{12288}, std::size_t{70000}}) {
    std::vector<std::byte> plain = noise(count * element_bytes);
    std::size_t expected = 0;
    for (std::size_t b = 0; b < element_bytes; ++b) {
      if ((noisy >> b & 1u) != 0) expected += count;
      else for (std::size_t i = 0; i < count; ++i) plain[i * element_bytes + b] = static_cast<std::byte>(i / 1000);
    }
    std::vector<std::byte> shuffled(plain.size()), unpacked(plain.size());
    shuffle_bytes(plain, element_bytes, shuffled.data());
    for (const int level : {1, 6, 12}) {
      const auto stream = deflate(shuffled, element_bytes, level);
      ASSERT_TRUE(inflate(stream, unpacked)) << count << " elements, level " << level;
      EXPECT_TRUE(unpacked == shuffled);
      EXPECT_LT(stream.size(), expected + expected / 500 + plain.size() / 50 + 80) << count << " elements, level " << level;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hdf5, MixedPlanes,
                         testing::Values(PlaneCase{"smooth", 2, 0b00}, PlaneCase{"noisyLow", 2, 0b01},
                                         PlaneCase{"noisyHigh", 2, 0b10}, PlaneCase{"noise", 2, 0b11},
                                         PlaneCase{"noisyFloats", 4, 0b0111}, PlaneCase{"noiseInTheMiddle", 4, 0b0110},
                                         PlaneCase{"noisyByte", 1, 0b1}, PlaneCase{"noisyDoubles", 8, 0b11}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Hdf5, NoiseThatRepeatsIsNotStoredAsItIs) {
  std::vector<std::byte> bytes = noise(256);
  bytes.resize(256 * 64);
  for (std::size_t i = 256; i < bytes.size(); ++i) bytes[i] = bytes[i - 256];
  EXPECT_LT(deflate(bytes, 1, 1).size(), 1000u);
}

// Chunks of one value are compressed once a thread; neither that value nor those before it may leak into others.
TEST(Hdf5, ChunksOfOneValueAreWhatTheyAre) {
  const std::vector<std::size_t> shape{192, 1280};
  for (const std::int16_t low : {std::int16_t{0}, std::int16_t{-1}, std::int16_t{300}}) {
    std::vector<std::int16_t> values(shape[0] * shape[1]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int16_t>(low + static_cast<int>(i % 1280 / 256));
    values.back() = 77;
    const auto bytes = std::as_bytes(std::span(values));
    for (const Storage& storage : {image_storage(shape), Storage{image_storage(shape).chunk, 6, true},
                                   Storage{image_storage(shape).chunk, 1, false}, Storage{{64, 128}, 1, true}}) {
      const auto serial = encode(Element::i16, shape, bytes, storage);
      EXPECT_EQ(serial, encode(Element::i16, shape, bytes, storage, scrambled_for));
      EXPECT_TRUE(std::ranges::equal(read_bytes(serial, "memory").as<std::int16_t>(), values));
    }
  }
}

TEST(Hdf5, NoTimeIsStored) {
  const std::vector<std::size_t> shape{4, 4};
  const auto bytes = coded_bytes(Element::i16, shape);
  const auto before = encode(Element::i16, shape, bytes, image_storage(shape));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5's times are whole seconds
  EXPECT_EQ(before, encode(Element::i16, shape, bytes, image_storage(shape)));
}

TEST(Hdf5, ValuesOfHalvesAreWidened) {
  const std::vector<float> values{0.0f, -1.5f, 65504.0f, 0x1p-24f, std::numeric_limits<float>::infinity()};
  std::vector<std::uint16_t> halves;
  for (const float v : values) halves.push_back(half_from_float(v));
  const std::vector<std::size_t> shape{values.size()};
  const Array array = read_bytes(encode(Element::f16, shape, std::as_bytes(std::span(halves))), "memory");
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(array.at(i), static_cast<double>(values[i]));
  EXPECT_EQ(array.as<std::uint16_t>()[1], halves[1]);
  EXPECT_THROW(array.as<float>(), Error);
}

TEST(Hdf5, ChunksLargerThanTheArrayAreRefusedInTheLibrarysWords) {
  const std::vector<std::size_t> shape{3, 5};
  try {
    encode(Element::u8, shape, coded_bytes(Element::u8, shape), Storage{{96, 128}, 6, true});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("chunk size must be <= maximum dimension size"));
  }
}

TEST(Hdf5, AnEmptyArrayIsKept) {
  const std::vector<std::size_t> shape{0, 3};
  const Array array = read_bytes(encode(Element::f64, shape, {}), "memory");
  EXPECT_EQ(array.shape, shape);
  EXPECT_EQ(array.size(), 0u);
}

TEST(Hdf5, InspectionShowsOneDatasetWithoutAttributes) {
  const test::TempDir folder;
  const auto file = folder.path() / "frame.hdf5";
  const std::vector<std::size_t> shape{217, 333, 3};
  write(file, Element::f16, shape, coded_bytes(Element::f16, shape), image_storage(shape));
  const Inspection found = inspect(file);
  EXPECT_THAT(found.root_names, ElementsAre("dataset"));
  EXPECT_EQ(found.root_attributes, 0);
  EXPECT_TRUE(found.has_dataset);
  EXPECT_EQ(found.type, "float16");
  EXPECT_EQ(found.shape, shape);
  EXPECT_THAT(found.chunk, ElementsAre(96, 128, 1));
  EXPECT_THAT(found.filters, ElementsAre("shuffle", "gzip"));
  EXPECT_EQ(found.attributes, 0);
  EXPECT_GT(found.stored_bytes, 0u);
}

TEST(Hdf5, AttributesAreCountedAndContiguousStorageHasNoChunks) {
  const std::vector<std::size_t> shape{2};
  const std::vector<double> values{1, 2};
  const auto bytes = encode(Element::f64, shape, std::as_bytes(std::span(values)), {}, serial_for,
                            {{"unit", std::string("m")}, {"scale", 0.5}, {"empty", std::string()}});
  const Inspection found = inspect_bytes(bytes, "memory");
  EXPECT_EQ(found.attributes, 3);
  EXPECT_TRUE(found.chunk.empty());
  EXPECT_TRUE(found.filters.empty());
  EXPECT_EQ(found.stored_bytes, 16u);
}

TEST(Hdf5, GenuineHypersimFilesAreRead) {
  SIM_NEED_SHARED_DATA(shared);
  int depths = 0, poses = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared / "data/hypersim")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".hdf5") continue;
    const Array array = read(entry.path());
    if (name.find("depth_meters") != std::string::npos) {
      ++depths;
      EXPECT_EQ(array.element, Element::f16);
      EXPECT_THAT(array.shape, ElementsAre(768, 1024));
      EXPECT_THAT(inspect(entry.path()).filters, ElementsAre("gzip"));
      // The room of that frame is between 0.1 m and 100 m deep.
      for (std::size_t i = 0; i < array.size(); i += 1001) {
        EXPECT_GT(array.at(i), 0.1);
        EXPECT_LT(array.at(i), 100.0);
      }
    }
    if (name == "camera_keyframe_positions.hdf5") {
      ++poses;
      EXPECT_EQ(array.element, Element::f64);
      EXPECT_EQ(array.shape[1], 3u);
    }
  }
  EXPECT_GT(depths, 0);
  EXPECT_GT(poses, 0);
}

}  // namespace
}  // namespace simulacra::hdf5
