// SPDX-License-Identifier: Apache-2.0
#include "learning/record/scalar_log.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>

#include "render/base/error.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The check value of CRC-32C, and two of RFC 3720, appendix B.4.
TEST(Crc32c, KnownAnswers) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc32c({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()}), 0xE3069283u);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0)), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0xFF)), 0x62A8AB43u);
}

// Written out by hand from the field numbers of TensorBoard's event.proto and summary.proto.
TEST(Event, IsTheMessageByteForByte) {
  const std::string event = scalar_event(1.0, 300, {{"loss", 0.5}});
  const std::string expected("\x09\0\0\0\0\0\0\xF0\x3F"      // 1: wall_time = 1.0
                             "\x10\xAC\x02"                   // 2: step = 300
                             "\x2A\x0D"                       // 5: summary, 13 bytes
                             "\x0A\x0B"                       //   1: value, 11 bytes
                             "\x0A\x04loss"                   //     1: tag
                             "\x15\0\0\0\x3F", 9 + 3 + 2 + 2 + 6 + 5);  //     2: simple_value = 0.5
  EXPECT_EQ(event, expected);
  const std::string record = event_record(event);
  ASSERT_EQ(record.size(), 8 + 4 + event.size() + 4);
  EXPECT_EQ(static_cast<unsigned char>(record[0]), event.size());
  EXPECT_EQ(record.substr(12, event.size()), event);
}

TEST(ScalarLog, AResumedRunLeavesEachStepOnce) {
  const test::TempDir temp;
  {
    ScalarLog log(temp.path(), 0, 1000);
    for (int step = 0; step < 5; ++step) log.add(step, {{"loss", 10.0 - step}, {"rate", 0.1 * step}}, 1000 + step);
  }
  {
    std::ofstream torn(temp.path() / "scalars.csv", std::ios::app);
    torn << "5,lo";  // killed while writing
  }
  {
    ScalarLog log(temp.path(), 3, 2000);
    for (int step = 3; step < 6; ++step) log.add(step, {{"loss", 20.0 - step}}, 2000 + step);
  }
  const auto curve = read_curve(temp.path(), "loss");
  ASSERT_EQ(curve.size(), 6u);
  for (int step = 0; step < 6; ++step) {
    EXPECT_EQ(curve[static_cast<std::size_t>(step)].first, step);
    EXPECT_EQ(curve[static_cast<std::size_t>(step)].second, (step < 3 ? 10.0 : 20.0) - step);
  }
  EXPECT_EQ(read_curve(temp.path(), "rate").size(), 3u);
  int event_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(temp.path()))
    if (entry.path().filename().string().starts_with("events.out.tfevents.")) {
      ++event_files;
      EXPECT_GT(bytes_of(entry.path()).size(), 50u);
    }
  EXPECT_EQ(event_files, 2);
}

TEST(ScalarLog, AFolderThatTakesNoFilesIsNamed) {
  EXPECT_THROW(ScalarLog("/nowhere/at/all", 0, 0), Error);
  const test::TempDir temp;
  EXPECT_THROW(read_curve(temp.path(), "loss"), Error);
}

}  // namespace
}  // namespace simulacra
