// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/tensors/loader.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "learning/tensors/src/batch_pool.h"
#include "learning/tensors/src/places.h"
#include "learning/tensors/src/row_maker.h"
#include "learning/tensors/src/sample_plan.h"
#include "render/base/error.h"

namespace simulacra {

using namespace tensors;

namespace {

std::vector<Target> targets_of(const LoaderOptions& o) {
  std::set<Target> targets;
  for (const std::string& name : o.labels) targets.insert(target_from_name(name));
  return {targets.begin(), targets.end()};
}

/// Fills in what 0 stands for, and refuses what does not fit.
LoaderOptions checked(LoaderOptions o, const FrameIndex& index, Shard shard) {
  if (o.batch_size < 1 || o.views < 1 || o.threads < 0 || o.prefetch < 1)
    fail_usage("batch_size {}, views {} and prefetch {} must be at least 1, threads {} at least 0", o.batch_size, o.views, o.prefetch, o.threads);
  if (o.color != "tone_mapped" && o.color != "linear") fail_usage("color = '{}'; it can be tone_mapped or linear", o.color);
  if (o.view_source != "augmentation" && o.view_source != "places")
    fail_usage("view_source = '{}'; it can be augmentation or places", o.view_source);
  if (shard.world < 1 || shard.rank < 0 || shard.rank >= shard.world)
    fail_usage("rank {} of {} processes: ranks go from 0 to their number less 1", shard.rank, shard.world);
  if (!(o.scale_min > 0) || !(o.scale_min <= o.scale_max))
    fail_usage("scale_min {} must be above 0 and at most scale_max {}", o.scale_min, o.scale_max);
  if (o.height == 0) o.height = index.height;
  if (o.width == 0) o.width = index.width;
  if (o.height < 1 || o.width < 1 || o.scale_max * o.height > index.height + 0.5 || o.scale_max * o.width > index.width + 0.5)
    fail_usage("images of {} x {} pixels at scale {} do not fit into frames of {} x {}", o.width, o.height, o.scale_max, index.width, index.height);
  const std::size_t step = static_cast<std::size_t>(o.batch_size) * static_cast<std::size_t>(shard.world);
  if (o.drop_last && index.size() < step)
    fail_usage("{}: {} frames do not fill one batch of {}{}; take a smaller batch_size, or drop_last: false", index.root.string(), index.size(),
               step, shard.world > 1 ? fmt::format(" ({} in each of {} processes)", o.batch_size, shard.world) : "");
  return o;
}

/// A batch on its way.
struct Slot {
  Batch batch;
  std::vector<std::uint32_t> samples;      ///< frame_idx of each
  std::uint64_t first_position = 0;        ///< of samples[0] in the epoch
  std::int64_t rows = 0, next_row = 0, unfinished = 0;
  std::exception_ptr error;
  std::int64_t error_row = 0;
};

}  // namespace

const LabelTensor& Batch::at(Target target) const {
  const auto found = labels.find(target);
  if (found == labels.end()) fail_usage("the batch has no {}: it was not among the loader's labels", spec(target).name);
  return found->second;
}

struct Loader::Impl {
  Impl(FrameIndex frames, LoaderOptions o, Shard s)
      : targets(targets_of(o)), index(complete_frames(frames, targets, o.bump_normals, o.skip_incomplete)), options(checked(std::move(o), index, s)),
        shard(s), reader(index), maker(index, reader, options, targets), places(index, reader, options.min_overlap),
        pool(static_cast<std::size_t>(options.prefetch) + 3) {
    for (int t = 0; t < options.threads; ++t) threads.emplace_back([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  std::uint64_t step() const { return static_cast<std::uint64_t>(options.batch_size) * static_cast<std::uint64_t>(shard.world); }

  /// The same place in the sequence, or the next epoch when no batch begins there.
  LoaderState normal(LoaderState state) const {
    const bool ended = options.drop_last ? state.position + step() > index.size() : state.position >= index.size();
    return ended ? LoaderState{state.epoch + 1, 0} : state;
  }

  std::unique_ptr<Slot> new_slot(const LoaderState& state) {
    if (order.empty() || order_epoch != state.epoch) {
      order = epoch_order(index.size(), options.seed, state.epoch, options.shuffle);
      order_epoch = state.epoch;
    }
    auto slot = std::make_unique<Slot>();
    const auto batch = static_cast<std::uint64_t>(options.batch_size);
    const std::uint64_t begin = std::min<std::uint64_t>(state.position + batch * static_cast<std::uint64_t>(shard.rank), index.size());
    const std::uint64_t end = std::min<std::uint64_t>(begin + batch, index.size());
    slot->first_position = begin;
    slot->samples.assign(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end));
    slot->rows = slot->unfinished = static_cast<std::int64_t>(end - begin) * options.views;
    slot->batch = pool.take(slot->rows, options, targets);
    slot->batch.state = state;
    slot->batch.views = options.views;
    return slot;
  }

  void make_row(Slot& slot, std::int64_t row) {
    const std::uint64_t view = static_cast<std::uint64_t>(row % options.views), sample = static_cast<std::uint64_t>(row / options.views);
    const Draws draws(options.seed, slot.batch.state.epoch, slot.first_position + sample, view);
    std::size_t frame_idx = slot.samples[sample];
    if (view > 0 && options.view_source == "places") {
      const std::vector<std::size_t>& partners = places.partners(frame_idx);
      if (!partners.empty()) frame_idx = partners[draws.index(Draws::Question::partner, partners.size())];
    }
    maker.make(plan_view(options, index.width, index.height, frame_idx, draws), row, slot.batch);
  }

  void make_row_and_keep_error(Slot& slot, std::int64_t row, std::unique_lock<std::mutex>& lock) {
    std::exception_ptr error;
    lock.unlock();
    try {
      make_row(slot, row);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    // Of several errors that of the first row, so that the message does not depend on threads.
    if (error && (!slot.error || row < slot.error_row)) {
      slot.error = error;
      slot.error_row = row;
    }
    if (--slot.unfinished == 0) finished.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      const auto open = std::find_if(slots.begin(), slots.end(), [](const auto& slot) { return slot->next_row < slot->rows; });
      if (open == slots.end()) {
        wake.wait(lock);
        continue;
      }
      Slot& slot = **open;
      make_row_and_keep_error(slot, slot.next_row++, lock);
    }
  }

  /// Begins batches until enough are on their way. Call with the lock.
  void schedule() {
    const std::size_t wanted = options.threads == 0 ? 1 : static_cast<std::size_t>(options.prefetch);
    while (slots.size() < wanted) {
      slots.push_back(new_slot(upcoming));
      upcoming = normal({upcoming.epoch, upcoming.position + step()});
    }
    wake.notify_all();
  }

  /// Lets go of all batches on their way, and of the rest of the rows. Call with the lock.
  void drop_slots(std::unique_lock<std::mutex>& lock) {
    for (auto& slot : slots) {
      slot->unfinished -= slot->rows - slot->next_row;
      slot->next_row = slot->rows;
    }
    finished.wait(lock, [&] { return std::all_of(slots.begin(), slots.end(), [](const auto& slot) { return slot->unfinished == 0; }); });
    slots.clear();
  }

  Batch next() {
    std::unique_lock lock(mutex);
    schedule();
    Slot& slot = *slots.front();
    if (options.threads == 0)
      while (slot.next_row < slot.rows) make_row_and_keep_error(slot, slot.next_row++, lock);
    finished.wait(lock, [&] { return slot.unfinished == 0; });
    if (slot.error) {
      const std::exception_ptr error = slot.error;
      upcoming = slot.batch.state;
      drop_slots(lock);
      std::rethrow_exception(error);
    }
    Batch batch = std::move(slot.batch);
    slots.pop_front();
    pool.lend(batch);
    if (options.threads > 0) schedule();
    return batch;
  }

  std::vector<Target> targets;
  FrameIndex index;
  LoaderOptions options;
  Shard shard;
  FrameReader reader;
  RowMaker maker;
  Places places;
  BatchPool pool;
  LoaderState upcoming;                     ///< where the next slot begins
  std::vector<std::uint32_t> order;
  std::uint64_t order_epoch = 0;
  std::deque<std::unique_ptr<Slot>> slots;
  bool stopping = false;
  std::mutex mutex;
  std::condition_variable wake, finished;
  std::vector<std::thread> threads;
};

Loader::Loader(FrameIndex index, LoaderOptions options, Shard shard)
    : impl_(std::make_unique<Impl>(std::move(index), std::move(options), shard)) {}
Loader::~Loader() = default;

Batch Loader::next() { return impl_->next(); }
const FrameIndex& Loader::index() const { return impl_->index; }
const LoaderOptions& Loader::options() const { return impl_->options; }

std::uint64_t Loader::batches_per_epoch() const {
  const std::uint64_t frames = impl_->index.size(), step = impl_->step();
  return impl_->options.drop_last ? frames / step : (frames + step - 1) / step;
}
std::uint64_t Loader::samples_per_epoch() const {
  return impl_->options.drop_last ? batches_per_epoch() * impl_->step() : impl_->index.size();
}

LoaderState Loader::state() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->slots.empty() ? impl_->upcoming : impl_->slots.front()->batch.state;
}

void Loader::seek(const LoaderState& state) {
  if (state.position > impl_->index.size())
    fail_usage("{}: position {} is beyond the {} frames of an epoch: the state is of another set, or split", impl_->index.root.string(),
               state.position, impl_->index.size());
  std::unique_lock lock(impl_->mutex);
  impl_->drop_slots(lock);
  impl_->upcoming = impl_->normal(state);
}

}  // namespace simulacra
