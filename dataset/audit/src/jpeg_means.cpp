// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/jpeg_means.h"

#include <algorithm>
#include <array>
#include <optional>

#include "render/base/error.h"

namespace simulacra::auditing {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// Canonical Huffman code: symbols by length.
struct HuffmanTable {
  std::array<int, 17> count{};       ///< codes of each length 1..16
  std::vector<std::uint8_t> symbols;
};

struct Component {
  int name = 0, h = 1, v = 1, quantiser = 0;
  std::size_t across = 0, down = 0;            ///< blocks, padded to whole MCUs
  std::size_t own_across = 0, own_down = 0;    ///< blocks of the component alone
  std::vector<int> dc;                         ///< one a block
  int predictor = 0;
};

/// Bits of entropy-coded data; stops at a marker.
class BitReader {
 public:
  BitReader(Bytes data, std::size_t at) : data_(data), at_(at) {}
  int bit() {
    if (left_ == 0) fill();
    --left_;
    return (current_ >> left_) & 1;
  }
  int bits(int n) {
    int value = 0;
    while (n-- > 0) value = (value << 1) | bit();
    return value;
  }
  /// The JPEG code of a signed number of n bits.
  int number(int n) {
    if (n == 0) return 0;
    const int value = bits(n);
    return value >> (n - 1) ? value : value - (1 << n) + 1;
  }
  int symbol(const HuffmanTable& table) {
    int code = 0, first = 0, index = 0;
    for (std::size_t length = 1; length <= 16; ++length) {
      code |= bit();
      const int count = table.count[length];
      if (code - first < count) return table.symbols[static_cast<std::size_t>(index + code - first)];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    fail("JPEG data with an invalid Huffman code");
  }
  /// Drops bits left of the current byte and takes a restart marker.
  void restart() {
    left_ = 0;
    while (at_ + 1 < data_.size() && data_[at_] == 0xff && data_[at_ + 1] == 0xff) ++at_;
    if (at_ + 1 >= data_.size() || data_[at_] != 0xff || data_[at_ + 1] < 0xd0 || data_[at_ + 1] > 0xd7)
      fail("JPEG data without a restart marker where one is due");
    at_ += 2;
  }

 private:
  void fill() {
    if (at_ >= data_.size()) fail("JPEG data that ends too early");
    current_ = data_[at_];
    if (current_ == 0xff) {
      if (at_ + 1 >= data_.size() || data_[at_ + 1] != 0) fail("JPEG data that ends too early");
      ++at_;
    }
    ++at_;
    left_ = 8;
  }
  Bytes data_;
  std::size_t at_;
  int current_ = 0, left_ = 0;
};

int word(Bytes b, std::size_t at) {
  if (at + 1 >= b.size()) fail("a JPEG segment that is too short");
  return (b[at] << 8) | b[at + 1];
}
int byte(Bytes b, std::size_t at) {
  if (at >= b.size()) fail("a JPEG segment that is too short");
  return b[at];
}
std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

class Decoder {
 public:
  explicit Decoder(Bytes file) : file_(file) {}

  JpegMeans run() {
    if (file_.size() < 4 || file_[0] != 0xff || file_[1] != 0xd8) fail("no JPEG file");
    std::size_t at = 2;
    for (;;) {
      while (at + 1 < file_.size() && file_[at] == 0xff && file_[at + 1] == 0xff) ++at;
      if (at + 1 >= file_.size() || file_[at] != 0xff) fail("a JPEG file without a marker where one is due");
      const int mark = file_[at + 1];
      if (mark == 0xd9) break;
      const auto size = static_cast<std::size_t>(word(file_, at + 2));
      if (size < 2 || at + 2 + size > file_.size()) fail("a JPEG segment that is longer than the file");
      segment(mark, file_.subspan(at + 4, size - 2));
      at += 2 + size;
      if (mark == 0xda) at = scan(file_.subspan(at - size + 2, size - 2), at);
    }
    return result();
  }

 private:
  void segment(int mark, Bytes body) {
    if (mark == 0xdb) quantisers(body);
    else if (mark == 0xc4) huffman_tables(body);
    else if (mark == 0xc0 || mark == 0xc1 || mark == 0xc2) frame(body, mark == 0xc2);
    else if (mark >= 0xc3 && mark <= 0xcf && mark != 0xc8 && mark != 0xcc) fail("a JPEG file of process {:#x}, expected a Huffman-coded DCT", mark);
    else if (mark == 0xdd) restart_ = word(body, 0);
    else if (mark == 0xee && body.size() >= 12 && std::equal(body.begin(), body.begin() + 5, "Adobe")) adobe_ = body[11];
  }

  void quantisers(Bytes body) {
    for (std::size_t at = 0; at < body.size();) {
      const int head = byte(body, at++);
      const bool wide = head >> 4;
      dc_step_[static_cast<std::size_t>(head & 3)] = wide ? word(body, at) : byte(body, at);
      at += wide ? 128 : 64;
      if (at > body.size()) fail("a JPEG quantiser table that is too short");
    }
  }

  void huffman_tables(Bytes body) {
    for (std::size_t at = 0; at < body.size();) {
      const int head = byte(body, at++);
      HuffmanTable table;
      std::size_t total = 0;
      int room = 1;
      for (std::size_t length = 1; length <= 16; ++length) {
        table.count[length] = byte(body, at++);
        total += static_cast<std::size_t>(table.count[length]);
        room = 2 * room - table.count[length];
        if (room < 0) fail("a JPEG Huffman table with too many codes");
      }
      if (at + total > body.size()) fail("a JPEG Huffman table that is too short");
      table.symbols.assign(body.begin() + static_cast<std::ptrdiff_t>(at), body.begin() + static_cast<std::ptrdiff_t>(at + total));
      at += total;
      (head >> 4 ? ac_ : dc_)[static_cast<std::size_t>(head & 3)] = std::move(table);
    }
  }

  void frame(Bytes body, bool progressive) {
    if (!components_.empty()) fail("a JPEG file with two frames");
    progressive_ = progressive;
    height_ = word(body, 1), width_ = word(body, 3);
    const int n = byte(body, 5);
    if (byte(body, 0) != 8 || width_ == 0 || height_ == 0 || (n != 1 && n != 3) || std::int64_t{width_} * height_ > 1 << 26)
      fail("a JPEG file of {} x {}, {} bits, {} components, expected 8 bits and 1 or 3", width_, height_, byte(body, 0), n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      Component& c = components_.emplace_back();
      const int factors = byte(body, 7 + 3 * i);
      c.name = byte(body, 6 + 3 * i), c.h = factors >> 4, c.v = factors & 15, c.quantiser = byte(body, 8 + 3 * i) & 3;
      if (c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4) fail("a JPEG sampling factor of {}x{}", c.h, c.v);
      h_max_ = std::max(h_max_, c.h), v_max_ = std::max(v_max_, c.v);
    }
    const auto w = static_cast<std::size_t>(width_), h = static_cast<std::size_t>(height_);
    mcus_across_ = ceil_div(w, 8 * static_cast<std::size_t>(h_max_));
    mcus_down_ = ceil_div(h, 8 * static_cast<std::size_t>(v_max_));
    for (Component& c : components_) {
      const auto ch = static_cast<std::size_t>(c.h), cv = static_cast<std::size_t>(c.v);
      c.across = mcus_across_ * ch, c.down = mcus_down_ * cv;
      c.own_across = ceil_div(ceil_div(w * ch, static_cast<std::size_t>(h_max_)), 8);
      c.own_down = ceil_div(ceil_div(h * cv, static_cast<std::size_t>(v_max_)), 8);
      c.dc.assign(c.across * c.down, 0);
    }
  }

  struct Scan {
    struct Part {
      Component* component;
      const HuffmanTable *dc, *ac;
    };
    std::vector<Part> parts;
    int start = 0, high = 0, low = 0;
  };

  /// Decodes one scan that begins at `at`; returns where the marker after it stands.
  std::size_t scan(Bytes head, std::size_t at) {
    if (components_.empty()) fail("a JPEG scan before its frame");
    Scan s;
    const auto n = static_cast<std::size_t>(byte(head, 0));
    for (std::size_t i = 0; i < n; ++i) {
      const int name = byte(head, 1 + 2 * i), tables = byte(head, 2 + 2 * i);
      const auto c = std::find_if(components_.begin(), components_.end(), [&](const Component& k) { return k.name == name; });
      if (c == components_.end()) fail("a JPEG scan of an unknown component");
      s.parts.push_back({&*c, &dc_[static_cast<std::size_t>((tables >> 4) & 3)], &ac_[static_cast<std::size_t>(tables & 3)]});
    }
    if (n == 0) fail("a JPEG scan of no component");
    s.start = byte(head, 1 + 2 * n);
    s.high = byte(head, 3 + 2 * n) >> 4, s.low = byte(head, 3 + 2 * n) & 15;
    if (!progressive_ || s.start == 0) decode(s, at);
    while (at + 1 < file_.size() && !(file_[at] == 0xff && file_[at + 1] != 0 && file_[at + 1] != 0xff && (file_[at + 1] < 0xd0 || file_[at + 1] > 0xd7))) ++at;
    if (at + 1 >= file_.size()) fail("a JPEG file that ends without an end marker");
    return at;
  }

  void decode(const Scan& s, std::size_t at) {
    BitReader bits(file_, at);
    for (const Scan::Part& part : s.parts) part.component->predictor = 0;
    const bool alone = s.parts.size() == 1;
    const Component& first = *s.parts[0].component;
    const std::size_t across = alone ? first.own_across : mcus_across_, down = alone ? first.own_down : mcus_down_;
    for (std::size_t mcu = 0; mcu < across * down; ++mcu) {
      if (restart_ > 0 && mcu > 0 && mcu % static_cast<std::size_t>(restart_) == 0) {
        bits.restart();
        for (const Scan::Part& part : s.parts) part.component->predictor = 0;
      }
      const std::size_t x = mcu % across, y = mcu / across;
      for (const Scan::Part& part : s.parts) {
        const Component& c = *part.component;
        const std::size_t ch = alone ? 1 : static_cast<std::size_t>(c.h), cv = alone ? 1 : static_cast<std::size_t>(c.v);
        for (std::size_t by = 0; by < cv; ++by)
          for (std::size_t bx = 0; bx < ch; ++bx) block(s, part, bits, (y * cv + by) * c.across + x * ch + bx);
      }
    }
  }

  void block(const Scan& s, const Scan::Part& part, BitReader& bits, std::size_t index) {
    Component& c = *part.component;
    if (progressive_ && s.high > 0) {
      c.dc[index] |= bits.bit() << s.low;
      return;
    }
    const int size = bits.symbol(*part.dc);
    if (size > 15) fail("JPEG data with a DC difference of {} bits", size);
    c.predictor += bits.number(size);
    if (c.predictor > 1 << 16 || c.predictor < -(1 << 16)) fail("JPEG data with a DC value out of range");
    c.dc[index] = c.predictor * (1 << (progressive_ ? s.low : 0));
    if (progressive_) return;
    for (int k = 1; k < 64;) {
      const int code = bits.symbol(*part.ac), run = code >> 4, length = code & 15;
      if (length == 0) {
        if (run != 15) return;
        k += 16;
        continue;
      }
      k += run + 1;
      if (k > 64) fail("JPEG data with a run past the end of a block");
      bits.bits(length);
    }
  }

  JpegMeans result() const {
    if (components_.empty()) fail("a JPEG file without an image");
    JpegMeans out{width_, height_, false, {}};
    const bool named_rgb = components_.size() == 3 && components_[0].name == 'R' && components_[1].name == 'G' && components_[2].name == 'B';
    out.is_ycc = components_.size() == 3 && adobe_.value_or(1) != 0 && !named_rgb;
    for (const Component& c : components_) {
      JpegComponent& o = out.components.emplace_back();
      o.across = c.across, o.down = c.down;
      o.factor_x = static_cast<std::size_t>(h_max_ / c.h), o.factor_y = static_cast<std::size_t>(v_max_ / c.v);
      o.dc_step = dc_step_[static_cast<std::size_t>(c.quantiser)];
      for (const int dc : c.dc) o.means.push_back(dc * o.dc_step / 8 + 128);
    }
    return out;
  }

  Bytes file_;
  int width_ = 0, height_ = 0, restart_ = 0, h_max_ = 1, v_max_ = 1;
  std::size_t mcus_across_ = 0, mcus_down_ = 0;
  bool progressive_ = false;
  std::optional<int> adobe_;
  std::array<int, 4> dc_step_{1, 1, 1, 1};
  std::array<HuffmanTable, 4> dc_, ac_;
  std::vector<Component> components_;
};

}  // namespace

JpegMeans jpeg_means(Bytes file) { return Decoder(file).run(); }

}  // namespace simulacra::auditing
