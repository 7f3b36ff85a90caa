// SPDX-License-Identifier: Apache-2.0
// OpenEXR's streams over bytes in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <IexBaseExc.h>
#include <ImfIO.h>

namespace simulacra {

class ExrMemoryWriter : public OPENEXR_IMF_NAMESPACE::OStream {
 public:
  ExrMemoryWriter() : OStream("memory") {}
  void write(const char text[], int n) override {
    const std::size_t end = at_ + static_cast<std::size_t>(n);
    if (bytes_.size() < end) bytes_.resize(end);
    std::memcpy(bytes_.data() + at_, text, static_cast<std::size_t>(n));
    at_ = end;
  }
  std::uint64_t tellp() override { return at_; }
  void seekp(std::uint64_t position) override { at_ = static_cast<std::size_t>(position); }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

class ExrMemoryReader : public OPENEXR_IMF_NAMESPACE::IStream {
 public:
  ExrMemoryReader(const std::string& name, std::span<const std::uint8_t> bytes)
      : IStream(name.c_str()), bytes_(bytes) {}
  bool read(char text[], int n) override {
    const auto wanted = static_cast<std::size_t>(n);
    if (n < 0 || at_ > bytes_.size() || bytes_.size() - at_ < wanted)
      throw IEX_NAMESPACE::InputExc("Unexpected end of file.");
    std::memcpy(text, bytes_.data() + at_, wanted);
    at_ += wanted;
    return at_ < bytes_.size();
  }
  std::uint64_t tellg() override { return at_; }
  void seekg(std::uint64_t position) override { at_ = static_cast<std::size_t>(position); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace simulacra
