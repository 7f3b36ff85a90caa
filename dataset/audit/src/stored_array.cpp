// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/stored_array.h"

#include <algorithm>
#include <set>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;

template <typename T>
std::string listed(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + fmt::format("{}", value);
  return text;
}

std::string wanted(const Shape& shape) {
  std::string text;
  for (const std::int64_t s : shape) text += (text.empty() ? "" : ", ") + (s < 0 ? std::string("any") : std::to_string(s));
  return "shape (" + text + ")";
}

bool fits(const std::vector<std::size_t>& shape, const Shape& wish) {
  return std::equal(shape.begin(), shape.end(), wish.begin(), wish.end(),
                    [](std::size_t have, std::int64_t want) { return want < 0 || have == static_cast<std::size_t>(want); });
}

/// False when the values cannot be had without a plug-in.
bool judge_filters(const hdf5::Inspection& file, const std::string& relative, bool image, Findings& to) {
  const bool harmless = std::all_of(file.filters.begin(), file.filters.end(), [](const std::string& f) {
    return f == "gzip" || f == "shuffle" || f == "fletcher32";
  });
  const auto found = [&] { return "filters " + (file.filters.empty() ? "none" : listed(file.filters)); };
  if (image) {
    const bool gzip = std::find(file.filters.begin(), file.filters.end(), "gzip") != file.filters.end();
    to.test("F2.gzip", relative, gzip && harmless, "the gzip filter and none that needs a plug-in", found);
  } else if (!file.filters.empty() || !file.chunk.empty()) {
    to.test("F2.gzip", relative, harmless, "no filter that needs a plug-in", found);
    to.note("camera, mesh or box files are chunked or compressed; the original keeps them plain");
  }
  return harmless;
}

/// Everything about the container; true when the array is as wished.
bool judge_container(const hdf5::Inspection& file, const std::string& relative, const ArrayWish& wish, Findings& to) {
  const bool alone = file.root_names.size() == 1 && file.root_names[0] == "dataset" && file.has_dataset;
  to.test("F1.key", relative, alone, "the root holds one array, 'dataset'",
          [&] { return "root holds " + (file.root_names.empty() ? "nothing" : listed(file.root_names)); });
  if (!file.has_dataset) return false;
  if (!wish.attributes)
    to.test("F1.attributes", relative, file.attributes + file.root_attributes == 0, "no attributes",
            [&] { return fmt::format("{} attributes", file.attributes + file.root_attributes); });
  const bool type = to.test("F2.dtype", relative, file.type == hdf5::name_of(wish.element),
                            std::string(hdf5::name_of(wish.element)) + " little-endian", file.type);
  const bool shape = to.test("F2.shape", relative, fits(file.shape, wish.shape), [&] { return wanted(wish.shape); },
                             [&] { return "shape (" + listed(file.shape) + ")"; });
  const bool readable = judge_filters(file, relative, wish.image, to);
  // The verdict of a skipped check still says whether the values can be used.
  return type && shape && readable;
}

}  // namespace

std::optional<StoredArray> read_array(const fs::path& path, const std::string& relative, const ArrayWish& wish, Findings& to) {
  const bool here = fs::is_regular_file(path);
  if (wish.required) to.test("F1.files", relative, here, "the file exists", "no such file");
  if (!here) return std::nullopt;
  StoredArray array;
  try {
    const std::vector<std::uint8_t> bytes = read_file(path);
    if (!judge_container(hdf5::inspect_bytes(bytes, relative), relative, wish, to)) return std::nullopt;
    static_cast<hdf5::Array&>(array) = hdf5::read_bytes(bytes, relative);
  } catch (const Error& e) {
    to.test("F1.readable", relative, false, "an HDF5 file that decodes", e.what());
    return std::nullopt;
  }
  to.test("F1.readable", relative, true, "", "");
  return array;
}

std::optional<std::pair<int, int>> size_of_any_image(const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(folder, ignored))
    if (e.path().extension() == ".hdf5") files.insert(e.path());
  for (const fs::path& file : files) {
    try {
      const hdf5::Inspection i = hdf5::inspect(file);
      if (i.has_dataset && (i.shape.size() == 2 || i.shape.size() == 3) && i.shape[0] < 1000000 && i.shape[1] < 1000000)
        return std::pair{static_cast<int>(i.shape[1]), static_cast<int>(i.shape[0])};
    } catch (const Error&) {
      continue;  // F1.readable tells of this file when it is its turn
    }
  }
  return std::nullopt;
}

}  // namespace simulacra::auditing
