// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "dataset/audit/audit.h"
#include "dataset/report/src/facts.h"

namespace simulacra::reporting {

extern const char* const kPageStyle;
extern const char* const kPageScript;

/// Text as HTML: & < > " ' are written as entities.
std::string escaped(std::string_view text);

/// The whole page. `audit` may be null.
std::string page_html(const DatasetPage& page, const AuditResult* audit);

}  // namespace simulacra::reporting
