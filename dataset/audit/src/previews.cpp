// SPDX-License-Identifier: Apache-2.0
// Preview pictures: their size, and the tone map of tonemap.jpg.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dataset/audit/src/frame_images.h"
#include "dataset/audit/src/jpeg_means.h"
#include "dataset/audit/src/picture_header.h"
#include "dataset/schema/layout.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;

fs::path tonemap_path(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera, int frame) {
  return data.scenes_folder / preview_path({scene.name, camera, frame}, Preview::tonemap);
}

void judge_picture(const fs::path& path, const std::string& rel, const std::optional<Size>& size, Findings& to) {
  const std::string wish = size ? fmt::format("{} x {}, RGB", size->first, size->second) : std::string("a whole RGB picture");
  try {
    const std::vector<std::uint8_t> bytes = read_file(path);
    const PictureHeader header = picture_header(bytes);
    const bool fits = (!size || (header.width == size->first && header.height == size->second)) && header.channels >= 3;
    const bool whole = is_whole_picture(bytes);
    to.test("F10.preview", rel, fits && whole, wish, [&] {
      return whole ? fmt::format("{} x {}, {} channels", header.width, header.height, header.channels)
                   : std::string("a file without an end mark");
    });
  } catch (const Error& e) {
    to.test("F10.preview", rel, false, wish, e.what());
  }
}

/// Means of `ideal` (one value a pixel) over the blocks of a component that lie wholly in the image.
std::vector<double> block_means(const std::vector<double>& ideal, std::size_t width, std::size_t height, const JpegComponent& c,
                                std::size_t& across) {
  const std::size_t bw = 8 * c.factor_x, bh = 8 * c.factor_y, down = height / bh;
  across = width / bw;
  std::vector<double> means(across * down);
  for (std::size_t y = 0; y < down * bh; ++y)
    for (std::size_t x = 0; x < across * bw; ++x) means[y / bh * across + x / bw] += ideal[y * width + x];
  for (double& m : means) m /= static_cast<double>(bw * bh);
  return means;
}

/// The tone-mapped color as planes in the components that the JPEG stores.
std::vector<std::vector<double>> planes_of(const std::vector<std::uint8_t>& rgb, bool ycc) {
  const std::size_t n = rgb.size() / 3;
  std::vector<std::vector<double>> planes(3, std::vector<double>(n));
  for (std::size_t p = 0; p < n; ++p) {
    const double r = rgb[3 * p], g = rgb[3 * p + 1], b = rgb[3 * p + 2];
    planes[0][p] = ycc ? 0.299 * r + 0.587 * g + 0.114 * b : r;
    planes[1][p] = ycc ? 128 - 0.168736 * r - 0.331264 * g + 0.5 * b : g;
    planes[2][p] = ycc ? 128 + 0.5 * r - 0.418688 * g - 0.081312 * b : b;
  }
  return planes;
}

struct Gap {
  double excess = -1;
  std::string text;
};

/// How far 99 of 100 blocks are off, beyond half a quantiser step and a grey level and a quarter.
Gap compare(const JpegComponent& c, const std::vector<double>& ideal, const FrameImages& f, std::string_view name) {
  std::size_t across = 0;
  const std::vector<double> want = block_means(ideal, f.width, f.height, c, across);
  if (want.empty()) return {};
  std::vector<double> gaps(want.size());
  std::size_t worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    gaps[i] = std::abs(c.means[i / across * c.across + i % across] - want[i]);
    if (gaps[i] > gaps[worst]) worst = i;
  }
  const double found = c.means[worst / across * c.across + worst % across];
  const std::string text = fmt::format("{} of the block at row {} column {} is {:.1f}, not {:.1f}", name,
                                       worst / across * 8 * c.factor_y, worst % across * 8 * c.factor_x, found, want[worst]);
  return {percentile(gaps, 99) - (c.dc_step / 16 + 1.25), text};
}

std::vector<bool> inverted(const std::vector<bool>& mask) {
  std::vector<bool> out(mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i) out[i] = !mask[i];
  return out;
}

}  // namespace

double percentile(std::vector<double>& values, double percent) {
  const double rank = percent / 100 * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(values.begin(), at, values.end());
  const double a = *at;
  if (low + 1 >= values.size()) return a;
  const double b = *std::min_element(at + 1, values.end());
  return a + (b - a) * (rank - static_cast<double>(low));
}

std::vector<std::uint8_t> tone_map(const Image& color, const std::vector<bool>& valid) {
  const std::size_t n = valid.size();
  const auto value = [&](std::size_t i) {   // as numpy's nan_to_num: NaN is 0, infinities are the largest floats
    const float v = color.f[i];
    return std::isnan(v) ? 0.0f : std::clamp(v, -std::numeric_limits<float>::max(), std::numeric_limits<float>::max());
  };
  std::vector<double> light;
  for (std::size_t p = 0; p < n; ++p)
    if (valid[p]) light.push_back(0.3f * value(3 * p) + 0.59f * value(3 * p + 1) + 0.11f * value(3 * p + 2));
  double scale = 1;
  if (!light.empty()) {
    const double top = percentile(light, 90);
    scale = top < 1e-4 ? 0 : std::pow(0.8, 2.2) / top;
  }
  std::vector<std::uint8_t> out(3 * n);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double v = std::clamp(std::pow(std::max(scale * value(i), 0.0), 1 / 2.2), 0.0, 1.0);
    out[i] = static_cast<std::uint8_t>(std::floor(255 * v + 1e-9));
  }
  return out;
}

void judge_previews(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera,
                    const std::vector<int>& frames, std::set<int>& with_tonemap, Findings& to) {
  if (!data.kinds.has("preview")) return;
  for (const int frame : frames)
    if (fs::is_regular_file(tonemap_path(data, scene, camera, frame))) with_tonemap.insert(frame);
  if (!with_tonemap.empty() || data.complete)
    for (const int frame : frames)
      to.test("F1.files", data.rel(tonemap_path(data, scene, camera, frame)), with_tonemap.contains(frame),
              "the file exists (as for other frames)", "no such file");
  if (with_tonemap.empty()) to.none("F10.tonemap");
  bool any = false;
  for (const Folder pass : {Folder::final_pass, Folder::geometry}) {
    const fs::path folder = scene.folder / "images" / fmt::format("scene_{}_{}_preview", camera, folder_name(pass));
    std::set<fs::path> files;
    std::error_code ignored;
    for (const fs::directory_entry& e : fs::directory_iterator(folder, ignored)) files.insert(e.path());
    any = any || !files.empty();
    for (const fs::path& file : files)
      if (file.extension() == ".jpg" || file.extension() == ".png") judge_picture(file, data.rel(file), scene.size, to);
  }
  if (!any) to.none("F10.preview");
}

void judge_tonemap(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera, int frame,
                   const FrameImages& f, Findings& to) {
  const Image* color = f.get(Label::color);
  if (!color || !f.empty) return to.none("F10.tonemap");
  const fs::path path = tonemap_path(data, scene, camera, frame);
  const std::string rel = data.rel(path);
  try {
    const JpegMeans jpeg = jpeg_means(read_file(path));
    const bool fits = static_cast<std::size_t>(jpeg.width) == f.width && static_cast<std::size_t>(jpeg.height) == f.height &&
                      jpeg.components.size() == 3;
    if (!fits) {
      to.test("F10.tonemap", rel, false, fmt::format("{} x {} RGB", f.width, f.height),
              fmt::format("{} x {}, {} channels", jpeg.width, jpeg.height, jpeg.components.size()));
      return;
    }
    const auto planes = planes_of(tone_map(*color, inverted(*f.empty)), jpeg.is_ycc);
    Gap worst;
    for (std::size_t k = 0; k < 3; ++k) {
      Gap gap = compare(jpeg.components[k], planes[k], f, std::array{"luma", "Cb", "Cr"}[k]);
      if (!gap.text.empty() && (worst.text.empty() || gap.excess > worst.excess)) worst = std::move(gap);
    }
    to.test("F10.tonemap", rel, worst.excess <= 0, "the tone-mapped color, one grey level before JPEG", worst.text);
  } catch (const Error& e) {
    to.test("F10.tonemap", rel, false, "a JPEG file", e.what());
  }
}

}  // namespace simulacra::auditing
