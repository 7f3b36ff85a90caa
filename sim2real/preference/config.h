// SPDX-License-Identifier: Apache-2.0
// A study as a YAML file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "render/config/config.h"
#include "sim2real/preference/study.h"

namespace simulacra::preference {

/// Pictures of a condition: a folder, or a data set.
struct PictureSource {
  std::string condition, folder;
  int most = 200;              ///< of more, a seeded choice
};
/// An item of text alone.
struct TextItem {
  std::string condition, text;
};
/// An attention check of text alone.
struct CheckItem {
  std::string text, answer;    ///< as Item::check
};

struct StudyConfig {
  StudyOptions options;
  int side_px = 256;           ///< at most; all pictures are cropped to one size, the smallest
  std::vector<PictureSource> pictures;
  std::vector<TextItem> texts;
  std::vector<CheckItem> checks;   ///< empty and options.checks > 0: instructions, see default_checks()
};
void fields(config::Fields& f, PictureSource& o);
void fields(config::Fields& f, TextItem& o);
void fields(config::Fields& f, CheckItem& o);
void fields(config::Fields& f, StudyConfig& o);

/// Reads the file; folders are relative to it. Throws UsageError that names file, line and key.
StudyConfig read_study_config(const std::filesystem::path& file);
StudyConfig study_config_from(const config::Node& tree, const std::filesystem::path& folder);

/// Items "Please press …" of a text, one for each answer; nothing for ratings.
std::vector<CheckItem> default_checks(const StudyOptions& options);
/// The items that are texts, and the checks.
std::vector<Item> text_items(const StudyConfig& config);

}  // namespace simulacra::preference
