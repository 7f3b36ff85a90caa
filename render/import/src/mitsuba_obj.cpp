// SPDX-License-Identifier: Apache-2.0
// OBJ as Mitsuba's `obj` shape reads it.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/import/src/mitsuba.h"

namespace simulacra::mitsuba {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr int kMaxPartners = 256;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// One line, read word by word.
class LineReader {
 public:
  LineReader(const char* begin, const char* end) : at_(begin), end_(end) {}
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  bool done() {
    skip_blanks();
    return at_ == end_;
  }
  std::string_view word() {
    skip_blanks();
    const char* begin = at_;
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }
  /// What is left of the word that was begun.
  void skip_word() {
    while (at_ != end_ && !is_blank(*at_)) ++at_;
  }
  bool number(float& value) {
    skip_blanks();
    if (at_ != end_ && *at_ == '+') ++at_;
    double wide = 0;  // so that a number too small for float becomes 0 and not an error
    const auto [next, error] = std::from_chars(at_, end_, wide);
    if (error == std::errc::invalid_argument) return false;
    at_ = next;
    value = error == std::errc{} ? static_cast<float>(wide) : 0.0f;
    return true;
  }
  bool integer(long long& value) {
    const auto [next, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{}) return false;
    at_ = next;
    return true;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

 private:
  const char* at_;
  const char* end_;
};

/// A vertex of the mesh: the three indices that make it, and the next one with the same position.
struct Corner {
  std::uint32_t vt = kNone, vn = kNone, vertex = 0, next = kNone;
};

class ObjReader {
 public:
  ObjReader(const std::filesystem::path& file, bool flip_v) : file_(file), flip_v_(flip_v) {}
  MeshDescription read();

 private:
  void line(LineReader reader);
  void face(LineReader reader);
  std::uint32_t vertex(LineReader& reader);
  std::uint32_t index(long long written, std::size_t count, const char* of);
  [[noreturn]] void refuse(const std::string& what) { fail_usage("{}:{}: {}", file_.string(), line_, what); }

  const std::filesystem::path& file_;
  bool flip_v_;
  std::size_t line_ = 0;
  std::vector<Vec3> positions_, normals_;
  std::vector<Vec2> uv_;
  std::vector<std::uint32_t> first_corner_;  // of each position
  std::vector<Corner> corners_;
  std::vector<std::uint32_t> face_;
  MeshDescription mesh_;
  bool any_uv_ = false, any_normal_ = false;
};

std::uint32_t ObjReader::index(long long written, std::size_t count, const char* of) {
  const long long n = static_cast<long long>(count);
  const long long i = written > 0 ? written - 1 : written + n;
  if (n == 0) refuse(fmt::format("face refers to {} {}, but there is none before it", of, written));
  if (written == 0 || i < 0 || i >= n)
    refuse(fmt::format("face refers to {} {}, expected 1 to {} or -{} to -1", of, written, n, n));
  return static_cast<std::uint32_t>(i);
}

std::uint32_t ObjReader::vertex(LineReader& reader) {
  long long v = 0, t = 0, n = 0;
  if (!reader.integer(v)) refuse("no vertex number in a face");
  const std::uint32_t p = index(v, positions_.size(), "vertex");
  std::uint32_t vt = kNone, vn = kNone;
  if (reader.take('/')) {
    if (reader.integer(t)) vt = index(t, uv_.size(), "texture vertex");
    if (reader.take('/') && reader.integer(n)) vn = index(n, normals_.size(), "normal");
  }
  int steps = 0;  // a position with more partners than any mesh has is repeated, not searched for ever
  for (std::uint32_t c = first_corner_[p]; c != kNone && steps < kMaxPartners; c = corners_[c].next, ++steps)
    if (corners_[c].vt == vt && corners_[c].vn == vn) return corners_[c].vertex;
  const auto added = static_cast<std::uint32_t>(mesh_.positions.size());
  corners_.push_back({vt, vn, added, first_corner_[p]});
  first_corner_[p] = static_cast<std::uint32_t>(corners_.size() - 1);
  mesh_.positions.push_back(positions_[p]);
  mesh_.uv[0].push_back(vt == kNone ? Vec2{} : uv_[vt]);
  mesh_.normals.push_back(vn == kNone ? Vec3{} : normals_[vn]);
  any_uv_ |= vt != kNone;
  any_normal_ |= vn != kNone;
  return added;
}

void ObjReader::face(LineReader reader) {
  face_.clear();
  while (!reader.done()) {
    face_.push_back(vertex(reader));
    reader.skip_word();  // what follows the numbers of a corner, as Mitsuba skips it
  }
  for (std::size_t i = 2; i < face_.size(); ++i) mesh_.triangles.push_back({face_[0], face_[i - 1], face_[i]});
}

void ObjReader::line(LineReader reader) {
  const std::string_view key = reader.word();
  if (key == "v") {
    Vec3 p;
    if (!reader.number(p.x) || !reader.number(p.y) || !reader.number(p.z)) refuse("v without three numbers");
    if (!is_finite(p)) refuse("v is not finite");
    positions_.push_back(p);
    first_corner_.push_back(kNone);
  } else if (key == "vt") {
    Vec2 t;
    if (!reader.number(t.x)) refuse("vt without numbers");
    reader.number(t.y);
    if (!std::isfinite(t.x) || !std::isfinite(t.y)) refuse("vt is not finite");
    uv_.push_back({t.x, flip_v_ ? 1 - t.y : t.y});
  } else if (key == "vn") {
    Vec3 n;
    if (!reader.number(n.x) || !reader.number(n.y) || !reader.number(n.z)) refuse("vn without three numbers");
    normals_.push_back(n);
  } else if (key == "f") {
    face(reader);
  }
}

MeshDescription ObjReader::read() {
  const std::string text = read_text_file(file_);
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    const char* stop = at;
    while (stop != end && *stop != '\n') ++stop;
    ++line_;
    line(LineReader(at, stop));
    at = stop == end ? end : stop + 1;
  }
  if (!any_uv_) mesh_.uv[0].clear();
  if (!any_normal_) mesh_.normals.clear();
  return std::move(mesh_);
}

}  // namespace

MeshDescription read_obj(const std::filesystem::path& file, bool flip_v) { return ObjReader(file, flip_v).read(); }

}  // namespace simulacra::mitsuba
