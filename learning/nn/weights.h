// SPDX-License-Identifier: Apache-2.0
// Weights to and from files, under our own names and those of timm and Hugging Face transformers.
//
//   ours (below "vit." in a Model)        timm                        transformers (ViTModel; a "vit." in front is allowed)
//   cls_token, pos_embed                  the same                    embeddings.cls_token, embeddings.position_embeddings
//   reg_token                             reg_token                   -
//   patch_embed.proj.*                    the same                    embeddings.patch_embeddings.projection.*
//   blocks.N.norm1.*, norm2.*             the same                    encoder.layer.N.layernorm_before.*, layernorm_after.*
//   blocks.N.attn.qkv.*                   the same                    encoder.layer.N.attention.attention.{query,key,value}.*, stacked
//   blocks.N.attn.proj.*                  the same                    encoder.layer.N.attention.output.dense.*
//   blocks.N.attn.{q,k}_norm.*            the same                    -
//   blocks.N.{ls1,ls2}.gamma              the same                    -
//   blocks.N.mlp.{fc1,fc2}.*              the same                    encoder.layer.N.{intermediate,output}.dense.*
//   norm.*                                the same                    layernorm.*
//   head.* (of a Model)                   head.*                      classifier.*
//
// transformers 5 also says layers.N.attention.{q,k,v,o}_proj.*, layers.N.layernorm_*.* and layers.N.mlp.{fc1,fc2}.*.
// ViTModel's pooler has no counterpart and is left out.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learning/nn/model.h"
#include "learning/nn/safetensors.h"

namespace simulacra::nn {

enum class Naming { simulacra, timm, hugging_face };

/// By the names that occur: "vit.patch_embed.…" is ours, "patch_embed.…" timm's, "embeddings.…" or "vit.embeddings.…" Hugging
/// Face's. Throws Error when none does.
Naming naming_of(const TensorMap& weights);

/// Under our names for a Model: "vit.…" and "head.…". Throws Error that names what has no counterpart.
TensorMap to_own_names(const TensorMap& weights, Naming naming);
/// The transformer and the classifier of a Model under other names (transformers 4's for Hugging Face).
TensorMap to_foreign_names(const TensorMap& own, Naming naming);

/// Copies into the model's parameters. Those that the file lacks are returned; with `partial` false there must be none.
/// Throws Error that names the tensor which is unknown or of another shape, with both shapes. Types are converted.
std::vector<std::string> load_weights(Model& model, const TensorMap& own, bool partial = false);

/// The parameters, copied, under our names.
TensorMap weights_of(const Model& model);

/// A model with its options in the metadata ("simulacra.model", JSON), which tools/python/simulacra_models rebuilds; `more`
/// stands beside them.
void save_model(const std::filesystem::path& path, const Model& model, const std::map<std::string, std::string>& more = {});
/// Throws Error for a file without options or of another kind, and as load_weights does.
Model load_model(const std::filesystem::path& path);

/// The encoder alone, under the names that it has in a Model, with its options ("simulacra.vit", JSON).
void save_encoder(const std::filesystem::path& path, const VisionTransformer& encoder);
/// Options of the transformer in a file of save_model() or save_encoder(); nullopt for other files.
std::optional<VitOptions> encoder_options(const std::map<std::string, std::string>& metadata, const std::string& file);

}  // namespace simulacra::nn
