// One line per request and answer in the log, everything in it redacted (base/redaction.hpp).
//
// Server errors are always written. Everything else is with `automatic` (LOGGER_AUTO), but for the paths that probes
// ask over and over; without it, refusals are, for whoever debugs (level verbose).
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "http/observer.hpp"

namespace consentry::http {

struct AccessLogOptions {
    bool automatic = false;
    std::vector<std::string> excluded;  // paths; "/docs/*" is everything below /docs/
};

// Those of the specification, and our own aliases of hello and health below the prefix.
std::vector<std::string> default_log_exclusions(const std::string& global_prefix);

// Ignores case. `path` has no query.
bool is_excluded(std::string_view path, const std::vector<std::string>& excluded);

class AccessLog final : public Observer {
public:
    AccessLog(Log& log, AccessLogOptions options) : log_(log), options_(std::move(options)) {}
    void on_answer(const Exchange& exchange) noexcept override;

private:
    Log& log_;
    const AccessLogOptions options_;
};

}  // namespace consentry::http
