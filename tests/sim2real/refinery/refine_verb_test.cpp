// SPDX-License-Identifier: Apache-2.0
// The verb as users start it: exit codes, what it prints, what it leaves.
#include <torch/torch.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "tests/sim2real/refinery/small_set.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

class RefineVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    test::make_small_set(temp_.path(), temp_.path() / "data");
    test::make_photographs(temp_.path() / "photos", 8, 72, 56, 3);
    std::ofstream(temp_.path() / "small.yaml") << test::kSmallRefinement;
  }
  Outcome run(const std::string& arguments) const {
    const fs::path out = temp_.path() / "stdout", err = temp_.path() / "stderr";
    const int status = std::system(fmt::format("cd '{}' && '{}' {} > '{}' 2> '{}'", temp_.path().string(), SIMULACRA_PROGRAM, arguments, out.string(), err.string()).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text_file(out), read_text_file(err)};
  }
  Outcome refine(const std::string& more) const { return run("refine small.yaml --data data --real photos --out refined " + more); }
  bool left_nothing() const { return !fs::exists(temp_.path() / "refined") && !fs::exists(temp_.path() / "refined.partial") && !fs::exists(temp_.path() / "refined.run"); }
  void expect_refused(const std::string& arguments) const {
    const Outcome wrong = run("refine " + arguments);
    EXPECT_EQ(wrong.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
    EXPECT_TRUE(left_nothing()) << arguments;
  }
  const test::TempDir temp_;
};

TEST_F(RefineVerb, RefinesAndTheAuditSaysTheSameOfTheCopy) {
  const Outcome done = refine("--json");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json.at("frames"), 3);
  EXPECT_TRUE(fs::exists(temp_.path() / json.at("page").get<std::string>()));
  const Outcome before = run("audit data"), after = run("audit refined");
  EXPECT_EQ(before.exit_code, 0) << before.out;
  EXPECT_EQ(after.exit_code, 0) << after.out;
}

TEST_F(RefineVerb, MovedLabelsAreOneLineAndExitCodeOne) {
  const Outcome stopped = refine("--set train.refiner_warmup=0 --set loss.lambda=0 --set drift.limit_px=0 --set drift.tail_limit_px=0");
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.err, HasSubstr("labels moved at step"));
  EXPECT_FALSE(fs::exists(temp_.path() / "refined"));
}

TEST_F(RefineVerb, WrongRequestsAreOneLineAndExitCodeTwo) {
  for (const char* more : {"--set nosuch=1", "--set method=magic", "--set loss.keep=colors", "--set train.rows=4000 --set train.columns=4000"})
    expect_refused("small.yaml --data data --real photos --out refined " + std::string(more));
  expect_refused("small.yaml --data data --real nowhere --out refined");
  expect_refused("small.yaml --data photos --real photos --out refined");
  expect_refused("small.yaml --data data --real photos");
  expect_refused("absent.yaml --data data --real photos --out refined");
}

}  // namespace
}  // namespace simulacra
