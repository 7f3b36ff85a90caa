// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/catalog/frame_list.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

#include "render/base/error.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;

/// A file's bytes without a copy.
class Mapped {
 public:
  explicit Mapped(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    if (descriptor < 0 || ::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
      if (descriptor >= 0) ::close(descriptor);
      fail("{}: cannot be read", path.string());
    }
    size_ = static_cast<std::size_t>(facts.st_size);
    if (size_ > 0) memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    ::close(descriptor);
    if (memory_ == MAP_FAILED) fail("{}: cannot be read", path.string());
  }
  ~Mapped() {
    if (memory_) ::munmap(memory_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  std::string_view text() const { return {static_cast<const char*>(memory_), size_}; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// The manifest without the lines about files, which are nine tenths of it and are not needed here.
std::string without_file_lines(std::string_view text) {
  constexpr std::string_view kFile = "{\"record\":\"file\"";
  std::string rest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!text.starts_with(kFile)) rest.append(text.substr(0, end));
    text.remove_prefix(end);
  }
  return rest;
}

/// False when there is no usable manifest.
bool take_manifest(FrameList& list, std::vector<bool>& scene_is_listed) {
  const fs::path path = list.root / kManifestFile;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  Manifest manifest;
  try {
    manifest = parse_manifest(without_file_lines(Mapped(path).text()), path.string() + " (its lines about files left out)");
  } catch (const Error& e) {
    list.problems.emplace_back(e.what());
    return false;
  }
  list.record = manifest.dataset;
  list.scene_records = std::move(manifest.scenes);
  std::map<std::string, std::uint32_t> by_name;
  for (std::size_t i = 0; i < list.scenes.size(); ++i) by_name[list.scenes[i].name] = static_cast<std::uint32_t>(i);
  for (auto& [key, record] : manifest.frames) {
    const auto at = by_name.find(record.name.scene);
    if (at == by_name.end()) {
      list.problems.push_back(fmt::format("{}: the manifest lists frames of this scene, and its folder is not there", record.name.scene));
      by_name[record.name.scene] = static_cast<std::uint32_t>(list.scenes.size());
      list.scenes.push_back({record.name.scene, {}, {}});
      scene_is_listed.push_back(true);
    }
    const std::uint32_t scene = by_name.at(record.name.scene);
    scene_is_listed[scene] = true;
    record.unlabelled.clear();
    list.frames.push_back({scene, record.name.camera, record.name.frame, std::move(record)});
  }
  return true;
}

void take_disk(FrameList& list, const std::vector<bool>& scene_is_listed, bool all) {
  for (std::uint32_t s = 0; s < list.scenes.size(); ++s) {
    if (!all && s < scene_is_listed.size() && scene_is_listed[s]) continue;
    for (const std::string& camera : cameras_on_disk(list.scenes[s]))
      for (const int frame : frames_on_disk(list.scenes[s], camera)) list.frames.push_back({s, camera, frame, std::nullopt});
  }
}

auto order_of(const FrameList& list, const FrameEntry& f) {
  return std::tuple<std::string_view, std::string_view, int>(list.scenes[f.scene_idx].name, f.camera, f.frame);
}

}  // namespace

FrameName FrameList::name(std::size_t frame_idx) const {
  const FrameEntry& f = frames.at(frame_idx);
  return {scenes[f.scene_idx].name, f.camera, f.frame};
}

std::optional<std::size_t> FrameList::find(const FrameName& name) const {
  const std::tuple<std::string_view, std::string_view, int> key(name.scene, name.camera, name.frame);
  const auto at = std::lower_bound(frames.begin(), frames.end(), key,
                                   [&](const FrameEntry& f, const auto& wanted) { return order_of(*this, f) < wanted; });
  if (at == frames.end() || order_of(*this, *at) != key) return std::nullopt;
  return static_cast<std::size_t>(at - frames.begin());
}

FrameList list_frames(const fs::path& root) {
  FrameList list;
  list.root = root;
  list.title = fs::absolute(root / ".").lexically_normal().parent_path().filename().string();
  FoundScenes found = find_scenes(root);
  list.scenes = std::move(found.scenes);
  list.camera_parameters = std::move(found.camera_parameters);
  std::vector<bool> listed(list.scenes.size(), false);
  const bool by_manifest = take_manifest(list, listed);
  take_disk(list, listed, !by_manifest || !list.record || !list.record->complete);
  std::stable_sort(list.frames.begin(), list.frames.end(),
                   [&](const FrameEntry& a, const FrameEntry& b) { return order_of(list, a) < order_of(list, b); });
  // Of a frame that both tell about, the first is the manifest's.
  list.frames.erase(std::unique(list.frames.begin(), list.frames.end(),
                                [&](const FrameEntry& a, const FrameEntry& b) { return order_of(list, a) == order_of(list, b); }),
                    list.frames.end());
  return list;
}

}  // namespace simulacra::inspector
