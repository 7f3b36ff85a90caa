// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/manifest.h"

#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra {
namespace {

using Json = nlohmann::ordered_json;

// One list of fields a record, walked by the writer and by the reader alike.
template <typename Visit>
void fields(Visit&& v, DatasetRecord& r) {
  v("format", r.format);
  v("version", r.version);
  v("config", r.config_sha256);
  v("seed", r.seed);
  v("scenes", r.scenes);
  v("cameras", r.cameras);
  v("frames", r.frames);
  v("width", r.width);
  v("height", r.height);
  v("complete", r.complete);
}
template <typename Visit>
void fields(Visit&& v, DerivationRecord& r) {
  v("what", r.what);
  v("version", r.version);
  v("config_file", r.config_file);
  v("config", r.config_sha256);
  v("source", r.source_sha256);
  v("seed", r.seed);
}
template <typename Visit>
void fields(Visit&& v, SceneRecord& r) {
  v("scene", r.scene);
  v("source", r.source);
  v("scene_type", r.scene_type);
  v("content_sha256", r.content_sha256);
  v("seed", r.seed);
  v("objects", r.objects);
  v("instances", r.instances);
  v("unlabelled_objects", r.unlabelled_objects);
  v("warnings", r.warnings);
  v("seconds", r.seconds);
}
template <typename Visit>
void fields(Visit&& v, FrameRecord& r) {
  v("scene", r.name.scene);
  v("camera", r.name.camera);
  v("frame", r.name.frame);
  v("seed", r.seed);
  v("spp", r.spp);
  v("view", r.view);
  v("nan_samples", r.nan_samples);
  v("limited_pixels", r.limited_pixels);
  v("unlabelled_pixels", r.unlabelled_pixels);
  v("empty_pixels", r.empty_pixels);
  v("max_identity_error", r.max_identity_error);
  v("max_identity_error_steps", r.max_identity_error_steps);
  v("rays", r.rays);
  v("unlabelled", r.unlabelled);
  v("seconds", r.seconds);
  v("color_seconds", r.color_seconds);
  v("label_seconds", r.label_seconds);
  v("color_cpu_seconds", r.color_cpu_seconds);
  v("label_cpu_seconds", r.label_cpu_seconds);
  v("store_seconds", r.store_seconds);
}
template <typename Visit>
void fields(Visit&& v, FileRecord& r) {
  v("path", r.path);
  v("bytes", r.bytes);
  v("sha256", r.sha256);
  v("seed", r.seed);
  v("config", r.config_sha256);
  v("version", r.version);
  v("seconds", r.seconds);
}

struct Writer {
  Json& out;
  template <typename T>
  void operator()(const char* key, const T& value) {
    out[key] = value;
  }
};

struct Reader {
  const Json& in;
  template <typename T>
  void operator()(const char* key, T& value) {
    const auto at = in.find(key);
    if (at == in.end()) throw std::invalid_argument(fmt::format("no '{}'", key));
    at->get_to(value);
  }
};

std::string kind_of(const DatasetRecord&) { return "dataset"; }
std::string kind_of(const DerivationRecord&) { return "derivation"; }
std::string kind_of(const SceneRecord&) { return "scene"; }
std::string kind_of(const FrameRecord&) { return "frame"; }
std::string kind_of(const FileRecord&) { return "file"; }

template <typename T>
ManifestRecord read_as(const Json& line) {
  T record;
  fields(Reader{line}, record);
  return record;
}

ManifestRecord record_from(const Json& line) {
  const std::string kind = line.at("record").get<std::string>();
  if (kind == "dataset") return read_as<DatasetRecord>(line);
  if (kind == "derivation") return read_as<DerivationRecord>(line);
  if (kind == "scene") return read_as<SceneRecord>(line);
  if (kind == "frame") return read_as<FrameRecord>(line);
  if (kind == "file") return read_as<FileRecord>(line);
  throw std::invalid_argument(fmt::format("record '{}', expected dataset, derivation, scene, frame or file", kind));
}

}  // namespace

std::string manifest_line(const ManifestRecord& record) {
  return std::visit(
      [](auto copy) {
        Json line;
        line["record"] = kind_of(copy);
        fields(Writer{line}, copy);
        // Names may come from scene files in any encoding; a manifest is always valid UTF-8.
        return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
      },
      record);
}

void Manifest::add(ManifestRecord record) {
  std::visit(
      [this](auto&& r) {
        using T = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<T, DatasetRecord>) dataset = std::move(r);
        else if constexpr (std::is_same_v<T, DerivationRecord>) derivations.push_back(std::move(r));
        else if constexpr (std::is_same_v<T, SceneRecord>) scenes.insert_or_assign(r.scene, std::move(r));
        else if constexpr (std::is_same_v<T, FrameRecord>) frames.insert_or_assign(frame_key(r.name), std::move(r));
        else files.insert_or_assign(r.path, std::move(r));
      },
      std::move(record));
}

std::string Manifest::text() const {
  std::string text;
  if (dataset) text += manifest_line(*dataset);
  for (const DerivationRecord& record : derivations) text += manifest_line(record);
  for (const auto& [key, record] : scenes) text += manifest_line(record);
  for (const auto& [key, record] : frames) text += manifest_line(record);
  for (const auto& [key, record] : files) text += manifest_line(record);
  return text;
}

Manifest parse_manifest(std::string_view text, const std::string& name) {
  Manifest manifest;
  int line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {  // a line is written with its end: this one was cut short
      manifest.torn = true;
      break;
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty()) continue;
    try {
      manifest.add(record_from(Json::parse(line)));
    } catch (const std::exception& e) {
      if (text.empty()) {  // pages of the last write may have reached the disk out of order
        manifest.torn = true;
        break;
      }
      fail("{}:{}: not a manifest line: {}", name, line_number, e.what());
    }
  }
  if (manifest.dataset && manifest.dataset->format != kManifestFormat)
    fail("{}: manifest format {}, expected {}", name, manifest.dataset->format, kManifestFormat);
  return manifest;
}

Manifest read_manifest(const std::filesystem::path& path) { return parse_manifest(read_text_file(path), path.string()); }

}  // namespace simulacra
