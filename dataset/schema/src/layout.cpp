// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/layout.h"

#include <algorithm>
#include <cctype>

#include "dataset/schema/checksum.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

std::string_view name_of(Folder folder) { return folder == Folder::final_pass ? "final" : "geometry"; }

/// `pattern` with '#' for a digit.
bool matches(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (pattern[i] == '#' ? !digit : text[i] != pattern[i]) return false;
  }
  return true;
}

std::string image_path(const FrameName& name, Folder folder, std::string_view form, std::string_view kind,
                       std::string_view extension) {
  return fmt::format("{}/images/scene_{}_{}_{}/frame.{:04d}.{}.{}", name.scene, name.camera, name_of(folder), form,
                     name.frame, kind, extension);
}

}  // namespace

std::string scene_name(int volume, int number) {
  SIM_CHECK(volume >= 0 && volume <= 999 && number >= 0 && number <= 999);
  return fmt::format("ai_{:03d}_{:03d}", volume, number);
}
bool is_scene_name(std::string_view name) { return matches(name, "ai_###_###"); }

std::string camera_name(int index) {
  SIM_CHECK(index >= 0 && index <= 99);
  return fmt::format("cam_{:02d}", index);
}
bool is_camera_name(std::string_view name) { return matches(name, "cam_##"); }

std::string trajectory_name(std::string_view scene, std::string_view camera) {
  return fmt::format("{}_{}", scene, camera);
}
std::string rendering_job_name(std::string_view scene, std::string_view camera, std::string_view pass) {
  return fmt::format("{}@scene_{}_{}", scene, camera, pass);
}

std::string frame_key(const FrameName& name) { return fmt::format("{}/{}/{:04d}", name.scene, name.camera, name.frame); }

std::string label_path(const FrameName& name, Label label) {
  return image_path(name, spec(label).folder, "hdf5", spec(label).name, "hdf5");
}
std::string path_beside(const FrameName& name, Label label, std::string_view suffix) {
  return image_path(name, spec(label).folder, "hdf5", suffix, "hdf5");
}

std::optional<ImageFolderName> parse_image_folder_name(std::string_view name) {
  constexpr std::string_view kStart = "scene_";
  constexpr std::size_t kCamera = 6;
  if (!name.starts_with(kStart) || !is_camera_name(name.substr(kStart.size(), kCamera))) return std::nullopt;
  const std::string_view camera = name.substr(kStart.size(), kCamera);
  name.remove_prefix(kStart.size() + kCamera);
  for (const Folder pass : {Folder::final_pass, Folder::geometry})
    for (const bool hdf5 : {true, false})
      if (name == fmt::format("_{}_{}", name_of(pass), hdf5 ? "hdf5" : "preview")) return ImageFolderName{std::string(camera), pass, hdf5};
  return std::nullopt;
}

std::optional<ImageFileName> parse_image_file_name(std::string_view name) {
  constexpr std::string_view kStart = "frame.";
  constexpr std::size_t kDigits = 4;
  if (!name.starts_with(kStart) || name.size() < kStart.size() + kDigits + 1 || name[kStart.size() + kDigits] != '.') return std::nullopt;
  ImageFileName file;
  for (const char c : name.substr(kStart.size(), kDigits)) {
    if (c < '0' || c > '9') return std::nullopt;
    file.frame = 10 * file.frame + (c - '0');
  }
  name.remove_prefix(kStart.size() + kDigits + 1);
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  file.kind = name.substr(0, dot), file.extension = name.substr(dot + 1);
  const bool plain = std::ranges::all_of(file.kind, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  if (!plain || (file.extension != "hdf5" && file.extension != "jpg" && file.extension != "png")) return std::nullopt;
  return file;
}

std::string preview_path(const FrameName& name, Preview preview) {
  const PreviewSpec& row = spec(preview);
  return image_path(name, row.folder, "preview", row.name, row.extension);
}

std::string detail_folder(std::string_view scene) { return fmt::format("{}/_detail", scene); }
std::string label_source_path(std::string_view scene) { return detail_folder(scene) + "/label_source.hdf5"; }
std::string mesh_folder(std::string_view scene) { return fmt::format("{}/_detail/mesh", scene); }
std::string camera_folder(std::string_view scene, std::string_view camera) {
  return fmt::format("{}/_detail/{}", scene, camera);
}

std::string_view name_of(BoxType type) {
  return type == BoxType::object_aligned_2d ? "object_aligned_2d" : "axis_aligned";
}
std::string box_path(std::string_view scene, BoxType type, std::string_view part) {
  return fmt::format("{}/metadata_semantic_instance_bounding_box_{}_{}.hdf5", mesh_folder(scene), name_of(type), part);
}

std::string_view split_partition(std::string_view scene) {
  const std::string sum = sha256_hex(scene);
  const unsigned long tenth = std::stoul(sum.substr(0, 8), nullptr, 16) % 10;
  return tenth < 8 ? "train" : tenth == 8 ? "val" : "test";
}

}  // namespace simulacra
