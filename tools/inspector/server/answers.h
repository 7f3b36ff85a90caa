// SPDX-License-Identifier: Apache-2.0
// What the inspector answers to a path: everything of the server but sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

#include "tools/inspector/catalog/findings.h"
#include "tools/inspector/catalog/index.h"
#include "tools/inspector/catalog/statistics.h"

namespace simulacra::inspector {

struct Answer {
  int status = 200;
  std::string type;
  std::shared_ptr<const std::string> body;
};

/// The latest answers, up to a number of bytes. Safe for any number of threads.
class AnswerCache {
 public:
  explicit AnswerCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  std::shared_ptr<const std::string> find(const std::string& key);
  /// What is larger than half of the cache is not kept.
  void keep(const std::string& key, std::shared_ptr<const std::string> body);
  std::size_t bytes() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const std::string> body;
  };
  std::size_t max_bytes_, bytes_ = 0;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;   ///< latest first
  std::map<std::string, std::list<Entry>::iterator, std::less<>> places_;
};

/// Reads data sets and answers; changes nothing on disk. Paths, relative to the token:
///   "" and page/NAME               the page
///   api/index                      packed JSON (index.h)
///   api/scene/N                    JSON (scene_tables.h)
///   api/frame/S/I                  JSON; S = number of the set, I = number of the frame in the first set
///   api/plane/S/I/LABEL            a packed plane (planes.h)
///   api/pixel/S/I/X/Y              JSON
///   api/thumbnail/I                JPEG, 160 pixels wide
///   api/preview/I/NAME.EXT         a picture of the set, as it is
///   api/statistics/FROM, api/findings/FROM   JSON
/// Names and numbers that do not exist are 404, malformed ones 400, what cannot be read 422; a text says what and where.
class Answers {
 public:
  /// `audit`: null = the page says that there is no audit. Both must live longer.
  Answers(const Sets& sets, const StatisticsScan* statistics, const AuditScan* audit, std::size_t cache_bytes);
  /// `path` without a leading slash, percent-decoded. Never throws.
  Answer operator()(std::string_view path);
  std::size_t cached_bytes() const { return cache_.bytes(); }
  /// Requests that read pictures at the moment.
  int busy() const { return busy_; }

 private:
  Answer dispatch(const std::vector<std::string_view>& parts);
  Answer plane(std::size_t set, std::size_t frame, std::string_view label);
  Answer thumbnail_of(std::size_t frame);
  Answer preview(std::size_t frame, std::string_view name);
  Answer pixel(std::size_t set, std::size_t frame, std::string_view x, std::string_view y);
  template <typename Make>
  Answer cached(const std::string& key, std::string_view type, Make&& make);

  const Sets& sets_;
  const StatisticsScan* statistics_;
  const AuditScan* audit_;
  std::shared_ptr<const std::string> index_;
  PixelReaders readers_;
  AnswerCache cache_;
  std::counting_semaphore<64> reading_;   ///< pictures in memory at a time
  std::atomic<int> busy_{0};
};

}  // namespace simulacra::inspector
