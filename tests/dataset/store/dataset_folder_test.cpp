// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/dataset_folder.h"

#include <fstream>
#include <map>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "dataset/schema/checksum.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using test::TempDir;

const std::string kConfig = "dataset:\n  frames: 3\n";

DatasetRecord plan(const std::string& config = kConfig) {
  DatasetRecord record;
  record.version = "1.0.0";
  record.config_sha256 = sha256_hex(config);
  record.scenes = record.cameras = 1;
  record.frames = 3;
  return record;
}

FrameRecord frame_record(int frame) {
  FrameRecord record;
  record.name = {"ai_900_001", "cam_00", frame};
  return record;
}

std::vector<OutputFile> frame_contents(int frame) {
  const FrameName name{"ai_900_001", "cam_00", frame};
  return {text_file(label_path(name, Label::color), "color of " + std::to_string(frame)),
          text_file(label_path(name, Label::depth_meters), "depth of " + std::to_string(frame))};
}

/// What generate does, in small: writes those of three frames that are missing. Returns how many it wrote.
int make_set(const fs::path& root, int stop_before = 3) {
  DatasetFolder folder(root, plan(), kConfig);
  folder.open(serial_for);
  int made = 0;
  if (!folder.is_complete())
    for (int i = 0; i < 3; ++i) {
      if (i == stop_before) return made;
      if (folder.has_frame(frame_record(i).name)) continue;
      folder.put(frame_contents(i), 1, {frame_record(i)}, serial_for);
      ++made;
    }
  folder.finish();
  return made;
}

/// Path to bytes of everything below a folder; times in the manifest are left out.
std::map<std::string, std::string> tree(const fs::path& root) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), root).string()] = read_text_file(entry.path());
  if (files.contains("manifest.jsonl")) {
    Manifest manifest = parse_manifest(files["manifest.jsonl"], "m");
    for (auto& [path, record] : manifest.files) record.seconds = 0;
    files["manifest.jsonl"] = manifest.text();
  }
  return files;
}

std::string message_of(const fs::path& root, const DatasetRecord& record, const std::string& config) {
  try {
    const DatasetFolder folder(root, record, config);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(DatasetFolder, AFinishedSetListsEveryFileAndHoldsNoWorkingFiles) {
  const TempDir temp;
  EXPECT_EQ(make_set(temp.path() / "set"), 3);
  const Manifest manifest = read_manifest(temp.path() / "set" / kManifestFile);
  ASSERT_TRUE(manifest.dataset);
  EXPECT_TRUE(manifest.dataset->complete);
  EXPECT_EQ(manifest.frames.size(), 3u);
  const std::map<std::string, std::string> files = tree(temp.path() / "set");
  EXPECT_EQ(files.size(), manifest.files.size() + 1);  // and the manifest itself
  for (const auto& [path, record] : manifest.files) {
    ASSERT_TRUE(files.contains(path)) << path;
    EXPECT_EQ(record.sha256, sha256_hex(files.at(path)));
    EXPECT_EQ(record.bytes, files.at(path).size());
  }
}

TEST(DatasetFolder, MoreFilesThanAreOpenAtOnceAreAllWritten) {
  const TempDir folder;
  DatasetFolder set(folder.path() / "set", plan(), kConfig);
  set.open(serial_for);
  std::vector<OutputFile> files;
  for (int i = 0; i < 150; ++i) files.push_back(text_file("ai_900_001/_detail/" + std::to_string(i), std::string(static_cast<std::size_t>(i), 'x')));
  set.put(files, 1, {}, serial_for);
  for (const OutputFile& file : files) {
    EXPECT_EQ(read_file(set.root() / file.path), file.bytes);
    EXPECT_EQ(set.manifest().files.at(file.path).sha256, sha256_hex(file.bytes));
  }
}

TEST(DatasetFolder, AFileThatCannotBeWrittenIsNamedAndNotListed) {
  const TempDir folder;
  DatasetFolder set(folder.path() / "set", plan(), kConfig);
  set.open(serial_for);
  fs::create_directories(set.root() / ".simulacra/tmp/ai_900_001+b");  // in the way
  try {
    set.put({text_file("ai_900_001/a", "a"), text_file("ai_900_001/b", "b")}, 1, {}, serial_for);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ai_900_001+b: cannot be written"));
  }
  EXPECT_FALSE(set.has_file("ai_900_001/a"));
  EXPECT_FALSE(fs::exists(set.root() / "ai_900_001/a"));
}

TEST(DatasetFolder, ASecondRunWritesNothing) {
  const TempDir temp;
  make_set(temp.path() / "set");
  const auto before = fs::last_write_time(temp.path() / "set" / kManifestFile);
  EXPECT_EQ(make_set(temp.path() / "set"), 0);
  EXPECT_EQ(fs::last_write_time(temp.path() / "set" / kManifestFile), before);
}

TEST(DatasetFolder, AnInterruptedSetIsCompletedToTheSameTree) {
  const TempDir temp;
  make_set(temp.path() / "whole");
  for (int stop = 0; stop < 3; ++stop) {
    const fs::path root = temp.path() / std::to_string(stop);
    EXPECT_EQ(make_set(root, stop), stop);
    EXPECT_FALSE(read_manifest(root / kManifestFile).dataset->complete);
    EXPECT_EQ(make_set(root), 3 - stop);
    EXPECT_EQ(tree(root), tree(temp.path() / "whole"));
  }
}

// The child is killed at the worst moments: between staging, renaming and the manifest's line.
TEST(DatasetFolder, AKillAtAnyMomentIsCompletedToTheSameTree) {
  const TempDir temp;
  make_set(temp.path() / "whole");
  for (int microseconds = 0; microseconds < 12000; microseconds += 600) {
    const fs::path root = temp.path() / std::to_string(microseconds);
    const pid_t child = ::fork();
    if (child == 0) {
      make_set(root);
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(microseconds));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    make_set(root);
    EXPECT_EQ(tree(root), tree(temp.path() / "whole")) << "killed after " << microseconds << " us";
  }
}

TEST(DatasetFolder, DamagedAndMissingFilesAreMadeAgain) {
  const TempDir temp;
  make_set(temp.path() / "whole");
  const fs::path root = temp.path() / "set";
  make_set(root);
  const fs::path color = root / label_path({"ai_900_001", "cam_00", 1}, Label::color);
  write_text_atomically(color, "COLOR of 1");  // same size, other bytes
  fs::remove(root / label_path({"ai_900_001", "cam_00", 2}, Label::depth_meters));
  EXPECT_EQ(make_set(root), 2);
  EXPECT_EQ(tree(root), tree(temp.path() / "whole"));
}

TEST(DatasetFolder, ATornManifestLineCostsOneFrame) {
  const TempDir temp;
  const fs::path root = temp.path() / "set";
  make_set(root, 2);
  const std::string text = read_text_file(root / kManifestFile);
  write_text_atomically(root / kManifestFile, std::string_view(text).substr(0, text.size() - 10));
  EXPECT_EQ(make_set(root), 2);
}

TEST(DatasetFolder, AnotherRequestIsRefusedWithWhatDiffers) {
  const TempDir temp;
  const fs::path root = temp.path() / "set";
  make_set(root);
  const std::string other = "dataset:\n  frames: 20\n";
  EXPECT_THAT(message_of(root, plan(other), other), HasSubstr("dataset.frames is 3 there, 20 here"));
  DatasetRecord newer = plan();
  newer.version = "2.0.0";
  EXPECT_THAT(message_of(root, newer, kConfig), HasSubstr("made by simulacra 1.0.0, this is 2.0.0"));
  EXPECT_EQ(message_of(root, plan(), kConfig), "no error");
}

TEST(DatasetFolder, FoldersOfOtherThingsAreNotTouched) {
  const TempDir temp;
  write_text_atomically(temp.path() / "thesis.tex", "mine");
  EXPECT_THAT(message_of(temp.path(), plan(), kConfig), HasSubstr("is not empty and holds no manifest.jsonl"));
  EXPECT_THAT(message_of(temp.path() / "thesis.tex", plan(), kConfig), HasSubstr("is a file"));
  EXPECT_EQ(tree(temp.path()).size(), 1u);
}

TEST(DatasetFolder, ASetWhoseManifestIsGarbageIsNotWrittenOver) {
  const TempDir temp;
  make_set(temp.path() / "set");
  write_text_atomically(temp.path() / "set" / "manifest.jsonl", "garbage\n");
  const auto before = tree(temp.path() / "set" / "ai_900_001");
  try {
    make_set(temp.path() / "set");
    FAIL() << "was accepted";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("no data set line"));
  }
  EXPECT_EQ(tree(temp.path() / "set" / "ai_900_001"), before);
}

TEST(DatasetFolder, LookingAtAFolderChangesNothing) {
  const TempDir temp;
  const DatasetFolder folder(temp.path() / "set", plan(), kConfig);
  EXPECT_FALSE(fs::exists(temp.path() / "set"));
}

TEST(DatasetFolder, TwoRunsDoNotWriteOneSet) {
  const TempDir temp;
  DatasetFolder first(temp.path() / "set", plan(), kConfig), second(temp.path() / "set", plan(), kConfig);
  first.open(serial_for);
  EXPECT_THROW(
      try { second.open(serial_for); } catch (const Error& e) {
        EXPECT_THAT(e.what(), HasSubstr("another run is writing"));
        throw;
      },
      Error);
}

}  // namespace
}  // namespace simulacra
