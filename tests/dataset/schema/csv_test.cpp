// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/csv.h"

#include <gmock/gmock.h>

#include "dataset/schema/tables.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::string& text) {
  try {
    parse_csv(text, "t.csv");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Csv, AnyTextSurvivesTheRoundTrip) {
  CsvTable table;
  table.header = {"a", "b"};
  table.rows = {{"plain", "with, comma"}, {"", "\"quoted\""}, {"two\nlines", "carriage\r\nreturn"}, {" blank ", "Tür"}};
  EXPECT_EQ(parse_csv(csv_text(table), "t.csv"), table);
}

TEST(Csv, ASingleEmptyFieldIsARow) {
  const CsvTable table{{"object_name"}, {{"a"}, {""}, {"b"}}};
  EXPECT_EQ(parse_csv(csv_text(table), "t.csv"), table);
}

TEST(Csv, TakesWindowsLineEndsAndAMissingLastOne) {
  EXPECT_EQ(parse_csv("a,b\r\n1,2\r\n\r\n3,4", "t.csv"), (CsvTable{{"a", "b"}, {{"1", "2"}, {"3", "4"}}}));
}

TEST(Csv, DamagedTextIsAnErrorThatNamesItsPlace) {
  EXPECT_THAT(message_of("a,b\n1\n"), HasSubstr("t.csv: row 1 has 1 fields under a header of 2"));
  EXPECT_THAT(message_of("a,b\n1,\"2\n"), HasSubstr("t.csv:2: a quoted field is not closed"));
  EXPECT_THAT(message_of("a\n\"1\"2\n"), HasSubstr("t.csv:2: found '2' after a quoted field"));
  EXPECT_THAT(message_of(""), HasSubstr("t.csv: an empty file"));
}

TEST(Csv, AnUnknownColumnIsAnsweredWithTheKnownOnes) {
  const CsvTable table{{"one", "two"}, {}};
  EXPECT_EQ(table.column("two"), 1u);
  EXPECT_THROW(
      try { table.column("three"); } catch (const Error& e) {
        EXPECT_THAT(e.what(), HasSubstr("'three'; the columns are one, two"));
        throw;
      },
      Error);
}

TEST(Csv, NumbersReadBackAsTheSameDouble) {
  for (const double x : {0.0, 1.0, -1.0, 0.1, 1.0 / 3, 886.8100134752652, 1e-300, 6.02e23, 32767.0})
    EXPECT_EQ(std::stod(csv_number(x)), x);
  EXPECT_EQ(csv_number(768), "768.0");
  EXPECT_EQ(csv_number(768, false), "768");
  EXPECT_EQ(csv_bool(true), "True");
}

TEST(Tables, HaveTheColumnCountsOfTheFormat) {
  EXPECT_EQ(metadata_camera_parameters_columns().size(), 87u);
  EXPECT_EQ(metadata_camera_trajectories_columns().size(), 10u);
  EXPECT_EQ(metadata_images_split_columns().size(), 6u);
}

}  // namespace
}  // namespace simulacra
