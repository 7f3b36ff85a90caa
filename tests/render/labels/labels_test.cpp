// SPDX-License-Identifier: Apache-2.0
#include "render/labels/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra {
namespace {

using testing::HasSubstr;

TEST(Labels, TheDocumentIsTheTable) {
  const std::string document = read_text_file(SIMULACRA_SOURCE_DIR "/render/labels/labels.md");
  EXPECT_EQ(document, labels_as_markdown()) << "write labels_as_markdown() to render/labels/labels.md";
}

TEST(Labels, NamesLeadBackToTheirRows) {
  for (const LabelSpec& row : kLabels) EXPECT_EQ(label_from_name(row.name), row.id);
}

TEST(Labels, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  try {
    label_from_name("depth");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no label is called 'depth'; the labels are color, "));
    for (const LabelSpec& row : kLabels) EXPECT_THAT(error.what(), HasSubstr(std::string(row.name)));
  }
}

TEST(Labels, TheFourteenFilesOfThePublicFormatHaveItsTypes) {
  int files = 0;
  for (const LabelSpec& row : kLabels) {
    if (row.profile != Profile::hypersim) continue;
    ++files;
    EXPECT_EQ(row.dtype, row.unit == Unit::identifier ? DType::i16 : DType::f16) << row.name;
    if (row.unit == Unit::identifier) {
      EXPECT_EQ(row.invalid, -1) << row.name;
    }
  }
  EXPECT_EQ(files, 14);
}

TEST(Labels, InvalidIdsLieOutsideTheValidRange) {
  for (const LabelSpec& row : kLabels)
    if (row.unit == Unit::identifier) {
      EXPECT_LT(row.invalid, row.lo) << row.name;
    }
}

}  // namespace
}  // namespace simulacra
