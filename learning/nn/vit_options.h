// SPDX-License-Identifier: Apache-2.0
// What a vision transformer is made of. The defaults are ViT-B/16 [Dosovitskiy et al. 2021].
#pragma once

#include <cstdint>
#include <string>

namespace simulacra::config {
class Fields;
}

namespace simulacra::nn {

struct VitOptions {
  int image_size = 224;   ///< pixels a side, of the learnable positions' grid and of n in -ln n of a learnable bias
  int patch_size = 16;    ///< pixels a side
  int channels = 3;
  /// What is done to pixels in [0, 1] first: nothing | centered: 2 x - 1, as many public ViTs take them | imagenet: less that
  /// set's mean, over its standard deviation.
  std::string pixels = "as_given";      ///< as_given | centered | imagenet
  int dim = 768;
  int depth = 12;
  int heads = 12;
  double mlp_ratio = 4;
  bool class_token = true;
  int registers = 0;      ///< further tokens without meaning of their own [Darcet et al. 2024]
  std::string position = "learnable";   ///< learnable | sincos | rope2d
  double rope_base = 10000;
  bool qkv_bias = true;
  bool qk_norm = false;                 ///< layer norm of queries and keys over a head's width
  double layer_scale = 0;               ///< initial gain of each residual branch; 0 = no gains
  bool hybrid_norm = false;             ///< x + Norm(f(Norm(x)))
  std::string attention = "softmax";    ///< softmax | sigmoid
  std::string sigmoid_bias = "minus_ln_n";  ///< minus_ln_n (n keys of the call) | fixed | learnable (one a head, from -ln n)
  double sigmoid_bias_value = 0;        ///< of `fixed`
  double norm_eps = 1e-6;

  int head_dim() const { return dim / heads; }
  /// Tokens before the patches.
  int prefix_tokens() const { return (class_token ? 1 : 0) + registers; }
  int grid() const { return image_size / patch_size; }
};
void fields(config::Fields& f, VitOptions& o);

/// tiny, small, base, large: widths 192, 384, 768, 1024, heads 3, 6, 12, 16, depth 12 and 24. Throws UsageError that lists them.
VitOptions vit_preset(const std::string& name);

/// Throws UsageError that names what does not fit: dim no multiple of heads, a word that is unknown, …
void check(const VitOptions& o);

}  // namespace simulacra::nn
