// SPDX-License-Identifier: Apache-2.0
// Work that may crash, hang or eat memory runs in a forked child. What it leaves behind is a block of
// anonymous shared memory that the parent maps read-only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace simulacra {

/// Limits of one child.
struct ContainedLimits {
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< growth of the address space
  unsigned cpu_seconds = 20;
  unsigned wall_seconds = 60;  ///< for a child that waits without computing
};

/// An anonymous file in memory, or a read-only view of one. Owns descriptor and mapping.
class SharedBlock {
 public:
  SharedBlock() = default;
  ~SharedBlock();
  SharedBlock(SharedBlock&& other) noexcept;
  SharedBlock& operator=(SharedBlock&& other) noexcept;

  /// An empty block. Throws Error when the system refuses.
  static SharedBlock create();
  /// Sets the size and maps it for writing (in the child). Throws Error when memory does not suffice.
  std::uint8_t* grow(std::size_t bytes);
  /// Maps whatever is there, read-only, and closes the descriptor (in the parent).
  void map_for_reading();

  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

 private:
  void release() noexcept;
  int descriptor_ = -1;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A child at work.
class ContainedChild {
 public:
  /// Forks; the child runs body() and ends. Messages on its stdout and stderr are dropped.
  ContainedChild(const std::function<void()>& body, const ContainedLimits& limits);
  ~ContainedChild();  ///< ends a child that still runs
  ContainedChild(ContainedChild&& other) noexcept;
  ContainedChild(const ContainedChild&) = delete;
  ContainedChild& operator=(const ContainedChild&) = delete;
  ContainedChild& operator=(ContainedChild&&) = delete;

  /// False while it runs (and less than its wall time has passed).
  bool finished();
  /// After finished(): empty when body() returned, else why not, e.g. "crashed (signal 11, …)".
  const std::string& failure() const { return failure_; }

 private:
  void end(const std::string& why);
  pid_t pid_ = -1;
  ContainedLimits limits_;
  std::chrono::steady_clock::time_point started_;
  std::string failure_;
};

}  // namespace simulacra
