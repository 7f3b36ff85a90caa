// SPDX-License-Identifier: Apache-2.0
#include "dataset/report/report.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/hdf5/hdf5.h"
#include "dataset/report/src/facts.h"
#include "dataset/report/src/page.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/manifest.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "render/base/half.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kWidth = 40, kHeight = 30;
const FrameName kFrame{"ai_900_001", "cam_00", 7};

/// Values of any type as the bytes of an array.
template <typename T>
void put(const fs::path& root, Label label, hdf5::Element element, const std::vector<T>& values) {
  const fs::path path = root / label_path(kFrame, label);
  fs::create_directories(path.parent_path());
  std::vector<std::size_t> shape{kHeight, kWidth};
  if (values.size() > kWidth * kHeight) shape.push_back(3);
  hdf5::write(path, element, shape, std::as_bytes(std::span<const T>(values)), hdf5::image_storage(shape));
}

std::vector<std::uint16_t> halves(std::size_t count, float value) { return std::vector<std::uint16_t>(count, half_from_float(value)); }

/// A frame whose left half is a floor at 2 m, and whose right half is empty but for one unlabelled column.
fs::path make_set(const fs::path& root) {
  constexpr std::size_t n = kWidth * kHeight;
  std::vector<std::uint16_t> depth = halves(n, 2), position = halves(3 * n, 1);
  std::vector<std::int16_t> ids(n, 1), semantic(n, 2);
  for (std::size_t p = 0; p < n; ++p) {
    const std::size_t column = p % kWidth;
    if (column > 20) depth[p] = half_from_float(std::nanf("")), ids[p] = -1;
    if (column >= 20) semantic[p] = -1;
  }
  depth[0] = half_from_float(4.5f);
  put(root, Label::color, hdf5::Element::f16, halves(3 * n, 0.25f));
  put(root, Label::depth_meters, hdf5::Element::f16, depth);
  put(root, Label::position, hdf5::Element::f16, position);
  put(root, Label::render_entity_id, hdf5::Element::i16, ids);
  put(root, Label::semantic, hdf5::Element::i16, semantic);
  write_text_atomically(root / "ai_900_001/CREDITS.txt", "Sofa by <A & B>, CC-BY");
  return root;
}

TEST(Report, TellsWhatAFrameHolds) {
  const test::TempDir folder;
  const fs::path root = make_set(folder.path() / "my set");
  const reporting::DatasetPage page = reporting::gather(root, root, serial_for);
  ASSERT_EQ(page.scenes.size(), 1u);
  ASSERT_EQ(page.scenes[0].frames.size(), 1u);
  const reporting::FramePage& frame = page.scenes[0].frames[0];
  EXPECT_EQ(page.title, "my set");
  EXPECT_EQ(frame.name, kFrame);
  EXPECT_EQ(frame.width, static_cast<int>(kWidth));
  EXPECT_EQ(frame.classes[2], 20 * kHeight);
  EXPECT_EQ(frame.classes[0], kHeight);
  EXPECT_EQ(frame.classes[41], 19 * kHeight);
  for (std::size_t m = 0; m < reporting::kModalities.size(); ++m) {
    const Label label = reporting::kModalities[m].label;
    const bool present = label == Label::color || label == Label::depth_meters || label == Label::position ||
                         label == Label::render_entity_id || label == Label::semantic;
    EXPECT_EQ(!frame.cells[m].source.empty(), present) << spec(label).name;
    EXPECT_EQ(frame.cells[m].problem.empty(), present) << spec(label).name;
  }
  EXPECT_EQ(frame.cells[4].range, "2.00 – 4.50 m");
}

TEST(Report, PageHasEverythingAndNoOutsideResources) {
  const test::TempDir folder;
  const fs::path root = make_set(folder.path() / "set");
  Manifest manifest;
  FrameRecord record;
  record.name = kFrame, record.spp = 64, record.nan_samples = 5, record.view = "pose <3>";
  record.unlabelled["crate"] = 60;
  manifest.add(record);
  write_text_atomically(root / "manifest.jsonl", manifest.text());
  write_report(root, root / "report.html");
  const std::string html = read_text_file(root / "report.html");
  EXPECT_THAT(html, AllOf(HasSubstr("ai_900_001"), HasSubstr("frame 0007"), HasSubstr("floor"), HasSubstr("50.0 %"),
                          HasSubstr("NaN samples <b>5</b>"), HasSubstr("pose &lt;3&gt;"), HasSubstr("Sofa by &lt;A &amp; B&gt;"),
                          HasSubstr("5.00 %</td><td>crate")));
  EXPECT_THAT(html, HasSubstr("href=\"ai_900_001/images/scene_cam_00_geometry_hdf5/frame.0007.depth_meters.hdf5\""));
  EXPECT_THAT(html, Not(HasSubstr("http")));
}

TEST(Report, PreviewsOnDiskAreLinkedRelativeToThePage) {
  const test::TempDir folder;
  const fs::path root = make_set(folder.path() / "my set");
  const fs::path preview = root / preview_path(kFrame, Preview::tonemap);
  fs::create_directories(preview.parent_path());
  write_text_atomically(preview, "x");
  fs::create_directories(folder.path() / "pages");
  write_report(root, folder.path() / "pages" / "a.html");
  EXPECT_THAT(read_text_file(folder.path() / "pages" / "a.html"),
              HasSubstr("src=\"../my%20set/ai_900_001/images/scene_cam_00_final_preview/frame.0007.tonemap.jpg\""));
}

TEST(Report, DamagedFilesAreNamedOnThePage) {
  const test::TempDir folder;
  const fs::path root = make_set(folder.path() / "set");
  write_text_atomically(root / label_path(kFrame, Label::color), "no HDF5");
  write_report(root, root / "report.html");
  EXPECT_THAT(read_text_file(root / "report.html"), AllOf(HasSubstr("class=\"none\""), HasSubstr("frame.0007.color.hdf5")));
}

TEST(Report, TheAuditIsShown) {
  const test::TempDir folder;
  const fs::path root = make_set(folder.path() / "set");
  ReportOptions options;
  options.audit = audit(root, {});
  ASSERT_FALSE(options.audit->ok());
  write_report(root, root / "report.html", options);
  EXPECT_THAT(read_text_file(root / "report.html"), AllOf(HasSubstr("badge bad"), HasSubstr("F1.files")));
}

TEST(Report, WrongRequestsAreNamed) {
  const test::TempDir folder;
  EXPECT_THROW(write_report(folder.path() / "none", folder.path() / "a.html"), UsageError);
  EXPECT_THROW(write_report(folder.path(), folder.path() / "a.html"), UsageError);
  const fs::path root = make_set(folder.path() / "set");
  EXPECT_THROW(write_report(root, folder.path() / "no folder" / "a.html"), UsageError);
}

}  // namespace
}  // namespace simulacra
