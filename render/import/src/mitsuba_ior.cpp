// SPDX-License-Identifier: Apache-2.0
// Indices of refraction by name. Metals: the published measurements (Palik's handbook, SOPRA, Johnson and
// Christy) seen through the color matching functions under D65, as linear Rec. 709 bands.
#include <array>
#include <utility>

#include "render/import/src/mitsuba.h"

namespace simulacra::mitsuba {
namespace {

constexpr std::pair<std::string_view, ConductorIor> kConductors[] = {
    {"Ag", {{0.1553f, 0.1167f, 0.1384f}, {4.8284f, 3.1222f, 2.1469f}}},
    {"Al", {{1.6575f, 0.8804f, 0.5212f}, {9.2238f, 6.2695f, 4.837f}}},
    {"AlAs", {{3.6053f, 3.2329f, 2.2163f}, {0.0007f, 0.0f, 0.0075f}}},
    {"Au", {{0.143f, 0.3753f, 1.442f}, {3.983f, 2.3856f, 1.6034f}}},
    {"Be", {{4.185f, 3.185f, 2.7841f}, {3.8355f, 3.0101f, 2.869f}}},
    {"Cr", {{4.3697f, 2.9165f, 1.6549f}, {5.2065f, 4.2313f, 3.7547f}}},
    {"CsI", {{2.1449f, 1.7023f, 1.6624f}, {0.0f, 0.0f, 0.0f}}},
    {"Cu", {{0.201f, 0.9237f, 1.1022f}, {3.9133f, 2.453f, 2.1421f}}},
    {"Cu2O", {{3.5518f, 2.9499f, 2.7519f}, {0.1142f, 0.1939f, 0.6061f}}},
    {"CuO", {{3.2475f, 2.4478f, 2.2102f}, {0.5211f, 0.57f, 0.7222f}}},
    {"Hg", {{2.3989f, 1.44f, 0.9096f}, {6.3276f, 4.3719f, 3.4218f}}},
    {"HgTe", {{4.779f, 3.2312f, 2.6599f}, {1.6316f, 1.5808f, 1.7293f}}},
    {"Ir", {{3.0863f, 2.0822f, 1.6179f}, {5.5922f, 4.0671f, 3.2673f}}},
    {"K", {{0.064f, 0.0464f, 0.0382f}, {2.1042f, 1.3489f, 0.9131f}}},
    {"Li", {{0.2658f, 0.1956f, 0.2209f}, {3.5402f, 2.3111f, 1.6686f}}},
    {"MgO", {{2.0896f, 1.6507f, 1.5949f}, {0.0f, 0.0f, 0.0f}}},
    {"Mo", {{4.484f, 3.5251f, 2.7763f}, {4.1114f, 3.4208f, 3.1506f}}},
    {"Na", {{0.0603f, 0.0561f, 0.062f}, {3.1793f, 2.1125f, 1.579f}}},
    {"Nb", {{3.4201f, 2.7901f, 2.3956f}, {3.4414f, 2.7377f, 2.5797f}}},
    {"Ni", {{2.3673f, 1.6634f, 1.4671f}, {4.4988f, 3.0502f, 2.3454f}}},
    {"Rh", {{2.5858f, 1.8602f, 1.5543f}, {6.7823f, 4.703f, 3.9761f}}},
    {"Se", {{4.0583f, 2.8429f, 2.8209f}, {0.754f, 0.6384f, 0.5218f}}},
    {"Se-e", {{5.7228f, 4.1657f, 4.0813f}, {0.8711f, 1.1052f, 1.5653f}}},
    {"SiC", {{3.1723f, 2.526f, 2.4794f}, {0.0f, 0.0f, 0.0f}}},
    {"Ta", {{2.0627f, 2.3929f, 2.6279f}, {2.4084f, 1.7415f, 1.947f}}},
    {"Te", {{7.3902f, 4.4821f, 2.6371f}, {3.256f, 3.5271f, 3.2921f}}},
    {"Te-e", {{7.5089f, 4.2964f, 2.37f}, {5.5839f, 4.9472f, 3.9976f}}},
    {"ThF4", {{1.8307f, 1.4422f, 1.3876f}, {0.0f, 0.0f, 0.0f}}},
    {"TiC", {{3.7005f, 2.8374f, 2.5823f}, {3.2656f, 2.3516f, 2.1728f}}},
    {"TiN", {{1.6484f, 1.1505f, 1.3798f}, {3.3683f, 1.9435f, 1.1021f}}},
    {"TiO2", {{3.4566f, 2.8017f, 2.9052f}, {0.0001f, 0.0f, 0.0007f}}},
    {"TiO2-e", {{3.1066f, 2.5132f, 2.5824f}, {0.0f, 0.0f, 0.0002f}}},
    {"V", {{4.2776f, 3.5129f, 2.7611f}, {3.4913f, 2.8895f, 3.1115f}}},
    {"VC", {{3.6576f, 2.7527f, 2.5327f}, {3.0683f, 2.1987f, 1.9632f}}},
    {"VN", {{2.8656f, 2.1192f, 1.9401f}, {3.0322f, 2.0561f, 1.6163f}}},
    {"W", {{4.3708f, 3.3002f, 2.9984f}, {3.5006f, 2.6049f, 2.2732f}}},
    {"a-C", {{2.944f, 2.2271f, 1.9682f}, {0.8875f, 0.7993f, 0.8153f}}},
    {"d-C", {{2.7087f, 2.3188f, 2.2289f}, {0.0f, 0.0f, 0.0f}}},
};

constexpr std::pair<std::string_view, double> kDielectrics[] = {
    {"vacuum", 1.0},
    {"helium", 1.000036},
    {"hydrogen", 1.000132},
    {"air", 1.000277},
    {"carbon dioxide", 1.00045},
    {"water", 1.3330},
    {"acetone", 1.36},
    {"ethanol", 1.361},
    {"carbon tetrachloride", 1.461},
    {"glycerol", 1.4729},
    {"benzene", 1.501},
    {"silicone oil", 1.52045},
    {"bromine", 1.661},
    {"water ice", 1.31},
    {"fused quartz", 1.458},
    {"pyrex", 1.470},
    {"acrylic glass", 1.49},
    {"polypropylene", 1.49},
    {"bk7", 1.5046},
    {"sodium chloride", 1.544},
    {"amber", 1.55},
    {"pet", 1.5750},
    {"diamond", 2.419},
};

template <typename Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& [name, value] : table) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

}  // namespace

std::optional<ConductorIor> conductor_ior(std::string_view name) {
  if (name == "none") return ConductorIor{Rgb{0.0f}, Rgb{1.0f}};
  constexpr std::string_view kPalik = "_palik";
  if (name.ends_with(kPalik)) name.remove_suffix(kPalik.size());
  for (const auto& [known, ior] : kConductors)
    if (known == name) return ior;
  return std::nullopt;
}

std::string conductor_names() { return "none, " + names_of(kConductors); }

std::optional<double> dielectric_ior(std::string_view name) {
  for (const auto& [known, ior] : kDielectrics)
    if (known == name) return ior;
  return std::nullopt;
}

std::string dielectric_names() { return names_of(kDielectrics); }

}  // namespace simulacra::mitsuba
