// SPDX-License-Identifier: Apache-2.0
// Sets of pictures. Values are display values in 0 .. 1, as a screen takes them; 1 channel is gray, 3 are color.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "render/base/parallel.h"
#include "render/image/frame.h"

namespace simulacra::gap {

inline constexpr int kLeastSide = 32;        ///< px: below, a spectrum has no rings to speak of
inline constexpr std::size_t kLeastImages = 8;   ///< below, neither halves nor folds can be made

struct ImageSet {
  std::string name;                 ///< for messages and the page
  std::vector<Plane> images;        ///< all with the same number of channels, 1 or 3
  std::vector<std::string> names;   ///< of the files, or of the frames
  /// Which pictures belong together and are not independent: those of one scene of a data set. Empty: each stands alone.
  std::vector<std::size_t> groups{};
  int channels() const { return images.front().channels; }
};

struct ReadOptions {
  std::size_t most_images = 500;    ///< of a larger folder a seeded choice
  int most_side_px = 512;           ///< a larger picture is cropped to its middle: resampling would change noise and spectra
  std::size_t least_images = kLeastImages;
  std::uint64_t seed = 1;
  ParallelFor parallel = serial_for;
};

/// All PNG, JPEG and EXR files of a folder (not of its subfolders), in the order of their names. Integer files give
/// value/maximum; EXR is taken for linear light, limited to 0 .. 1 and put through the sRGB curve. Alpha is dropped. Files are
/// decoded in child processes started from the calling thread, several at a time; only what follows runs in `parallel`.
/// Throws UsageError with one line when the folder is none or holds fewer than least_images pictures, when a file cannot be
/// decoded, is smaller than kLeastSide or holds values that are not finite, or when gray and color are mixed.
ImageSet read_images(const std::filesystem::path& folder, const ReadOptions& options = {});

/// The color of a data set in Hypersim layout, tone-mapped as the training's loader does it and in the 8 bits of tonemap.jpg,
/// before its JPEG; pixels without color are black. Of more than most_images frames a seeded choice; scenes are groups. Throws
/// UsageError as above, and as scan_frames() does.
ImageSet read_dataset_images(const std::filesystem::path& root, const ReadOptions& options = {});

/// True for a folder that has no pictures itself, and scenes with images below it or below `scenes`.
bool is_dataset(const std::filesystem::path& folder);
/// One or the other.
ImageSet read_any_images(const std::filesystem::path& folder, const ReadOptions& options = {});

/// The same demands on a set made elsewhere, and that both sets are gray or both color. Throws UsageError.
void check_sets(const ImageSet& synthetic, const ImageSet& real);

/// 1 channel: gray as it is, color by the weights of Rec. 709 on display values (luma).
Plane luma(const Plane& image);

}  // namespace simulacra::gap
