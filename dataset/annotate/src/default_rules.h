// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simulacra {

/// Text of configs/dataset/label_rules.yaml, put in by CMake.
extern const char* const kDefaultLabelRules;

}  // namespace simulacra
