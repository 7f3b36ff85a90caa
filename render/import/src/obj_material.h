// SPDX-License-Identifier: Apache-2.0
// MTL materials as `standard` materials. The classic model knows neither metals nor units of roughness,
// so this is the mapping:
//  - base_color = Kd (0.8 when the file says nothing) times map_Kd; above 1 is limited with a warning.
//  - Specular weight and tint = Ks, a fraction of what a dielectric of ior Ni (1.5 unless above 1.01)
//    reflects; none with illum 0 or 1, or without Ks. With Pr or Pm it is a full dielectric's.
//  - illum 3 or 5 (mirror reflection) over a Kd below 0.05: a metal of color Ks.
//  - roughness = Pr, else sqrt(alpha) with the microfacet alpha = sqrt(2 / (Ns + 2)) of a Phong lobe of
//    exponent Ns, else 0.5. map_Ns holds gloss: roughness = 1 - texel.
//  - illum 4, 6, 7, 9 with d < 1: glass that transmits 1 - d, tinted by Tf if given; with Ni above 1.01 and illum
//    6 or 7 it refracts, else it is thin. illum 6 and 7 with d = 1 or none are clear glass. Otherwise d is opacity, and Tr = 1 - d
//    where d is absent. map_d modulates it: by alpha when it is the same image as map_Kd, else by luminance.
//  - Ke is radiance, emitted to both sides; map_Ke modulates it, alone with factor 1.
//  - Pm metallic, Ps sheen, Pc and Pcr coat. norm is a normal map, bump a height map whose white stands
//    0.2 % of the model's diagonal above black, times -bm; a bump map called "normal" is a normal map.
//  - map_Kd, map_Ks and map_Ke are sRGB, the others linear, unless -colorspace says otherwise.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "render/description/description.h"
#include "render/description/diagnostics.h"
#include "render/import/src/obj_mtl.h"
#include "render/import/src/texture_search.h"

namespace simulacra::obj {

class MaterialConverter {
 public:
  /// Adds materials and textures to `scene`. `diagonal` is the model's, in its own units; images are looked
  /// for beside the MTL file, then beside the OBJ file in `folder`.
  MaterialConverter(SceneDescription& scene, FileSearch& files, std::filesystem::path folder, double diagonal,
                    Diagnostics& diagnostics)
      : scene_(scene), files_(files), folder_(std::move(folder)), diagonal_(diagonal), diagnostics_(diagnostics) {}

  /// Index of the new material.
  int add(const MtlMaterial& source);
  /// A gray material for a name that no file defines.
  int add_default(const std::string& name);

 private:
  int texture(const MtlMaterial& source, const MapStatement& map, ColorSpace color_space);
  void color_input(const MtlMaterial& source, Slot slot, RgbInput& input);
  void float_input(const MtlMaterial& source, Slot slot, FloatInput& input);
  void reflection(const MtlMaterial& source, MaterialDescription& m);
  void transparency(const MtlMaterial& source, MaterialDescription& m);
  void relief(const MtlMaterial& source, MaterialDescription& m);
  Rgb limited(const MtlMaterial& source, const char* key, Rgb value);

  SceneDescription& scene_;
  FileSearch& files_;
  std::filesystem::path folder_;
  double diagonal_;
  Diagnostics& diagnostics_;
};

}  // namespace simulacra::obj
