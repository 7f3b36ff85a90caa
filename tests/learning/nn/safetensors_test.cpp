// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/nn/safetensors.h"

#include <gmock/gmock.h>

#include <cstring>

#include "render/base/files.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"

namespace simulacra::nn {
namespace {

using ::testing::HasSubstr;
using test::message_of;

TensorFile every_type() {
  TensorFile f;
  for (const auto& [name, type] : {std::pair{"f64", torch::kFloat64}, {"f32", torch::kFloat32}, {"f16", torch::kFloat16},
                                   {"bf16", torch::kBFloat16}, {"i64", torch::kInt64}, {"i32", torch::kInt32}, {"i16", torch::kInt16},
                                   {"i8", torch::kInt8}, {"u8", torch::kUInt8}})
    f.tensors.emplace(name, torch::arange(6).view({2, 3}).to(type));
  f.tensors.emplace("bool", torch::tensor({true, false, true}));
  f.tensors.emplace("empty", torch::zeros({0, 3}));
  f.tensors.emplace("scalar", torch::tensor(2.5f));
  f.tensors.emplace("name with \"quotes\" and \xc3\xa9", torch::ones({1}));
  f.metadata = {{"format", "pt"}};
  return f;
}

TEST(Safetensors, RoundTripsEveryTypeByteForByte) {
  const test::TempDir dir;
  write_tensors(dir.path() / "a.safetensors", every_type());
  const TensorFile read = read_tensors(dir.path() / "a.safetensors");
  EXPECT_EQ(read.metadata, every_type().metadata);
  ASSERT_EQ(read.tensors.size(), every_type().tensors.size());
  for (const auto& [name, tensor] : every_type().tensors) {
    ASSERT_TRUE(read.tensors.contains(name)) << name;
    EXPECT_EQ(read.tensors.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(torch::equal(read.tensors.at(name), tensor)) << name;
  }
  write_tensors(dir.path() / "b.safetensors", read);
  EXPECT_EQ(read_file(dir.path() / "a.safetensors"), read_file(dir.path() / "b.safetensors"));
}

TEST(Safetensors, WritesViewsRowMajor) {
  const test::TempDir dir;
  const torch::Tensor x = torch::arange(6.0).view({2, 3});
  write_tensors(dir.path() / "a", {{{"t", x.t()}}, {}});
  EXPECT_TRUE(torch::equal(read_tensors(dir.path() / "a").tensors.at("t"), x.t()));
}

/// A file of this header and so many bytes of values.
std::string message_for(const std::string& header, std::size_t bytes, std::uint64_t claimed = 0) {
  const test::TempDir dir;
  const std::uint64_t length = claimed ? claimed : header.size();
  std::vector<std::uint8_t> file(8 + header.size() + bytes);
  std::memcpy(file.data(), &length, 8);
  std::memcpy(file.data() + 8, header.data(), header.size());
  write_file_atomically(dir.path() / "x.safetensors", file);
  const std::string message = message_of([&] { read_tensors(dir.path() / "x.safetensors"); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  if (message != "nothing was thrown") {
    EXPECT_THAT(message, HasSubstr("x.safetensors"));
  }
  return message;
}

std::string entry(const char* name, const char* type, const char* shape, const char* offsets) {
  return std::string("\"") + name + R"(":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::string braced(const std::string& inner) {
  std::string text(1, '{');
  text += inner;
  text += '}';
  return text;
}

TEST(Safetensors, WhatIsWrongIsSaidInOneLine) {
  const std::string a = entry("a", "F32", "[2]", "[0,8]");
  EXPECT_EQ(message_for(braced(a), 8), "nothing was thrown");
  EXPECT_THAT(message_for(braced(a), 7), HasSubstr("'a' ends at byte 8, the file has 7; it is truncated"));
  EXPECT_THAT(message_for(braced(a), 9), HasSubstr("1 bytes behind the last tensor"));
  EXPECT_THAT(message_for(braced(a + "," + entry("b", "F32", "[2]", "[4,12]")), 12), HasSubstr("'b' begins at byte 4 and overlaps"));
  EXPECT_THAT(message_for(braced(a + "," + entry("b", "F32", "[1]", "[12,16]")), 16), HasSubstr("4 bytes before tensor 'b'"));
  EXPECT_THAT(message_for(braced(a + "," + a), 8), HasSubstr("'a' stands twice"));
  EXPECT_THAT(message_for(braced(entry("a", "F31", "[2]", "[0,8]")), 8), HasSubstr("'a' has the type F31; readable are I64"));
  EXPECT_THAT(message_for(braced(entry("a", "F64", "[2]", "[0,8]")), 8), HasSubstr("'a' spans bytes 0 to 8, expected 16 bytes for F64 [2]"));
  EXPECT_THAT(message_for(braced(entry("a", "F32", "[2]", "[8,0]")), 8), HasSubstr("'a' spans bytes 8 to 0"));
  EXPECT_THAT(message_for(braced(entry("a", "F32", "[-2]", "[0,8]")), 8), HasSubstr("shape holds -2"));
  EXPECT_THAT(message_for(braced(entry("a", "F32", "[4294967296,4294967296]", "[0,8]")), 8), HasSubstr("would have more than"));
  EXPECT_THAT(message_for(R"({"a":{"dtype":"F32","shape":[2]}})", 8), HasSubstr("'a' has no data_offsets"));
  EXPECT_THAT(message_for(braced(std::string(R"("__metadata__":{"k":3},)") + a), 8), HasSubstr("metadata 'k' is 3"));
  EXPECT_THAT(message_for(std::string("{") + a, 8), HasSubstr("no JSON"));
  EXPECT_THAT(message_for("[1]", 0), HasSubstr("no JSON object"));
  EXPECT_THAT(message_for(braced(a), 8, 1 << 20), HasSubstr("the header is said to have 1048576 bytes"));
}

TEST(Safetensors, NeedsAFile) {
  EXPECT_THAT(message_of([] { read_tensors("/nowhere/x.safetensors"); }), HasSubstr("/nowhere/x.safetensors"));
  const test::TempDir dir;
  write_text_atomically(dir.path() / "short", "abc");
  EXPECT_THAT(message_of([&] { read_tensors(dir.path() / "short"); }), HasSubstr("3 bytes are too few"));
  EXPECT_THAT(message_of([&] { write_tensors(dir.path() / "c", {{{"z", torch::zeros({1}, torch::kComplexFloat)}}, {}}); }), HasSubstr("'z'"));
}

}  // namespace
}  // namespace simulacra::nn
