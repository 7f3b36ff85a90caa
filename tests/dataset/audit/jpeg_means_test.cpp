// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/jpeg_means.h"

#include <array>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "render/base/error.h"

namespace simulacra::auditing {
namespace {

std::vector<std::uint8_t> from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> out;
  unsigned value = 0, bits = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) break;
    value = (value << 6 | static_cast<unsigned>(digit)) & 0xffffffu;
    bits += 6;
    if (bits >= 8) out.push_back(static_cast<std::uint8_t>(value >> (bits -= 8)));
  }
  return out;
}

// 24 x 16 pixels, R = 10 x, G = 15 y, B = 6 (x + y); made with Pillow, 4:4:4, quality 90.
constexpr std::string_view kBaseline =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU"
    "FRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
    "FBQUFBQUFBT/wAARCAAQABgDAREAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF"
    "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW"
    "V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi"
    "4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC"
    "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm"
    "Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq"
    "8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD4k8O/Cn7v7n9Kxo4k8rKs/wBtT0/w78KPu/uf0r3KOJP2DKs/21PTvD3wo+7+5/Svco4k"
    "/YMqz/bU67w78Kfu/uf0r8do4k/yvyrP9tT07w98Kfu/uf0r3KOJP2DKs/21PT/D3wp+7+5/Svco4k/YMqz/AG1P/9k=";
constexpr std::string_view kProgressive =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU"
    "FRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
    "FBQUFBQUFBT/wgARCAAQABgDAREAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABgUH/8QAFwEBAQEBAAAAAAAAAAAAAAAABAYC"
    "CP/aAAwDAQACEAMQAAABxHBFDrBO6wrx3K6d1gndYf/EABYQAAMAAAAAAAAAAAAAAAAAAAAEBf/aAAgBAQABBQJeULyheULyheUL"
    "yj//xAAVEQEBAAAAAAAAAAAAAAAAAAAEAP/aAAgBAwEBPwEr4r4r4r4r4r7/xAAWEQADAAAAAAAAAAAAAAAAAAAAAgP/2gAIAQIB"
    "AT8BSglBKCUEoJQ//8QAFRABAQAAAAAAAAAAAAAAAAAAADH/2gAIAQEABj8CiIiI/8QAFRABAQAAAAAAAAAAAAAAAAAAADH/2gAI"
    "AQEAAT8hmzYs2LF//9oADAMBAAIAAwAAABCkk3//xAAWEQADAAAAAAAAAAAAAAAAAAAAITH/2gAIAQMBAT8QmybJsmybJs//xAAU"
    "EQEAAAAAAAAAAAAAAAAAAAAg/9oACAECAQE/EEqr/8QAFRABAQAAAAAAAAAAAAAAAAAAAPH/2gAIAQEAAT8QgIiYgJCQ/9k=";
constexpr std::string_view kRestarts =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU"
    "FRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
    "FBQUFBQUFBT/wAARCAAQABgDAREAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF"
    "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW"
    "V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi"
    "4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC"
    "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm"
    "Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq"
    "8vP09fb3+Pn6/90ABAAC/9oADAMBAAIRAxEAPwD4k8O/Cn7v7n9Kxo4k8rKs/wBtT0/w78KPu/uf0r3KOJP2DKs/21P/0OB8PfCj"
    "7v7n9K+yo4k/qvKs/wBtTrvDvwp+7+5/Svx2jiT/ACvyrP8AbU//0e+8PfCn7v7n9K8ujiT86yrP9tT0/wAPfCn7v7n9K9yjiT9g"
    "yrP9tT//2Q==";

/// Means of R, G and B over the 8 x 8 block (bx, by) of that picture, as luma.
double expected_luma(std::size_t bx, std::size_t by) {
  const double x = 8 * static_cast<double>(bx) + 3.5, y = 8 * static_cast<double>(by) + 3.5;
  return 0.299 * 10 * x + 0.587 * 15 * y + 0.114 * 6 * (x + y);
}

class JpegMeans : public ::testing::TestWithParam<std::string_view> {};

TEST_P(JpegMeans, AreThoseOfThePicture) {
  const auto jpeg = jpeg_means(from_base64(GetParam()));
  ASSERT_EQ(jpeg.width, 24);
  ASSERT_EQ(jpeg.height, 16);
  ASSERT_TRUE(jpeg.is_ycc);
  ASSERT_EQ(jpeg.components.size(), 3u);
  const JpegComponent& luma = jpeg.components[0];
  // Half a quantiser step of the DC term, which is an eighth of that in the mean; and 8-bit rounding.
  const double tolerance = luma.dc_step / 16 + 0.5;
  for (std::size_t by = 0; by < 2; ++by)
    for (std::size_t bx = 0; bx < 3; ++bx) EXPECT_NEAR(luma.means[by * luma.across + bx], expected_luma(bx, by), tolerance);
}

TEST_P(JpegMeans, DamageIsAnErrorAndNeverACrash) {
  const std::vector<std::uint8_t> good = from_base64(GetParam());
  std::mt19937 random(1);
  int refused = 0;
  for (int n = 0; n < 2000; ++n) {
    std::vector<std::uint8_t> bad = good;
    for (int k = 0; k < 4; ++k) bad[2 + random() % (bad.size() - 2)] = static_cast<std::uint8_t>(random());
    bad.resize(4 + random() % (bad.size() - 4));
    try {
      jpeg_means(bad);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1900);  // nearly every copy is cut short
}

std::string case_name(const ::testing::TestParamInfo<JpegMeans::ParamType>& test) {
  constexpr std::array kNames = {"baseline", "progressive", "restarts"};
  return kNames[test.index];
}

INSTANTIATE_TEST_SUITE_P(Files, JpegMeans, ::testing::Values(kBaseline, kProgressive, kRestarts), case_name);

}  // namespace
}  // namespace simulacra::auditing
