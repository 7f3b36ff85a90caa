// SPDX-License-Identifier: Apache-2.0
// Frames as multi-part OpenEXR files: one part a label, named as the label. The only user of OpenEXR.
//  - Channels are the label's letters (R, G, B; X, Y, Z; Z; I …), row 0 on top.
//  - float16 labels are HALF; float32 labels and all integers are FLOAT, since EXR has no signed integers:
//    the id -1 is stored as -1.0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "render/image/frame.h"

namespace simulacra {

/// String attributes of the first part.
using ExrMetadata = std::map<std::string, std::string>;

/// The file's bytes: every label that the frame has, in table order. Equal frames give equal bytes.
/// Throws Error when the frame has no label, or an id that float does not hold exactly (above 2^24).
std::vector<std::uint8_t> encode_exr(const Frame& frame, const ExrMetadata& metadata = {});

/// encode_exr(), written atomically.
void write_exr(const std::filesystem::path& file, const Frame& frame, const ExrMetadata& metadata = {});

/// The labels of a file that write_exr() made; its statistics are not kept. Throws Error with one line
/// that names the file when it is damaged or has a part that is no label.
Frame read_exr(const std::filesystem::path& file);
ExrMetadata read_exr_metadata(const std::filesystem::path& file);

}  // namespace simulacra
