// report.svg: every judged figure as a bar against its floor or limit, then the curves.
#pragma once

#include <string>

#include "report_files.hpp"

namespace consentry::bench {

// A picture that stands alone: its only styles are its own, for light and dark. All bars share the place of the bound,
// so that figures of any unit compare.
std::string chart_of(const Report& report, const ReportOrigin& origin);

}  // namespace consentry::bench
