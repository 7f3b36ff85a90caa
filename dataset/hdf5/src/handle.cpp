// SPDX-License-Identifier: Apache-2.0
#include "dataset/hdf5/src/handle.h"

#include "render/base/error.h"

namespace simulacra::hdf5 {
namespace {

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Keeps the innermost message of the library's error stack: that is where it went wrong.
herr_t keep_first(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

LibraryLock::LibraryLock() : lock_(library_mutex()) { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void fail_with_reason(const std::string& name, const std::string& what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &keep_first, &reason);
  H5Eclear2(H5E_DEFAULT);
  for (char& c : reason)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  fail("{}: {}{}", name, what, reason.empty() ? "" : " (HDF5: " + reason + ")");
}

Handle checked(hid_t id, Handle::Close close, const std::string& name, const char* what) {
  if (id < 0) fail_with_reason(name, what);
  return {id, close};
}

void check(herr_t status, const std::string& name, const char* what) {
  if (status < 0) fail_with_reason(name, what);
}

Handle file_type(Element element) {
  hid_t standard = H5T_IEEE_F32LE;
  switch (element) {
    case Element::f16:
    case Element::f32: break;
    case Element::f64: standard = H5T_IEEE_F64LE; break;
    case Element::u8: standard = H5T_STD_U8LE; break;
    case Element::i16: standard = H5T_STD_I16LE; break;
    case Element::i32: standard = H5T_STD_I32LE; break;
    case Element::i64: standard = H5T_STD_I64LE; break;
  }
  Handle type = checked(H5Tcopy(standard), H5Tclose, "HDF5 type", "cannot be made");
  if (element == Element::f16) {
    // sign 15, exponent 10..14, mantissa 0..9, bias 15: what numpy users get as float16
    check(H5Tset_fields(type.get(), 15, 10, 5, 0, 10), "float16 type", "cannot be made");
    check(H5Tset_size(type.get(), 2), "float16 type", "cannot be made");
    check(H5Tset_ebias(type.get(), 15), "float16 type", "cannot be made");
  }
  return type;
}

}  // namespace simulacra::hdf5
