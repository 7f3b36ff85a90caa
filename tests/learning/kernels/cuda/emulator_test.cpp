// SPDX-License-Identifier: Apache-2.0
// The emulator notices what a GPU would not say, and multiplies as the instructions do.
#include "learning/kernels/cuda/emulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "learning/kernels/cuda/attention_tiles.h"
#include "learning/kernels/cuda/primitives.h"

namespace {

namespace gpu = simulacra::kernels::gpu;
using ::testing::HasSubstr;

alignas(16) char global_bytes[4096];

/// What the emulator says of one block; empty: nothing.
std::string complaint(int threads, const std::function<void()>& body) {
  gpu::Emulator emulator;
  emulator.allow_read(global_bytes, sizeof(global_bytes));
  try {
    emulator.run(1, threads, 4096, body);
  } catch (const gpu::EmulatorError& e) {
    return e.what();
  }
  return "";
}

gpu::Shared cell(int i) { return static_cast<gpu::Shared>(i * 4); }

TEST(GpuEmulator, NeedsABarrierBetweenWriterAndReader) {
  const auto pass_on = [](bool barrier) {
    return [barrier] {
      gpu::shared_store(cell(gpu::thread_index()), 1.0f);
      if (barrier) gpu::sync_block();
      (void)gpu::shared_load<float>(cell((gpu::thread_index() + 1) % 64));
    };
  };
  EXPECT_EQ(complaint(64, pass_on(true)), "");
  EXPECT_NE(complaint(64, pass_on(false)), "");
}

TEST(GpuEmulator, NeedsABarrierBetweenReaderAndNextWriter) {
  const auto reuse = [](bool barrier) {
    return [barrier] {
      if (gpu::thread_index() == 0) gpu::shared_store(cell(0), 1.0f);
      gpu::sync_block();
      (void)gpu::shared_load<float>(cell(0));
      if (barrier) gpu::sync_block();
      if (gpu::thread_index() == 63) gpu::shared_store(cell(0), 2.0f);
    };
  };
  EXPECT_EQ(complaint(64, reuse(true)), "");
  EXPECT_NE(complaint(64, reuse(false)), "");
}

TEST(GpuEmulator, AWarpsBarrierServesTheWarp) {
  const auto neighbour = [](int shift) {
    return [shift] {
      gpu::shared_store(cell(gpu::thread_index()), 1.0f);
      gpu::sync_warp();
      (void)gpu::shared_load<float>(cell((gpu::thread_index() + shift) % 64));
    };
  };
  EXPECT_EQ(complaint(64, [&] {
              gpu::shared_store(cell(gpu::thread_index()), 1.0f);
              gpu::sync_warp();
              (void)gpu::shared_load<float>(cell(gpu::thread_index() ^ 1));
            }),
            "");
  EXPECT_NE(complaint(64, neighbour(32)), "");
}

TEST(GpuEmulator, CopiesAreUnfinishedUntilTheyAreWaitedFor) {
  const auto copy = [](int groups_left) {
    return [groups_left] {
      if (gpu::thread_index() == 0) gpu::copy_16(0, global_bytes, true);
      gpu::copy_commit();
      if (groups_left == 0) gpu::copy_wait<0>();
      else gpu::copy_wait<1>();
      gpu::sync_block();
      (void)gpu::shared_load<float>(0);
      gpu::copy_wait<0>();
    };
  };
  EXPECT_EQ(complaint(32, copy(0)), "");
  EXPECT_THAT(complaint(32, copy(1)), HasSubstr("while a copy to it is unfinished"));
}

TEST(GpuEmulator, AddressesAreChecked) {
  EXPECT_THAT(complaint(32, [] { gpu::shared_store(4096, 1.0f); }), HasSubstr("beyond its 4096 bytes"));
  EXPECT_THAT(complaint(32, [] { gpu::shared_store(2, 1.0f); }), HasSubstr("not aligned"));
  EXPECT_THAT(complaint(32, [] { (void)gpu::shared_load<float>(0); }), HasSubstr("before it was written"));
  EXPECT_THAT(complaint(32, [] { (void)gpu::global_load(reinterpret_cast<const float*>(global_bytes + 4096)); }), HasSubstr("not announced"));
  EXPECT_THAT(complaint(32, [] { gpu::global_store(reinterpret_cast<float*>(global_bytes), 1.0f); }), HasSubstr("not announced"));
  EXPECT_THAT(complaint(32, [] { gpu::copy_16(0, global_bytes + 8, true); }), HasSubstr("not aligned"));
}

TEST(GpuEmulator, WarpsStayTogether) {
  EXPECT_THAT(complaint(64, [] {
                if (gpu::thread_index() != 40) (void)gpu::shuffle_xor(1.0f, 1);
              }),
              HasSubstr("that do not come"));
  EXPECT_THAT(complaint(64, [] {
                if (gpu::thread_index() != 40) gpu::sync_block();
              }),
              HasSubstr("not all threads reach"));
  EXPECT_THAT(complaint(32, [] {
                if (gpu::thread_index() < 8) gpu::sync_warp();
                else (void)gpu::shuffle_xor(1.0f, 1);
              }),
              HasSubstr("different operations"));
}

TEST(GpuEmulator, CountsBankConflicts) {
  const auto conflicts_at = [](int row_bytes) {
    gpu::Emulator emulator;
    emulator.run(1, 32, 32 * 128, [row_bytes] {
      const int lane = gpu::thread_index();
      for (int i = lane; i < 1024; i += 32) gpu::shared_store(cell(i), 0.0f);
      gpu::sync_block();
      std::uint32_t r[4];
      gpu::load_matrices(r, static_cast<gpu::Shared>(lane * row_bytes));
    });
    return emulator.bank_conflicts();
  };
  EXPECT_EQ(conflicts_at(16), 0);
  EXPECT_EQ(conflicts_at(32), 4);
  EXPECT_EQ(conflicts_at(128), 4);
}

// A tile whose element (row, column) is 16 row + column in bfloat16, exact up to 255.
void fill_tile(gpu::Shared at) {
  const int lane = gpu::thread_index();
  for (int i = lane; i < 128; i += 32)
    gpu::shared_store(at + cell(i), gpu::Bfloat16Element::pack(static_cast<float>(2 * i), static_cast<float>(2 * i + 1)));
  gpu::sync_block();
}

TEST(GpuEmulator, MatricesGoToTheLanesThatTheInstructionNames) {
  gpu::Emulator emulator;
  emulator.run(1, 32, 4096, [] {
    fill_tile(0);
    const int lane = gpu::thread_index(), g = lane / 4, t = lane % 4 * 2;
    const auto row = static_cast<gpu::Shared>(lane % 16 * 32 + lane / 16 * 16);
    const auto pair = [](int a, int b) { return gpu::Bfloat16Element::pack(static_cast<float>(a), static_cast<float>(b)); };
    std::uint32_t r[4];
    gpu::load_matrices(r, row);
    EXPECT_EQ(r[0], pair(16 * g + t, 16 * g + t + 1));
    EXPECT_EQ(r[1], pair(16 * (g + 8) + t, 16 * (g + 8) + t + 1));
    EXPECT_EQ(r[2], pair(16 * g + t + 8, 16 * g + t + 9));
    gpu::load_matrices_transposed(r, row);
    EXPECT_EQ(r[0], pair(16 * t + g, 16 * (t + 1) + g));
    EXPECT_EQ(r[1], pair(16 * (t + 8) + g, 16 * (t + 9) + g));
    EXPECT_EQ(r[2], pair(16 * t + g + 8, 16 * (t + 1) + g + 8));
  });
}

TEST(GpuEmulator, MultipliesBySixteenths) {
  gpu::Emulator emulator;
  emulator.run(1, 32, 4096, [] {
    fill_tile(0);
    const int lane = gpu::thread_index(), g = lane / 4, t = lane % 4 * 2;
    std::uint32_t a[4], b[4];
    gpu::load_matrices(a, static_cast<gpu::Shared>(lane % 16 * 32 + lane / 16 * 16));
    gpu::load_matrices_transposed(b, static_cast<gpu::Shared>(lane % 16 * 32 + lane / 16 * 16));
    float c[4] = {1, 1, 1, 1};
    gpu::Bfloat16Element::multiply_add(c, a, b[0], b[1]);
    for (int i = 0; i < 4; ++i) {
      const int row = g + i / 2 * 8, column = t + i % 2;
      float sum = 1;
      for (int k = 0; k < 16; ++k) sum += static_cast<float>((16 * row + k) * (16 * k + column));
      EXPECT_EQ(c[i], sum);
    }
  });
}

TEST(GpuEmulator, HalvesRoundToTheNearest) {
  using gpu::emulated::from_float16, gpu::emulated::to_float16, gpu::emulated::from_bfloat16, gpu::emulated::to_bfloat16;
  for (int bits = 0; bits < 65536; ++bits) {
    const auto h = static_cast<std::uint16_t>(bits);
    ASSERT_TRUE(std::isnan(from_float16(h)) || to_float16(from_float16(h)) == h) << h;
    ASSERT_TRUE(std::isnan(from_bfloat16(h)) || to_bfloat16(from_bfloat16(h)) == h) << h;
  }
  EXPECT_EQ(from_float16(0x3c00), 1.0f);
  EXPECT_EQ(from_float16(0x0001), std::ldexp(1.0f, -24));
  EXPECT_EQ(to_float16(1 + std::ldexp(1.0f, -11)), 0x3c00);        // a tie goes to the even one
  EXPECT_EQ(to_float16(1 + 3 * std::ldexp(1.0f, -11)), 0x3c02);
  EXPECT_EQ(to_float16(65520), 0x7c00);
  EXPECT_EQ(to_float16(65519), 0x7bff);
  EXPECT_TRUE(std::isnan(from_float16(to_float16(NAN))));
}

TEST(GpuEmulator, TilesLieWithoutConflicts) {
  using simulacra::kernels::attention::cuda::tiles::Layout;
  const auto banks = [](auto layout, int row, int piece) { return decltype(layout)::at(row, piece) / 16 % 8; };
  const auto all_differ = [&](auto layout, int pieces) {
    for (int first = 0; first < 64; first += 8)
      for (int piece = 0; piece < pieces; ++piece) {
        unsigned seen = 0;
        for (int row = first; row < first + 8; ++row) seen |= 1u << banks(layout, row, piece);
        if (seen != 0xffu) return false;
      }
    return true;
  };
  EXPECT_TRUE(all_differ(Layout<32>(), 4));
  EXPECT_TRUE(all_differ(Layout<64>(), 8));
  EXPECT_TRUE(all_differ(Layout<128>(), 16));
}

}  // namespace
