// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/catalogue.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::rooms {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProperties = "PluginFurnitureCatalog.properties";
constexpr std::uint64_t kMaxCatalogueBytes = std::uint64_t{64} << 20;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Files of `folder` with that ending, sorted by name.
std::vector<fs::path> files_with_extension(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && lower(entry.path().extension().string()) == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

void add_archive(Catalogue& catalogue, const fs::path& file) {
  auto archive = std::make_shared<const ZipArchive>(file);
  if (!archive->has(kProperties)) fail("{}: has no {}: not a furniture library", file.string(), kProperties);
  const std::vector<std::uint8_t> bytes = archive->read(kProperties);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Library library;
  library.name = file.stem().string();
  library.source = file.filename().string();
  if (file.parent_path() == fs::path(kPackageFolder))
    library.source += fmt::format(", Debian package {}", kPackageName);
  library.archive = archive;
  for (Piece& piece : parse_properties_catalogue(text, file.string() + "/" + std::string(kProperties))) {
    piece.library = library.name;
    piece.library_index = catalogue.libraries.size();
    if (archive->has(piece.model))
      catalogue.pieces.push_back(std::move(piece));
    else
      ++catalogue.rows_without_model;
  }
  catalogue.libraries.push_back(std::move(library));
}

void add_csv(Catalogue& catalogue, const fs::path& file) {
  const fs::path root = file.parent_path();
  for (Piece& piece : parse_csv_catalogue(read_text_file(file, kMaxCatalogueBytes), file.string())) {
    auto found = std::find_if(catalogue.libraries.begin(), catalogue.libraries.end(), [&](const Library& l) {
      return l.name == piece.library;
    });
    if (found == catalogue.libraries.end()) {
      catalogue.libraries.push_back({piece.library, (root / piece.library).string(), nullptr, root / piece.library});
      found = catalogue.libraries.end() - 1;
    }
    piece.library_index = static_cast<std::size_t>(found - catalogue.libraries.begin());
    if (fs::is_regular_file(found->folder / piece.model))
      catalogue.pieces.push_back(std::move(piece));
    else
      ++catalogue.rows_without_model;
  }
}

/// The CSV with the most rows: beside a full catalogue there may be selections of it.
fs::path largest_csv(const std::vector<fs::path>& files) {
  const auto rows = [](const fs::path& file) {
    const std::string text = read_text_file(file, kMaxCatalogueBytes);
    return std::count(text.begin(), text.end(), '\n');
  };
  return *std::max_element(
      files.begin(), files.end(), [&](const fs::path& a, const fs::path& b) { return rows(a) < rows(b); });
}

[[noreturn]] void fail_without_catalogue(const fs::path& location, std::string_view found) {
  fail_usage(
      "rooms.catalogue: {}: {}; install the models with 'apt install {}', or name a folder of .sh3f files or "
      "of models with a catalogue CSV: rooms.catalogue=FOLDER",
      location.string(),
      found,
      kPackageName);
}

/// A cache is not worth a sync to disk: a file whose size is wrong, after a crash, is written again.
void keep_or_write(const fs::path& target, const ZipArchive& archive, const std::string& member) {
  const std::vector<std::uint8_t> bytes = archive.read(member);
  std::error_code absent;
  if (fs::is_regular_file(target, absent) && fs::file_size(target, absent) == bytes.size()) return;
  fs::create_directories(target.parent_path());
  std::ofstream out(target, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) fail("{}: cannot be written", target.string());
}

}  // namespace

std::string licence_from_text(std::string_view text) {
  const std::string t = lower(text);
  const auto has = [&](std::string_view word) { return t.find(word) != std::string::npos; };
  if (has("public domain") || t.starts_with("cc0")) return "CC0-1.0";
  if (has("creative commons attribution 3.0 united states") || t == "cc-by-3.0-us") return "CC-BY-3.0-US";
  if (has("creative commons attribution 3.0")) return "CC-BY-3.0";
  return std::string(text);
}

Catalogue read_catalogue(const fs::path& location) {
  Catalogue catalogue;
  catalogue.location = location.empty() ? fs::path(kPackageFolder) : location;
  const fs::path& at = catalogue.location;
  std::error_code ignored;
  if (!fs::exists(at, ignored)) fail_without_catalogue(at, "not found");
  if (fs::is_directory(at, ignored)) {
    const std::vector<fs::path> archives = files_with_extension(at, ".sh3f"), tables = files_with_extension(at, ".csv");
    if (archives.empty() && tables.empty()) fail_without_catalogue(at, "holds no .sh3f and no .csv file");
    for (const fs::path& archive : archives) add_archive(catalogue, archive);
    if (archives.empty()) add_csv(catalogue, largest_csv(tables));
  } else if (lower(at.extension().string()) == ".sh3f") {
    add_archive(catalogue, at);
  } else if (lower(at.extension().string()) == ".csv") {
    add_csv(catalogue, at);
  } else {
    fail_without_catalogue(at, "neither a folder nor a .sh3f or .csv file");
  }
  if (catalogue.pieces.empty())
    fail_without_catalogue(at, fmt::format("none of its {} models is there", catalogue.rows_without_model));
  return catalogue;
}

fs::path unpack_model(const Catalogue& catalogue, const Piece& piece, const fs::path& folder) {
  const Library& library = catalogue.libraries.at(piece.library_index);
  if (!library.archive) return library.folder / piece.model;
  const fs::path root = folder / library.name;
  const std::size_t slash = piece.model.rfind('/');
  const std::vector<std::string> members =
      slash == std::string::npos ? library.archive->names()
                                 : library.archive->names_below(std::string_view(piece.model).substr(0, slash));
  for (const std::string& member : members) {
    const fs::path target = root / member;
    if (lower(target.extension().string()) != ".html") keep_or_write(target, *library.archive, member);
  }
  return root / piece.model;
}

}  // namespace simulacra::rooms
