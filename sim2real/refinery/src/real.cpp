// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "dataset/schema/checksum.h"
#include "dataset/store/tone_map.h"
#include "learning/train/checkpoint.h"
#include "render/base/error.h"
#include "sim2real/gap/images.h"
#include "sim2real/refinery/sources.h"

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;

constexpr std::size_t kLeastPictures = 8;

/// Display values so that the 90th percentile of luminance is where frames have it.
void expose(Plane& image) {
  std::vector<float> linear(image.f.size());
  std::ranges::transform(image.f, linear.begin(), [](float v) { return std::pow(v, 2.2f); });
  const std::vector<std::uint8_t> all(linear.size() / 3, 1);
  const float factor = static_cast<float>(std::pow(tone_map_scale(linear, all), 1 / 2.2));
  for (float& v : image.f) v = std::min(1.0f, v * factor);
}

/// [C, H, W], areas of shrink x shrink averaged; what does not fill one is left out.
Tensor shrunk(const Plane& image, int shrink) {
  const Tensor whole = torch::from_blob(const_cast<float*>(image.f.data()), {image.height, image.width, image.channels}).permute({2, 0, 1});
  if (shrink == 1) return whole.contiguous();
  return torch::avg_pool2d(whole.unsqueeze(0), {shrink, shrink}).squeeze(0).contiguous();
}

/// Metres of 16-bit steps, then in range. Averaging is for whole measurements only: one missing pixel makes an area missing.
Tensor depth_picture(const Plane& image, const std::string& where, const RefineOptions& o) {
  const Tensor steps = torch::from_blob(const_cast<float*>(image.f.data()), {1, 1, image.height, image.width}).mul(65535).round();
  if (steps.max().item<float>() > 0 && (steps.remainder(257) == 0).all().item<bool>())
    fail_usage("{}: holds 8-bit values; depth pictures are PNG files of 16 bits, in steps of real_pictures.depth_unit_m", where);
  const std::int64_t n = o.real_pictures.shrink;
  const Tensor there = (steps > 0).to(torch::kFloat), share = torch::avg_pool2d(there, {n, n});
  const Tensor metres = torch::avg_pool2d(steps, {n, n}) * o.real_pictures.depth_unit_m;
  return depth_to_range(metres, share == 1, o.input).squeeze(0).contiguous();
}

std::vector<Tensor> read_pictures(const RefineOptions& o, std::vector<std::string>& names) {
  const bool depth = o.input.kind == "depth";
  gap::ReadOptions read;
  read.most_images = static_cast<std::size_t>(o.real_pictures.most);
  read.most_side_px = static_cast<int>(std::min<std::int64_t>(std::int64_t{o.real_pictures.most_side_px} * o.real_pictures.shrink, std::numeric_limits<int>::max()));
  read.least_images = kLeastPictures;
  read.seed = o.seed;
  gap::ImageSet set = gap::read_images(o.real, read);
  if (set.channels() != channels_of(o))
    fail_usage("{}: its pictures are {}, but {} is refined", o.real, set.channels() == 1 ? "gray" : "color", depth ? "depth, of one channel," : "color");
  std::vector<Tensor> pictures;
  for (std::size_t i = 0; i < set.images.size(); ++i) {
    Plane& image = set.images[i];
    if (depth) {
      if (set.names[i].ends_with(".exr")) fail_usage("{}/{}: depth pictures are PNG files of 16 bits", o.real, set.names[i]);
      pictures.push_back(depth_picture(image, o.real + "/" + set.names[i], o));
    } else {
      if (o.real_pictures.exposure == "tone_mapped") expose(image);
      pictures.push_back(2 * shrunk(image, o.real_pictures.shrink) - 1);
    }
    image = {};
  }
  names = std::move(set.names);
  return pictures;
}

/// Pictures of a folder, in memory.
class RealPictures : public RealSource {
 public:
  RealPictures(const RefineOptions& o, const CropOptions& crops) : crops_(crops) {
    std::vector<std::string> names;
    pictures_ = read_pictures(o, names);
    Sha256 sum;
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
      const Tensor& p = pictures_[i];
      if (p.size(1) < crops.rows || p.size(2) < crops.columns)
        fail_usage("{}/{}: {} x {} pixels after shrinking, smaller than a crop of {} x {}", o.real, names[i], p.size(2), p.size(1), crops.columns, crops.rows);
      sum.add(names[i]).add("\n").add_values(std::span(p.const_data_ptr<float>(), static_cast<std::size_t>(p.numel())));
    }
    digest_ = sum.hex();
  }

  Tensor next() override {
    constexpr std::uint64_t kStream = 0x7265616c;   // apart from other draws of the seed
    std::mt19937_64 random(mix_seed(std::array{crops_.seed, kStream, static_cast<std::uint64_t>(draws_++)}));
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
    std::vector<Tensor> rows;
    for (std::int64_t i = 0; i < crops_.batch; ++i) {
      const Tensor& p = pictures_[static_cast<std::size_t>(below(std::ssize(pictures_)))];
      const std::int64_t row = below(p.size(1) - crops_.rows + 1), column = below(p.size(2) - crops_.columns + 1);
      const Tensor crop = p.slice(1, row, row + crops_.rows).slice(2, column, column + crops_.columns);
      const bool mirrored = static_cast<double>(random() >> 11) * 0x1p-53 < crops_.flip;
      rows.push_back(mirrored ? crop.flip(2) : crop);
    }
    return torch::stack(rows);
  }
  Tensor position() const override { return torch::full({1}, draws_, torch::kLong); }
  void seek(const Tensor& position) override { draws_ = position.item<std::int64_t>(); }
  std::vector<Tensor> examples(std::size_t count) const override {
    std::vector<Tensor> some;
    for (std::size_t i = 0; i < std::min(count, pictures_.size()); ++i) some.push_back(pictures_[i * pictures_.size() / std::min(count, pictures_.size())]);
    return some;
  }
  std::size_t size() const override { return pictures_.size(); }
  std::string digest() const override { return digest_; }

 private:
  CropOptions crops_;
  std::vector<Tensor> pictures_;
  std::string digest_;
  std::int64_t draws_ = 0;
};

/// Frames of another data set.
class RealFrames : public RealSource {
 public:
  RealFrames(const RefineOptions& o, const CropOptions& crops) : frames_(scan_frames(o.real)), input_(o.input), crops_(frames_, o.input, crops) {}
  Tensor next() override { return crops_.next(); }
  Tensor position() const override {
    const LoaderState s = crops_.state();
    return torch::tensor({static_cast<std::int64_t>(s.epoch), static_cast<std::int64_t>(s.position)}, torch::kLong);
  }
  void seek(const Tensor& p) override {
    crops_.seek({static_cast<std::uint64_t>(p[0].item<std::int64_t>()), static_cast<std::uint64_t>(p[1].item<std::int64_t>())});
  }
  std::vector<Tensor> examples(std::size_t count) const override {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < std::min(count, frames_.size()); ++i) chosen.push_back(i * frames_.size() / std::min(count, frames_.size()));
    WholeFrames whole(with_frames(frames_, chosen), input_);
    std::vector<Tensor> some;
    for (std::size_t i = 0; i < chosen.size(); ++i) some.push_back(whole.next().squeeze(0));
    return some;
  }
  std::size_t size() const override { return frames_.size(); }
  std::string digest() const override { return learning::fingerprint(frames_); }

 private:
  FrameIndex frames_;
  InputOptions input_;
  FrameCrops crops_;
};

}  // namespace

std::unique_ptr<RealSource> open_real(const RefineOptions& o, const CropOptions& crops) {
  if (!fs::is_directory(o.real)) fail_usage("--real: {} is no folder; a folder of pictures, or a data set, is expected", o.real);
  const std::string& from = o.real_pictures.from;
  if (from == "data_set" || (from == "auto" && gap::is_dataset(o.real))) return std::make_unique<RealFrames>(o, crops);
  return std::make_unique<RealPictures>(o, crops);
}

}  // namespace simulacra::sim2real
