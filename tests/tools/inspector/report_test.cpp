// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "render/base/error.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"
#include "tests/tools/inspector/small_set.h"
#include "tools/inspector/page/page.h"
#include "tools/inspector/report/report.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(LinkedScript, PutsModulesInOrderAndKeepsTheirNamesApart) {
  const PageFile files[] = {{"main.js", "import { a, b as c } from \"./other.js\";\nconst own = a + c();\n"},
                            {"other.js", "const own = 1;\nexport const a = own;\nexport function b() { return own; }\nexport class C {}\n"}};
  const std::string script = linked_script(files, "main.js");
  EXPECT_LT(script.find("const m_other"), script.find("const m_main"));
  EXPECT_THAT(script, HasSubstr("return {a, b, C, };"));
  EXPECT_THAT(script, HasSubstr("const { a, b: c } = m_other;"));
}

TEST(LinkedScript, RefusesWhatItDoesNotUnderstand) {
  const auto message = [](std::string_view text) {
    const PageFile files[] = {{"main.js", text}, {"loop.js", "import { x } from \"./main.js\";\n"}};
    return test::message_of([&] { linked_script(files, "main.js"); });
  };
  EXPECT_THAT(message("import x from \"y\";\n"), HasSubstr("main.js"));
  EXPECT_THAT(message("export { x };\n"), HasSubstr("exports neither"));
  EXPECT_THAT(message("import { x } from \"./none.js\";\n"), HasSubstr("none.js: no such module"));
  EXPECT_THAT(message("import { x } from \"./loop.js\";\n"), HasSubstr("imports itself"));
}

TEST(Page, IsOneTextThatAsksForNothing) {
  const std::string page = page_in_one_file();
  EXPECT_THAT(page, Not(HasSubstr("src=\"page/")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"page/")));
  for (const PageFile& file : page_files()) {
    EXPECT_THAT(std::string(file.text), Not(HasSubstr("http://"))) << file.name;
    EXPECT_THAT(std::string(file.text), Not(HasSubstr("https://"))) << file.name;
    EXPECT_THAT(std::string(file.text), Not(HasSubstr("innerHTML"))) << file.name << ": names from data sets are text, never markup";
    if (file.name.ends_with(".js")) {
      EXPECT_THAT(std::string(file.text), Not(HasSubstr("</script"))) << file.name << " would end where it lies inside the page";
    }
  }
}

FrameList many_frames(std::size_t count) {
  FrameList list;
  list.scenes.push_back({"ai_900_001", {}, {}});
  for (std::size_t i = 0; i < count; ++i) list.frames.push_back({0, "cam_00", static_cast<int>(i), std::nullopt});
  return list;
}

TEST(SampleOf, TakesFramesWithFindingsFirstAndTheOthersEvenly) {
  const FrameList list = many_frames(101);
  EXPECT_THAT(sample_of(list, 3, nullptr), ElementsAre(0, 50, 100));
  EXPECT_EQ(sample_of(list, 500, nullptr).size(), 101u);
  AuditResult audit;
  for (const int frame : {7, 7, 8, 9}) audit.failures.push_back({"F5.depth", label_path({"ai_900_001", "cam_00", frame}, Label::depth_meters), "", "", 0, 0});
  EXPECT_THAT(sample_of(list, 4, &audit), ElementsAre(0, 7, 8, 100));
}

TEST(StaticReport, AppearsWholeAndReplacesOnlyItsLike) {
  const test::TempDir dir;
  test::write_small_set(dir.path() / "set");
  Sets sets;
  sets.lists.push_back(list_frames(dir.path() / "set"));
  const ReportSize size = write_static_report(sets, dir.path() / "page", {.frames = 2});
  EXPECT_EQ(size.frames, 2u);
  for (const char* file : {"index.html", "data/index.js", "data/scene.0.js", "data/frame.0.0.js", "data/plane.0.3.color.js", "data/thumbnail.3.jpg", "data/statistics.js", "data/findings.js"})
    EXPECT_TRUE(fs::is_regular_file(dir.path() / "page" / file)) << file;
  EXPECT_FALSE(fs::exists(dir.path() / "page/data/plane.0.1.color.js")) << "not in the sample";
  EXPECT_FALSE(fs::exists(dir.path() / ".page.partial"));
  EXPECT_THAT(read_text_file(dir.path() / "page/data/scene.0.js"), testing::StartsWith("simulacraReport.give(\"scene.0\",\""));
  write_static_report(sets, dir.path() / "page/", {.frames = 1, .labels = {"color"}});
  EXPECT_FALSE(fs::exists(dir.path() / "page/data/frame.0.3.js")) << "the earlier report is gone";
  EXPECT_FALSE(fs::exists(dir.path() / "page/data/plane.0.0.semantic.js"));
  std::ofstream(dir.path() / "set/keep.txt") << "x";
  EXPECT_THAT(test::message_of([&] { write_static_report(sets, dir.path() / "set", {}); }), HasSubstr("no earlier report"));
  EXPECT_TRUE(fs::exists(dir.path() / "set/keep.txt"));
}

TEST(StaticReport, NamesADamagedFile) {
  const test::TempDir dir;
  test::write_small_set(dir.path() / "set");
  Sets sets;
  sets.lists.push_back(list_frames(dir.path() / "set"));
  const fs::path file = label_file(sets.lists[0], 0, "color");
  fs::resize_file(file, fs::file_size(file) - 40);
  write_static_report(sets, dir.path() / "page", {.frames = 4});
  EXPECT_FALSE(fs::exists(dir.path() / "page/data/plane.0.0.color.js"));
  EXPECT_TRUE(fs::exists(dir.path() / "page/data/plane.0.0.depth_meters.js"));
}

}  // namespace
}  // namespace simulacra::inspector
