// SPDX-License-Identifier: Apache-2.0
// The HDF5 C library made honest: one call, one check, one exception with the library's own words.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

#include "dataset/hdf5/hdf5.h"

namespace simulacra::hdf5 {

/// Held around every sequence of library calls. Its constructor also silences the library's own
/// printing, which is a setting per thread.
class LibraryLock {
 public:
  LibraryLock();

 private:
  std::lock_guard<std::mutex> lock_;
};

/// Throws Error "NAME: WHAT (the library's reason)".
[[noreturn]] void fail_with_reason(const std::string& name, const std::string& what);

/// An HDF5 identifier that is closed at the end of the scope.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }
  hid_t get() const { return id_; }
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = H5I_INVALID_HID;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// The handle, or an Error that says what could not be done with the file `name`.
Handle checked(hid_t id, Handle::Close close, const std::string& name, const char* what);
/// Throws when `status` is negative.
void check(herr_t status, const std::string& name, const char* what);

/// The file type of an element.
Handle file_type(Element element);

}  // namespace simulacra::hdf5
