// SPDX-License-Identifier: Apache-2.0
// Every image of the shared data, sound or broken: decoded or warned of, never more.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "render/base/files.h"
#include "render/texture/src/contained.h"
#include "render/texture/texture.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

std::vector<TextureDescription> textures_below(const fs::path& folder, bool all_files) {
  std::vector<TextureDescription> textures;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string extension = entry.path().extension().string();
    const bool image = extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".exr" ||
                       extension == ".hdr" || extension == ".tga" || extension == ".bmp" || extension == ".webp" ||
                       extension == ".ktx2" || extension == ".tif";
    if (!all_files && !image) continue;
    TextureDescription t;
    t.file = entry.path();
    t.name = entry.path().filename().string();
    textures.push_back(t);
  }
  std::sort(textures.begin(), textures.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return textures;
}

int count_missing(const TextureSet& set, std::size_t n) {
  int missing = 0;
  for (std::size_t i = 0; i < n; ++i) missing += set.missing(static_cast<int>(i)) ? 1 : 0;
  return missing;
}

TEST(DamagedImages, CrashersOfOtherDecodersBecomeWarnings) {
  SIM_NEED_SHARED_DATA(shared);
  for (const char* folder : {"exr-damaged", "images"}) {
    const auto textures = textures_below(shared / "data/broken" / folder, true);
    ASSERT_FALSE(textures.empty());
    Diagnostics diagnostics;
    const TextureSet set(textures, std::uint64_t{1} << 30, diagnostics);
    const int missing = count_missing(set, textures.size());
    EXPECT_GE(diagnostics.warnings().size(), static_cast<std::size_t>(missing)) << "each missing one is warned of";
  }
}

TEST(DamagedImages, OpenExrSampleImagesAreReadOrRefusedWithAReason) {
  SIM_NEED_SHARED_DATA(shared);
  const auto textures = textures_below(shared / "data/exr", false);
  ASSERT_FALSE(textures.empty());
  Diagnostics diagnostics;
  const TextureSet set(textures, std::uint64_t{1} << 30, diagnostics);
  const int read = static_cast<int>(textures.size()) - count_missing(set, textures.size());
  EXPECT_GT(read, static_cast<int>(textures.size()) / 2);
}

TEST(Contained, ACrashALoopAndABalloonAreTold) {
  const auto failure_of = [](const std::function<void()>& body) {
    ContainedChild child(body, ContainedLimits{std::uint64_t{64} << 20, 1, 120});
    while (!child.finished()) {
    }
    return child.failure();
  };
  EXPECT_EQ(failure_of([] {}), "");
  EXPECT_NE(failure_of([] { __builtin_trap(); }).find("crashed (signal"), std::string::npos);
  EXPECT_EQ(failure_of([] {
              std::atomic<int> turns{0};
              for (;;) ++turns;
            }),
            "the decoder was stopped after 1 s of computing");
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "skipped: the sanitizer's allocator ends the process in its own way";
#endif
  EXPECT_EQ(failure_of([] {
              std::vector<std::vector<char>> all;
              for (;;) all.emplace_back(1 << 20, 'x');
            }),
            "the decoder wanted more than 64 MiB");
}

// A thread of a library holds a lock for a moment: in a child forked meanwhile it would stay locked.
TEST(Contained, AForkWaitsForThreadsThatHoldLocks) {
  std::mutex lock;
  std::atomic<bool> held{false};
  std::thread other([&] {
    const std::lock_guard inside(lock);
    held = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  while (!held) std::this_thread::yield();
  ContainedChild child([&] { const std::lock_guard inside(lock); }, ContainedLimits{std::uint64_t{1} << 30, 5, 2});
  while (!child.finished()) std::this_thread::yield();
  other.join();
  EXPECT_EQ(child.failure(), "");
}

TEST(Contained, AChildThatWaitsForeverIsEnded) {
  ContainedChild child([] { for (;;) ::pause(); }, ContainedLimits{std::uint64_t{1} << 30, 5, 1});
  while (!child.finished()) {
  }
  EXPECT_EQ(child.failure(), "the decoder was stopped after 1 s");
}

}  // namespace
}  // namespace simulacra
