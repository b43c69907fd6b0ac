// Observability settings: log, security events, error tracking, metrics, health.
#include "app/config/sentry_dsn.hpp"
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "http/steps/networks.hpp"

namespace consentry {

using namespace std::chrono_literals;
using namespace setting_types;

std::vector<SettingSpec> logger_settings() {
    constexpr std::string_view group = "Log";
    return {
        {.name = "LOGGER_ENABLE",
         .group = group,
         .type = flag<&Config::logger, &LoggerConfig::enable>(),
         .default_text = "false",
         .description = "Writes a log with one JSON object per line. Messages that an operator must see at once go to "
                        "standard error in any case, and security events have a file of their own."},
        {.name = "LOGGER_LEVEL",
         .group = group,
         .type = one_of<&Config::logger, &LoggerConfig::level>({{"error", LogLevel::error},
                                                                {"warn", LogLevel::warn},
                                                                {"info", LogLevel::info},
                                                                {"verbose", LogLevel::verbose},
                                                                {"debug", LogLevel::debug}}),
         .default_text = "debug",
         .description = "The log level; each level includes the ones listed before it. With `LOGGER_ENABLE=true`, "
                        "`production` refuses `debug`."},
        {.name = "LOGGER_INTO_FILE",
         .group = group,
         .type = flag<&Config::logger, &LoggerConfig::into_file>(),
         .default_text = "false",
         .description = "Writes the log to `./logs/api.log` in the working directory instead of standard output. The "
                        "file is rotated daily (UTC) and at 10 MB; ten old files are kept."},
        {.name = "LOGGER_PRETTIER",
         .group = group,
         .type = flag<&Config::logger, &LoggerConfig::prettier>(),
         .default_text = "false",
         .description = "Writes human-readable lines instead of JSON."},
        {.name = "LOGGER_AUTO",
         .group = group,
         .type = flag<&Config::logger, &LoggerConfig::automatic>(),
         .default_text = "false",
         .description = "Logs every request and response with secrets redacted, except `hello`, health, metrics and "
                        "the API documentation. If false, only failures are logged."},
    };
}

std::vector<SettingSpec> security_event_settings() {
    return {
        {.name = "SECURITY_EVENTS_MAX_IN_MB",
         .group = "Security events",
         .type = megabytes<&Config::security_events, &SecurityEventsConfig::bytes_max>(10, 1'000'000),
         .default_text = "1000",
         .description = "The total size limit of `DATA_DIR/security/events.log` and its ten old files, in megabytes. "
                        "Above it, the oldest file is deleted."},
    };
}

std::vector<SettingSpec> error_tracking_settings() {
    constexpr std::string_view group = "Error tracking";
    const std::string allowed = "a URL such as https://PUBLIC_KEY@HOST/PROJECT";
    return {
        {.name = "SENTRY_DSN",
         .group = group,
         .type = {.allowed = allowed,
                  .read = [allowed](std::string_view value, Config& config) -> Read {
                      if (!parse_sentry_dsn(value)) return refused(allowed);
                      config.sentry.dsn = value;
                      return {};
                  },
                  .show = [](const Config&) { return std::string(); },
                  .secret = true},
         .default_text = "none: no reports are sent",
         .derived = true,
         .description = "Reports responses with status 500 and above to a Sentry-compatible server. A report contains "
                        "the error, the method and the path, but no headers, bodies or query values."},
        {.name = "SENTRY_TIMEOUT_IN_MS",
         .group = group,
         .type = whole_number<&Config::sentry, &SentryConfig::timeout>(100, 60'000),
         .default_text = "10000",
         .description = "The time limit of one report, in milliseconds. No request waits for it."},
    };
}

std::vector<SettingSpec> metrics_settings() {
    constexpr std::string_view group = "Metrics";
    return {
        {.name = "METRICS_ENABLE",
         .group = group,
         .type = flag<&Config::metrics, &MetricsConfig::enable>(),
         .default_text = "`true`; in production, `false`",
         .derived = true,
         .description = "Collects metrics and serves them at `/metrics` for Prometheus.",
         .example = "true"},
        {.name = "METRICS_ALLOWED_FROM",
         .group = group,
         .type = list_of<http::Networks, &Config::metrics, &MetricsConfig::allowed_from>(
             "addresses or networks such as 10.0.0.0/8, separated by commas"),
         .default_text = "127.0.0.1,::1",
         .description = "The addresses that may read `/metrics`; all others get 404. Requests through a proxy that is "
                        "not in `HTTP_TRUSTED_PROXIES` get 404 too."},
    };
}

std::vector<SettingSpec> health_settings() {
    constexpr std::string_view group = "Health";
    return {
        {.name = "HEALTH_MEMORY_MAX_IN_MB",
         .group = group,
         .type = megabytes<&Config::health, &HealthConfig::memory_bytes_max>(1, 1'000'000),
         .default_text = "300",
         .description = "The memory limit, in megabytes, above which `/system/health/instance` answers 503. It applies "
                        "to resident memory, and to the memory that the program has allocated."},
        {.name = "HEALTH_DISK_MAX_IN_PERCENT",
         .group = group,
         .type = whole_number<&Config::health, &HealthConfig::disk_percent_max>(1, 100),
         .default_text = "75",
         .description = "The usage of the file system of `DATA_DIR`, in percent, above which `/system/health/instance` "
                        "answers 503."},
    };
}

}  // namespace consentry
