// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/cuda/emulator.h"

#include <fmt/core.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simulacra::kernels::gpu {
namespace {

constexpr int kWarp = 32;
constexpr std::size_t kCell = 4;  // bytes of shared memory that are watched together
constexpr std::size_t kStack = 256 * 1024;

struct Range {
  const char *begin, *end;
  bool writable;
};

/// Who touched four bytes of shared memory last, and in which stretch between barriers of the block and of the warp.
struct Cell {
  int writer = -1, reading_warp = -1;
  std::uint32_t readers = 0;  // lanes of reading_warp
  std::int64_t written_block = -1, written_warp = -1, read_block = -1, read_warp = -1;
  bool several_warps_read = false;
  bool copying = false;
};

struct Copy {
  std::uint32_t to;
  const void* from;
  bool valid;
};

enum class Operation { none, multiply_add, load_matrices, shuffle, sync_warp };

/// What a thread brings to an operation of its warp.
struct Request {
  Operation operation = Operation::none;
  float* c = nullptr;
  const std::uint32_t* a = nullptr;
  std::uint32_t b0 = 0, b1 = 0;
  emulated::ToFloat to_float = nullptr;
  std::uint32_t* result = nullptr;
  std::uint32_t address = 0, value = 0;
  int mask = 0;
  bool transposed = false;
};

enum class Waits { no, for_warp, for_block, forever };

/// What AddressSanitizer is told of a stack that is left and of the one that is entered; nothing without it.
struct StackNotes {
  void* left = nullptr;
  const void* scheduler = nullptr;
  std::size_t scheduler_bytes = 0;

#if defined(__SANITIZE_ADDRESS__)
  void before(const void* to, std::size_t bytes, bool for_good = false) { __sanitizer_start_switch_fiber(for_good ? nullptr : &left, to, bytes); }
  void after() { __sanitizer_finish_switch_fiber(left, nullptr, nullptr); }
  void entered() { __sanitizer_finish_switch_fiber(nullptr, &scheduler, &scheduler_bytes); }
  static void fresh(const void* stack, std::size_t bytes) { __asan_unpoison_memory_region(stack, bytes); }
#else
  void before(const void*, std::size_t, bool = false) {}
  void after() {}
  void entered() {}
  static void fresh(const void*, std::size_t) {}
#endif
};

struct Thread {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(kStack);
  Waits waits = Waits::no;
  Request request;
  StackNotes notes;
  std::vector<std::vector<Copy>> groups;  // committed, oldest first
  std::vector<Copy> open;
};

struct Warp {
  int arrived = 0;
  std::int64_t epoch = 0;
};

}  // namespace

struct Emulator::State {
  std::vector<Range> ranges;
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<Warp> warps;
  std::vector<char> shared;
  std::vector<Cell> cells;
  ucontext_t scheduler;
  StackNotes scheduler_notes;
  const std::function<void()>* body = nullptr;
  std::exception_ptr failure;
  std::int64_t block = 0, epoch = 0, conflicts = 0, loads = 0;
  int current = 0, arrived = 0;

  Thread& me() { return *threads[static_cast<std::size_t>(current)]; }
  Warp& warp() { return warps[static_cast<std::size_t>(current / kWarp)]; }

  [[noreturn]] void fail(const std::string& what) const { throw EmulatorError(fmt::format("block {}, thread {}: {}", block, current, what)); }

  void start_block(std::int64_t index, int count, int shared_bytes);
  void schedule();
  void wait(Waits what);
  void with_warp(Request request);
  void perform();
  void multiply_add(Thread* const* lanes);
  void load_matrices(Thread* const* lanes);
  void read_cell(std::size_t cell, int thread);
  void check_shared(std::uint32_t at, std::size_t bytes) const;
  void read(std::uint32_t at, std::size_t bytes, int thread);
  void write(std::uint32_t at, std::size_t bytes, bool copying);
  void finish(const Copy& copy);
  void check_global(const void* at, std::size_t bytes, bool write) const;
};

namespace {

thread_local Emulator::State* running = nullptr;

void fiber_main() {
  Emulator::State* const state = running;
  Thread& me = state->me();
  me.notes.entered();
  try {
    (*state->body)();
    if (!me.open.empty() || !std::all_of(me.groups.begin(), me.groups.end(), [](const auto& g) { return g.empty(); }))
      state->fail("ends with unfinished copies to shared memory");
  } catch (...) {
    if (!state->failure) state->failure = std::current_exception();
  }
  me.waits = Waits::forever;
  me.notes.before(me.notes.scheduler, me.notes.scheduler_bytes, /*for_good=*/true);
  swapcontext(&me.context, &state->scheduler);
}

}  // namespace

void Emulator::State::start_block(std::int64_t index, int count, int shared_bytes) {
  block = index, epoch = 0, arrived = 0;
  shared.assign(static_cast<std::size_t>(shared_bytes), '\x7f');
  cells.assign((shared.size() + kCell - 1) / kCell, Cell());
  warps.assign(static_cast<std::size_t>(count / kWarp), Warp());
  while (threads.size() < static_cast<std::size_t>(count)) threads.push_back(std::make_unique<Thread>());
  threads.resize(static_cast<std::size_t>(count));
  for (auto& t : threads) {
    t->waits = Waits::no, t->request = Request(), t->groups.clear(), t->open.clear();
    StackNotes::fresh(t->stack.data(), kStack);
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = t->stack.data();
    t->context.uc_stack.ss_size = t->stack.size();
    t->context.uc_link = nullptr;
    makecontext(&t->context, fiber_main, 0);
  }
}

/// Runs every thread until it waits, round after round, until all have ended.
void Emulator::State::schedule() {
  for (bool moved = true; moved && !failure;) {
    moved = false;
    for (std::size_t i = 0; i < threads.size() && !failure; ++i) {
      if (threads[i]->waits != Waits::no) continue;
      current = static_cast<int>(i);
      scheduler_notes.before(threads[i]->stack.data(), kStack);
      swapcontext(&scheduler, &threads[i]->context);
      scheduler_notes.after();
      moved = true;
    }
  }
  if (failure) std::rethrow_exception(failure);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    current = static_cast<int>(i);
    if (threads[i]->waits == Waits::for_warp) fail("waits for lanes of its warp that do not come");
    if (threads[i]->waits == Waits::for_block) fail("waits at a barrier that not all threads reach");
  }
}

void Emulator::State::wait(Waits what) {
  Thread& t = me();
  t.waits = what;
  t.notes.before(t.notes.scheduler, t.notes.scheduler_bytes);
  swapcontext(&t.context, &scheduler);
  t.notes.after();
}

void Emulator::State::with_warp(Request request) {
  me().request = request;
  if (++warp().arrived < kWarp) return wait(Waits::for_warp);
  warp().arrived = 0;
  perform();
  const int first = current / kWarp * kWarp;
  for (int i = 0; i < kWarp; ++i) threads[static_cast<std::size_t>(first + i)]->waits = Waits::no;
}

void Emulator::State::perform() {
  Thread* lanes[kWarp];
  const int first = current / kWarp * kWarp;
  for (int i = 0; i < kWarp; ++i) lanes[i] = threads[static_cast<std::size_t>(first + i)].get();
  const Operation operation = lanes[0]->request.operation;
  for (const Thread* t : lanes)
    if (t->request.operation != operation) fail("the lanes of its warp are at different operations");
  switch (operation) {
    case Operation::multiply_add: return multiply_add(lanes);
    case Operation::load_matrices: return load_matrices(lanes);
    case Operation::shuffle:
      for (int i = 0; i < kWarp; ++i) *lanes[i]->request.result = lanes[i ^ lanes[i]->request.mask]->request.value;
      return;
    case Operation::sync_warp: ++warp().epoch; return;
    case Operation::none: fail("an operation without a name");
  }
}

/// Fragments as the PTX ISA lays them out: lane 4g + t holds a[g, 2t..], a[g + 8, 2t..], a[g, 2t + 8..], a[g + 8, 2t + 8..],
/// b[2t.., g], b[2t + 8.., g], c[g, 2t..], c[g + 8, 2t..].
void Emulator::State::multiply_add(Thread* const* lanes) {
  float a[16][16], b[16][8];
  const emulated::ToFloat value = lanes[0]->request.to_float;
  const auto low = [&](std::uint32_t w) { return value(static_cast<std::uint16_t>(w & 0xffffu)); };
  const auto high = [&](std::uint32_t w) { return value(static_cast<std::uint16_t>(w >> 16)); };
  for (int lane = 0; lane < kWarp; ++lane) {
    const Request& r = lanes[lane]->request;
    const int g = lane / 4, t = lane % 4 * 2;
    for (int i = 0; i < 4; ++i) {
      float* const to = &a[g + i % 2 * 8][t + i / 2 * 8];
      to[0] = low(r.a[i]), to[1] = high(r.a[i]);
    }
    b[t][g] = low(r.b0), b[t + 1][g] = high(r.b0), b[t + 8][g] = low(r.b1), b[t + 9][g] = high(r.b1);
  }
  for (int lane = 0; lane < kWarp; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      float sum = lanes[lane]->request.c[i];
      for (int k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      lanes[lane]->request.c[i] = sum;
    }
}

void Emulator::State::load_matrices(Thread* const* lanes) {
  const int first = current / kWarp * kWarp;
  for (int matrix = 0; matrix < 4; ++matrix) {
    std::uint32_t rows_in_bank[8] = {};
    for (int row = 0; row < 8; ++row) {
      const std::uint32_t at = lanes[matrix * 8 + row]->request.address;
      if (at % 16 != 0) fail(fmt::format("a matrix row at {}, which is no multiple of 16", at));
      read(at, 16, first + matrix * 8 + row);
      ++rows_in_bank[at / 16 % 8];
    }
    ++loads;
    if (std::any_of(std::begin(rows_in_bank), std::end(rows_in_bank), [](std::uint32_t n) { return n > 1; })) ++conflicts;
  }
  for (int lane = 0; lane < kWarp; ++lane) {
    const Request& r = lanes[lane]->request;
    for (int matrix = 0; matrix < 4; ++matrix) {
      std::uint16_t pair[2];
      for (int i = 0; i < 2; ++i) {
        const int row = r.transposed ? lane % 4 * 2 + i : lane / 4, column = r.transposed ? lane / 4 : lane % 4 * 2 + i;
        std::memcpy(&pair[i], &shared[lanes[matrix * 8 + row]->request.address + static_cast<std::uint32_t>(column) * 2], 2);
      }
      r.result[matrix] = pair[0] | static_cast<std::uint32_t>(pair[1]) << 16;
    }
  }
}

void Emulator::State::check_shared(std::uint32_t at, std::size_t bytes) const {
  if (at + bytes > shared.size()) fail(fmt::format("shared memory at {} for {} bytes, beyond its {} bytes", at, bytes, shared.size()));
  if (at % kCell != 0 || at % std::min<std::size_t>(bytes, 16) != 0) fail(fmt::format("{} bytes of shared memory at {}, which is not aligned", bytes, at));
}

void Emulator::State::read_cell(std::size_t index, int thread) {
  Cell& c = cells[index];
  const int warp_of_reader = thread / kWarp;
  const std::int64_t warp_epoch = warps[static_cast<std::size_t>(warp_of_reader)].epoch;
  const auto problem = [&](const char* what) { fail(fmt::format("shared memory at {} {}", index * kCell, what)); };
  if (c.copying) problem("is read while a copy to it is unfinished");
  if (c.writer < 0) problem("is read before it was written");
  const bool same_warp = c.writer / kWarp == warp_of_reader;
  if (c.writer != thread && c.written_block == epoch && !(same_warp && c.written_warp < warp_epoch))
    problem("is read without a barrier after another thread wrote it");
  if (c.read_block != epoch || (c.reading_warp == warp_of_reader && c.read_warp != warp_epoch)) {
    if (c.read_block != epoch) c.several_warps_read = false;
    c.readers = 0;
  }
  if (c.read_block == epoch && c.reading_warp != warp_of_reader) c.several_warps_read = true;
  c.reading_warp = warp_of_reader, c.read_block = epoch, c.read_warp = warp_epoch;
  c.readers |= 1u << (thread % kWarp);
}

void Emulator::State::read(std::uint32_t at, std::size_t bytes, int thread) {
  check_shared(at, bytes);
  for (std::size_t i = at / kCell; i < (at + bytes + kCell - 1) / kCell; ++i) read_cell(i, thread);
}

void Emulator::State::write(std::uint32_t at, std::size_t bytes, bool copying) {
  check_shared(at, bytes);
  for (std::size_t i = at / kCell; i < (at + bytes + kCell - 1) / kCell; ++i) {
    Cell& c = cells[i];
    const auto problem = [&](const char* what) { fail(fmt::format("shared memory at {} {}", i * kCell, what)); };
    if (c.copying) problem("is written while a copy to it is unfinished");
    const bool mine_only = !c.several_warps_read && c.reading_warp == current / kWarp &&
                           (c.read_warp < warp().epoch || c.readers == 1u << (current % kWarp));
    if (c.read_block == epoch && !mine_only) problem("is written without a barrier after another thread read it");
    const bool own_write = c.writer == current || (c.writer / kWarp == current / kWarp && c.written_warp < warp().epoch);
    if (c.writer >= 0 && c.written_block == epoch && !own_write) problem("is written by two threads without a barrier");
    c.writer = current, c.written_block = epoch, c.written_warp = warp().epoch, c.copying = copying;
  }
}

void Emulator::State::finish(const Copy& copy) {
  if (copy.valid) std::memcpy(&shared[copy.to], copy.from, 16);
  else std::memset(&shared[copy.to], 0, 16);
  for (std::size_t i = copy.to / kCell; i < copy.to / kCell + 16 / kCell; ++i) {
    Cell& c = cells[i];
    c.copying = false, c.written_block = epoch, c.written_warp = warp().epoch;
  }
}

void Emulator::State::check_global(const void* at, std::size_t bytes, bool write) const {
  const char* const begin = static_cast<const char*>(at);
  for (const Range& r : ranges)
    if (begin >= r.begin && begin + bytes <= r.end && (r.writable || !write)) return;
  fail(fmt::format("{} {} bytes of memory that were not announced", write ? "writes" : "reads", bytes));
}

Emulator::Emulator() : state_(std::make_unique<State>()) {}
Emulator::~Emulator() = default;

void Emulator::allow_read(const void* data, std::size_t bytes) {
  state_->ranges.push_back({static_cast<const char*>(data), static_cast<const char*>(data) + bytes, false});
}
void Emulator::allow_write(void* data, std::size_t bytes) {
  state_->ranges.push_back({static_cast<const char*>(data), static_cast<const char*>(data) + bytes, true});
}

void Emulator::run(std::int64_t blocks, int threads, int shared_bytes, const std::function<void()>& body) {
  State& s = *state_;
  if (threads % kWarp != 0) throw EmulatorError(fmt::format("{} threads are no whole number of warps", threads));
  struct Restore {
    State* before = std::exchange(running, nullptr);
    ~Restore() { running = before; }
  } restore;
  running = &s;
  s.body = &body;
  s.failure = nullptr;
  for (std::int64_t b = 0; b < blocks; ++b) {
    s.start_block(b, threads, shared_bytes);
    s.schedule();
  }
}

std::int64_t Emulator::bank_conflicts() const { return state_->conflicts; }
std::int64_t Emulator::matrix_loads() const { return state_->loads; }

namespace emulated {

int thread_index() { return running->current; }
std::int64_t block_index() { return running->block; }

void sync_block() {
  Emulator::State& s = *running;
  if (++s.arrived < static_cast<int>(s.threads.size())) return s.wait(Waits::for_block);
  s.arrived = 0;
  ++s.epoch;
  for (auto& t : s.threads)
    if (t->waits == Waits::for_block) t->waits = Waits::no;
}

void sync_warp() {
  Request r;
  r.operation = Operation::sync_warp;
  running->with_warp(r);
}

const void* shared_read(std::uint32_t at, std::size_t bytes) {
  running->read(at, bytes, running->current);
  return &running->shared[at];
}
void* shared_write(std::uint32_t at, std::size_t bytes) {
  running->write(at, bytes, false);
  return &running->shared[at];
}
void global_read(const void* from, std::size_t bytes) { running->check_global(from, bytes, false); }
void global_write(const void* to, std::size_t bytes) {
  running->check_global(to, bytes, true);
  if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0) running->fail(fmt::format("a store of {} bytes that is not aligned", bytes));
}

void copy_16(std::uint32_t to, const void* from, bool valid) {
  if (to % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0) running->fail("a copy of 16 bytes that is not aligned");
  if (valid) running->check_global(from, 16, false);
  running->write(to, 16, true);
  running->me().open.push_back({to, from, valid});
}
void copy_commit() {
  Thread& t = running->me();
  t.groups.push_back(std::exchange(t.open, {}));
}
void copy_wait(int left) {
  auto& groups = running->me().groups;
  while (groups.size() > static_cast<std::size_t>(left)) {
    for (const Copy& c : groups.front()) running->finish(c);
    groups.erase(groups.begin());
  }
}

void load_matrices(std::uint32_t (&r)[4], std::uint32_t row, bool transposed) {
  Request q;
  q.operation = Operation::load_matrices;
  q.result = r, q.address = row, q.transposed = transposed;
  running->with_warp(q);
}

std::uint32_t shuffle_xor(std::uint32_t x, int mask) {
  std::uint32_t result = 0;
  Request q;
  q.operation = Operation::shuffle;
  q.result = &result, q.value = x, q.mask = mask;
  running->with_warp(q);
  return result;
}

void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, ToFloat to_float) {
  Request q;
  q.operation = Operation::multiply_add;
  q.c = c, q.a = a, q.b0 = b0, q.b1 = b1, q.to_float = to_float;
  running->with_warp(q);
}

float from_bfloat16(std::uint16_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16); }

std::uint16_t to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float from_float16(std::uint16_t x) {
  const int exponent = (x >> 10) & 31, mantissa = x & 1023;
  const float sign = x & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

std::uint16_t to_float16(float x) {
  if (std::isnan(x)) return 0x7fff;
  const auto sign = static_cast<std::uint16_t>(std::signbit(x) ? 0x8000 : 0);
  const float a = std::abs(x);
  if (a >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = std::max(std::ilogb(a == 0 ? 1e-30f : a), -14);
  // The number of steps of 2^(exponent - 10), rounded to the nearest even one; 2048 steps carry into the next exponent.
  const int steps = static_cast<int>(std::nearbyint(std::ldexp(a, 10 - exponent)));
  return static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + steps);
}

}  // namespace emulated
}  // namespace simulacra::kernels::gpu
