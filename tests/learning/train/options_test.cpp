// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "learning/train/options.h"
#include "learning/train/pretrain.h"
#include "render/base/files.h"

namespace simulacra::learning {
namespace {

using ::testing::HasSubstr;

// The tables of the README are what config::document() gives; with SIMULACRA_WRITE_KEYS=FILE they are written there.
TEST(TrainOptions, EveryKeyStandsInTheReadme) {
  const std::string train = config::document<TrainOptions>(), pretrain = config::document<PretrainOptions>();
  if (const char* file = std::getenv("SIMULACRA_WRITE_KEYS")) std::ofstream(file) << train << '\n' << pretrain;
  const std::string readme = read_text_file(std::filesystem::path(SIMULACRA_SOURCE_DIR) / "learning/train/README.md");
  EXPECT_THAT(readme, HasSubstr(train));
  EXPECT_THAT(readme, HasSubstr(pretrain));
}

// A wrong word for every key: the answer names the key, so nothing is read past.
TEST(TrainOptions, EveryKeyIsChecked) {
  const std::string table = config::document<TrainOptions>();
  int keys = 0;
  for (std::size_t at = table.find("\n| `"); at != std::string::npos; at = table.find("\n| `", at + 1)) {
    const std::string key = table.substr(at + 4, table.find('`', at + 4) - at - 4);
    config::Node tree;
    config::apply_set(tree, key + "={a: b}");
    TrainOptions o;
    try {
      config::read(tree, o);
      ADD_FAILURE() << key << " takes a group";
    } catch (const std::exception& e) {
      EXPECT_THAT(e.what(), HasSubstr(key));
    }
    ++keys;
  }
  EXPECT_GT(keys, 80);
}

}  // namespace
}  // namespace simulacra::learning
