// SPDX-License-Identifier: Apache-2.0
#include "tests/support/digits.h"

#include <libdeflate.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/support/golden.h"
#include "tests/support/shared_data.h"

namespace simulacra::test {
namespace {

std::string unzipped(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string packed((std::istreambuf_iterator<char>(in)), {});
  std::string text(4 << 20, '\0');
  std::size_t size = 0;
  libdeflate_decompressor* unpacker = libdeflate_alloc_decompressor();
  const auto result = libdeflate_gzip_decompress(unpacker, packed.data(), packed.size(), text.data(), text.size(), &size);
  libdeflate_free_decompressor(unpacker);
  if (result != LIBDEFLATE_SUCCESS) throw std::runtime_error("cannot unpack " + path.string());
  text.resize(size);
  return text;
}

}  // namespace

std::optional<Digits> load_digits() {
  const auto shared = shared_folder();
  if (!shared || !std::filesystem::exists(*shared / "data/ml/sklearn/digits.csv.gz")) return std::nullopt;
  std::istringstream rows(unzipped(*shared / "data/ml/sklearn/digits.csv.gz"));
  std::vector<std::vector<double>> values;
  for (std::string line; std::getline(rows, line);) {
    std::istringstream cells(line);
    std::vector<double>& row = values.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    if (row.size() != 65) throw std::runtime_error("digits: a row of " + std::to_string(row.size()) + " numbers, expected 65");
  }
  Digits digits;
  for (const double at : golden::generate("perm", 4242, 0, 1, values.size())) {
    const std::vector<double>& row = values[static_cast<std::size_t>(at)];
    for (std::size_t i = 0; i < 64; ++i) digits.pixels.push_back(row[i] / 16);
    digits.labels.push_back(static_cast<std::int64_t>(row[64]));
  }
  return digits;
}

}  // namespace simulacra::test
