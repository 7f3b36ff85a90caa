// SPDX-License-Identifier: Apache-2.0
#include "tools/gap/gap_verb.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include "render/base/error.h"
#include "render/base/files.h"
#include "sim2real/gap/report.h"
#include "tools/program/options.h"

namespace simulacra::tools {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::string synthetic, real, page, pixels = "centered";
  std::vector<std::string> features = {"colors"};
  gap::ReadOptions read;
  int threads = 0;
  bool json = false;
};

/// Where the numbers go beside the page.
fs::path json_beside(const fs::path& page) { return fs::path(page).replace_extension(".json"); }

gap::FeatureMap features_of(const Request& r, const GapServices& services) {
  const std::string& kind = r.features.front();
  if (kind == "colors" && r.features.size() == 1) return gap::hand_made_features();
  if (kind == "colors") fail_usage("--features colors takes no further word, and there is '{}'; name the folders before the options", r.features[1]);
  if (kind != "vit") fail_usage("--features: '{}' is unknown; expected colors, or vit with the folder of a training or a safetensors file", kind);
  if (r.features.size() != 2) fail_usage("--features vit takes the folder of a training or a safetensors file");
  try {
    return services.vit(r.features[1], r.pixels);
  } catch (const UsageError& e) {
    fail_usage("--features vit: {}", e.what());
  }
}

void run(const Request& request, const GapServices& services) {
  check_can_write_page("-o", request.page);
  // Decoders are forked, so pictures come first and threads start later.
  const gap::ImageSet synthetic = gap::read_any_images(request.synthetic, request.read), real = gap::read_any_images(request.real, request.read);
  gap::check_sets(synthetic, real);
  gap::GapOptions options;
  options.seed = request.read.seed;
  options.features = features_of(request, services);
  options.parallel = services.parallel(request.threads);
  const gap::Gap result = gap::measure_gap(synthetic, real, options);
  const std::string json = gap::gap_json(result);
  if (!request.page.empty()) {
    write_text_atomically(json_beside(request.page), json);
    write_text_atomically(request.page, gap::gap_page(result, synthetic, real));
    std::cerr << "page: " << request.page << ", numbers: " << json_beside(request.page).string() << '\n';
  }
  std::cout << (request.json ? json : gap::gap_text(result));
}

}  // namespace

void declare_gap(CLI::App& app, const GapServices& services) {
  const auto request = std::make_shared<Request>();
  app.add_option("SYNTHETIC", request->synthetic, "a folder of PNG, JPEG or EXR pictures, or a data set that generate made")->required()->check(a_name());
  app.add_option("REAL", request->real, "the same")->required()->check(a_name());
  app.add_option("-o,--output", request->page, "HTML page with table, curves and pictures; its numbers go beside it as .json")->check(a_name());
  app.add_flag("--json", request->json, "print the numbers as JSON");
  app.add_option("--most", request->read.most_images, "pictures of a side; of more a seeded choice")->check(whole_number(gap::kLeastImages, 100'000))->capture_default_str();
  app.add_option("--side", request->read.most_side_px, "px; of a larger picture its middle counts")->check(whole_number(gap::kLeastSide, 8192))->capture_default_str();
  app.add_option("--seed", request->read.seed, "of choices, halves and folds")->check(whole_number(0, ~std::uint64_t{0}))->capture_default_str();
  app.add_option("--features", request->features,
                 "of Fréchet and kernel distance and of the classifier: colors (statistics of color, noise, spectrum, edges), or vit and the\n"
                 "folder of a training, or a safetensors file with names of timm or Hugging Face")
      ->expected(1, 2)
      ->capture_default_str();
  app.add_option("--pixels", request->pixels, "what a foreign vit takes: as_given, centered or imagenet")
      ->check(CLI::IsMember({"as_given", "centered", "imagenet"}))
      ->capture_default_str();
  app.add_option("--threads", request->threads, "0 = all cores")->check(whole_number(0, 1024))->capture_default_str();
  app.footer("Example: simulacra gap data/rooms photos -o gap.html\n"
             "         simulacra gap data/rooms photos --features vit runs/depth");
  app.callback([request, services] { run(*request, services); });
}

bool gap_wants_network(int argc, const char* const* argv) {
  if (argc < 3 || std::string_view(argv[1]) != kGapName) return false;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--features=vit" || (word == "--features" && i + 1 < argc && std::string_view(argv[i + 1]) == "vit")) return true;
  }
  return false;
}

}  // namespace simulacra::tools
