// SPDX-License-Identifier: Apache-2.0
// The files of one frame: an HDF5 file a label, and previews.
#pragma once

#include <string>
#include <vector>

#include "dataset/schema/layout.h"
#include "dataset/store/output_file.h"
#include "render/base/parallel.h"
#include "render/image/frame.h"

namespace simulacra {

struct FrameFilesOptions {
  bool previews = true;
  int jpeg_quality = 90;       ///< 1..100
  int compression_level = 1;   ///< deflate, 1..12, over shuffled bytes
};

/// Encodes every label that the frame holds and every preview that can be made of them, several at a time.
/// The bytes are a function of the frame and the options alone. Throws Error naming frame and label when a
/// value does not fit its type, or a plane has another size than the frame.
std::vector<OutputFile> frame_files(const Frame& frame, const FrameName& name, const FrameFilesOptions& options,
                                    const ParallelFor& parallel_for);

}  // namespace simulacra
