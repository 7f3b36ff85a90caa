// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "dataset/audit/audit.h"
#include "dataset/audit/src/checks.h"

namespace simulacra::auditing {

/// Which checks are not made.
class Skips {
 public:
  Skips() = default;
  /// Throws UsageError for what is neither a check nor a family.
  explicit Skips(const std::vector<std::string>& names);
  bool operator[](std::size_t row) const { return skipped_[row]; }

 private:
  std::array<bool, kChecks.size()> skipped_{};
};

/// The pixels of one image that break a check, and the worst of them.
struct BadPixels {
  std::size_t count = 0, at = 0;
  double worst = -1;
  /// A NaN rank counts as the smallest.
  void add(std::size_t pixel, double rank = 0) {
    const double r = rank == rank ? rank : 0;
    if (count++ == 0 || r > worst) worst = r, at = pixel;
  }
};

/// What a part of the audit found. One a scene, camera or frame; merged in order, so that the result does
/// not depend on threads.
class Findings {
 public:
  explicit Findings(const Skips& skips) : skips_(&skips) {}

  /// One check; `expected` and `found` are texts or functions that make them, called only on failure.
  template <typename Expected, typename Found>
  bool test(std::string_view id, const std::string& path, bool good, Expected&& expected, Found&& found) {
    const std::size_t row = check_row(id);
    if ((*skips_)[row]) return good;
    ++counts_[row].checked;
    if (!good) {
      ++counts_[row].failed;
      failures_.push_back({std::string(id), path, text_of(expected), text_of(found), -1, -1});
    }
    return good;
  }

  /// A check of a whole image of `width` columns; show(pixel) tells about the worst pixel.
  template <typename Show>
  bool pixels(std::string_view id, const std::string& path, const BadPixels& bad, std::size_t width, std::size_t total,
              std::string_view expected, Show&& show) {
    const bool good = test(id, path, bad.count == 0, std::string(expected), [&] {
      return fmt::format("{} of {} pixels, worst at row {} column {}: {}", bad.count, total, bad.at / width,
                         bad.at % width, show(bad.at));
    });
    if (!good && !skipped(id)) {
      failures_.back().row = static_cast<int>(bad.at / width);
      failures_.back().column = static_cast<int>(bad.at % width);
    }
    return good;
  }

  /// The check could not be made.
  template <typename... Ids>
  void none(Ids... ids) {
    (void(++counts_[check_row(ids)].absent), ...);
  }

  void note(std::string text) { ++notes_[std::move(text)]; }
  bool skipped(std::string_view id) const { return (*skips_)[check_row(id)]; }
  const Skips& skips() const { return *skips_; }

  void merge(Findings&& other);
  /// Failures sorted by check, otherwise as they came.
  void write_to(AuditResult& result) const;

 private:
  struct Count {
    std::size_t checked = 0, failed = 0, absent = 0;
  };
  template <typename T>
  static std::string text_of(T&& text) {
    if constexpr (std::is_invocable_v<T>) return text();
    else return std::string(std::forward<T>(text));
  }

  const Skips* skips_;
  std::array<Count, kChecks.size()> counts_{};
  std::vector<AuditFailure> failures_;
  std::map<std::string, std::size_t> notes_;
};

}  // namespace simulacra::auditing
