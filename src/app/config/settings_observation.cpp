// Settings of what tells how the service is doing: log, security events, error tracking, metrics, health.
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
         .description = "Writes a log, one JSON object per line. What an operator must know at once goes to standard "
                        "error in any case, and security events have a stream of their own."},
        {.name = "LOGGER_LEVEL",
         .group = group,
         .type = one_of<&Config::logger, &LoggerConfig::level>({{"error", LogLevel::error},
                                                                {"warn", LogLevel::warn},
                                                                {"info", LogLevel::info},
                                                                {"verbose", LogLevel::verbose},
                                                                {"debug", LogLevel::debug}}),
         .default_text = "debug",
         .description = "How much is logged; each level has all of those before it. With `LOGGER_ENABLE=true`, "
                        "`production` refuses `debug`."},
        {.name = "LOGGER_INTO_FILE",
         .group = group,
         .type = flag<&Config::logger, &LoggerConfig::into_file>(),
         .default_text = "false",
         .description = "Logs into `./logs/api.log` below the working directory instead of standard output. A new file "
                        "begins each day (UTC) and at 10 MB; ten old ones are kept."},
        {.name = "LOGGER_PRETTIER",
         .group = group,
         .type = flag<&Config::logger, &LoggerConfig::prettier>(),
         .default_text = "false",
         .description = "Logs lines for people instead of JSON."},
        {.name = "LOGGER_AUTO",
         .group = group,
         .type = flag<&Config::logger, &LoggerConfig::automatic>(),
         .default_text = "false",
         .description = "Logs every request with its answer, secrets replaced, but for greetings, health, metrics and "
                        "documentation. Without it only failures are logged."},
    };
}

std::vector<SettingSpec> security_event_settings() {
    return {
        {.name = "SECURITY_EVENTS_MAX_IN_MB",
         .group = "Security events",
         .type = megabytes<&Config::security_events, &SecurityEventsConfig::bytes_max>(10, 1'000'000),
         .default_text = "1000",
         .description = "How much of `DATA_DIR/security/events.log` and its ten old files is kept, in megabytes; then "
                        "the oldest file goes."},
    };
}

std::vector<SettingSpec> error_tracking_settings() {
    constexpr std::string_view group = "Error tracking";
    const std::string allowed = "an address such as https://PUBLIC_KEY@HOST/PROJECT";
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
         .default_text = "none: nothing is sent",
         .derived = true,
         .description = "Where answers with status 500 and above are reported, by the protocol of Sentry: the failure, "
                        "the method and the path, neither headers nor bodies nor query values."},
        {.name = "SENTRY_TIMEOUT_IN_MS",
         .group = group,
         .type = whole_number<&Config::sentry, &SentryConfig::timeout>(100, 60'000),
         .default_text = "10000",
         .description = "How long one report may take. No request waits for it."},
    };
}

std::vector<SettingSpec> metrics_settings() {
    constexpr std::string_view group = "Metrics";
    return {
        {.name = "METRICS_ENABLE",
         .group = group,
         .type = flag<&Config::metrics, &MetricsConfig::enable>(),
         .default_text = "true, in production false",
         .derived = true,
         .description = "Counts, and serves the counts at `/metrics` for Prometheus.",
         .example = "true"},
        {.name = "METRICS_ALLOWED_FROM",
         .group = group,
         .type = list_of<http::Networks, &Config::metrics, &MetricsConfig::allowed_from>(
             "addresses or networks such as 10.0.0.0/8, between commas"),
         .default_text = "127.0.0.1,::1",
         .description = "Who may read `/metrics`; others find nothing there. Nobody may through a proxy that "
                        "`HTTP_TRUSTED_PROXIES` does not list."},
    };
}

std::vector<SettingSpec> health_settings() {
    constexpr std::string_view group = "Health";
    return {
        {.name = "HEALTH_MEMORY_MAX_IN_MB",
         .group = group,
         .type = megabytes<&Config::health, &HealthConfig::memory_bytes_max>(1, 1'000'000),
         .default_text = "300",
         .description = "Above this, in megabytes, `/system/health/instance` answers 503: for resident memory, and for "
                        "what of it is allocated."},
        {.name = "HEALTH_DISK_MAX_IN_PERCENT",
         .group = group,
         .type = whole_number<&Config::health, &HealthConfig::disk_percent_max>(1, 100),
         .default_text = "75",
         .description = "Above this, in percent of the file system of `DATA_DIR`, `/system/health/instance` answers "
                        "503."},
    };
}

}  // namespace consentry
