// SPDX-License-Identifier: Apache-2.0
// Time and size of one 1024 x 768 frame set as the store writes it: compressed, checksummed, synced, renamed, listed.
//
//   hdf5_bench FOLDER LEVEL RUNS [DATA_SET]
//
// With DATA_SET, the files frame.0000.*.hdf5 below that folder are what is written. Without, it is the 14 files of the
// public format for a box room with a checkered floor, spheres and noise as of a 64-sample render, so that compression
// meets what it will meet. FOLDER is emptied and becomes a data set. Each run prints a line for one and one for two
// threads: "seconds" from arrays of the types on disk to the manifest's line, "frame_seconds" from a rendered frame's
// planes. hdf5_h5py.py writes the same arrays as h5py users do.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include <time.h>

#include "dataset/hdf5/hdf5.h"
#include "dataset/store/dataset_folder.h"
#include "dataset/store/frame_files.h"
#include "render/base/error.h"
#include "render/base/half.h"
#include "render/base/vec.h"
#include "render/image/frame.h"

namespace {

using namespace simulacra;

struct Hit {
  float distance = 1e9f;
  Vec3 normal;
  int entity = 0;
  Vec2 uv;
};

Hit trace_room(Vec3 direction) {
  // Walls of a 6 x 5 x 3 m room, the camera at the origin.
  constexpr std::array<float, 3> kLo{-3, -1.5f, -4}, kHi{3, 1.5f, 1};
  Hit hit;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float wall = direction[axis] > 0 ? kHi[axis] : kLo[axis];
    const float t = wall / direction[axis];
    if (!(t > 0 && t < hit.distance)) continue;
    hit.distance = t;
    hit.normal = {};
    hit.normal[axis] = direction[axis] > 0 ? -1.0f : 1.0f;
    hit.entity = 1 + 2 * static_cast<int>(axis) + (direction[axis] > 0 ? 1 : 0);
    const Vec3 p = direction * t;
    hit.uv = {p[(axis + 1) % 3], p[(axis + 2) % 3]};
  }
  for (int i = 0; i < 12; ++i) {
    const Vec3 center{-2.4f + 0.43f * static_cast<float>(i), -1.1f + 0.4f * static_cast<float>(i % 3),
                      -3.0f + 0.11f * static_cast<float>((i * 7) % 13)};
    const float radius = 0.2f + 0.03f * static_cast<float>(i % 5), b = dot(direction, center);
    const float d = b * b - dot(center, center) + radius * radius;
    if (d <= 0 || b - std::sqrt(d) <= 0 || b - std::sqrt(d) >= hit.distance) continue;
    hit.distance = b - std::sqrt(d);
    hit.normal = normalize(direction * hit.distance - center);
    hit.entity = 7 + i;
    hit.uv = {hit.normal.x, hit.normal.y};
  }
  return hit;
}

void set3(Plane& plane, int row, int column, Vec3 v) {
  for (std::size_t c = 0; c < 3; ++c) plane.f[plane.at(row, column, static_cast<int>(c))] = round_to_half(v[c]);
}

Frame make_frame(int width, int height) {
  Frame frame;
  frame.width = width;
  frame.height = height;
  for (const LabelSpec& spec : kLabels)
    if (spec.profile == Profile::hypersim) frame.allocate(spec.id);
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0.0f, 0.06f);
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c) {
      const float u = 2 * (static_cast<float>(c) + 0.5f) / static_cast<float>(width) - 1;
      const float v = 1 - 2 * (static_cast<float>(r) + 0.5f) / static_cast<float>(height);
      const Vec3 direction = normalize(Vec3(0.57735f * u, 0.43301f * v, -1.0f));
      const Hit hit = trace_room(direction);
      const int checker = static_cast<int>(std::floor(3 * hit.uv.x) + std::floor(3 * hit.uv.y)) & 1;
      const Vec3 albedo = Vec3(0.7f, 0.5f + 0.02f * static_cast<float>(hit.entity % 9), 0.4f) * (checker ? 1.0f : 0.6f);
      const float light = 0.2f + 2.0f / (1.0f + hit.distance * hit.distance);
      Vec3 e, rest, color;
      for (std::size_t k = 0; k < 3; ++k) {
        e[k] = round_to_half(std::max(0.0f, light * (1 + noise(random))));
        rest[k] = round_to_half(hit.entity % 3 == 0 ? std::abs(0.5f * noise(random)) : 0.0f);
        color[k] = round_to_half(albedo[k]) * e[k] + rest[k];
      }
      set3(frame.plane(Label::color), r, c, color);
      set3(frame.plane(Label::diffuse_reflectance), r, c, albedo);
      set3(frame.plane(Label::diffuse_illumination), r, c, e);
      set3(frame.plane(Label::residual), r, c, rest);
      frame.plane(Label::depth_meters).f[frame.plane(Label::depth_meters).at(r, c)] = round_to_half(hit.distance);
      set3(frame.plane(Label::position), r, c, direction * hit.distance + Vec3(1.2f, 0.7f, 1.5f));
      for (const Label label : {Label::normal_world, Label::normal_cam, Label::normal_bump_world, Label::normal_bump_cam})
        set3(frame.plane(label), r, c, hit.normal);
      set3(frame.plane(Label::tex_coord), r, c, {hit.uv.x, hit.uv.y, 0});
      const std::size_t at = frame.plane(Label::semantic).at(r, c);
      frame.plane(Label::render_entity_id).i[at] = hit.entity;
      frame.plane(Label::semantic).i[at] = hit.entity < 7 ? 1 + hit.entity % 3 : 5 + hit.entity % 4;
      frame.plane(Label::semantic_instance).i[at] = hit.entity < 7 ? -1 : hit.entity - 6;
    }
  return frame;
}

/// Bodies on `threads` threads, as the program's own scheduler would run them.
ParallelFor threads_for(int threads) {
  return [threads](std::size_t count, const std::function<void(std::size_t)>& body) {
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> workers;
    for (int t = 0; t < threads; ++t)
      workers.emplace_back([&] {
        for (std::size_t i = next++; i < count; i = next++) body(i);
      });
  };
}

struct NamedArray {
  std::string name;
  hdf5::Array array;
};

hdf5::Array stored(const Frame& frame, const LabelSpec& spec) {
  const Plane& plane = frame.plane(spec.id);
  std::vector<std::uint16_t> values(std::max(plane.f.size(), plane.i.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = plane.f.empty() ? static_cast<std::uint16_t>(plane.i[i]) : half_from_float(plane.f[i]);
  hdf5::Array array;
  array.element = spec.dtype == DType::f16 ? hdf5::Element::f16 : hdf5::Element::i16;
  array.shape = {static_cast<std::size_t>(frame.height), static_cast<std::size_t>(frame.width)};
  if (spec.channels.size() == 3) array.shape.push_back(3);
  const auto bytes = std::as_bytes(std::span(values));
  array.bytes.assign(bytes.begin(), bytes.end());
  return array;
}

std::vector<NamedArray> synthetic_frame() {
  const Frame frame = make_frame(1024, 768);
  std::vector<NamedArray> arrays;
  for (const LabelSpec& spec : kLabels)
    if (frame.has(spec.id)) arrays.push_back({fmt::format("frame.0000.{}.hdf5", spec.name), stored(frame, spec)});
  return arrays;
}

std::vector<NamedArray> first_frame_of(const std::filesystem::path& data_set) {
  std::vector<NamedArray> arrays;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_set)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("frame.0000.") && name.ends_with(".hdf5")) arrays.push_back({name, hdf5::read(entry.path())});
  }
  if (arrays.empty()) fail("{}: there is no frame.0000.*.hdf5 in it", data_set.string());
  return arrays;
}

/// Wall and CPU seconds.
struct Cost {
  double seconds = 0, cpu_seconds = 0;
};

double cpu_now() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename Work>
Cost cost_of(Work&& work) {
  const double cpu = cpu_now();
  const auto start = std::chrono::steady_clock::now();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), cpu_now() - cpu};
}

std::size_t find_label(const std::string& file_name) {
  for (std::size_t i = 0; i < kLabels.size(); ++i)
    if (file_name == fmt::format("frame.0000.{}.hdf5", kLabels[i].name)) return i;
  fail("{}: is no label's file", file_name);
}

/// The frame whose files hold these arrays.
Frame frame_of(const std::vector<NamedArray>& arrays) {
  Frame frame;
  frame.height = static_cast<int>(arrays.at(0).array.shape.at(0));
  frame.width = static_cast<int>(arrays.at(0).array.shape.at(1));
  for (const auto& [name, array] : arrays) {
    const LabelSpec& spec = kLabels[find_label(name)];
    frame.allocate(spec.id);
    Plane& plane = frame.plane(spec.id);
    for (std::size_t i = 0; i < plane.f.size(); ++i) plane.f[i] = static_cast<float>(array.at(i));
    for (std::size_t i = 0; i < plane.i.size(); ++i) plane.i[i] = static_cast<std::int32_t>(array.at(i));
  }
  return frame;
}

const FrameName kName{"ai_900_001", "cam_00", 0};

/// The store with an empty data set in it.
class Store {
 public:
  explicit Store(const std::filesystem::path& folder) : folder_(emptied(folder), plan(), "bench: 1\n") {
    folder_.open(serial_for);
  }
  void put(std::vector<OutputFile> files, const ParallelFor& parallel_for) {
    FrameRecord record;
    record.name = kName;
    folder_.put(std::move(files), 1, {record}, parallel_for);
  }

 private:
  static const std::filesystem::path& emptied(const std::filesystem::path& folder) {
    std::filesystem::remove_all(folder);
    return folder;
  }
  static DatasetRecord plan() {
    DatasetRecord record;
    record.version = "1.0.0";
    record.scenes = record.cameras = record.frames = 1;
    return record;
  }
  DatasetFolder folder_;
};

/// The arrays as they lie in memory are compressed, and the files put to the disk as the store does it.
void write_arrays(const std::vector<NamedArray>& arrays, Store& store, const ParallelFor& parallel_for, int level) {
  std::vector<OutputFile> files(arrays.size());
  parallel_for(arrays.size(), [&](std::size_t i) {
    const hdf5::Array& array = arrays[i].array;
    hdf5::Storage storage = hdf5::image_storage(array.shape);
    storage.level = level;
    files[i] = {label_path(kName, kLabels[find_label(arrays[i].name)].id),
                hdf5::encode(array.element, array.shape, array.bytes, storage), 0};
  });
  store.put(std::move(files), parallel_for);
}

/// The same from a rendered frame: planes are converted to the types on disk too.
void write_frame(const Frame& frame, Store& store, const ParallelFor& parallel_for, int level) {
  FrameFilesOptions options;
  options.previews = false;
  options.compression_level = level;
  store.put(frame_files(frame, kName, options, parallel_for), parallel_for);
}

std::uintmax_t verified_bytes(const std::vector<NamedArray>& arrays, const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& [name, array] : arrays) {
    const std::filesystem::path file = folder / label_path(kName, kLabels[find_label(name)].id);
    bytes += std::filesystem::file_size(file);
    if (hdf5::read(file).bytes != array.bytes) fail("{}: reads back wrong", file.string());
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) fail_usage("usage: hdf5_bench FOLDER LEVEL RUNS [DATA_SET]");
  const std::filesystem::path folder = argv[1];
  const int level = std::atoi(argv[2]), runs = std::atoi(argv[3]);
  const std::vector<NamedArray> arrays = argc > 4 ? first_frame_of(argv[4]) : synthetic_frame();
  const Frame frame = frame_of(arrays);
  for (int run = 0; run < runs; ++run)
    for (const int threads : {1, 2}) {
      const ParallelFor parallel_for = threads_for(threads);
      Cost from_arrays, from_frame;
      {
        Store store(folder);
        from_frame = cost_of([&] { write_frame(frame, store, parallel_for, level); });
        verified_bytes(arrays, folder);
      }
      Store store(folder);
      from_arrays = cost_of([&] { write_arrays(arrays, store, parallel_for, level); });
      std::printf("{\"level\": %d, \"threads\": %d, \"seconds\": %.4f, \"cpu_seconds\": %.4f, \"frame_seconds\": %.4f, "
                  "\"frame_cpu_seconds\": %.4f, \"bytes\": %ju}\n",
                  level, threads, from_arrays.seconds, from_arrays.cpu_seconds, from_frame.seconds, from_frame.cpu_seconds,
                  verified_bytes(arrays, folder));
      std::fflush(stdout);
    }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
