// SPDX-License-Identifier: Apache-2.0
// Which batch comes when: the same bits whatever the threads, the ranks, or where a run was resumed.
#include <torch/torch.h>

#include "learning/tensors/loader.h"

#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "tests/learning/tensors/coded_set.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using testing::HasSubstr;

/// 13 frames, so that no batch size divides them.
FrameIndex thirteen_frames(const std::filesystem::path& root) {
  test::CodedSet set;
  set.frames = 13;
  set.width = 50;
  set.height = 40;
  set.labels = {Label::color, Label::depth_meters, Label::semantic};
  test::write_coded_set(root, set);
  return scan_frames(root);
}

LoaderOptions every_kind_of_chance() {
  LoaderOptions o;
  o.labels = {"depth", "semantics"};
  o.batch_size = 2;
  o.height = 16;
  o.width = 20;
  o.scale_max = 2;
  o.views = 2;
  o.photometric = {.brightness = 0.3, .contrast = 0.3, .saturation = 0.3, .grayscale = 0.2, .hue = 0.1, .noise = 0.05};
  o.seed = 11;
  o.threads = 0;
  return o;
}

testing::AssertionResult same(const Batch& a, const Batch& b) {
  if (!torch::equal(a.image, b.image)) return testing::AssertionFailure() << "images differ";
  if (!torch::equal(a.cam_from_pixel, b.cam_from_pixel)) return testing::AssertionFailure() << "lenses differ";
  if (a.frames != b.frames || a.frame_idx != b.frame_idx) return testing::AssertionFailure() << "frames differ";
  for (const auto& [target, label] : a.labels)
    if (!torch::equal(label.values, b.at(target).values) || !torch::equal(label.mask, b.at(target).mask))
      return testing::AssertionFailure() << spec(target).name << " differ";
  return testing::AssertionSuccess();
}

std::vector<Batch> take(Loader& loader, int count) {
  std::vector<Batch> batches;
  for (int i = 0; i < count; ++i) batches.push_back(loader.next());
  return batches;
}

TEST(Sequence, AnEpochGivesEveryFrameAtMostOnceInAnOrderOfItsOwn) {
  const test::TempDir temp;
  LoaderOptions o = every_kind_of_chance();
  Loader loader(thirteen_frames(temp.path()), o);
  EXPECT_EQ(loader.batches_per_epoch(), 6u);
  EXPECT_EQ(loader.samples_per_epoch(), 12u);
  std::vector<std::vector<int>> orders(2);
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch)
    for (std::uint64_t b = 0; b < 6; ++b) {
      const Batch batch = loader.next();
      EXPECT_EQ(batch.state, (LoaderState{epoch, 2 * b}));
      for (std::size_t s = 0; s < 2; ++s) orders[epoch].push_back(batch.frames[2 * s].frame);
    }
  for (const auto& order : orders) EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), 12u);
  EXPECT_NE(orders[0], orders[1]);
}

TEST(Sequence, EvaluationSeesEveryFrameOnceInOrder) {
  const test::TempDir temp;
  LoaderOptions o = for_evaluation(every_kind_of_chance());
  Loader loader(thirteen_frames(temp.path()), o);
  ASSERT_EQ(loader.batches_per_epoch(), 7u);
  std::vector<int> seen;
  for (const Batch& batch : take(loader, 7))
    for (const FrameName& name : batch.frames) seen.push_back(name.frame);
  std::vector<int> expected(13);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(loader.state(), (LoaderState{1, 0}));
}

TEST(Sequence, ThreadsChangeNoBit) {
  const test::TempDir temp;
  LoaderOptions o = every_kind_of_chance();
  const FrameIndex index = thirteen_frames(temp.path());
  Loader serial(index, o);
  const auto expected = take(serial, 14);
  for (const int threads : {1, 3}) {
    o.threads = threads;
    o.prefetch = threads + 1;
    Loader loader(index, o);
    const auto batches = take(loader, 14);
    for (std::size_t i = 0; i < batches.size(); ++i) EXPECT_TRUE(same(batches[i], expected[i])) << "batch " << i << ", " << threads << " threads";
  }
}

TEST(Sequence, ARunGoesOnWhereItWasStopped) {
  const test::TempDir temp;
  LoaderOptions o = every_kind_of_chance();
  o.threads = 2;
  const FrameIndex index = thirteen_frames(temp.path());
  Loader loader(index, o);
  const auto expected = take(loader, 14);
  for (const int stop : {0, 3, 5, 6, 9}) {
    Loader first(index, o);
    take(first, stop);
    const LoaderState state = first.state();   // with batches already on their way
    EXPECT_EQ(state, expected[static_cast<std::size_t>(stop)].state);
    Loader second(index, o);
    second.next();
    second.seek(state);
    EXPECT_EQ(second.state(), state);
    for (std::size_t i = static_cast<std::size_t>(stop); i < 14; ++i) EXPECT_TRUE(same(second.next(), expected[i])) << "stopped at " << stop << ", batch " << i;
  }
  EXPECT_THAT(test::message_of([&] { loader.seek({0, 14}); }), HasSubstr("position 14 is beyond the 13 frames"));
}

TEST(Sequence, RanksTogetherAreOneProcess) {
  const test::TempDir temp;
  const FrameIndex index = thirteen_frames(temp.path());
  for (const bool drop_last : {true, false}) {
    LoaderOptions o = every_kind_of_chance();
    o.drop_last = drop_last;
    o.batch_size = 6;
    Loader whole(index, o);
    o.batch_size = 2;
    std::vector<std::unique_ptr<Loader>> ranks;
    for (int r = 0; r < 3; ++r) ranks.push_back(std::make_unique<Loader>(index, o, Shard{r, 3}));
    for (int step = 0; step < 5; ++step) {
      const Batch expected = whole.next();
      std::vector<torch::Tensor> images, depths;
      for (auto& rank : ranks) {
        const Batch part = rank->next();
        EXPECT_EQ(part.state, expected.state);
        images.push_back(part.image);
        depths.push_back(part.at(Target::depth).values);
      }
      EXPECT_TRUE(torch::equal(torch::cat(images), expected.image)) << "step " << step;
      EXPECT_TRUE(torch::equal(torch::cat(depths), expected.at(Target::depth).values)) << "step " << step;
    }
  }
}

TEST(Sequence, SeedsDiffer) {
  const test::TempDir temp;
  const FrameIndex index = thirteen_frames(temp.path());
  LoaderOptions o = every_kind_of_chance();
  const Batch a = Loader(index, o).next();
  o.seed = 12;
  EXPECT_FALSE(same(a, Loader(index, o).next()));
}

TEST(Sequence, MemoryIsUsedAgainOnlyWhenNobodyRefersToIt) {
  const test::TempDir temp;
  LoaderOptions o = every_kind_of_chance();
  Loader loader(thirteen_frames(temp.path()), o);
  const void* address = loader.next().image.data_ptr();
  torch::Tensor held, copy;
  {
    const Batch again = loader.next();
    EXPECT_EQ(again.image.data_ptr(), address);
    held = again.image.view({-1}).slice(0, 5, 50);   // a part of it stays alive
    copy = held.clone();
  }
  EXPECT_NE(loader.next().image.data_ptr(), address);
  for (int i = 0; i < 8; ++i) loader.next();
  EXPECT_TRUE(torch::equal(held, copy));
}

}  // namespace
}  // namespace simulacra
