// SPDX-License-Identifier: Apache-2.0
#include "learning/record/scalar_log.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "render/base/error.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t r = i;
    for (int k = 0; k < 8; ++k) r = (r >> 1) ^ ((r & 1) ? 0x82F63B78u : 0u);
    table[i] = r;
  }
  return table;
}
constexpr auto kTable = make_table();

template <typename T>
void put_little(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
}

/// Event files mask their checksums: rotated by 15 bits, plus a constant.
std::uint32_t masked_checksum(std::string_view bytes) {
  const std::uint32_t c = crc32c({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return std::rotr(c, 15) + 0xA282EAD8u;
}

// The wire format of protocol buffers: a key (field number, wire type), then the value.
enum WireType : std::uint64_t { varint_type = 0, fixed64_type = 1, bytes_type = 2, fixed32_type = 5 };
void put_varint(std::string& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out.push_back(static_cast<char>(v | 0x80));
  out.push_back(static_cast<char>(v));
}
void put_key(std::string& out, std::uint64_t field, WireType type) { put_varint(out, field << 3 | type); }
void put_bytes(std::string& out, std::uint64_t field, std::string_view bytes) {
  put_key(out, field, bytes_type);
  put_varint(out, bytes.size());
  out += bytes;
}
void put_wall_time(std::string& out, double seconds) {
  put_key(out, 1, fixed64_type);
  put_little(out, std::bit_cast<std::uint64_t>(seconds));
}

struct Row {
  std::int64_t step;
  std::string_view name;
  double value;
};

std::optional<Row> parse_row(std::string_view line) {
  const std::size_t a = line.find(','), b = line.rfind(',');
  if (a == std::string_view::npos || b == a) return std::nullopt;
  Row row{0, line.substr(a + 1, b - a - 1), 0};
  const std::string_view step = line.substr(0, a), value = line.substr(b + 1);
  const auto r1 = std::from_chars(step.data(), step.data() + step.size(), row.step);
  const auto r2 = std::from_chars(value.data(), value.data() + value.size(), row.value);
  if (r1.ec != std::errc{} || r2.ec != std::errc{} || r2.ptr != value.data() + value.size()) return std::nullopt;
  return row;
}

constexpr std::string_view kHeader = "step,name,value\n";

/// Rows of earlier steps, of what may be a torn file.
std::string kept_rows(const fs::path& path, std::int64_t first_step) {
  std::string kept(kHeader);
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    const auto row = parse_row(line);
    if (row && row->step < first_step) kept += line + '\n';
  }
  return kept;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  std::uint32_t c = ~0u;
  for (const std::uint8_t b : bytes) c = (c >> 8) ^ kTable[(c ^ b) & 0xFF];
  return ~c;
}

std::string event_record(std::string_view bytes) {
  std::string length, out;
  put_little(length, static_cast<std::uint64_t>(bytes.size()));
  out = length;
  put_little(out, masked_checksum(length));
  out += bytes;
  put_little(out, masked_checksum(bytes));
  return out;
}

std::string version_event(double wall_seconds) {
  std::string event;
  put_wall_time(event, wall_seconds);
  put_bytes(event, 3, "brain.Event:2");
  return event;
}

std::string scalar_event(double wall_seconds, std::int64_t step, const NamedScalars& scalars) {
  std::string summary;
  for (const auto& [name, value] : scalars) {
    std::string entry;
    put_bytes(entry, 1, name);
    put_key(entry, 2, fixed32_type);
    put_little(entry, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    put_bytes(summary, 1, entry);
  }
  std::string event;
  put_wall_time(event, wall_seconds);
  put_key(event, 2, varint_type);
  put_varint(event, static_cast<std::uint64_t>(step));
  put_bytes(event, 5, summary);
  return event;
}

ScalarLog::ScalarLog(const fs::path& folder, std::int64_t first_step, double wall_seconds) {
  const fs::path csv = folder / "scalars.csv";
  const std::string kept = kept_rows(csv, first_step);
  csv_.open(csv, std::ios::trunc);
  csv_ << kept << std::flush;
  const fs::path events = folder / fmt::format("events.out.tfevents.{:010}.{}", static_cast<std::int64_t>(wall_seconds), first_step);
  events_.open(events, std::ios::binary | std::ios::trunc);
  events_ << event_record(version_event(wall_seconds)) << std::flush;
  if (!csv_ || !events_) fail("{}: curves cannot be written there", folder.string());
}

void ScalarLog::add(std::int64_t step, const NamedScalars& scalars, double wall_seconds) {
  for (const auto& [name, value] : scalars) csv_ << fmt::format("{},{},{}\n", step, name, value);
  csv_.flush();
  events_ << event_record(scalar_event(wall_seconds, step, scalars)) << std::flush;
  if (!csv_ || !events_) fail("curves cannot be written: is the disk full?");
}

std::vector<std::pair<std::int64_t, double>> read_curve(const fs::path& folder, std::string_view name) {
  const fs::path path = folder / "scalars.csv";
  std::ifstream in(path);
  if (!in) fail("{}: cannot be read", path.string());
  std::vector<std::pair<std::int64_t, double>> curve;
  std::string line;
  std::getline(in, line);
  for (int number = 2; std::getline(in, line); ++number) {
    const auto row = parse_row(line);
    if (!row) fail("{}:{}: no row of step, name and value", path.string(), number);
    if (row->name == name) curve.emplace_back(row->step, row->value);
  }
  return curve;
}

}  // namespace simulacra
