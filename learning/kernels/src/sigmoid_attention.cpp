// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/sigmoid_attention.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <string>
#include <type_traits>

#include "learning/kernels/src/attention_shape.h"
#include "learning/kernels/src/sigmoid_attention_paths.h"
#include "render/base/error.h"

namespace simulacra::kernels::attention {
namespace {

struct NamedPath {
  CpuPath path;
  std::string_view name;
};
constexpr NamedPath kPaths[] = {{CpuPath::automatic, "automatic"},
                                {CpuPath::reference, "reference"},
                                {CpuPath::avx2, "avx2"},
                                {CpuPath::avx512, "avx512"},
                                {CpuPath::amx, "amx"}};

void check_sizes(const AttentionShape& s, const SigmoidAttentionOptions& options) {
  check_shape(s);
  for (std::int64_t b = 0; options.key_len && b < s.batch; ++b)
    if (options.key_len[b] < 0 || options.key_len[b] > s.keys)
      fail_usage("sigmoid attention: key_len[{}] = {}, expected 0 to {}, the number of keys", b, options.key_len[b], s.keys);
}

/// The processor has tiles of bfloat16, and the kernel lets this process use them (it asks for their registers' memory).
bool ask_for_tiles() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr unsigned kAmxBf16 = 1u << 22, kAmxTile = 1u << 24, kAvx512Bf16 = 1u << 5;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & (kAmxBf16 | kAmxTile)) != (kAmxBf16 | kAmxTile)) return false;
  if (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || !(a & kAvx512Bf16)) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

template <typename T>
CpuPath widest_path() {
  if (std::is_same_v<T, Bfloat16> && has_cpu_path(CpuPath::amx)) return CpuPath::amx;
  for (const CpuPath path : {CpuPath::avx512, CpuPath::avx2})
    if (has_cpu_path(path)) return path;
  return CpuPath::reference;
}

/// The path that really runs for elements of type T.
template <typename T>
CpuPath path_for(CpuPath wanted) {
  if (std::is_same_v<T, double>) return CpuPath::reference;
  if (wanted == CpuPath::automatic) return widest_path<T>();
  if (!has_cpu_path(wanted)) fail_usage("sigmoid attention: this processor has no {} path", name_of(wanted));
  if (std::is_same_v<T, float> && wanted == CpuPath::amx) return CpuPath::avx512;
  return wanted;
}

}  // namespace

CpuPath cpu_path_named(std::string_view name) {
  std::string known;
  for (const NamedPath& p : kPaths) {
    if (p.name == name) return p.path;
    known += (known.empty() ? "" : ", ") + std::string(p.name);
  }
  fail_usage("no processor path is called '{}'; the choices are {}", name, known);
}

std::string_view name_of(CpuPath path) {
  for (const NamedPath& p : kPaths)
    if (p.path == path) return p.name;
  check_failed("a CpuPath without a name", __FILE__, __LINE__);
}

bool has_cpu_path(CpuPath path) {
#if defined(__x86_64__)
  if (path == CpuPath::amx) {
    static const bool kTiles = ask_for_tiles();
    return kTiles && has_cpu_path(CpuPath::avx512);
  }
  __builtin_cpu_init();
  if (path == CpuPath::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (path == CpuPath::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
#endif
  return path == CpuPath::automatic || path == CpuPath::reference;
}

void run_in_order(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

template <typename T>
void sigmoid_attention_forward(const AttentionShape& shape, const SigmoidAttentionOptions& options,
                               const AttentionInputs<T>& in, const HeadedRows<T>& o, const ParallelFor& parallel) {
  check_sizes(shape, options);
  const CpuPath path = path_for<T>(options.path);
  if constexpr (!std::is_same_v<T, double>) {
    if (path != CpuPath::reference) return fast::forward(path, shape, options, in, o, parallel);
  }
  reference::forward(shape, options, in, o, parallel);
}

template <typename T>
void sigmoid_attention_backward(const AttentionShape& shape, const SigmoidAttentionOptions& options,
                                const AttentionInputs<T>& in, const HeadedRows<const T>& grad_o,
                                const AttentionGradients<T>& out, const ParallelFor& parallel) {
  check_sizes(shape, options);
  const CpuPath path = path_for<T>(options.path);
  if constexpr (!std::is_same_v<T, double>) {
    if (path != CpuPath::reference) return fast::backward(path, shape, options, in, grad_o, out, parallel);
  }
  reference::backward(shape, options, in, grad_o, out, parallel);
}

#define SIM_INSTANTIATE(T)                                                                                                     \
  template void sigmoid_attention_forward<T>(const AttentionShape&, const SigmoidAttentionOptions&, const AttentionInputs<T>&, \
                                             const HeadedRows<T>&, const ParallelFor&);                                        \
  template void sigmoid_attention_backward<T>(const AttentionShape&, const SigmoidAttentionOptions&, const AttentionInputs<T>&, \
                                              const HeadedRows<const T>&, const AttentionGradients<T>&, const ParallelFor&);
SIM_INSTANTIATE(double)
SIM_INSTANTIATE(float)
SIM_INSTANTIATE(Bfloat16)

}  // namespace simulacra::kernels::attention
