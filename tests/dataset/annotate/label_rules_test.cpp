// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotate/label_rules.h"

#include <functional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/annotate/nyu40.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(LabelRules, NamesAreCutIntoWords) {
  EXPECT_THAT(words_of("CoffeeTable_01"), ElementsAre("coffee", "table", "01"));
  EXPECT_THAT(words_of("wall-paint.002"), ElementsAre("wall", "paint", "002"));
  EXPECT_THAT(words_of("TV"), ElementsAre("tv"));
  EXPECT_THAT(words_of("sofa2seats"), ElementsAre("sofa", "2", "seats"));
  EXPECT_THAT(words_of("Frame H\xc3\xb4i An"), ElementsAre("frame", "h\xc3\xb4i", "an"));
  EXPECT_TRUE(words_of("..//").empty());
}

TEST(LabelRules, PatternsAreWordsInOrder) {
  EXPECT_TRUE(matches("coffee table", "SM_CoffeeTable_A"));
  EXPECT_TRUE(matches("Table", "tables"));
  EXPECT_TRUE(matches("box", "Boxes"));
  EXPECT_FALSE(matches("table coffee", "CoffeeTable"));
  EXPECT_FALSE(matches("bed", "bedroom"));
  EXPECT_FALSE(matches("tab", "table"));
}

TEST(LabelRules, StarsStandForLettersOfAWord) {
  EXPECT_TRUE(matches("book*", "Bookshelf.003"));
  EXPECT_TRUE(matches("* switch", "dimmer switch"));
  EXPECT_TRUE(matches("ch?ir", "Chair"));
  EXPECT_FALSE(matches("book*", "audiobook"));
  EXPECT_FALSE(matches("* switch", "switch"));
}

TEST(LabelRules, APatternWithASlashIsAGlobOverThePath) {
  EXPECT_TRUE(matches("Room/*/Mesh_1*", "room/walls/mesh_12"));
  EXPECT_FALSE(matches("Walls/*", "room/walls/mesh_12"));
}

TEST(LabelRules, TheBuiltInTextIsTheFile) {
  const LabelRules built_in = default_label_rules();
  const LabelRules file = read_label_rules(std::filesystem::path(SIMULACRA_SOURCE_DIR) / "configs/dataset/label_rules.yaml");
  ASSERT_EQ(built_in.rules.size(), file.rules.size());
  ASSERT_GT(built_in.rules.size(), 20u);
  for (std::size_t i = 0; i < file.rules.size(); ++i) {
    EXPECT_EQ(built_in.rules[i].label, file.rules[i].label);
    EXPECT_EQ(built_in.rules[i].match, file.rules[i].match);
    EXPECT_EQ(built_in.rules[i].part, file.rules[i].part);
  }
}

TEST(LabelRules, WhatIsMoreExactDecides) {
  const LabelRules rules = default_label_rules();
  const std::pair<const char*, const char*> expected[] = {
      {"Wall paint", "wall"}, {"Ceiling paint", "ceiling"}, {"FloorTiles", "floor"}, {"Wallpaper", "wall"},
      {"table_lamp", "lamp"}, {"FloorLamp", "lamp"}, {"ceiling lamp", "lamp"}, {"Bedside table", "nightstand"},
      {"Coffee table", "table"}, {"Desk lamp", "lamp"}, {"Shower curtain", "showercurtain"}, {"curtain1", "curtain"},
      {"Window blind", "blinds"}, {"window_frame", "window"}, {"Bathmat", "floormat"}, {"Oriental rug", "floormat"},
      {"TV stand", "otherfurniture"}, {"Wall flat TV", "television"}, {"Bookcase", "bookshelf"}, {"painted_wooden_stool", "chair"},
      {"Wall socket", "otherprop"}, {"Ceiling fan", "otherprop"}, {"sofa_03", "sofa"}, {"Kitchen cabinet", "cabinet"},
      {"White board", "whiteboard"}, {"Toilets unit", "toilet"}, {"Coffee cup", "otherprop"}, {"Spiral staircase", "otherstructure"},
      {"Table fan", "otherprop"}, {"Toilet brush", "otherprop"}, {"Clothes washing machine", "otherprop"},
      {"TV remote control", "otherprop"}, {"Table", "table"}, {"Toilet", "toilet"}, {"Clothes", "clothes"}, {"TV", "television"},
  };
  for (const auto& [name, label] : expected) {
    const int semantic = classify_name(rules, name);
    EXPECT_EQ(semantic_name(semantic), label) << name;
  }
  EXPECT_EQ(classify_name(rules, "Mesh.0012"), -1);
}

TEST(LabelRules, WrongRulesAreNamed) {
  const test::TempDir folder;
  const std::filesystem::path file = folder.path() / "rules.yaml";
  write_text_atomically(file, "rules:\n  - {label: chairs, match: [seat]}\n");
  EXPECT_THAT(message_of([&] { read_label_rules(file); }),
              AllOf(HasSubstr("rules.yaml"), HasSubstr("rules[0].label"), HasSubstr("'chairs'"), HasSubstr("did you mean 'chair'")));
  write_text_atomically(file, "rules:\n  - {label: chair, match: ['//']}\n");
  EXPECT_THAT(message_of([&] { read_label_rules(file); }), AllOf(HasSubstr("rules.yaml"), HasSubstr("holds no word")));
  write_text_atomically(file, "rules:\n  - {label: chair, match: []}\n");
  EXPECT_THAT(message_of([&] { read_label_rules(file); }), HasSubstr("has no pattern"));
  write_text_atomically(file, "rules:\n  - {label: chair, matches: [seat]}\n");
  EXPECT_THAT(message_of([&] { read_label_rules(file); }), AllOf(HasSubstr("rules.yaml:2"), HasSubstr("matches"), HasSubstr("match")));
}

TEST(Nyu40, NamesAndNumbersAreClasses) {
  EXPECT_EQ(semantic_from_text("Sofa", "x"), 6);
  EXPECT_EQ(semantic_from_text("35", "x"), 35);
  EXPECT_EQ(semantic_from_text("none", "x"), -1);
  for (const SemanticClass& row : kNyu40) EXPECT_EQ(semantic_from_text(row.name, "x"), row.id);
  for (const char* wrong : {"0", "41", "-2", "", "6x", "sofaa"})
    EXPECT_THAT(message_of([&] { semantic_from_text(wrong, "scene.yaml:4"); }),
                AllOf(HasSubstr("scene.yaml:4"), HasSubstr("otherprop")));
}

}  // namespace
}  // namespace simulacra
