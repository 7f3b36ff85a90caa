// SPDX-License-Identifier: Apache-2.0
#include "tools/gap/gap_verb.h"

#include "render/base/error.h"
#include "render/session/session.h"
#include "tools/simulacra/verbs.h"

namespace simulacra::tools {
namespace {

/// main() hands --features vit to the learning executable where there is one.
gap::FeatureMap no_network(const std::string&, const std::string&) {
  fail_usage("this build is without the learning half; configure with -DSIMULACRA_TORCH=ON");
}

void declare(CLI::App& app, int&) { declare_gap(app, {tbb_parallel_for, no_network}); }

}  // namespace

const Verb kGapVerb{kGapName, kGapSummary, declare};

}  // namespace simulacra::tools
