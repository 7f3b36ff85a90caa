// SPDX-License-Identifier: Apache-2.0
// The program itself: exit codes, what it prints, kills and interrupts.
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "dataset/schema/manifest.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/dataset/generate/tiny_room.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using test::TempDir;

struct Outcome {
  int exit_code = -1;          ///< 128 + signal when a signal ended it
  std::string out, err;
};

/// Runs the program; after `signal_after_us` microseconds it gets `signal_number`.
Outcome program(const fs::path& folder, const std::vector<std::string>& arguments, int signal_number = 0,
                useconds_t signal_after_us = 0) {
  const std::string out = (folder / "out").string(), err = (folder / "err").string();
  std::vector<std::string> all{SIMULACRA_PROGRAM, "generate"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const pid_t child = ::fork();
  if (child == 0) {
    const int out_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(out_fd, STDOUT_FILENO);
    ::dup2(err_fd, STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& a : all) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::execv(SIMULACRA_PROGRAM, argv.data());
    ::_exit(127);
  }
  if (signal_number != 0) {
    ::usleep(signal_after_us);
    ::kill(child, signal_number);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text_file(out), read_text_file(err)};
}

/// Path to bytes of everything below a folder, lines of the manifest without their times.
std::map<std::string, std::string> tree(const fs::path& root) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = fs::relative(entry.path(), root).string();
    files[path] = read_text_file(entry.path());
    if (path != kManifestFile) continue;
    std::string timeless;
    for (std::size_t at = 0, end; (end = files[path].find('\n', at)) != std::string::npos; at = end + 1) {
      nlohmann::json line = nlohmann::json::parse(files[path].substr(at, end - at));
      for (auto it = line.begin(); it != line.end();) it = it.key().ends_with("seconds") ? line.erase(it) : std::next(it);
      timeless += line.dump() + "\n";
    }
    files[path] = timeless;
  }
  return files;
}

TEST(GenerateVerb, PrintsASummaryForScripts) {
  const TempDir temp;
  const std::string config = test::write_tiny_room(temp.path()).string(), root = (temp.path() / "set").string();
  const Outcome made = program(temp.path(), {config, "--out", root, "--frames", "2", "--size", "40x30", "--spp", "2",
                                             "--seed", "3", "--threads", "2", "--json"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const nlohmann::json summary = nlohmann::json::parse(made.out);
  EXPECT_EQ(summary["frames"], 2);
  EXPECT_EQ(summary["rendered"], 2);
  EXPECT_EQ(summary["complete"], true);
  const Manifest manifest = read_manifest(fs::path(root) / kManifestFile);
  EXPECT_EQ(manifest.dataset->width, 40);
  EXPECT_EQ(manifest.dataset->seed, 3u);
}

TEST(GenerateVerb, BadRequestsExitWithTwoAndOneLineAndWriteNothing) {
  const TempDir temp;
  const std::string config = test::write_tiny_room(temp.path()).string(), root = (temp.path() / "set").string();
  const std::string dark = (temp.path() / "dark.yaml").string();
  struct Case {
    std::vector<std::string> arguments;
    const char* culprit;
  };
  const std::vector<Case> cases = {
      {{config}, "--out"},
      {{"absent.xml", "--out", root}, "absent.xml"},
      {{config, "--out", root, "--frames", "0"}, "cameras.frames"},
      {{config, "--out", root, "--frames", "three"}, "three"},
      {{config, "--out", root, "--cameras", "-1"}, "-1"},
      {{config, "--out", root, "--scenes", "2"}, "dataset.scenes"},
      {{config, "--out", root, "--size", "640"}, "640"},
      {{config, "--out", root, "--spp", "0"}, "render.spp"},
      {{config, "--out", root, "--seed", "x"}, "--seed"},
      {{config, "--out", root, "--threads", "-2"}, "--threads"},
      {{config, "--out", root, "--set", "cameras.form=scene"}, "did you mean 'from'"},
      {{config, "--out", root, "--set", "cameras.from=scene"}, "has no camera"},
      {{config, "--out", root, "--nonsense"}, "--nonsense"},
      {{config, "--out", root, "--set", "scene.file=absent.obj"}, "absent.obj"},
      {{dark, "--out", root}, "no light"},
      {{config, "--out", config}, "is a file"},
      {{config, "--out", temp.path().string()}, "not empty"},
  };
  for (const Case& c : cases) {
    const Outcome outcome = program(temp.path(), c.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << c.culprit << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(c.culprit));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(fs::exists(root)) << c.culprit;
  }
}

class GenerateVerbStopped : public ::testing::TestWithParam<int> {};

TEST_P(GenerateVerbStopped, AtAnyMomentIsCompletedToTheSameTree) {
  const TempDir temp;
  const std::string config = test::write_tiny_room(temp.path()).string();
  const fs::path whole = temp.path() / "whole";
  ASSERT_EQ(program(temp.path(), {config, "--out", whole.string()}).exit_code, 0);
  const auto expected = tree(whole);
  const int number = GetParam();
  const fs::path root = temp.path() / "set";
  for (useconds_t i = 1; i <= 10; ++i) {
    const Outcome stopped = program(temp.path(), {config, "--out", root.string()}, number, 60000 * i);
    if (number == SIGKILL) EXPECT_THAT(stopped.exit_code, ::testing::AnyOf(0, 128 + SIGKILL));
    // Before the handler stands the signal itself ends the program; afterwards it says where it stopped.
    else EXPECT_THAT(stopped.exit_code, ::testing::AnyOf(0, 130)) << stopped.err;
    if (!fs::exists(root)) continue;
    // Nothing half-written outside of the working folder.
    for (const auto& [path, bytes] : tree(root)) {
      if (path.starts_with(".simulacra/") || path == kManifestFile || path.starts_with("analysis/")) continue;
      ASSERT_TRUE(expected.contains(path)) << path;
      EXPECT_EQ(bytes, expected.at(path)) << path;
    }
    // Every second time from scratch, else on from where it was.
    if (i % 2 == 0) fs::remove_all(root);
  }
  ASSERT_EQ(program(temp.path(), {config, "--out", root.string()}).exit_code, 0);
  EXPECT_EQ(tree(root), expected);
}

INSTANTIATE_TEST_SUITE_P(Signals, GenerateVerbStopped, ::testing::Values(SIGKILL, SIGINT),
                         [](const auto& signal) { return signal.param == SIGKILL ? "Kill" : "Interrupt"; });

}  // namespace
}  // namespace simulacra
