// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/frame_files.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>

#include "dataset/hdf5/hdf5.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/half.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;

const FrameName kName{"ai_900_001", "cam_00", 7};

/// Every value tells its place: row, column and channel.
Frame coordinate_frame(int width, int height) {
  Frame frame;
  frame.width = width;
  frame.height = height;
  for (const LabelSpec& row : kLabels) {
    Plane& plane = frame.allocate(row.id);
    for (int r = 0; r < height; ++r)
      for (int c = 0; c < width; ++c)
        for (int k = 0; k < plane.channels; ++k) {
          const std::size_t at = plane.at(r, c, k);
          const int value = (7 * r + 3 * c + k) % 40;
          if (is_float(row.dtype)) plane.f[at] = round_to_half(static_cast<float>(value) / 64);
          else plane.i[at] = row.id == Label::semantic ? value + 1 : value;
        }
  }
  return frame;
}

const OutputFile& file_of(const std::vector<OutputFile>& files, const std::string& path) {
  const auto at = std::find_if(files.begin(), files.end(), [&](const OutputFile& f) { return f.path == path; });
  if (at == files.end()) fail("no file {}", path);
  return *at;
}

TEST(FrameFiles, EveryLabelReadsBackWithTypeShapeAndValues) {
  const Frame frame = coordinate_frame(53, 37);
  const std::vector<OutputFile> files = frame_files(frame, kName, {}, serial_for);
  for (const LabelSpec& row : kLabels) {
    const hdf5::Array array = hdf5::read_bytes(file_of(files, label_path(kName, row.id)).bytes, std::string(row.name));
    std::vector<std::size_t> shape{37, 53};
    if (row.channels.size() > 1) shape.push_back(row.channels.size());
    EXPECT_EQ(array.shape, shape) << row.name;
    const Plane& plane = frame.plane(row.id);
    for (std::size_t i = 0; i < array.size(); ++i)
      ASSERT_EQ(array.at(i), is_float(row.dtype) ? static_cast<double>(plane.f[i]) : plane.i[i]) << row.name << " " << i;
  }
}

TEST(FrameFiles, ThereIsAFileForEachLabelAndPreview) {
  const std::vector<OutputFile> files = frame_files(coordinate_frame(16, 12), kName, {}, serial_for);
  EXPECT_EQ(files.size(), kNumLabels + kPreviews.size());
  for (std::size_t i = 0; i < kPreviews.size(); ++i)
    EXPECT_GT(file_of(files, preview_path(kName, static_cast<Preview>(i))).bytes.size(), 60u);
}

TEST(FrameFiles, FilesOfThePublicFormatCarryNoAttributesAndOursExplainThemselves) {
  const test::TempDir folder;
  for (const OutputFile& file : frame_files(coordinate_frame(16, 12), kName, {.previews = false}, serial_for)) {
    const std::filesystem::path path = folder.path() / std::filesystem::path(file.path).filename();
    write_file_atomically(path, file.bytes);
    const hdf5::Inspection found = hdf5::inspect(path);
    EXPECT_EQ(found.root_names, std::vector<std::string>{"dataset"});
    const bool ours = std::any_of(kLabels.begin(), kLabels.end(), [&](const LabelSpec& row) {
      return row.profile == Profile::further && file.path == label_path(kName, row.id);
    });
    EXPECT_EQ(found.attributes > 0, ours) << file.path;
    EXPECT_THAT(found.filters, ::testing::Contains("gzip")) << file.path;
  }
}

TEST(FrameFiles, BytesDoNotDependOnTheOrderOfWork) {
  const Frame frame = coordinate_frame(40, 30);
  const auto backwards = [](std::size_t n, const std::function<void(std::size_t)>& body) {
    std::vector<std::thread> threads;
    for (std::size_t i = n; i-- > 0;) threads.emplace_back(body, i);
    for (std::thread& thread : threads) thread.join();
  };
  const std::vector<OutputFile> a = frame_files(frame, kName, {}, serial_for);
  const std::vector<OutputFile> b = frame_files(frame, kName, {}, backwards);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].path, b[i].path);
    EXPECT_EQ(a[i].bytes, b[i].bytes) << a[i].path;
  }
}

std::string message_of(const Frame& frame) {
  try {
    frame_files(frame, kName, {.previews = false}, serial_for);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(FrameFiles, ValuesThatDoNotFitAreRefusedByName) {
  Frame frame = coordinate_frame(8, 8);
  frame.plane(Label::color).f[5] = 70000;
  EXPECT_THAT(message_of(frame), HasSubstr("ai_900_001/cam_00/0007 color: value 70000 is beyond float16"));
  frame = coordinate_frame(8, 8);
  frame.plane(Label::render_entity_id).i[5] = 40000;
  EXPECT_THAT(message_of(frame), HasSubstr("render_entity_id: value 40000 does not fit"));
  frame = coordinate_frame(8, 8);
  frame.plane(Label::semantic).i.pop_back();
  EXPECT_THAT(message_of(frame), HasSubstr("semantic: the plane has 63 values, expected 8 x 8 x 1"));
}

}  // namespace
}  // namespace simulacra
