// SPDX-License-Identifier: Apache-2.0
#include "render/base/files.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Files, WhatIsWrittenIsReadAndNothingElseIsLeft) {
  const test::TempDir folder;
  const fs::path file = folder.path() / "a name with spaces é.bin";
  std::vector<std::uint8_t> bytes(100'003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  write_file_atomically(file, bytes);
  EXPECT_EQ(read_file(file), bytes);
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(Files, ANewVersionReplacesTheOldOne) {
  const test::TempDir folder;
  const fs::path file = folder.path() / "a.txt";
  write_text_atomically(file, "a long first version");
  write_text_atomically(file, "short");
  EXPECT_EQ(read_text_file(file), "short");
  write_text_atomically(file, "");
  EXPECT_EQ(read_text_file(file), "");
}

TEST(Files, AReaderSeesOneVersionOrTheOtherNeverAPart) {
  const test::TempDir folder;
  const fs::path file = folder.path() / "a.txt";
  const std::string a(300'000, 'a'), b(200'000, 'b');
  write_text_atomically(file, a);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) write_text_atomically(file, i % 2 == 0 ? b : a);
    done = true;
  });
  int seen = 0;
  while (!done) {
    const std::string text = read_text_file(file);
    EXPECT_TRUE(text == a || text == b) << text.size() << " bytes";
    ++seen;
  }
  writer.join();
  EXPECT_GT(seen, 0);
}

TEST(Files, WritersOfOneFileDoNotMixTheirTemporaries) {
  const test::TempDir folder;
  const fs::path file = folder.path() / "a.txt";
  std::vector<std::thread> writers;
  for (char c = 'a'; c < 'e'; ++c)
    writers.emplace_back([&, c] {
      for (int i = 0; i < 10; ++i) write_text_atomically(file, std::string(50'000, c));
    });
  for (std::thread& writer : writers) writer.join();
  const std::string text = read_text_file(file);
  EXPECT_EQ(text, std::string(50'000, text[0]));
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(Files, FailuresNameTheFileAndLeaveNothingBehind) {
  const test::TempDir folder;
  EXPECT_THAT(message_of([] { read_file("/nonexistent/a"); }), HasSubstr("/nonexistent/a: cannot be opened"));
  EXPECT_THAT(message_of([&] { read_file(folder.path()); }), HasSubstr("not a regular file"));
  EXPECT_THAT(message_of([&] { write_text_atomically(folder.path() / "no folder" / "a", "x"); }),
              HasSubstr("a: cannot be written"));
  fs::create_directory(folder.path() / "taken");
  EXPECT_THAT(message_of([&] { write_text_atomically(folder.path() / "taken", "x"); }),
              HasSubstr("taken: cannot be renamed into place"));
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(Files, WhatIsTooLargeIsRefused) {
  const test::TempDir folder;
  write_text_atomically(folder.path() / "a", "12345");
  EXPECT_THAT(message_of([&] { read_file(folder.path() / "a", 4); }), HasSubstr("5 bytes, at most 4 are read"));
}

TEST(Files, APipeIsRefusedInsteadOfWaitedFor) {
  const test::TempDir temp;
  const std::filesystem::path pipe = temp.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0644), 0);
  EXPECT_THAT(message_of([&] { read_file(pipe); }), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace simulacra
