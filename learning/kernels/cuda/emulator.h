// SPDX-License-Identifier: Apache-2.0
// One block of GPU threads on the host. Every thread is a fiber with its own stack; operations of a whole warp or block wait
// for all of it. What a device would do silently is an error here, with its message in check_failed's way: an access beyond
// shared memory or beyond the arrays that were announced, a read of what was never written, is still being copied, or was
// written by another thread with no barrier between, a write over what another thread may still read, a warp that is not
// together, a misaligned address. Bank conflicts of matrix loads are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>

namespace simulacra::kernels::gpu {

class EmulatorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Emulator {
 public:
  Emulator();
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  /// Threads may read [data, data + bytes), and write there too.
  void allow_read(const void* data, std::size_t bytes);
  void allow_write(void* data, std::size_t bytes);

  /// Runs body once in each thread of each block, block after block. Throws EmulatorError.
  void run(std::int64_t blocks, int threads, int shared_bytes, const std::function<void()>& body);

  /// Since the construction: groups of eight rows of a matrix load that met in a bank, and of all how many there were.
  std::int64_t bank_conflicts() const;
  std::int64_t matrix_loads() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

// What the primitives ask of the emulator that runs on this host thread.
namespace emulated {

int thread_index();
std::int64_t block_index();
void sync_block();
void sync_warp();

/// Checked addresses; for a write also the effect.
const void* shared_read(std::uint32_t at, std::size_t bytes);
void* shared_write(std::uint32_t at, std::size_t bytes);
void global_read(const void* from, std::size_t bytes);
void global_write(const void* to, std::size_t bytes);

void copy_16(std::uint32_t to, const void* from, bool valid);
void copy_commit();
void copy_wait(int left);

void load_matrices(std::uint32_t (&r)[4], std::uint32_t row, bool transposed);
std::uint32_t shuffle_xor(std::uint32_t x, int mask);

/// c += a b of one m16n8k16 product; to_float reads one element.
using ToFloat = float (*)(std::uint16_t);
void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, ToFloat to_float);

float from_bfloat16(std::uint16_t x);
float from_float16(std::uint16_t x);
/// To the nearest, ties to even.
std::uint16_t to_bfloat16(float x);
std::uint16_t to_float16(float x);

}  // namespace emulated
}  // namespace simulacra::kernels::gpu
