// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/src/sigmoid_attention_paths.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>

namespace simulacra::kernels::attention::avx512 {
namespace {

#include "learning/kernels/src/sigmoid_attention_avx512.h"
#include "learning/kernels/src/sigmoid_attention_tiles.h"

}  // namespace

void forward(const ForwardTask<float>& task) { forward_task(task); }
void forward(const ForwardTask<Bfloat16>& task) { forward_task(task); }
void backward(BackwardTask<float>& task) { backward_task(task); }
void backward(BackwardTask<Bfloat16>& task) { backward_task(task); }

}  // namespace simulacra::kernels::attention::avx512
#else
#include "render/base/error.h"

namespace simulacra::kernels::attention::avx512 {

// Built for another processor: has_cpu_path() says so, and nobody calls these.
void forward(const ForwardTask<float>&) { check_failed("no avx512 here", __FILE__, __LINE__); }
void forward(const ForwardTask<Bfloat16>&) { check_failed("no avx512 here", __FILE__, __LINE__); }
void backward(BackwardTask<float>&) { check_failed("no avx512 here", __FILE__, __LINE__); }
void backward(BackwardTask<Bfloat16>&) { check_failed("no avx512 here", __FILE__, __LINE__); }

}  // namespace simulacra::kernels::attention::avx512
#endif
