// SPDX-License-Identifier: Apache-2.0
#include "dataset/derive/derived_set.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/checksum.h"
#include "dataset/schema/layout.h"
#include "dataset/store/previews.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConventions = "CONVENTIONS.md";

constexpr LabelSet bits(std::initializer_list<Label> labels) {
  LabelSet set = 0;
  for (const Label label : labels) set |= label_bit(label);
  return set;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

void link_or_copy(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  std::error_code refused;
  fs::create_hard_link(from, to, refused);
  if (refused) fs::copy_file(from, to);
}

}  // namespace

LabelSet labels_shown_by(Preview preview) {
  constexpr LabelSet kLight = bits({Label::color, Label::diffuse_reflectance, Label::diffuse_illumination, Label::residual, Label::render_entity_id});
  switch (preview) {
    case Preview::color:
    case Preview::gamma:
    case Preview::diffuse_illumination:
    case Preview::diffuse_reflectance:
    case Preview::residual:
    case Preview::lambertian:
    case Preview::non_lambertian:
    case Preview::diff:
    case Preview::tonemap:
    case Preview::geometry_color:
    case Preview::geometry_gamma: return kLight;
    case Preview::depth_meters: return bits({Label::depth_meters});
    case Preview::normal_cam: return bits({Label::normal_cam});
    case Preview::normal_world: return bits({Label::normal_world});
    case Preview::normal_bump_cam: return bits({Label::normal_bump_cam});
    case Preview::normal_bump_world: return bits({Label::normal_bump_world});
    case Preview::render_entity_id: return bits({Label::render_entity_id});
    case Preview::semantic: return bits({Label::semantic});
    case Preview::semantic_instance: return bits({Label::semantic_instance});
    case Preview::tex_coord: return bits({Label::tex_coord});
  }
  return 0;
}

Frame read_frame(const FrameIndex& frames, std::size_t frame_idx, LabelSet labels) {
  Frame frame;
  frame.width = frames.width, frame.height = frames.height;
  for (const LabelSpec& label : kLabels) {
    if (!has(labels & frames.frames.at(frame_idx).labels, label.id)) continue;
    const fs::path file = frames.file(frame_idx, label.id);
    const hdf5::Array array = hdf5::read(file);
    Plane& plane = frame.allocate(label.id);
    const std::size_t values = std::max(plane.f.size(), plane.i.size());
    if (array.size() != values) fail("{}: has {} values, expected {}", file.string(), array.size(), values);
    for (std::size_t k = 0; k < plane.f.size(); ++k) plane.f[k] = static_cast<float>(array.at(k));
    for (std::size_t k = 0; k < plane.i.size(); ++k) plane.i[k] = static_cast<std::int32_t>(array.at(k));
  }
  return frame;
}

std::string digest_of_frames(const FrameIndex& frames) {
  Sha256 sum;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    sum.add(fmt::format("{} {:x}\n", frame_key(frames.name(i)), frames.frames[i].labels));
    for (const LabelSpec& label : kLabels)
      if (has(frames.frames[i].labels, label.id)) sum.add(fmt::format("{}\n", fs::file_size(frames.file(i, label.id))));
  }
  return sum.hex();
}

void DerivedSet::check_request(const FrameIndex& source, const fs::path& out, std::string_view option) {
  if (out.empty()) fail_usage("{}: give a folder for the copy", option);
  if (fs::exists(out) && !fs::is_directory(out)) fail_usage("{}: {} is a file; give a folder", option, out.string());
  if (fs::exists(out) && !fs::is_empty(out)) fail_usage("{}: {} is not empty; give a new folder", option, out.string());
  if (is_inside(out, source.root) || is_inside(source.root, out))
    fail_usage("{}: {} and the data set {} lie in one another", option, out.string(), source.root.string());
  const fs::path manifest = source.root / kManifestFile;
  if (fs::exists(source.root / kStateFolder) || (fs::exists(manifest) && !read_manifest(manifest).dataset.value_or(DatasetRecord{}).complete))
    fail_usage("--data: {} is not finished; the command that makes it goes on", source.root.string());
}

DerivedSet::DerivedSet(FrameIndex source, fs::path out, LabelSet replaced)
    : source_(std::move(source)), out_(std::move(out)), partial_(out_.string() + ".partial"), replaced_(replaced) {
  check_request(source_, out_);
  prefix_ = fs::relative(source_.scenes_folder, source_.root);
  if (prefix_ == ".") prefix_.clear();
  std::error_code error;
  fs::remove_all(partial_, error);
  fs::create_directories(partial_, error);
  if (error) fail_usage("--out: {} cannot be made: {}", partial_.string(), error.message());
  if (fs::exists(source_.root / kManifestFile)) manifest_ = read_manifest(source_.root / kManifestFile);
  take_over(replaced);
}

DerivedSet::~DerivedSet() {
  std::error_code ignored;
  if (!finished_) fs::remove_all(partial_, ignored);
}

void DerivedSet::take_over(LabelSet replaced) {
  // What is made anew is left out: a hard link must never be written through.
  std::set<std::string> left_out = {std::string(kManifestFile), kConventions};
  for (std::size_t i = 0; i < source_.size(); ++i) {
    for (const LabelSpec& label : kLabels)
      if (has(replaced, label.id)) left_out.insert(path_of(label_path(source_.name(i), label.id)));
    for (std::size_t p = 0; p < kPreviews.size(); ++p)
      if (labels_shown_by(static_cast<Preview>(p)) & replaced) left_out.insert(path_of(preview_path(source_.name(i), static_cast<Preview>(p))));
  }
  for (const auto& entry : fs::recursive_directory_iterator(source_.root)) {
    const fs::path relative = fs::relative(entry.path(), source_.root);
    if (entry.is_directory()) fs::create_directories(partial_ / relative);
    else if (entry.is_regular_file() && !left_out.contains(relative.generic_string())) link_or_copy(entry.path(), partial_ / relative);
  }
}

std::string DerivedSet::path_of(std::string_view in_scenes_folder) const { return (prefix_ / in_scenes_folder).generic_string(); }

void DerivedSet::write(OutputFile file, std::uint64_t seed) {
  const fs::path to = partial_ / file.path;
  fs::create_directories(to.parent_path());
  write_file_atomically(to, file.bytes);
  if (manifest_.dataset) manifest_.add(FileRecord{file.path, file.bytes.size(), sha256_hex(file.bytes), seed, "", "", 0});
}

void DerivedSet::put(std::size_t frame_idx, const Frame& frame, const FrameFilesOptions& options) {
  const FrameName name = source_.name(frame_idx);
  const auto record = manifest_.frames.find(frame_key(name));
  const std::uint64_t seed = record == manifest_.frames.end() ? 0 : record->second.seed;
  Frame changed;
  changed.width = frame.width, changed.height = frame.height;
  for (const LabelSpec& label : kLabels)
    if (has(replaced_ & source_.frames[frame_idx].labels, label.id)) changed.plane(label.id) = frame.plane(label.id);
  FrameFilesOptions labels_only = options;
  labels_only.previews = false;
  for (OutputFile& file : frame_files(changed, name, labels_only, serial_for)) {
    file.path = path_of(file.path);
    write(std::move(file), seed);
  }
  for (std::size_t p = 0; p < kPreviews.size(); ++p) {
    const Preview preview = static_cast<Preview>(p);
    const std::string path = path_of(preview_path(name, preview));
    if (!(labels_shown_by(preview) & replaced_) || !fs::exists(source_.root / path)) continue;
    if (options.previews && can_preview(frame, preview)) write({path, encode_preview(frame, preview, options.jpeg_quality), 0}, seed);
    else manifest_.files.erase(path);   // it would show what is no more
  }
  if (record == manifest_.frames.end()) return;
  record->second.max_identity_error = frame.stats.max_identity_error;
  record->second.max_identity_error_steps = frame.stats.max_identity_error_steps;
}

void DerivedSet::write_facts(const DerivationNote& note) {
  const fs::path page = source_.root / kConventions;
  const std::string conventions = fs::exists(page) ? read_text_file(page) : std::string("# Conventions of this data set\n");
  write(text_file(kConventions, conventions + "\n" + note.conventions), note.seed);
  write(text_file(note.config_file, note.config), note.seed);
  DerivationRecord record{note.what, note.version, note.config_file, sha256_hex(note.config), digest_of_frames(source_), note.seed};
  if (!manifest_.dataset) return;
  for (auto& [path, file] : manifest_.files)
    if (file.version.empty()) file.version = note.version, file.config_sha256 = record.config_sha256;
  manifest_.add(record);
  write_text_atomically(partial_ / kManifestFile, manifest_.text());
}

void DerivedSet::finish(const DerivationNote& note) {
  write_facts(note);
  std::error_code error;
  fs::remove(out_, error);   // an empty folder
  fs::rename(partial_, out_, error);
  if (error) fail("{}: cannot be renamed to {}: {}", partial_.string(), out_.string(), error.message());
  finished_ = true;
}

}  // namespace simulacra
