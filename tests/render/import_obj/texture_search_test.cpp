// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/texture_search.h"

#include <gtest/gtest.h>

#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

class TextureSearchTest : public ::testing::Test {
 protected:
  void put(const char* relative) {
    fs::create_directories((dir.path() / relative).parent_path());
    write_text_atomically(dir.path() / relative, "x");
  }
  /// The found file relative to the folder, "" when there is none.
  std::string find(std::string_view written, std::vector<fs::path> folders) {
    for (fs::path& folder : folders) folder = dir.path() / folder;
    FileSearch search;
    const auto found = search.find(written, folders);
    return found ? fs::relative(*found, dir.path()).generic_string() : std::string();
  }
  test::TempDir dir;
};

TEST_F(TextureSearchTest, AsWrittenComesFirst) {
  put("model/wood.png");
  put("model/textures/wood.png");
  EXPECT_EQ(find("textures/wood.png", {"model"}), "model/textures/wood.png");
  EXPECT_EQ(find("wood.png", {"model"}), "model/wood.png");
}

TEST_F(TextureSearchTest, CaseAndSlashesMayDiffer) {
  put("model/Textures/Wood Oak.PNG");
  EXPECT_EQ(find("textures\\wood oak.png", {"model"}), "model/Textures/Wood Oak.PNG");
  EXPECT_EQ(find(".\\TEXTURES/./WOOD OAK.png", {"model"}), "model/Textures/Wood Oak.PNG");
}

TEST_F(TextureSearchTest, ForeignAbsolutePathsFallBackToTheirName) {
  put("model/oak.jpg");
  EXPECT_EQ(find("C:\\Users\\me\\Desktop\\Oak.jpg", {"model"}), "model/oak.jpg");
  EXPECT_EQ(find("/home/me/oak.jpg", {"model"}), "model/oak.jpg");
}

TEST_F(TextureSearchTest, TextureFoldersInsideAndBesideAreSearched) {
  put("model/Maps/a.png");
  put("tex/b.png");
  EXPECT_EQ(find("gone/a.png", {"model"}), "model/Maps/a.png");
  EXPECT_EQ(find("b.png", {"model"}), "tex/b.png");
}

TEST_F(TextureSearchTest, TheFirstFolderWins) {
  put("one/a.png");
  put("two/a.png");
  EXPECT_EQ(find("a.png", {"two", "one"}), "two/a.png");
  EXPECT_EQ(find("a.png", {"three", "one"}), "one/a.png");
}

TEST_F(TextureSearchTest, OnlyFilesCount) {
  put("model/a.png/inner");
  EXPECT_EQ(find("a.png", {"model"}), "");
  EXPECT_EQ(find("", {"model"}), "");
  EXPECT_EQ(find("..", {"model"}), "");
  EXPECT_EQ(find(std::string_view("a\0b", 3), {"model"}), "");
  EXPECT_EQ(find("/dev/null", {"model"}), "");
  EXPECT_EQ(find(std::string(100000, 'a'), {"model"}), "");
  EXPECT_EQ(find(std::string(300, 'a'), {"model"}), "");
}

TEST_F(TextureSearchTest, OfTwoSpellingsTheExactOneWins) {
  put("model/A.png");
  put("model/a.png");
  EXPECT_EQ(find("x/a.png", {"model"}), "model/a.png");
  EXPECT_EQ(find("x/A.png", {"model"}), "model/A.png");
}

}  // namespace
}  // namespace simulacra
