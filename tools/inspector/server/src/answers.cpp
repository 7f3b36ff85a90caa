// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/server/answers.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include <fmt/format.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "tools/inspector/catalog/scene_tables.h"
#include "tools/inspector/page/page.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;

constexpr int kThumbnailWidth = 160;
constexpr std::uint64_t kMaxPreviewBytes = std::uint64_t{16} << 20;
constexpr std::string_view kJson = "application/json", kPacked = "application/octet-stream", kText = "text/plain; charset=utf-8";

/// A refusal on its way out of the functions that find it.
struct Refusal {
  int status;
  std::string text;
};

Answer say(std::string text, std::string_view type, int status = 200) {
  return {status, std::string(type), std::make_shared<const std::string>(std::move(text))};
}

std::size_t number(std::string_view text, std::string_view what, std::size_t count) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) throw Refusal{400, fmt::format("the {} is not a whole number", what)};
  if (value >= count) throw Refusal{404, fmt::format("there is no {} {}; there are {}", what, value, count)};
  return value;
}

/// A word of [a-z0-9_.], so that no path can be made of it.
std::string_view plain_word(std::string_view text, std::string_view what) {
  const bool plain = !text.empty() && text.size() <= 80 && text[0] != '.' && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
  if (!plain) throw Refusal{400, fmt::format("this is no name of a {}", what)};
  return text;
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at; (at = path.find('/')) != std::string_view::npos; path.remove_prefix(at + 1)) parts.push_back(path.substr(0, at));
  parts.push_back(path);
  return parts;
}

/// Changes when the file does.
std::string version_of(const fs::path& file) {
  std::error_code ignored;
  return fmt::format("{}|{}|{}", file.string(), fs::file_size(file, ignored), fs::last_write_time(file, ignored).time_since_epoch().count());
}

}  // namespace

std::shared_ptr<const std::string> AnswerCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(key);
  if (at == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, at->second);
  return entries_.front().body;
}

void AnswerCache::keep(const std::string& key, std::shared_ptr<const std::string> body) {
  if (body->size() > max_bytes_ / 2) return;
  const std::lock_guard lock(mutex_);
  if (places_.contains(key)) return;
  bytes_ += body->size();
  entries_.push_front({key, std::move(body)});
  places_[key] = entries_.begin();
  while (bytes_ > max_bytes_) {
    bytes_ -= entries_.back().body->size();
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

std::size_t AnswerCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

Answers::Answers(const Sets& sets, const StatisticsScan* statistics, const AuditScan* audit, std::size_t cache_bytes)
    : sets_(sets), statistics_(statistics), audit_(audit), index_(std::make_shared<const std::string>(pack_json(index_json(sets)))), cache_(cache_bytes),
      reading_(static_cast<std::ptrdiff_t>(std::clamp(std::thread::hardware_concurrency(), 2u, 8u))) {}

template <typename Make>
Answer Answers::cached(const std::string& key, std::string_view type, Make&& make) {
  if (auto body = cache_.find(key)) return {200, std::string(type), std::move(body)};
  struct Turn {
    explicit Turn(Answers& all) : a(all) { ++a.busy_, a.reading_.acquire(); }
    ~Turn() { a.reading_.release(), --a.busy_; }
    Answers& a;
  };
  const Turn turn(*this);
  if (auto body = cache_.find(key)) return {200, std::string(type), std::move(body)};   // another client asked meanwhile
  auto body = std::make_shared<const std::string>(make());
  cache_.keep(key, body);
  return {200, std::string(type), std::move(body)};
}

Answer Answers::plane(std::size_t set, std::size_t frame, std::string_view label) {
  const fs::path file = label_file(sets_.lists[set], frame, plain_word(label, "label"));
  if (file.empty()) throw Refusal{404, fmt::format("{}: there is no file with '{}'", frame_key(sets_.lists[set].name(frame)), label)};
  return cached("plane " + version_of(file), kPacked, [&] { return pack(read_plane(file)); });
}

Answer Answers::thumbnail_of(std::size_t frame) {
  const FrameList& list = sets_.lists.front();
  for (const std::string_view label : kThumbnailLabels) {
    const fs::path file = label_file(list, frame, label);
    if (file.empty()) continue;
    return cached("thumbnail " + version_of(file), "image/jpeg", [&] {
      const std::vector<std::uint8_t> jpeg = thumbnail(file, label, kThumbnailWidth);
      return std::string(jpeg.begin(), jpeg.end());
    });
  }
  for (const std::string_view name : {"tonemap.jpg", "gamma.jpg", "color.jpg", "geometry.depth_meters.png"})
    if (!preview_file(list, frame, name).empty()) return preview(frame, name);
  throw Refusal{404, fmt::format("{}: no label that a thumbnail is made of", frame_key(list.name(frame)))};
}

Answer Answers::preview(std::size_t frame, std::string_view name) {
  const FrameList& list = sets_.lists.front();
  const fs::path file = preview_file(list, frame, plain_word(name, "preview"));
  if (file.empty()) throw Refusal{404, fmt::format("{}: there is no preview '{}'", frame_key(list.name(frame)), name)};
  return cached("preview " + version_of(file), file.extension() == ".png" ? "image/png" : "image/jpeg", [&] {
    const std::vector<std::uint8_t> bytes = read_file(file, kMaxPreviewBytes);
    return std::string(bytes.begin(), bytes.end());
  });
}

Answer Answers::pixel(std::size_t set, std::size_t frame, std::string_view x, std::string_view y) {
  constexpr std::size_t kSides = std::size_t{1} << 20;
  return say(pixel_json(sets_.lists[set], frame, number(x, "column", kSides), number(y, "row", kSides), readers_), kJson);
}

Answer Answers::dispatch(const std::vector<std::string_view>& p) {
  if (p[0].empty() && p.size() == 1) return say(index_page(), media_type("index.html"));
  if (p[0] == "page" && p.size() == 2) {
    const std::string_view text = page_file(p[1]);
    if (!text.empty()) return say(std::string(text), media_type(p[1]));
  }
  if (p[0] != "api" || p.size() < 2) throw Refusal{404, "there is no such page"};
  const auto is = [&](std::string_view name, std::size_t count) { return p[1] == name && p.size() == count; };
  const FrameList& list = sets_.lists.front();
  if (is("index", 2)) return {200, std::string(kPacked), index_};
  if (is("scene", 3)) return say(scene_json(list, number(p[2], "scene", list.scenes.size())), kJson);
  if (is("thumbnail", 3)) return thumbnail_of(number(p[2], "frame", list.frames.size()));
  if (is("preview", 4)) return preview(number(p[2], "frame", list.frames.size()), p[3]);
  if (is("statistics", 3) && statistics_) return say(statistics_->json(number(p[2], "start", list.frames.size() + 1)), kJson);
  if (is("findings", 3))
    return say(audit_ ? audit_->json(number(p[2], "start", std::size_t{1} << 40)) : "{\"state\":\"off\",\"findings\":[],\"checks\":{},\"total\":0,\"from\":0}", kJson);
  if (!is("frame", 4) && !is("plane", 5) && !is("pixel", 6)) throw Refusal{404, "there is no such page"};
  const std::size_t set = number(p[2], "set", sets_.lists.size()), first = number(p[3], "frame", list.frames.size());
  const auto frame = sets_.frame_in(set, first);
  if (!frame) throw Refusal{404, fmt::format("{}: {} has no such frame", frame_key(list.name(first)), sets_.lists[set].title)};
  if (is("frame", 4)) return say(frame_json(sets_.lists[set], *frame, readers_), kJson);
  if (is("plane", 5)) return plane(set, *frame, p[4]);
  return pixel(set, *frame, p[4], p[5]);
}

Answer Answers::operator()(std::string_view path) {
  try {
    return dispatch(split(path));
  } catch (const Refusal& refusal) {
    return say(refusal.text, kText, refusal.status);
  } catch (const std::bad_alloc&) {
    return say("there is not enough memory for this", kText, 503);
  } catch (const std::exception& e) {
    return say(e.what(), kText, 422);
  }
}

}  // namespace simulacra::inspector
