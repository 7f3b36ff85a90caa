// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstdint>
#include <string>
#include <vector>

#include "render/base/error.h"

namespace simulacra::rooms {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

/// One member as the archive claims it; tests lie in single fields.
struct Member {
  std::string name, content;
  int method = 8;
  std::uint16_t flags = 0;
  std::int64_t claimed_size = -1;
  bool wrong_checksum = false;
};

void put(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) out.push_back(static_cast<std::uint8_t>(value));
}
void put(Bytes& out, const std::string& text) { out.insert(out.end(), text.begin(), text.end()); }

Bytes deflated(const std::string& content) {
  libdeflate_compressor* c = libdeflate_alloc_compressor(6);
  Bytes out(libdeflate_deflate_compress_bound(c, content.size()));
  out.resize(libdeflate_deflate_compress(c, content.data(), content.size(), out.data(), out.size()));
  libdeflate_free_compressor(c);
  return out;
}

Bytes archive(const std::vector<Member>& members) {
  Bytes out, directory;
  for (const Member& m : members) {
    const Bytes packed = m.method == 8 ? deflated(m.content) : Bytes(m.content.begin(), m.content.end());
    const std::uint32_t crc = libdeflate_crc32(0, m.content.data(), m.content.size()) ^ (m.wrong_checksum ? 1u : 0u);
    const std::uint64_t size = m.claimed_size >= 0 ? static_cast<std::uint64_t>(m.claimed_size) : m.content.size();
    const auto common = [&](Bytes& b) {
      put(b, 20, 2);
      put(b, m.flags, 2);
      put(b, static_cast<std::uint64_t>(m.method), 2);
      put(b, 0, 4);
      put(b, crc, 4);
      put(b, packed.size(), 4);
      put(b, size, 4);
      put(b, m.name.size(), 2);
      put(b, 0, 2);
    };
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    common(directory);
    put(directory, 0, 10);
    put(directory, out.size(), 4);
    put(directory, m.name);
    put(out, 0x04034b50, 4);
    common(out);
    put(out, m.name);
    out.insert(out.end(), packed.begin(), packed.end());
  }
  const std::size_t start = out.size();
  out.insert(out.end(), directory.begin(), directory.end());
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, members.size(), 2);
  put(out, members.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);
  return out;
}

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string refusal(const std::vector<Member>& members, const ZipLimits& limits = {}) {
  return message([&] {
    const ZipArchive zip(archive(members), "a.zip", limits);
    for (const std::string& name : zip.names()) zip.read(name);
  });
}

TEST(Zip, MembersComeBackAsTheyWentIn) {
  const std::string text(5000, 'x'), other = "line 1\nline 2\n";
  const ZipArchive zip(archive({{"folder/", ""}, {"folder/a.txt", text}, {"b.txt", other, 0}}), "a.zip");

  EXPECT_THAT(zip.names(), ::testing::ElementsAre("b.txt", "folder/a.txt"));
  EXPECT_EQ(zip.read("folder/a.txt"), Bytes(text.begin(), text.end()));
  EXPECT_EQ(zip.read("b.txt"), Bytes(other.begin(), other.end()));
  EXPECT_THAT(zip.names_below("folder"), ::testing::ElementsAre("folder/a.txt"));
}

TEST(Zip, NamesThatLeaveTheFolderAreRefused) {
  for (const char* name : {"../evil", "a/../../evil", "/etc/passwd", "a\\..\\evil", "C:evil", "a//b", "."})
    EXPECT_THAT(refusal({{name, "x"}}), HasSubstr("outside the archive's folder")) << name;
}

TEST(Zip, AMemberThatClaimsToBeHugeIsRefusedBeforeUnpacking) {
  Member bomb{"bomb", std::string(1000, '0')};
  bomb.claimed_size = 0xfffffffe;
  EXPECT_THAT(refusal({bomb}), HasSubstr("unpacks to 4294967294 bytes"));
}

TEST(Zip, ManyLargeMembersTogetherAreRefused) {
  ZipLimits limits;
  limits.total_bytes = 2500;
  const std::string thousand(1000, 'x');
  EXPECT_THAT(refusal({{"a", thousand}, {"b", thousand}, {"c", thousand}}, limits), HasSubstr("more than 2500 bytes"));
}

TEST(Zip, AMemberThatUnpacksToAnotherSizeIsRefused) {
  for (const int claimed : {0, 10, 999, 1001, 5000}) {
    Member liar{"liar", std::string(1000, 'x')};
    liar.claimed_size = claimed;
    EXPECT_THAT(refusal({liar}), HasSubstr("damaged")) << claimed;
  }
}

TEST(Zip, AWrongChecksumIsRefused) {
  Member m{"m", "content"};
  m.wrong_checksum = true;
  EXPECT_THAT(refusal({m}), HasSubstr("its checksum differs"));
}

TEST(Zip, WhatIsNotSupportedIsNamed) {
  Member encrypted{"m", "content"}, method{"m", "content"};
  encrypted.flags = 1;
  method.method = 14;
  EXPECT_THAT(refusal({encrypted}), HasSubstr("'m' is encrypted"));
  EXPECT_THAT(refusal({method}), HasSubstr("compression method 14"));
  EXPECT_THAT(refusal({{"m", "1"}, {"m", "2"}}), HasSubstr("two members are called 'm'"));
}

TEST(Zip, EveryTruncationIsAnError) {
  const Bytes whole = archive({{"a.txt", std::string(300, 'a')}, {"b/c.txt", "hello", 0}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(ZipArchive(part, "a.zip"), Error) << size;
  }
}

TEST(Zip, EveryChangedByteIsAnErrorOrHarmless) {
  const std::string a(300, 'a');
  const Bytes whole = archive({{"a.txt", a}, {"b/c.txt", "hello", 0}});
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const std::uint8_t change : std::initializer_list<std::uint8_t>{0x01, 0x80, 0xff}) {
      Bytes damaged = whole;
      damaged[at] ^= change;
      const std::string outcome = message([&] {
        const ZipArchive zip(damaged, "a.zip");
        for (const std::string& name : zip.names()) zip.read(name);
      });
      refused += outcome != "no error";
    }
  // Dates, versions and attributes are free; contents, sizes, names' lengths and offsets are not.
  EXPECT_GT(refused, static_cast<int>(whole.size()));
}

}  // namespace
}  // namespace simulacra::rooms
