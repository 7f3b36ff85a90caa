// SPDX-License-Identifier: Apache-2.0
// `simulacra gap` as a user sees it.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/sim2real/gap/files.h"
#include "tests/sim2real/gap/pictures.h"
#include "tests/support/program.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using namespace test;
using ::testing::AllOf;
using ::testing::HasSubstr;

Outcome run(const fs::path& folder, const std::string& arguments) { return run_program_in(folder, SIMULACRA_PROGRAM, "gap " + arguments); }

TEST(GapVerb, NoisyPicturesAreFarFromQuietOnesAndEqualOnesAreNot) {
  const TempDir dir;
  write_set(dir.path() / "quiet", soft_scenes(16, 48, 3, 0.01, 1));
  write_set(dir.path() / "other", soft_scenes(16, 48, 3, 0.01, 500));
  write_set(dir.path() / "noisy", soft_scenes(16, 48, 3, 0.04, 900));
  const Outcome apart = run(dir.path(), "noisy quiet -o gap.html --threads 2"), equal = run(dir.path(), "other quiet --json --threads 2");
  ASSERT_EQ(apart.exit_code, 0) << apart.err;
  EXPECT_THAT(apart.out, AllOf(HasSubstr("classifier's area"), HasSubstr("16 color pictures"), HasSubstr("Differs most"), HasSubstr("floor")));
  const std::string page = read_text_file(dir.path() / "gap.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<svg"), HasSubstr("data:image/png;base64,")));
  const auto far = nlohmann::json::parse(read_text_file(dir.path() / "gap.json")), near = nlohmann::json::parse(equal.out);
  EXPECT_GT(far["distances"]["classifier_auc"]["lo"], 0.6);
  EXPECT_LE(near["distances"]["classifier_auc"]["lo"], 0.5);
  // log2(0.0411/0.0111) = 1.9 octaves.
  EXPECT_NEAR(far["distances"]["noise_octaves"].get<double>(), 1.9, 0.25);
  EXPECT_LT(near["distances"]["noise_octaves"], 0.25);
  EXPECT_EQ(names_below(dir.path()).size(), 3u * 17 + 2) << "the page, its numbers, and nothing else";
  EXPECT_EQ(run(dir.path(), "noisy quiet --json --threads 1").out, read_text_file(dir.path() / "gap.json")) << "the same on any number of threads";
}

TEST(GapVerb, FoldersThatCannotBeComparedAreRefusedInOneLineAndNothingIsWritten) {
  const TempDir dir;
  const auto folder = [&](const char* name) { return dir.path() / name; };
  write_set(folder("good"), soft_scenes(8, 40, 3, 0.01, 1));
  fs::create_directory(folder("empty"));
  write_set(folder("few"), soft_scenes(7, 40, 3, 0.01, 1));
  write_set(folder("tiny"), soft_scenes(8, 31, 3, 0.01, 1));
  write_set(folder("gray"), soft_scenes(8, 40, 1, 0.01, 1));
  write_set(folder("mixed"), soft_scenes(8, 40, 3, 0.01, 1));
  write_png(folder("mixed") / "2.png", soft_scenes(1, 40, 1, 0.01, 1)[0]);
  write_set(folder("torn"), soft_scenes(8, 40, 3, 0.01, 1));
  fs::resize_file(folder("torn") / "3.png", 200);
  write_set(folder("text"), soft_scenes(8, 40, 3, 0.01, 1));
  write_text_atomically(folder("text") / "5.jpg", "no picture\nat all\n");
  write_set(folder("nan"), soft_scenes(8, 40, 3, 0.01, 1));
  Plane hole = constant_plane(40, 40, 3, 0.5);
  hole.f[0] = NAN;
  write_exr_picture(folder("nan") / "1.exr", hole);
  fs::create_directories(folder("set") / "ai_900_001/images/scene_cam_00_final_hdf5");
  write_text_atomically(folder("set") / "ai_900_001/images/scene_cam_00_final_hdf5/frame.0000.color.hdf5", "torn");
  const auto before = names_below(dir.path());
  struct Case {
    const char *arguments, *culprit;
  };
  for (const Case& c : std::vector<Case>{{"absent good", "absent"},
                                         {"good empty", "empty: 0 PNG"},
                                         {"few good", "few: 7 PNG"},
                                         {"good tiny", "31 x 31 pixels"},
                                         {"gray good", "gray is gray and good is color"},
                                         {"good mixed", "2.png is gray"},
                                         {"torn good", "3.png"},
                                         {"good text", "5.jpg"},
                                         {"good nan", "1.exr: holds values that are not finite"},
                                         {"set good", "frame.0000.color.hdf5"},
                                         {"good/0.png good", "0.png"},
                                         {"good", "REAL"},
                                         {"good good good", "one argument too many"},
                                         {"good good --features shapes", "'shapes' is unknown"},
                                         {"good good --features colors more", "'more'"},
                                         {"good good --features vit", "vit"},
                                         {"good good --features vit absent", "vit"},
                                         {"good good --most 3", "--most"},
                                         {"good good --side 0", "--side"},
                                         {"good good -o page.txt", "page.txt"},
                                         {"good good -o absent/page/x.html --seed x", "--seed"},
                                         {"good good -o good/1.png/page.html", "1.png"}}) {
    const Outcome o = run(dir.path(), std::string(c.arguments) + " -o gap.html");
    const Outcome alone = std::string_view(c.arguments).find("-o ") == std::string_view::npos ? o : run(dir.path(), c.arguments);
    EXPECT_EQ(alone.exit_code, 2) << c.arguments << '\n' << alone.err;
    EXPECT_THAT(alone.err, HasSubstr(c.culprit)) << c.arguments;
    EXPECT_EQ(std::count(alone.err.begin(), alone.err.end(), '\n'), 1) << c.arguments << '\n' << alone.err;
    EXPECT_EQ(alone.out, "") << c.arguments;
    EXPECT_EQ(names_below(dir.path()), before) << c.arguments;
  }
}

}  // namespace
}  // namespace simulacra
