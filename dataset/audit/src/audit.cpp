// SPDX-License-Identifier: Apache-2.0
// The order of an audit: tables of the data set, of each scene and camera; then all frames, in parallel; then
// what the frames add up to.
#include "dataset/audit/audit.h"

#include <algorithm>
#include <deque>

#include "dataset/audit/src/judge.h"
#include "render/base/error.h"
#include "render/base/wildcard.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using namespace auditing;

struct CameraJob {
  CameraFacts facts;
  std::vector<int> frames;
  std::set<int> with_tonemap;
};

struct SceneJob {
  SceneFacts facts;
  std::deque<CameraJob> cameras;
};

struct FrameJob {
  SceneJob* scene;
  const CameraJob* camera;
  int frame;
};

void choose_scenes(DatasetFacts& data, const std::vector<std::string>& patterns) {
  data.scene_names = scene_folders(data.scenes_folder);
  data.all_scenes = patterns.empty();
  if (patterns.empty()) return;
  for (const std::string& pattern : patterns) {
    const bool known = std::any_of(data.scene_names.begin(), data.scene_names.end(),
                                   [&](const std::string& name) { return wildcard_match(pattern, name); });
    if (known) continue;
    std::string names;
    for (const std::string& name : data.scene_names) names += (names.empty() ? "" : ", ") + name;
    fail_usage("{}: no scene matches '{}'; the scenes are {}", data.root.string(), pattern, names.empty() ? "none" : names);
  }
  std::erase_if(data.scene_names, [&](const std::string& name) {
    return std::none_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return wildcard_match(p, name); });
  });
}

void judge_scene(const DatasetFacts& data, SceneJob& job, AuditResult& result, Findings& to) {
  SceneFacts& scene = job.facts;
  const FramesOnDisk frames = judge_names(data, scene, to);
  judge_scene_tables(data, scene, to);
  judge_lens(data, scene, to);
  judge_box_files(data, scene, to);
  for (const std::string& name : judge_camera_list(data, scene, frames, to)) {
    ++result.cameras;
    CameraJob& camera = job.cameras.emplace_back();
    const auto at = frames.find(name);
    camera.facts = judge_camera(data, scene, name, at == frames.end() ? std::set<int>{} : at->second, camera.frames, to);
    judge_previews(data, scene, name, camera.frames, camera.with_tonemap, to);
  }
}

void judge_frames(const DatasetFacts& data, const std::vector<FrameJob>& jobs, const ParallelFor& parallel, Findings& to) {
  std::vector<Findings> found(jobs.size(), Findings(to.skips()));
  std::vector<ContentMarks> marks(jobs.size());
  parallel(jobs.size(), [&](std::size_t i) {
    const FrameJob& job = jobs[i];
    judge_frame(data, job.scene->facts, job.camera->facts, job.frame, job.camera->with_tonemap.contains(job.frame), found[i], marks[i]);
  });
  for (Findings& f : found) to.merge(std::move(f));
  judge_content(marks, to);
}

}  // namespace

AuditResult audit(const fs::path& root, const AuditOptions& options) {
  if (!fs::is_directory(root)) fail_usage("{}: is no folder, expected a data set", root.string());
  const Skips skips(options.skip);
  DatasetFacts data(options.kinds);
  data.root = root;
  data.scenes_folder = scenes_folder_of(root);
  data.complete = options.complete;
  if (options.complete) data.demanded_size = Size{1024, 768};
  choose_scenes(data, options.scenes);

  AuditResult result;
  result.root = root.string();
  Findings findings(skips);
  if (data.kinds.has("manifest")) result.incomplete = judge_manifest(data, options.parallel, findings);
  judge_dataset_tables(data, findings);
  std::deque<SceneJob> scenes;
  std::vector<FrameJob> frames;
  for (const std::string& name : data.scene_names) {
    SceneJob& job = scenes.emplace_back();
    job.facts.name = name;
    job.facts.folder = data.scenes_folder / name;
    judge_scene(data, job, result, findings);
    for (const CameraJob& camera : job.cameras)
      for (const int frame : camera.frames) frames.push_back({&job, &camera, frame});
  }
  result.scenes = scenes.size();
  result.frames = frames.size();
  judge_frames(data, frames, options.parallel, findings);
  for (const SceneJob& job : scenes) judge_scene_end(job.facts, findings);
  findings.write_to(result);
  return result;
}

}  // namespace simulacra
