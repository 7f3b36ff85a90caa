// SPDX-License-Identifier: Apache-2.0
#include "tools/simulacra/inspect_terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <optional>
#include <vector>

#include "render/base/error.h"
#include "render/session/session.h"
#include "tools/inspector/terminal/terminal.h"
#include "tools/program/options.h"

namespace simulacra::tools {
namespace {

namespace fs = std::filesystem;

/// What `path` holds: a data set, or one image.
struct Target {
  std::optional<inspector::FrameList> list;
  std::vector<inspector::LabelFile> single;
};

Target open_target(const fs::path& path) {
  Target target;
  if (fs::is_directory(path)) target.list = inspector::list_frames(path);
  else target.single.push_back(inspector::label_of_file(path));
  return target;
}

std::size_t pixel_number(std::string_view text, const std::string& whole) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) fail_usage("--pixel: '{}', but X,Y is expected, two whole numbers from 0 on", whole);
  return value;
}

bool print_pixel(const Target& target, const TerminalRequest& request) {
  const std::size_t comma = request.pixel.find(',');
  if (comma == std::string::npos) fail_usage("--pixel: '{}', but X,Y is expected, two whole numbers from 0 on", request.pixel);
  const std::size_t x = pixel_number(std::string_view(request.pixel).substr(0, comma), request.pixel), y = pixel_number(std::string_view(request.pixel).substr(comma + 1), request.pixel);
  std::vector<inspector::LabelFile> files = target.single;
  inspector::IdNames names;
  if (target.list) {
    const std::size_t frame = inspector::frame_called(*target.list, request.frame);
    files = inspector::label_files(*target.list, frame);
    names = inspector::id_names(*target.list, target.list->frames[frame].scene_idx);
    if (!request.json) std::cout << frame_key(target.list->name(frame)) << " (" << x << ", " << y << ")\n";
  }
  const std::vector<inspector::PixelValue> values = inspector::pixel_values(files, names, x, y);
  std::cout << (request.json ? inspector::pixel_json(values) : inspector::pixel_text(values));
  return std::ranges::all_of(values, [](const inspector::PixelValue& v) { return v.problem.empty(); });
}

bool print_statistics(const Target& target, const TerminalRequest& request, int threads) {
  std::vector<std::vector<inspector::LabelFile>> frames;
  if (!target.list) frames.push_back(target.single);
  else if (!request.frame.empty()) frames.push_back(inspector::label_files(*target.list, inspector::frame_called(*target.list, request.frame)));
  else
    for (std::size_t i = 0; i < target.list->frames.size(); ++i) frames.push_back(inspector::label_files(*target.list, i));
  const inspector::SetStatistics statistics = inspector::statistics_of(frames, tbb_parallel_for(threads));
  std::cout << (request.json ? inspector::statistics_json(statistics) : inspector::statistics_text(statistics));
  return statistics.problems.empty();
}

/// Of the terminal, 80 where there is none.
std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool print_picture(const Target& target, const TerminalRequest& request) {
  if (request.json) fail_usage("--json: a picture is no JSON; it goes with --pixel or --stats");
  std::vector<inspector::LabelFile> files = target.single;
  if (target.list) {
    const std::size_t frame = inspector::frame_called(*target.list, request.frame);
    files = inspector::label_files(*target.list, frame);
    std::string there;
    for (const inspector::LabelFile& file : files) there += (there.empty() ? "" : ", ") + file.label;
    std::erase_if(files, [&](const inspector::LabelFile& file) { return file.label != request.picture; });
    if (files.empty()) fail_usage("--picture: {} has no label '{}'; there are {}", frame_key(target.list->name(frame)), request.picture, there);
  }
  const std::size_t columns = request.columns > 0 ? static_cast<std::size_t>(request.columns) : terminal_columns();
  std::cout << inspector::picture_text(files.front(), {columns, request.sixel});
  return true;
}

}  // namespace

void declare_terminal_options(CLI::App& app, TerminalRequest& request) {
  app.add_option("--pixel", request.pixel, "instead of serving, print every label's value at X,Y (from the left and the top, from 0)")->check(a_name());
  app.add_flag("--stats", request.statistics, "instead of serving, print each label's range, mean, percentiles and classes, of a frame, a file or the whole set");
  app.add_option("--picture", request.picture, "instead of serving, show a label's picture in the terminal (default color)")->expected(0, 1)->default_str("color");
  app.add_option("--frame", request.frame, "of --pixel, --stats and --picture: SCENE/CAMERA/NUMBER; the first unless given")->check(a_name());
  app.add_option("--columns", request.columns, "of --picture; 0 = the terminal's")->check(whole_number(0, 1000))->capture_default_str();
  app.add_flag("--sixel", request.sixel, "draw --picture with sixel graphics, for terminals that have them");
  app.add_flag("--json", request.json, "print --pixel or --stats as JSON");
}

int inspect_in_terminal(const fs::path& path, const TerminalRequest& request, int threads) {
  if (!request.pixel.empty() + request.statistics + !request.picture.empty() > 1) fail_usage("--pixel, --stats and --picture exclude each other");
  const Target target = open_target(path);
  if (!target.list && !request.frame.empty()) fail_usage("--frame: given, but {} is a file", path.string());
  bool whole = true;
  if (!request.pixel.empty()) whole = print_pixel(target, request);
  else if (request.statistics) whole = print_statistics(target, request, threads);
  else whole = print_picture(target, request);
  return whole ? 0 : 1;
}

}  // namespace simulacra::tools
