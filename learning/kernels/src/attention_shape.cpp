// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/src/attention_shape.h"

#include "render/base/error.h"

namespace simulacra::kernels::attention {

void check_shape(const AttentionShape& s) {
  if (s.batch < 0 || s.heads < 1 || s.kv_heads < 1 || s.queries < 0 || s.keys < 0 || s.head_dim < 1 || s.value_dim < 1)
    fail_usage("sigmoid attention: batch {}, heads {}, key heads {}, queries {}, keys {}, head size {}, value size {}: expected "
               "positive sizes",
               s.batch, s.heads, s.kv_heads, s.queries, s.keys, s.head_dim, s.value_dim);
  if (s.heads % s.kv_heads != 0)
    fail_usage("sigmoid attention: {} heads do not divide evenly over {} key heads", s.heads, s.kv_heads);
}

}  // namespace simulacra::kernels::attention
