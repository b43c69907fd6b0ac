// Logs one line per request and answer, fully redacted (base/redaction.hpp).
//
// Server errors are always logged. With `automatic` (LOGGER_AUTO), everything else is too, except for the paths that
// probes poll. Without it, refusals are logged at level verbose, for debugging.
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "http/observer.hpp"

namespace consentry::http {

struct AccessLogOptions {
    bool automatic = false;
    std::vector<std::string> excluded;  // "/docs/*" matches everything below /docs/
};

// The exclusions of the specification, plus all paths of hello and health below each of `roots` (Router::roots()).
std::vector<std::string> default_log_exclusions(const std::vector<std::string>& roots);

// Case-insensitive. `path` excludes the query.
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
