// SPDX-License-Identifier: Apache-2.0
// Who may include whom. Every library's headers share one system folder, so the compiler cannot hold this line:
// the test reads each #include and looks its folder up in the table, which is the architecture's document.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

Names operator+(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// What everybody may know: plain values without scene, file format or scheduler.
const Names kVocabulary = {"render/base", "render/config", "render/labels", "render/image", "fmt"};
const Names kScene = {"render/description", "render/camera", "render/sampling"};

const Names kTorch = {"torch", "ATen", "c10"};

// folder -> what its files may include beyond themselves and the standard library
const std::map<std::string, Names> kMayInclude = {
    {"render/base", {"fmt"}},
    {"render/config", {"render/base", "fmt", "yaml-cpp"}},
    {"render/labels", {"render/base", "fmt"}},
    {"render/image", {"render/base", "render/labels", "fmt"}},
    {"render/sampling", {"render/base"}},
    {"render/description", {"render/base", "fmt"}},
    {"render/geometry", {"render/base", "render/description", "fmt"}},
    {"render/texture", {"render/base", "render/description", "fmt", "OpenImageIO"}},
    {"render/import", kVocabulary + Names{"render/description", "render/geometry", "nlohmann", "pugixml.hpp"}},
    {"render/material", {"render/base", "render/description", "render/texture", "render/sampling", "fmt"}},
    {"render/camera", {"render/base", "render/description", "render/sampling", "fmt"}},
    {"render/accel", {"render/base", "render/description", "render/camera", "fmt", "embree3", "embree4"}},
    {"render/light", kScene + Names{"render/base", "render/accel", "render/material", "render/texture", "fmt"}},
    {"render/scene", kScene + Names{"render/base", "render/accel", "render/light", "render/material", "render/texture", "fmt"}},
    {"render/integrator", kScene + Names{"render/base", "render/scene", "render/material", "fmt"}},
    {"render/film", kVocabulary + kScene + Names{"render/integrator", "render/scene"}},
    {"render/session", kVocabulary + kScene + Names{"render/film", "render/integrator", "render/scene", "tbb"}},

    {"dataset/schema", kVocabulary + Names{"nlohmann"}},
    {"dataset/hdf5", {"render/base", "render/labels", "fmt", "hdf5.h", "H5", "libdeflate.h"}},
    {"dataset/frames", kVocabulary + Names{"dataset/schema", "dataset/hdf5", "nlohmann"}},
    {"dataset/derive", kVocabulary + Names{"dataset/schema", "dataset/frames", "dataset/hdf5", "dataset/store"}},
    {"dataset/exr", {"render/base", "render/labels", "render/image", "fmt", "OpenEXR", "Imath"}},
    {"dataset/store", kVocabulary + Names{"render/description", "render/texture", "render/geometry", "dataset/schema", "dataset/hdf5",
                                          "dataset/annotate", "nlohmann"}},
    {"dataset/annotate", kVocabulary + Names{"render/description", "dataset/schema"}},
    {"dataset/rooms", kVocabulary + Names{"render/description", "render/geometry", "render/import", "dataset/annotate", "libdeflate.h"}},
    {"dataset/trajectory", kVocabulary + Names{"render/description", "render/camera", "render/sampling", "dataset/schema"}},
    {"dataset/audit", kVocabulary + Names{"render/texture", "dataset/schema", "dataset/hdf5", "dataset/store", "dataset/annotate", "nlohmann"}},
    {"dataset/report", kVocabulary + Names{"render/texture", "dataset/schema", "dataset/hdf5", "dataset/store", "dataset/annotate",
                                           "dataset/audit", "nlohmann"}},
    // The only place where the data set meets the renderer.
    {"dataset/generate", kVocabulary + kScene + Names{"render/import", "render/scene", "render/session", "render/texture",
                                                      "dataset/schema", "dataset/store", "dataset/annotate", "dataset/rooms",
                                                      "dataset/trajectory", "dataset/hdf5", "nlohmann", "tbb"}},

    // Plain pointers and sizes: kernels know no LibTorch.
    {"learning/kernels", {"render/base", "fmt", "cuda", "tbb"}},
    // What a page shows of a training; the picture encoder comes from render/texture.
    {"learning/report", kVocabulary + kTorch + Names{"learning/train", "learning/record", "dataset/store", "dataset/annotate", "render/texture"}},
    {"learning/record", {"render/base", "fmt"}},
    {"learning/metrics", {"render/base", "fmt", "torch"}},
    {"learning/ops", {"render/base", "fmt", "torch", "ATen", "c10", "learning/kernels"}},
    {"learning/optim", kVocabulary + kTorch + Names{"learning/kernels"}},
    {"learning/losses", kVocabulary + kTorch + Names{"ATen", "learning/kernels"}},
    {"learning/dab", kVocabulary + kTorch},
    {"learning/nn", kVocabulary + kTorch + Names{"learning/ops", "nlohmann"}},
    // The only place where LibTorch meets a data set.
    {"learning/tensors", kVocabulary + kTorch + Names{"dataset/schema", "dataset/frames", "dataset/hdf5", "dataset/store", "nlohmann"}},
    {"learning/train", kVocabulary + kTorch + Names{"learning/ops", "learning/optim", "learning/losses", "learning/dab",
                                                    "learning/nn", "learning/tensors", "learning/record", "learning/metrics", "dataset/schema",
                                                    "dataset/frames", "nlohmann", "mpi.h"}},

    // No LibTorch: sensors work on planes of a frame; the JPEG codec comes from render/texture.
    {"sim2real/sensor", kVocabulary + Names{"render/texture"}},
    {"sim2real/dense", {"render/base", "fmt"}},
    {"sim2real/calibrate", kVocabulary + Names{"render/texture", "sim2real/sensor", "sim2real/gap", "sim2real/dense", "nlohmann"}},
    // A data set in, a photographed copy out.
    {"sim2real/photo", kVocabulary + Names{"sim2real/sensor", "sim2real/gap", "sim2real/calibrate", "dataset/schema", "dataset/frames", "dataset/hdf5", "dataset/store", "dataset/derive",
                                           "render/texture"}},
    // Pictures of folders are decoded by render/texture.
    {"sim2real/gap", kVocabulary + Names{"render/texture", "dataset/schema", "dataset/frames", "dataset/hdf5", "dataset/store",
                                         "sim2real/dense", "nlohmann"}},
    {"sim2real/vit_features", kVocabulary + kTorch + Names{"learning/nn", "sim2real/gap", "sim2real/dense"}},
    {"sim2real/preference", {"render/base", "render/config", "fmt", "sim2real/dense", "nlohmann"}},
    {"sim2real/bilevel", {"render/base", "fmt", "sim2real/dense"}},
    {"sim2real/reweight", {"render/base", "render/config", "fmt", "sim2real/dense", "sim2real/bilevel"}},
    {"sim2real/refine", kTorch + Names{"render/base", "fmt"}},
    // A data set in, a refined copy out.
    {"sim2real/refinery", kVocabulary + kTorch + Names{"sim2real/refine", "sim2real/gap", "dataset/schema", "dataset/hdf5", "dataset/frames",
                                                       "dataset/derive", "dataset/store", "learning/tensors", "learning/nn", "learning/train", "learning/record",
                                                       "render/texture", "nlohmann"}},
};

// "render/base/vec.h" -> "render/base"; "fmt/core.h" -> "fmt"; "hdf5.h" -> "hdf5.h"; "vector" -> "" (standard library,
// POSIX); test and tool folders are not modules.
std::string module_of(const std::string& include) {
  static const Names kThirdPartyFiles = {"hdf5.h", "libdeflate.h", "pugixml.hpp", "mpi.h"};
  const auto first = include.find('/');
  if (first == std::string::npos) return kThirdPartyFiles.contains(include) ? include : "";
  const std::string top = include.substr(0, first);
  if (top == "sys" || top == "linux" || top == "sanitizer") return "";
  const bool ours = top == "render" || top == "dataset" || top == "learning" || top == "sim2real" || top == "tools";
  return ours ? include.substr(0, include.find('/', first + 1)) : top;
}

std::vector<std::string> violations_of(const std::string& folder, const fs::path& file, std::istream& in) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  std::vector<std::string> found;
  const Names& allowed = kMayInclude.at(folder);
  std::smatch match;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!std::regex_search(line, match, kInclude)) continue;
    const std::string include = match[1], module = module_of(include);
    const bool foreign_source = include.find("/src/") != std::string::npos && module != folder;
    if (module.empty() || module == folder || (allowed.contains(module) && !foreign_source)) continue;
    found.push_back(file.string() + ":" + std::to_string(number) + ": " + folder + " may not include " + include);
  }
  return found;
}

TEST(Layers, EveryIncludeIsAllowed) {
  const fs::path root = SIMULACRA_SOURCE_DIR;
  for (const char* top : {"render", "dataset", "learning", "sim2real"})
    for (const auto& module : fs::directory_iterator(root / top)) {
      if (!module.is_directory()) continue;
      const std::string folder = std::string(top) + "/" + module.path().filename().string();
      ASSERT_TRUE(kMayInclude.contains(folder)) << folder << " is not in the table";
      for (const auto& entry : fs::recursive_directory_iterator(module)) {
        if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
        std::ifstream in(entry.path());
        for (const std::string& v : violations_of(folder, fs::relative(entry.path(), root), in)) ADD_FAILURE() << v;
      }
    }
}

TEST(Layers, TheScanFindsAViolation) {
  std::istringstream in("#include <vector>\n#include <embree3/rtcore.h>\n#include \"render/base/vec.h\"\n#include \"render/base/src/x.h\"\n");
  const auto found = violations_of("render/material", "x.cpp", in);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].find("x.cpp:2"), std::string::npos);
  EXPECT_NE(found[1].find("x.cpp:4"), std::string::npos);
}

}  // namespace
