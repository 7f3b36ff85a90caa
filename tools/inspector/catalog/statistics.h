// SPDX-License-Identifier: Apache-2.0
// What filters need of every frame and no table holds: classes and depths, read from the frames in the background.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/inspector/catalog/frame_list.h"

namespace simulacra::inspector {

struct FrameStatistics {
  float near = std::numeric_limits<float>::quiet_NaN(), far = near;   ///< finite depths, m; NaN without any
  float empty_share = 0;                             ///< of pixels whose depth is not finite; 0 without depth
  std::vector<std::pair<int, float>> classes;        ///< class and its share of the pixels
  int instances = 0;                                 ///< seen
  bool damaged = false;                              ///< a file of it could not be read
};
FrameStatistics statistics_of(const FrameList& list, std::size_t frame_idx);

/// Reads frame after frame on a thread of its own, with less priority than everything else.
class StatisticsScan {
 public:
  /// `list` must live longer. `pause` is asked before each frame and may block while the program has better things to do.
  StatisticsScan(const FrameList& list, std::function<void()> pause = {});
  ~StatisticsScan();
  StatisticsScan(const StatisticsScan&) = delete;
  StatisticsScan& operator=(const StatisticsScan&) = delete;

  /// {"done", "total", "from", "near": […], "far", "empty", "instances", "damaged", "classes": [[id, share, …], …]} of frames
  /// from `from` on, at most kStep of them.
  std::string json(std::size_t from) const;
  static constexpr std::size_t kStep = 4000;

 private:
  void run();
  const FrameList& list_;
  std::function<void()> pause_;
  mutable std::mutex mutex_;
  std::vector<FrameStatistics> done_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// The same text for given frames, all done.
std::string statistics_json(const std::vector<FrameStatistics>& all, std::size_t from, std::size_t to, std::size_t total);

/// Gives the calling thread less of the processor than others get.
void lower_priority();

}  // namespace simulacra::inspector
