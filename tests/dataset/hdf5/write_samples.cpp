// SPDX-License-Identifier: Apache-2.0
// Writes one file of each element type into the folder given, for read_samples.py. The value at the flat
// index i is (7 i + 3) mod 120, so that every type holds it exactly.
#include <cstring>
#include <filesystem>
#include <vector>

#include "dataset/hdf5/hdf5.h"
#include "render/base/half.h"

namespace {

using namespace simulacra;

template <typename T, typename Convert>
void write_sample(const std::filesystem::path& folder, hdf5::Element element, Convert convert) {
  const std::vector<std::size_t> shape{217, 333, 3};
  std::vector<T> values(217 * 333 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = convert(static_cast<float>((7 * i + 3) % 120));
  const auto bytes = std::as_bytes(std::span(values));
  const std::string name(hdf5::name_of(element));
  hdf5::write(folder / (name + ".chunked.hdf5"), element, shape, bytes, hdf5::image_storage(shape));
  hdf5::write(folder / (name + ".plain.hdf5"), element, shape, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  write_sample<std::uint16_t>(folder, hdf5::Element::f16, half_from_float);
  write_sample<float>(folder, hdf5::Element::f32, [](float v) { return v; });
  write_sample<double>(folder, hdf5::Element::f64, [](float v) { return static_cast<double>(v); });
  write_sample<std::uint8_t>(folder, hdf5::Element::u8, [](float v) { return static_cast<std::uint8_t>(v); });
  write_sample<std::int16_t>(folder, hdf5::Element::i16, [](float v) { return static_cast<std::int16_t>(v); });
  write_sample<std::int32_t>(folder, hdf5::Element::i32, [](float v) { return static_cast<std::int32_t>(v); });
  write_sample<std::int64_t>(folder, hdf5::Element::i64, [](float v) { return static_cast<std::int64_t>(v); });
  const std::vector<double> one{1.5};
  const std::vector<std::size_t> shape{1};
  hdf5::write(folder / "attributes.hdf5", hdf5::Element::f64, shape, std::as_bytes(std::span(one)), {},
              serial_for, {{"unit", std::string("m")}, {"scale", 0.25}, {"rows", std::int64_t{12}}});
}
