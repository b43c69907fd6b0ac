// `consentry log show admin` and `consentry log verify admin`.
#pragma once

#include <cstdint>
#include <string>

namespace consentry {

struct LogOptions {
    std::int64_t limit = 50;
    std::string key;
    std::string checkpoint;      // file with a checkpoint that was kept; empty: none
    std::int64_t retention = 0;  // shortest of evidence that ever applied, in days; 0: that of the settings
    bool json = false;
};

int show_administration_log(const LogOptions& options);
// Returns 1 if there is a finding.
int verify_administration_log(const LogOptions& options);

}  // namespace consentry
