// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simulacra::learning {

/// Matrix products in bfloat16 while it lives, if `precision` says so. For the forward pass only.
class Precision {
 public:
  explicit Precision(const std::string& precision);
  ~Precision();
  Precision(const Precision&) = delete;
  Precision& operator=(const Precision&) = delete;

 private:
  bool on_;
};

}  // namespace simulacra::learning
