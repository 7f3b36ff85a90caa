// SPDX-License-Identifier: Apache-2.0
#include "render/texture/src/contained.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "render/base/error.h"
#include "render/texture/src/oiio_guard.h"

namespace simulacra {
namespace {

constexpr int kBodyThrew = 3;
constexpr int kNoMemory = 4;

std::uint64_t address_space_bytes() {
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// True when another thread of this process runs at the moment, also one that starts or ends.
bool another_thread_runs() {
  const std::string self = std::to_string(::gettid());
  std::error_code gone;
  for (std::filesystem::directory_iterator task("/proc/self/task", gone), end; !gone && task != end; task.increment(gone)) {
    if (task->path().filename() == self) continue;
    std::string text;
    std::ifstream stat(task->path() / "stat");  // "id (name) state ..."; empty when the thread has just ended
    std::getline(stat, text);
    const std::size_t name_end = text.rfind(')');
    if (name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] == 'R') return true;
  }
  return false;
}

/// fork() copies locks as they are, and a lock that a running thread holds stays locked in the child for ever. The C library
/// knows of its own; sanitizers' allocators, and libraries that start or end threads of their own as a logging library does
/// with the program, do not. So a fork waits for a moment in which the other threads sleep; for two seconds in the life of
/// the process, as another thread may have long work to do. One thread at a time.
void wait_for_sleeping_threads() {
  using Clock = std::chrono::steady_clock;
  static Clock::duration patience = std::chrono::seconds(2);
  const auto start = Clock::now();
  while (Clock::now() - start < patience && another_thread_runs()) std::this_thread::sleep_for(std::chrono::microseconds(200));
  patience -= std::min<Clock::duration>(patience, Clock::now() - start);
}

void set_limit(int resource, std::uint64_t soft, std::uint64_t hard) {
  rlimit current{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &current);
  const rlimit wanted{std::min<rlim_t>(soft, current.rlim_max), std::min<rlim_t>(hard, current.rlim_max)};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &wanted);
}

void confine_this_process(const ContainedLimits& limits, std::uint64_t address_space) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU}) ::signal(number, SIG_DFL);
  set_limit(RLIMIT_CORE, 0, 0);
  set_limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);
  set_limit(RLIMIT_AS, address_space + limits.memory_bytes, address_space + limits.memory_bytes);
  const int null = ::open("/dev/null", O_WRONLY);
  if (null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
}

[[noreturn]] void run_in_child(const std::function<void()>& body) {
  try {
    body();
    ::_exit(0);
  } catch (const std::bad_alloc&) {
    ::_exit(kNoMemory);
  } catch (...) {
    ::_exit(kBodyThrew);
  }
}

std::string describe_status(int status, const ContainedLimits& limits) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGXCPU) return fmt::format("the decoder was stopped after {} s of computing", limits.cpu_seconds);
    if (number == SIGKILL) return "the decoder was killed: memory or computing time ran out";
    return fmt::format("the decoder crashed (signal {}: {})", number, ::strsignal(number));
  }
  const int code = WEXITSTATUS(status);
  if (code == 0) return {};
  if (code == kNoMemory) return fmt::format("the decoder wanted more than {} MiB", limits.memory_bytes >> 20);
  return fmt::format("the decoder failed (exit code {})", code);
}

}  // namespace

SharedBlock::~SharedBlock() { release(); }

SharedBlock::SharedBlock(SharedBlock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedBlock& SharedBlock::operator=(SharedBlock&& other) noexcept {
  if (this != &other) {
    release();
    descriptor_ = std::exchange(other.descriptor_, -1);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void SharedBlock::release() noexcept {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (descriptor_ >= 0) ::close(descriptor_);
  data_ = nullptr;
  descriptor_ = -1;
}

SharedBlock SharedBlock::create() {
  SharedBlock block;
  block.descriptor_ = ::memfd_create("simulacra-texture", MFD_CLOEXEC);
  if (block.descriptor_ < 0) fail("shared memory for a texture: {}", std::strerror(errno));
  return block;
}

std::uint8_t* SharedBlock::grow(std::size_t bytes) {
  SIM_CHECK(descriptor_ >= 0 && bytes > 0);
  if (data_ != nullptr) ::munmap(data_, size_);
  data_ = nullptr;
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
    fail("{} bytes for a texture: {}", bytes, std::strerror(errno));
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (mapped == MAP_FAILED) fail("{} bytes for a texture: {}", bytes, std::strerror(errno));
  data_ = static_cast<std::uint8_t*>(mapped);
  size_ = bytes;
  return data_;
}

void SharedBlock::map_for_reading() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("shared memory of a texture: {}", std::strerror(errno));
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (data_ != nullptr) ::munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
  if (bytes > 0) {
    void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor_, 0);
    if (mapped == MAP_FAILED) fail("{} bytes of a texture: {}", bytes, std::strerror(errno));
    data_ = static_cast<std::uint8_t*>(mapped);
    size_ = bytes;
  }
  ::close(descriptor_);
  descriptor_ = -1;
}

ContainedChild::ContainedChild(const std::function<void()>& body, const ContainedLimits& limits)
    : limits_(limits), started_(std::chrono::steady_clock::now()) {
  const std::uint64_t address_space = address_space_bytes();
  const std::lock_guard no_one_inside_oiio(oiio_mutex());
  wait_for_sleeping_threads();
  pid_ = ::fork();
  if (pid_ < 0) fail("a decoder process cannot be started: {}", std::strerror(errno));
  if (pid_ == 0) {
    confine_this_process(limits, address_space);
    run_in_child(body);
  }
}

ContainedChild::ContainedChild(ContainedChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      limits_(other.limits_),
      started_(other.started_),
      failure_(std::move(other.failure_)) {}

ContainedChild::~ContainedChild() {
  if (pid_ > 0) end("stopped");
}

void ContainedChild::end(const std::string& why) {
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  failure_ = why;
}

bool ContainedChild::finished() {
  if (pid_ < 0) return true;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) {
    failure_ = describe_status(status, limits_);
    pid_ = -1;
    return true;
  }
  if (ended < 0 && errno != EINTR) {
    failure_ = fmt::format("the decoder's end was not seen: {}", std::strerror(errno));
    pid_ = -1;
    return true;
  }
  if (std::chrono::steady_clock::now() - started_ < std::chrono::seconds(limits_.wall_seconds)) return false;
  end(fmt::format("the decoder was stopped after {} s", limits_.wall_seconds));
  return true;
}

}  // namespace simulacra
