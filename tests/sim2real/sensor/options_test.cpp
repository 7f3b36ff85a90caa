// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "render/base/error.h"
#include "render/base/files.h"
#include "sim2real/sensor/camera.h"
#include "tests/sim2real/sensor/planes.h"

namespace simulacra::sensor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string message_for(const std::string& yaml) {
  const fs::path file = fs::temp_directory_path() / ("sensor_options_test_" + std::to_string(::getpid()) + ".yaml");
  write_text_atomically(file, yaml);
  std::string message = "read";
  try {
    read_sensor(file);
  } catch (const UsageError& e) {
    message = e.what();
  }
  fs::remove(file);
  return message;
}

TEST(SensorOptions, MistakesAreAnsweredInOneLine) {
  EXPECT_EQ(message_for("seed: 3\ncamera:\n  lens: {k1: -0.1}\n"), "read");
  const std::string unknown = message_for("camera:\n  pixel:\n    read_noise: 3\n");
  EXPECT_THAT(unknown, HasSubstr(".yaml:3"));
  EXPECT_THAT(unknown, HasSubstr("read_noise_e"));
  EXPECT_EQ(unknown.find('\n'), std::string::npos);
  EXPECT_THAT(message_for("camera: {exposure: {f_number: 0.1}}"), HasSubstr("f_number"));
  EXPECT_THAT(message_for("camera: {pixel: {mosaic: xtrans}}"), HasSubstr("rggb"));
  EXPECT_THAT(message_for("camera: {develop: {color_matrix: [1, 0, 0]}}"), HasSubstr("takes 9"));
  EXPECT_THAT(message_for("depth: {min_m: 3, max_m: 1}"), HasSubstr("must be smaller"));
}

TEST(SensorOptions, EveryExampleIsASensorThatTakesAPicture) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(SIMULACRA_SOURCE_DIR) / "configs/sim2real")) {
    if (entry.path().filename().string().rfind("sensor_", 0) != 0) continue;
    const SensorOptions options = read_sensor(entry.path());
    const Plane depth = test::constant_plane(32, 24, 1, 2);
    const Photograph shot = photograph(test::constant_plane(32, 24, 3, 0.5), &depth, options.camera, options.seed, 0);
    EXPECT_EQ(shot.image.f.size(), 32u * 24 * 3) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(SensorOptions, TheTableOfKeysIsTheOneInTheReadme) {
  EXPECT_THAT(read_text_file(fs::path(SIMULACRA_SOURCE_DIR) / "sim2real/sensor/README.md"), HasSubstr(config::document<SensorOptions>()));
}

TEST(SensorOptions, WhatIsWrittenIsReadBack) {
  SensorOptions options;
  options.camera.lens.k1 = -0.07, options.depth.kind = "time_of_flight", options.camera.pixel.mosaic = "gbrg";
  SensorOptions back;
  config::read(config::write(options), back);
  EXPECT_EQ(config::to_yaml(config::write(back)), config::to_yaml(config::write(options)));
  EXPECT_EQ(back.camera.lens.k1, -0.07);
}

}  // namespace
}  // namespace simulacra::sensor
