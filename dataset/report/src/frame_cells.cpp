// SPDX-License-Identifier: Apache-2.0
// The cells of one frame: a picture and a range for each label.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "dataset/annotate/nyu40.h"
#include "dataset/hdf5/hdf5.h"
#include "dataset/report/src/facts.h"
#include "dataset/schema/canonical.h"
#include "dataset/store/colors.h"
#include "dataset/store/tone_map.h"
#include "render/base/base64.h"
#include "render/base/error.h"
#include "render/texture/texture.h"

namespace simulacra::reporting {
namespace {

namespace fs = std::filesystem;

/// Values of one label as numbers.
struct Values {
  int width = 0, height = 0;
  std::size_t channels = 1;
  std::vector<float> v;
  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
};

Values read_values(const fs::path& path, std::size_t channels) {
  const hdf5::Array array = hdf5::read(path);
  const bool fits = array.shape.size() == (channels > 1 ? 3u : 2u) && (channels == 1 || array.shape[2] == channels) &&
                    array.shape[0] > 0 && array.shape[1] > 0 && array.shape[0] < 65536 && array.shape[1] < 65536;
  if (!fits) fail("{}: the array has an unexpected shape", path.filename().string());
  Values out{static_cast<int>(array.shape[1]), static_cast<int>(array.shape[0]), channels, std::vector<float>(array.size())};
  for (std::size_t i = 0; i < out.v.size(); ++i) out.v[i] = static_cast<float>(array.at(i));
  return out;
}

struct Bounds {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double x) {
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  bool any() const { return low <= high; }
  double share(double x) const { return high > low ? (x - low) / (high - low) : 0.5; }
};

Bounds bounds_of(const Values& values, std::size_t channel) {
  Bounds b;
  for (std::size_t i = channel; i < values.v.size(); i += values.channels) b.add(values.v[i]);
  return b;
}

/// Everything that one frame's pictures share.
struct Context {
  double exposure = 1;   ///< of color, used for its parts too
};

using Pixel = std::array<std::uint8_t, 3>;
constexpr Pixel kEmptyPixel = {40, 42, 48};

Pixel gamma_pixel(const Values& values, std::size_t p, double scale) {
  Pixel out{};
  for (std::size_t c = 0; c < 3; ++c)
    out[c] = to_byte(std::pow(std::max(0.0, scale * static_cast<double>(values.v[3 * p + c])), 1 / kToneMapGamma));
  return out;
}

Pixel bits_pixel(float value) {
  constexpr std::array<Pixel, 4> colors = {Pixel{40, 42, 48}, Pixel{86, 156, 214}, Pixel{229, 160, 64}, Pixel{126, 196, 110}};
  return colors[static_cast<std::size_t>(std::clamp(value, 0.0f, 3.0f))];
}

/// One pixel of the picture of a label.
class Painter {
 public:
  Painter(const Values& values, Look look, const Context& context) : values_(values), look_(look), context_(context) {
    for (std::size_t c = 0; c < std::min<std::size_t>(3, values.channels); ++c) bounds_[c] = bounds_of(values, c);
  }

  Pixel operator()(std::size_t p) const {
    const float first = values_.v[p * values_.channels];
    switch (look_) {
      case Look::light: return gamma_pixel(values_, p, context_.exposure);
      case Look::albedo: return gamma_pixel(values_, p, 1);
      case Look::depth: return std::isfinite(first) ? viridis(bounds_[0].share(first)) : kEmptyPixel;
      case Look::normal: return vector_pixel(p, [](double x, const Bounds&) { return (x + 1) / 2; });
      case Look::position: return vector_pixel(p, [](double x, const Bounds& b) { return b.share(x); });
      case Look::texture: return vector_pixel(p, [](double x, const Bounds&) { return x - std::floor(x); });
      case Look::entity: return first < 1 ? kEmptyPixel : entity_color(static_cast<int>(first));
      case Look::semantic: return first < 1 ? kEmptyPixel : semantic_color(static_cast<int>(first));
      case Look::instance: return first < 1 ? kEmptyPixel : instance_color(static_cast<int>(first));
      case Look::material: return first < 0 ? kEmptyPixel : instance_color(static_cast<int>(first) + 1);
      case Look::bits: return bits_pixel(first);
    }
    return {};
  }

 private:
  template <typename Map>
  Pixel vector_pixel(std::size_t p, Map map) const {
    Pixel out{};
    for (std::size_t c = 0; c < 3; ++c) {
      const float x = values_.v[3 * p + c];
      if (!std::isfinite(x)) return kEmptyPixel;
      out[c] = to_byte(map(x, bounds_[c]));
    }
    return out;
  }
  const Values& values_;
  Look look_;
  const Context& context_;
  std::array<Bounds, 3> bounds_;
};

/// The picture at no more than `width` pixels: means of blocks for light, else every n-th pixel.
std::vector<std::uint8_t> paint(const Values& values, const Painter& painter, bool smooth, int width, int& w, int& h) {
  const int step = std::max(1, (values.width + width - 1) / width);
  w = std::max(1, values.width / step), h = std::max(1, values.height / step);
  std::vector<std::uint8_t> rgb;
  rgb.reserve(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 3);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      std::array<unsigned, 3> sum{};
      const int reach = smooth ? step : 1;
      for (int dy = 0; dy < reach; ++dy)
        for (int dx = 0; dx < reach; ++dx) {
          const int row = y * step + (smooth ? dy : step / 2), column = x * step + (smooth ? dx : step / 2);
          const Pixel pixel = painter(static_cast<std::size_t>(row) * static_cast<std::size_t>(values.width) + static_cast<std::size_t>(column));
          for (std::size_t c = 0; c < 3; ++c) sum[c] += pixel[c];
        }
      for (const unsigned s : sum) rgb.push_back(static_cast<std::uint8_t>(s / static_cast<unsigned>(reach * reach)));
    }
  return rgb;
}

std::string data_uri(const Values& values, const Modality& m, const Context& context, int width) {
  int w = 0, h = 0;
  const std::vector<std::uint8_t> rgb = paint(values, Painter(values, m.look, context), m.smooth, width, w, h);
  return m.smooth ? "data:image/jpeg;base64," + base64(encode_jpeg(w, h, rgb, 82))
                  : "data:image/png;base64," + base64(encode_png(w, h, 3, rgb));
}

std::size_t distinct(const Values& values, float lowest) {
  std::set<float> ids;
  float last = lowest - 1;
  for (const float v : values.v)
    if (v >= lowest && v != last) ids.insert(last = v);
  return ids.size();
}

std::string range_of(const Values& values, Look look) {
  switch (look) {
    case Look::depth: {
      const Bounds b = bounds_of(values, 0);
      return b.any() ? fmt::format("{:.2f} – {:.2f} m", b.low, b.high) : "no surface";
    }
    case Look::light:
    case Look::albedo: {
      double sum = 0, top = 0;
      for (const float v : values.v) sum += v, top = std::max(top, static_cast<double>(v));
      return fmt::format("mean {:.3g}, max {:.3g}", sum / static_cast<double>(values.v.size()), top);
    }
    case Look::position: {
      std::string text;
      for (std::size_t c = 0; c < 3; ++c) {
        const Bounds b = bounds_of(values, c);
        if (b.any()) text += fmt::format("{}{} {:.2f} – {:.2f}", c ? ", " : "", "xyz"[c], b.low, b.high);
      }
      return text;
    }
    case Look::entity:
    case Look::instance: return fmt::format("{} seen", distinct(values, 1));
    case Look::material: return fmt::format("{} seen", distinct(values, 0));
    case Look::semantic: return fmt::format("{} classes", distinct(values, 1));
    case Look::bits: {
      std::size_t first = 0, second = 0;
      for (const float v : values.v) first += static_cast<int>(v) & 1, second += (static_cast<int>(v) >> 1) & 1;
      const double n = static_cast<double>(values.v.size()) / 100;
      return fmt::format("bit 0: {:.1f} %, bit 1: {:.1f} %", static_cast<double>(first) / n, static_cast<double>(second) / n);
    }
    case Look::normal:
    case Look::texture: return {};
  }
  return {};
}

void count_classes(const Values& semantic, const Values* entities, FramePage& frame) {
  for (std::size_t p = 0; p < semantic.pixels(); ++p) {
    const float s = semantic.v[p];
    const bool empty = entities && entities->v[p] < 1;
    ++frame.classes[empty ? 41 : s >= 1 && s <= 40 ? static_cast<std::size_t>(s) : 0];
  }
}

double exposure_of(const Values& color, const Values* entities) {
  std::vector<std::uint8_t> valid(color.pixels(), 1);
  if (entities && entities->pixels() == valid.size())
    for (std::size_t p = 0; p < valid.size(); ++p) valid[p] = entities->v[p] >= 1;
  return tone_map_scale(color.v, valid);
}

}  // namespace

void fill_frame(const fs::path& scenes_folder, const fs::path& page_folder, int width, FramePage& frame) {
  std::map<Label, Values> values;
  for (std::size_t m = 0; m < kModalities.size(); ++m) {
    const Label label = kModalities[m].label;
    const fs::path path = scenes_folder / label_path(frame.name, label);
    Cell& cell = frame.cells[m];
    if (!fs::is_regular_file(path)) {
      cell.problem = "not in this data set";
      continue;
    }
    cell.file = link_to(path, page_folder);
    try {
      Values& v = values[label] = read_values(path, spec(label).channels.size());
      frame.width = v.width, frame.height = v.height;
    } catch (const Error& e) {
      values.erase(label);
      cell.problem = e.what();
    }
  }
  const auto find = [&](Label label) { return values.contains(label) ? &values.at(label) : nullptr; };
  const Values *color = find(Label::color), *entities = find(Label::render_entity_id), *semantic = find(Label::semantic);
  Context context;
  if (color) context.exposure = exposure_of(*color, entities);
  if (semantic) count_classes(*semantic, entities && entities->pixels() == semantic->pixels() ? entities : nullptr, frame);
  if (const Values* instances = find(Label::semantic_instance)) frame.instances = distinct(*instances, 1);
  for (std::size_t m = 0; m < kModalities.size(); ++m) {
    const Modality& modality = kModalities[m];
    Cell& cell = frame.cells[m];
    const Values* v = find(modality.label);
    if (!v) continue;
    cell.range = range_of(*v, modality.look);
    const fs::path picture = modality.preview ? scenes_folder / preview_path(frame.name, *modality.preview) : fs::path{};
    cell.source = modality.preview && fs::is_regular_file(picture) ? link_to(picture, page_folder) : data_uri(*v, modality, context, width);
  }
}

}  // namespace simulacra::reporting
