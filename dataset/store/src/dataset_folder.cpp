// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/dataset_folder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "dataset/schema/checksum.h"
#include "dataset/store/src/config_difference.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("{}: cannot be opened: {}", folder.string(), std::strerror(errno));
  const int result = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  // Some network file systems know no sync of folders.
  if (result != 0 && error != EINVAL) fail("{}: cannot be synced: {}", folder.string(), std::strerror(error));
}

/// A new file whose bytes are on their way to the disk since it was made, and surely there after sync().
class StagedFile {
 public:
  StagedFile() = default;
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  ~StagedFile() {
    if (fd_ >= 0) ::close(fd_);
  }

  void write(const fs::path& path, std::span<const std::uint8_t> bytes) {
    path_ = path.string();
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd_ < 0) fail("{}: cannot be written: {}", path_, std::strerror(errno));
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("{}: cannot be written: {}", path_, std::strerror(errno));
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
#ifdef __linux__
    // Only a hint: sync() waits less when the disk has begun.
    ::sync_file_range(fd_, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
  }

  void sync() {
    if (::fsync(fd_) != 0) fail("{}: cannot be synced: {}", path_, std::strerror(errno));
    ::close(std::exchange(fd_, -1));
  }

 private:
  std::string path_;
  int fd_ = -1;
};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail("{}: cannot be made: {}", folder.string(), error.message());
}

/// True when the folder holds nothing but what an interrupted start may have left.
bool is_unused(const fs::path& root) {
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (entry.path().filename() != kStateFolder && entry.path().filename() != kManifestFile) return false;
  return true;
}

bool verifies(const fs::path& root, const FileRecord& record) {
  const fs::path path = root / record.path;
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) != record.bytes || error) return false;
  return sha256_of_file(path) == record.sha256;
}

}  // namespace

DatasetFolder::DatasetFolder(fs::path root, DatasetRecord plan, std::string config_yaml)
    : root_(std::move(root)), plan_(std::move(plan)), config_yaml_(std::move(config_yaml)) {
  plan_.complete = false;
  std::error_code error;
  const fs::file_status status = fs::status(root_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) fail_usage("{}: is a file, expected a folder for the data set", root_.string());
  const fs::path manifest = root_ / kManifestFile;
  if (!fs::exists(manifest)) {
    if (is_unused(root_)) return;
    fail_usage("{}: the folder is not empty and holds no {}, so it is no data set to resume; name a new folder",
               root_.string(), kManifestFile);
  }
  manifest_ = read_manifest(manifest);
  if (!manifest_.dataset) {
    if (!is_unused(root_) || !manifest_.files.empty())
      fail_usage("{}: has no data set line, so it cannot tell what the folder holds; name a new folder", manifest.string());
    return;
  }
  was_complete_ = manifest_.dataset->complete && !manifest_.torn;
  DatasetRecord before = *manifest_.dataset;
  before.complete = false;
  if (before == plan_) return;
  fail_usage("{}: holds a data set of another request: {}; name a new folder", root_.string(),
             difference(before, plan_, root_ / kConfigFile, config_yaml_));
}

DatasetFolder::~DatasetFolder() {
  if (journal_ >= 0) ::close(journal_);
  if (lock_ >= 0) ::close(lock_);
}

std::size_t DatasetFolder::open(const ParallelFor& parallel_for) {
  make_folder(root_ / kStateFolder);
  const fs::path lock = root_ / kStateFolder / "lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) fail("{}: cannot be opened: {}", lock.string(), std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) fail("{}: another run is writing this data set", root_.string());
  fs::remove_all(root_ / kStateFolder / "tmp");
  make_folder(root_ / kStateFolder / "tmp");

  forget_damaged(parallel_for);
  if (is_complete()) return manifest_.files.size();
  was_complete_ = false;
  manifest_.dataset = plan_;
  write_manifest();
  const fs::path manifest = root_ / kManifestFile;
  journal_ = ::open(manifest.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (journal_ < 0) fail("{}: cannot be opened: {}", manifest.string(), std::strerror(errno));
  const std::size_t verified = manifest_.files.size();
  put_changed({text_file(std::string(kConfigFile), config_yaml_)}, plan_.seed, {}, parallel_for);
  return verified;
}

bool DatasetFolder::is_complete() const { return was_complete_; }

void DatasetFolder::forget_damaged(const ParallelFor& parallel_for) {
  std::vector<const FileRecord*> records;
  for (const auto& [path, record] : manifest_.files) records.push_back(&record);
  std::vector<char> good(records.size(), 0);
  parallel_for(records.size(), [&](std::size_t i) { good[i] = verifies(root_, *records[i]); });
  std::set<std::string> bad;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!good[i]) bad.insert(records[i]->path);
  for (const std::string& path : bad) manifest_.files.erase(path);
  if (!bad.empty()) was_complete_ = false;
  // A scene counts as there only with all its tables, a frame only with all its images.
  for (const std::string& path : bad) {
    const std::string scene = path.substr(0, path.find('/'));
    if (path.starts_with(detail_folder(scene) + "/")) manifest_.scenes.erase(scene);
  }
  std::erase_if(manifest_.frames, [&](const auto& item) {
    return std::any_of(bad.begin(), bad.end(), [&](const std::string& path) {
      const FrameName& name = item.second.name;
      return path.starts_with(fmt::format("{}/images/scene_{}_", name.scene, name.camera)) &&
             path.find(fmt::format("/frame.{:04d}.", name.frame)) != std::string::npos;
    });
  });
}

bool DatasetFolder::has_scene(const std::string& scene) const { return manifest_.scenes.contains(scene); }
bool DatasetFolder::has_frame(const FrameName& name) const { return manifest_.frames.contains(frame_key(name)); }

fs::path DatasetFolder::staged(const std::string& path) const {
  std::string flat = path;
  std::replace(flat.begin(), flat.end(), '/', '+');
  return root_ / kStateFolder / "tmp" / flat;
}

void DatasetFolder::put(std::vector<OutputFile> files, std::uint64_t seed, std::vector<ManifestRecord> records,
                        const ParallelFor& parallel_for) {
  SIM_CHECK(journal_ >= 0);
  std::vector<FileRecord> lines(files.size());
  // So many are written before the first is waited for: the disk takes them in few turns.
  constexpr std::size_t kMostOpen = 64;
  for (std::size_t first = 0; first < files.size(); first += kMostOpen) {
    std::vector<StagedFile> open(std::min(kMostOpen, files.size() - first));
    parallel_for(open.size(), [&](std::size_t i) {
      const Clock::time_point start = Clock::now();
      const OutputFile& file = files[first + i];
      open[i].write(staged(file.path), file.bytes);
      lines[first + i] = {file.path, file.bytes.size(), sha256_hex(file.bytes), seed, plan_.config_sha256, plan_.version,
                          file.seconds + seconds_since(start)};
    });
    parallel_for(open.size(), [&](std::size_t i) { open[i].sync(); });
  }
  std::set<fs::path> folders;
  for (const OutputFile& file : files) folders.insert((root_ / file.path).parent_path());
  for (const fs::path& folder : folders) make_folder(folder);
  std::error_code error;
  for (const OutputFile& file : files) {
    fs::rename(staged(file.path), root_ / file.path, error);
    if (error) fail("{}: cannot be renamed into place: {}", (root_ / file.path).string(), error.message());
  }
  for (const fs::path& folder : folders) sync_folder(folder);

  std::string text;
  for (const FileRecord& line : lines) {
    text += manifest_line(line);
    manifest_.add(line);
  }
  for (ManifestRecord& record : records) {
    text += manifest_line(record);
    manifest_.add(std::move(record));
  }
  append(text);
}

void DatasetFolder::put_changed(std::vector<OutputFile> files, std::uint64_t seed, std::vector<ManifestRecord> records,
                                const ParallelFor& parallel_for) {
  std::erase_if(files, [&](const OutputFile& file) {
    const auto at = manifest_.files.find(file.path);
    return at != manifest_.files.end() && at->second.bytes == file.bytes.size() &&
           at->second.sha256 == sha256_hex(file.bytes);
  });
  put(std::move(files), seed, std::move(records), parallel_for);
}

void DatasetFolder::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(journal_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("{}: cannot be written: {}", (root_ / kManifestFile).string(), std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fsync(journal_) != 0) fail("{}: cannot be synced: {}", (root_ / kManifestFile).string(), std::strerror(errno));
}

void DatasetFolder::write_manifest() {
  // Through the working folder, so that a kill leaves nothing but the old or the new manifest.
  const std::string name(kManifestFile);
  write_text_atomically(staged(name), manifest_.text());
  std::error_code error;
  fs::rename(staged(name), root_ / name, error);
  if (error) fail("{}: cannot be renamed into place: {}", (root_ / name).string(), error.message());
  sync_folder(root_);
}

void DatasetFolder::finish() {
  if (!is_complete()) {
    SIM_CHECK(journal_ >= 0);
    manifest_.dataset->complete = true;
    write_manifest();
    was_complete_ = true;
  }
  std::error_code ignored;  // working files that cannot be removed do no harm
  fs::remove_all(root_ / kStateFolder, ignored);
}

}  // namespace simulacra
