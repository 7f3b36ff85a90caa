// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/checksum.h"

#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include <gmock/gmock.h>

#include "dataset/schema/src/sha256_blocks.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

// Vectors of FIPS 180-4's examples and NIST's "a million a".
TEST(Checksum, AgreesWithThePublishedVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Checksum, DoesNotDependOnHowTheBytesArrive) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  const std::string whole = sha256_hex(text);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{55}, std::size_t{56}, std::size_t{63}, std::size_t{64},
                                  std::size_t{65}, std::size_t{130}}) {
    Sha256 sum;
    for (std::size_t at = 0; at < text.size(); at += piece) sum.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(sum.hex(), whole) << "pieces of " << piece;
  }
}

TEST(Checksum, InstructionsAndPortableCodeAgree) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> blocks(64 * 37);
  for (std::uint8_t& byte : blocks) byte = static_cast<std::uint8_t>(random());
  Sha256State portable{1, 2, 3, 0x80000004u, 5, 6, 7, 8}, fast = portable;
  if (!sha256_blocks_by_instructions(fast, blocks)) GTEST_SKIP() << "this processor has no instructions for it";
  sha256_blocks_portable(portable, blocks);
  EXPECT_EQ(fast, portable);
}

TEST(Checksum, OfAFileIsThatOfItsBytes) {
  const test::TempDir folder;
  const std::string text(300000, 'x');
  write_text_atomically(folder.path() / "x", text);
  EXPECT_EQ(sha256_of_file(folder.path() / "x"), sha256_hex(text));
  EXPECT_THROW(sha256_of_file(folder.path() / "absent"), Error);
}

TEST(MixSeed, NeighboursHaveDifferentSeeds) {
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (std::uint64_t scene = 0; scene < 10; ++scene)
      for (std::uint64_t frame = 0; frame < 100; ++frame) {
        const std::uint64_t parts[] = {seed, scene, frame};
        seen.insert(mix_seed(parts));
      }
  EXPECT_EQ(seen.size(), 10000u);
  // Order counts.
  const std::uint64_t ab[] = {1, 2}, ba[] = {2, 1};
  EXPECT_NE(mix_seed(ab), mix_seed(ba));
}

}  // namespace
}  // namespace simulacra
