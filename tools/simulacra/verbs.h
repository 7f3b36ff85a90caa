// SPDX-License-Identifier: Apache-2.0
// The verbs of this executable, one file each.
#pragma once

#include "tools/program/verb.h"

namespace simulacra::tools {

extern const Verb kRenderVerb;
extern const Verb kSceneVerb;
extern const Verb kGenerateVerb;
extern const Verb kAuditVerb;
extern const Verb kReportVerb;
extern const Verb kGapVerb;
extern const Verb kPreferenceVerb;
extern const Verb kInspectVerb;
extern const Verb kDiffVerb;

}  // namespace simulacra::tools
