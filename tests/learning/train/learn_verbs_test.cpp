// SPDX-License-Identifier: Apache-2.0
// The learning verbs as users start them: killed, by several processes, with wrong requests.
#include <torch/torch.h>

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "learning/record/scalar_log.h"
#include "learning/train/checkpoint.h"
#include "tests/learning/tensors/coded_set.h"
#include "tests/learning/train/small_run.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using test::bytes_of;

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

class LearnVerbs : public ::testing::Test {
 protected:
  void SetUp() override {
    test::write_coded_set(data_, {.scenes = 3, .frames = 4, .width = 64, .height = 48});
    std::ofstream(config_) << test::kSmallTraining;
  }
  std::string train_command(const std::string& out, const std::string& more = "") const {
    return fmt::format("'{}' train '{}' --data '{}' --out '{}' {}", SIMULACRA_PROGRAM, config_.string(), data_.string(), (temp_.path() / out).string(), more);
  }
  Outcome run(const std::string& command) const {
    const fs::path out = temp_.path() / "stdout", err = temp_.path() / "stderr";
    const int status = std::system(fmt::format("{} > '{}' 2> '{}'", command, out.string(), err.string()).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, bytes_of(out), bytes_of(err)};
  }
  const test::TempDir temp_;
  const fs::path data_ = temp_.path() / "data", config_ = temp_.path() / "small.yaml";
};

/// Starts a shell command in a process group of its own.
pid_t start(const std::string& command) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    ::execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    ::_exit(127);
  }
  return child;
}

TEST_F(LearnVerbs, AKilledTrainingEndsWithTheSameWeights) {
  const std::string longer = "--set schedule.total=40 --set run.checkpoint_every=1";
  ASSERT_EQ(run(train_command("whole", longer)).exit_code, 0);
  int killed = 0;
  for (int round = 0; round < 3; ++round) {
    const pid_t child = start(train_command("killed", longer) + " > /dev/null 2>&1");
    // At another moment each time, counted in checkpoints so that every machine is killed amid its steps.
    const auto steps_done = [&] {
      const auto file = learning::newest_checkpoint(temp_.path() / "killed");
      return file ? std::atoi(file->filename().string().substr(5).c_str()) : 0;
    };
    int status = 0;
    while (steps_done() < 7 + 9 * round && ::waitpid(child, &status, WNOHANG) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    if (::kill(child, SIGKILL) == 0) ++killed;
    ::waitpid(child, &status, 0);
  }
  EXPECT_EQ(killed, 3);
  ASSERT_EQ(run(train_command("killed", longer)).exit_code, 0);
  EXPECT_EQ(bytes_of(temp_.path() / "killed/model.safetensors"), bytes_of(temp_.path() / "whole/model.safetensors"));
}

// Sums of two halves are added in another order than those of the whole; the losses of the first steps agree to
// float32, later ones as far as Adam's division lets that grow.
TEST_F(LearnVerbs, TwoProcessesAreOneWithTheDoubleBatch) {
  if (std::string(SIMULACRA_MPIRUN).empty()) GTEST_SKIP() << "skipped: no MPI";
  ASSERT_EQ(run(train_command("one", "--set loader.batch_size=4")).exit_code, 0);
  const Outcome two = run(fmt::format("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 '{}' --oversubscribe -n 2 {}", SIMULACRA_MPIRUN,
                                      train_command("two", "--set loader.batch_size=2")));
  ASSERT_EQ(two.exit_code, 0) << two.err;
  const auto a = read_curve(temp_.path() / "one", "train/loss"), b = read_curve(temp_.path() / "two", "train/loss");
  ASSERT_EQ(a.size(), 8u);
  ASSERT_EQ(b.size(), 8u);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(b[i].second, a[i].second, (i == 0 ? 1e-6 : 1e-3) * a[i].second) << "step " << i + 1;
}

// Only the first process looks at the folder; the others would wait for its numbers.
TEST_F(LearnVerbs, WhenOneOfTwoProcessesFailsBothEnd) {
  if (std::string(SIMULACRA_MPIRUN).empty()) GTEST_SKIP() << "skipped: no MPI";
  fs::create_directories(temp_.path() / "taken");
  std::ofstream(temp_.path() / "taken/config.yaml") << "another: run\n";
  const Outcome two = run(fmt::format("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 '{}' --oversubscribe -n 2 {}",
                                      SIMULACRA_MPIRUN, train_command("taken")));
  EXPECT_EQ(two.exit_code, 2) << two.err;
  EXPECT_THAT(two.err, HasSubstr("holds another run"));
}

TEST_F(LearnVerbs, EvaluationRefusesFramesThatAreOthersNowAndDamagedModels) {
  const fs::path folder = temp_.path() / "run", model = folder / "model.safetensors";
  ASSERT_EQ(run(train_command("run")).exit_code, 0);
  const auto evaluate = [&](const std::string& more) { return run(fmt::format("'{}' evaluate '{}' {}", SIMULACRA_PROGRAM, folder.string(), more)); };
  EXPECT_EQ(evaluate("").exit_code, 0);

  const Outcome page = evaluate("-o '" + (temp_.path() / "page.txt").string() + "'");
  EXPECT_EQ(page.exit_code, 2);
  EXPECT_THAT(page.err, HasSubstr(".html"));

  test::write_coded_set(data_, {.scenes = 4, .frames = 4, .width = 64, .height = 48});
  const Outcome grown = evaluate("");
  EXPECT_EQ(grown.exit_code, 2);
  EXPECT_THAT(grown.err, HasSubstr("has changed since the training"));
  EXPECT_EQ(std::count(grown.err.begin(), grown.err.end(), '\n'), 1) << grown.err;
  EXPECT_EQ(evaluate("--data '" + data_.string() + "'").exit_code, 0);

  std::string bytes = bytes_of(model);
  bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 1);
  std::ofstream(model, std::ios::binary) << bytes;
  const Outcome damaged = evaluate("--data '" + data_.string() + "'");
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.err, HasSubstr("model.safetensors: is damaged"));
}

TEST_F(LearnVerbs, EvaluationRepeatsTheScoresAndShowsThem) {
  const Outcome trained = run(train_command("run"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const fs::path page = temp_.path() / "page.html";
  const Outcome judged = run(fmt::format("'{}' evaluate '{}' -o '{}' --frames 2", SIMULACRA_PROGRAM, (temp_.path() / "run").string(), page.string()));
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_THAT(trained.out, HasSubstr(judged.out));
  EXPECT_THAT(judged.out, HasSubstr("depth/abs_rel"));
  const std::string html = bytes_of(page);
  for (const char* part : {"Curves", "Predictions", "Classes", "data:image/png;base64,", "<svg", "</html>"}) EXPECT_THAT(html, HasSubstr(part));
  EXPECT_THAT(html, ::testing::Not(HasSubstr("http://")));
}

TEST_F(LearnVerbs, WrongRequestsAreOneLineAndWriteNothing) {
  const std::string program = SIMULACRA_PROGRAM;
  const struct {
    std::string command, expected;
  } rows[] = {
      {train_command("x", "--set schedule.totl=3"), "total"},
      {train_command("x", "--set tasks.depth=-1"), "depth"},
      {train_command("x", "--set model.vit.attention=max"), "sigmoid"},
      {train_command("x", "--seet a=1"), "--set"},
      {fmt::format("'{}' train /nowhere.yaml --data '{}' --out '{}'", program, data_.string(), (temp_.path() / "x").string()), "/nowhere.yaml"},
      {fmt::format("'{}' train '{}' --data /nowhere --out '{}'", program, config_.string(), (temp_.path() / "x").string()), "/nowhere"},
      {fmt::format("'{}' train '{}' --data '{}'", program, config_.string(), data_.string()), "--out"},
      {train_command("x", "--set tasks.albedo=1 --set loader.height=512"), "512"},
      {fmt::format("'{}' evaluate '{}'", program, data_.string()), "config.yaml"},
      {fmt::format("'{}' pretrain '{}' --data '{}' --out '{}'", program, config_.string(), data_.string(), (temp_.path() / "x").string()), "no option is called"},
  };
  for (const auto& row : rows) {
    const Outcome o = run(row.command);
    EXPECT_EQ(o.exit_code, 2) << row.command << '\n' << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_THAT(o.err, HasSubstr(row.expected));
    EXPECT_FALSE(fs::exists(temp_.path() / "x")) << row.command;
  }
}

TEST_F(LearnVerbs, AreListedByTheProgramAndHaveExamples) {
  const Outcome help = run(fmt::format("'{}' --help", SIMULACRA_PROGRAM));
  for (const char* verb : {"train", "pretrain", "evaluate"}) {
    EXPECT_THAT(help.out, HasSubstr(verb));
    const Outcome own = run(fmt::format("'{}' {} --help", SIMULACRA_PROGRAM, verb));
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_THAT(own.out, HasSubstr("Example: simulacra "));
  }
}

}  // namespace
}  // namespace simulacra
