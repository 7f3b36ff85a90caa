// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace simulacra::preference {

/// page.html, in which `{{study}}` stands for the study.
extern const std::string_view kPageText;
/// Style of the report's page.
extern const std::string_view kReportCss;

}  // namespace simulacra::preference
