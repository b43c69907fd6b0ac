#include "app/config/read_config.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/config/names.hpp"
#include "app/config/own_url.hpp"
#include "app/config/settings.hpp"
#include "app/config/values.hpp"
#include "storage/postgres/options.hpp"

namespace consentry {
namespace {

constexpr std::size_t encryption_key_length_min = 32;
constexpr std::size_t argon2_memory_kib_min = 19'456;  // OWASP Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane
constexpr std::size_t argon2_passes_min = 2;

constexpr std::string_view two_factor_key = "AUTH_TWO_FACTOR_ENCRYPTION_KEY";
constexpr std::string_view short_two_factor_key = "each key should have at least 32 characters";

bool has_short_key(const Config& config) {
    for (const std::string& key : config.two_factor.encryption_keys)
        if (key.size() < encryption_key_length_min) return true;
    return false;
}

// Converts the environment's texts to values, in the order of the table.
Config read_values(const Environment& environment, std::vector<ConfigProblem>& problems) {
    Config config;
    for (const SettingSpec& setting : settings()) {
        // Apply the default even if a value is given: a rejected value must not leave a member unset and confuse the
        // checks of other settings. A default that violates its own rule is a programming error; documentation_test
        // detects it.
        if (!setting.derived) (void)setting.type.read(setting.default_text, config);
        const auto given = environment.find(std::string(setting.name));
        if (given == environment.end()) continue;
        if (auto read = setting.type.read(given->second, config); !read)
            problems.push_back({std::string(setting.name), std::move(read.error())});
    }
    return config;
}

// Computes settings that are derived from others, unless given.
void derive(Config& config, const Environment& environment) {
    if (!environment.contains("DOC_ENABLE"))
        config.app.documentation = config.app.environment != AppEnvironment::production;
    if (!environment.contains("METRICS_ENABLE"))
        config.metrics.enable = config.app.environment != AppEnvironment::production;
    if (config.database.file.empty()) config.database.file = config.data.directory / "consentry.db";
    if (config.jwt.issuer.empty())
        config.jwt.issuer = config.app.public_url.empty() ? "consentry" : config.app.public_url;
    if (config.jwt.audience.empty()) config.jwt.audience = config.app.name;
    if (config.two_factor.issuer.empty()) config.two_factor.issuer = config.app.name;
    if (config.two_factor.label.empty()) config.two_factor.label = config.two_factor.issuer;
    if (config.pages.name.empty()) config.pages.name = config.app.name;
    if (config.mail.url.empty()) config.mail.url = folder_url(config.data.directory / "mail");
    if (config.mail.home_name.empty()) config.mail.home_name = config.app.name;
    if (config.storage.url.empty()) config.storage.url = folder_url(config.data.directory / "storage");
    if (config.mail.home_url.empty()) config.mail.home_url = own_url(config);
    // An installation that is updated must not stop because it has no key yet; warnings() says that the log is off.
    if (config.app.environment != AppEnvironment::local && config.consent_log.private_key.empty() &&
        !environment.contains("CONSENT_LOG_ENABLE"))
        config.consent_log.enable = false;
    config.consent_log.origin_is_given = !config.consent_log.origin.empty();
    if (config.consent_log.origin.empty()) {
        const std::string url = own_url(config);
        config.consent_log.origin = url.substr(url.find("://") + 3);
    }
    const std::string site = can_serve_pages(config) ? own_url(config) : config.mail.home_url;
    const auto lead_to = [&](LinkConfig& link, std::string_view page) {
        if (link.link_base_url.empty()) link.link_base_url = site + std::string(page);
    };
    lead_to(config.account.verification, "/verify-email");
    lead_to(config.account.forgot_password, "/forgot-password");
}

// Checks the requirements of the environment and the dependencies between settings.
void check(const Config& config, const Environment& environment, std::vector<ConfigProblem>& problems) {
    const auto problem = [&](std::string_view setting, std::string_view text) {
        for (const ConfigProblem& known : problems)
            if (known.setting == setting) return;  // already reported: problems that follow from it only distract
        problems.push_back({std::string(setting), std::string(text)});
    };

    if (config.app.environment != AppEnvironment::local)
        for (const std::string_view required : {std::string_view("AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY"),
                                                std::string_view("AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY"), two_factor_key,
                                                std::string_view("APP_ENCRYPTION_SECRET_KEY")})
            if (!environment.contains(std::string(required)))
                problem(required, "must be set; the service generates its own only with APP_ENV=local");

    if (config.app.environment != AppEnvironment::local && config.consent_log.enable &&
        config.consent_log.private_key.empty())
        problem("CONSENT_LOG_PRIVATE_KEY",
                "must be set because CONSENT_LOG_ENABLE is true; the service generates its own only with "
                "APP_ENV=local");

    if (config.app.environment == AppEnvironment::production) {
        if (has_short_key(config)) problem(two_factor_key, "each key must have at least 32 characters in production");
        if (config.password.argon2_memory_kib < argon2_memory_kib_min)
            problem("AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "must be at least 19456 in production");
        if (config.password.argon2_passes < argon2_passes_min)
            problem("AUTH_PASSWORD_ARGON2_PASSES", "must be at least 2 in production");
        if (config.logger.enable && config.logger.level == LogLevel::debug)
            problem("LOGGER_LEVEL", environment.contains("LOGGER_LEVEL")
                                        ? "must not be debug in production"
                                        : "must not be debug, which is the default, in production; set "
                                          "LOGGER_LEVEL=info");
    }

    if (config.storage.url.starts_with("s3:")) {
        const S3Config& s3 = config.storage.s3;
        for (const auto& [setting, value] :
             {std::pair(std::string_view("AWS_S3_IAM_CREDENTIAL_KEY"), std::string_view(s3.access_key)),
              std::pair(std::string_view("AWS_S3_IAM_CREDENTIAL_SECRET"), std::string_view(s3.secret)),
              std::pair(std::string_view("AWS_S3_PRIVATE_BUCKET"), std::string_view(s3.private_bucket)),
              std::pair(std::string_view("AWS_S3_PUBLIC_BUCKET"), std::string_view(s3.public_bucket))})
            if (value.empty()) problem(setting, "must be set because STORAGE_URL is S3");
        if (!s3.public_bucket.empty() && s3.public_bucket == s3.private_bucket)
            problem("AWS_S3_PUBLIC_BUCKET", "must differ from AWS_S3_PRIVATE_BUCKET; otherwise drafts would be public");
    }
    if (std::ranges::find(config.app.languages, config.app.language) == config.app.languages.end())
        problem("APP_LANGUAGE", "must be one of MESSAGE_AVAILABLE_LANGUAGE");
    if (!config.jwt.access_jwks_uri.empty() && config.jwt.access_jwks_uri != own_url(config) + "/.well-known/jwks.json")
        problem("AUTH_JWT_ACCESS_TOKEN_JWKS_URI",
                "must be /.well-known/jwks.json under PUBLIC_URL, where this service publishes its keys; it cannot "
                "verify tokens with the keys of another server");
    if (config.two_factor.issuer.contains(':'))  // from APP_NAME, which may contain a colon
        problem("AUTH_TWO_FACTOR_ISSUER", "must be set because APP_NAME contains a colon");
    if (config.jwt.refresh.lifetime < config.jwt.access.lifetime)
        problem("AUTH_JWT_REFRESH_TOKEN_EXPIRED", "must not be shorter than AUTH_JWT_ACCESS_TOKEN_EXPIRED");
    if (config.session.admin_lifetime < config.session.admin_idle)
        problem("SESSION_ADMIN_IDLE", "must not be longer than SESSION_ADMIN_EXPIRED");
    // Such a body would get 503 and be sent again for ever.
    for (const auto& [setting, bytes] : {std::pair("REQUEST_BODY_JSON_LIMIT_IN_BYTES", config.http.json_bytes_max),
                                         std::pair("REQUEST_BODY_TEXT_LIMIT_IN_BYTES", config.http.text_bytes_max)})
        if (bytes > config.http.body_memory_max) problem(setting, "must fit into HTTP_BODY_MEMORY_MAX_IN_MB");
}

}  // namespace

std::expected<Config, std::vector<ConfigProblem>> read_config(const Environment& environment) {
    std::vector<ConfigProblem> problems;
    Config config = read_values(environment, problems);
    derive(config, environment);
    check(config, environment, problems);
    for (const auto& [name, value] : environment)
        if (auto misspelled = misspelled_name(name, environment)) problems.push_back(std::move(*misspelled));
    if (!problems.empty()) return std::unexpected(std::move(problems));
    return config;
}

std::vector<ConfigProblem> warnings(const Config& config, const Environment& environment) {
    std::vector<ConfigProblem> found;
    const auto warn = [&](std::string_view setting, std::string_view text) {
        found.push_back({std::string(setting), std::string(text)});
    };
    const bool production = config.app.environment == AppEnvironment::production;
    if (has_short_key(config)) warn(two_factor_key, short_two_factor_key);
    if (!config.consent_log.enable && !environment.contains("CONSENT_LOG_ENABLE"))
        warn("CONSENT_LOG_PRIVATE_KEY",
             "is not set; acceptances are recorded without a consent log and without receipts. If this installation "
             "had a log, set its key: with APP_ENV=local, it is the content of DATA_DIR/keys/consent-log.key");
    if (!config.two_factor.replay_protection)
        warn("AUTH_TWO_FACTOR_REPLAY_PROTECTION", "is off; a code can be used more than once");
    if (!config.password.attempt) warn("AUTH_PASSWORD_ATTEMPT", "is off; wrong passwords never lock a login");
    if (config.session.check == SessionCheckMode::cache)
        warn("SESSION_CHECK",
             "is cache; a session ended only in the database stays valid until its cache entry expires");
    if (config.app.environment != AppEnvironment::local && config.app.public_url.starts_with("http:"))
        warn("PUBLIC_URL", "is not https; passwords and tokens can be read in transit");
    if (!config.database.url.empty() && storage::may_go_unencrypted(config.database.url))
        warn(
            "DATABASE_URL",
            "allows unencrypted connections (sslmode is absent, disable, allow or prefer); traffic to the database can "
            "be read; set sslmode=verify-full");
    else if (production && !config.database.url.empty() && !config.database.url.contains("sslmode=verify-full"))
        warn("DATABASE_URL", "lacks sslmode=verify-full; traffic to the database can be read or redirected");
    if (production && !config.cache.url.empty() && !config.cache.url.starts_with("rediss"))
        warn("CACHE_URL", "is not rediss; traffic to the cache can be read");
    if (config.cache.url.empty() && !config.database.url.empty())
        warn("CACHE_URL",
             "is memory:, but DATABASE_URL is a server; a second process would not know the two-factor challenges "
             "of this one");
    if (production && config.storage.url.starts_with(file_scheme) && !config.database.url.empty())
        warn("STORAGE_URL", "is file:, but DATABASE_URL is a server; all machines must share this folder");
    if (production && std::ranges::find(config.http.cors_origins, "*") != config.http.cors_origins.end())
        warn("CORS_ALLOWED_ORIGIN", "is *; pages of any site may read responses");
    if (production && config.throttle.limit == 0)
        warn("THROTTLE_LIMIT", "is 0; clients may send requests without limit");
    if (production && config.storage.url.starts_with("s3:") && config.storage.url.contains("tls=none"))
        warn("STORAGE_URL", "contains tls=none; files can be read and replaced in transit");
    if (production && config.mail.url.starts_with(file_scheme))
        warn("MAIL_URL", "is file:, which writes emails to a folder instead of sending them");
    if (!config.mail.url.starts_with(file_scheme) && config.mail.no_reply.ends_with("@mail.com"))
        warn("EMAIL_NO_REPLY", "uses the placeholder domain mail.com; mail servers will refuse emails from it");
    if (production && config.sentry.dsn.starts_with("http:"))
        warn("SENTRY_DSN", "is not https; error reports can be read in transit");
    if (production && config.app.documentation)
        warn("DOC_ENABLE", "is true; the API documentation is public in production");
    const auto warn_of_unnamed_keys = [&](std::string_view setting, const TokenConfig& token) {
        if (!token.key_id.empty() && std::ranges::any_of(token.public_keys, &std::string::empty, &NamedKey::kid))
            warn(setting, "has a key without KID=; it verifies only tokens that identify it by its thumbprint");
    };
    warn_of_unnamed_keys("AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", config.jwt.access);
    warn_of_unnamed_keys("AUTH_JWT_REFRESH_TOKEN_PUBLIC_KEY", config.jwt.refresh);
    if (config.pages.enable && !can_serve_pages(config))
        warn(
            "PAGES_ENABLE",
            "has no effect, because PUBLIC_URL is neither https nor http on this machine, or has a path; the pages are "
            "not served");
    for (const auto& [setting, is_on] : {std::pair("LOGGER_INTO_FILE", config.logger.into_file),
                                         {"LOGGER_AUTO", config.logger.automatic},
                                         {"LOGGER_PRETTIER", config.logger.prettier}})
        if (is_on && !config.logger.enable) warn(setting, "has no effect without LOGGER_ENABLE=true");
    for (const auto& [name, value] : environment)
        if (auto resembling = resembling_name(name, environment)) found.push_back(std::move(*resembling));
    return found;
}

std::vector<ShownSetting> shown_settings(const Environment& environment, const std::set<std::string>& from_file) {
    std::vector<ConfigProblem> refused;
    Config config = read_values(environment, refused);
    derive(config, environment);

    std::vector<ShownSetting> out;
    for (const SettingSpec& setting : settings()) {
        const auto given = environment.find(std::string(setting.name));
        std::string value = given == environment.end() ? setting.type.show(config) : given->second;
        // In an address that cannot be read, the password may be anywhere.
        const bool may_tell = setting.type.may_hold_password &&
                              std::ranges::find(refused, setting.name, &ConfigProblem::setting) != refused.end();
        if ((setting.type.secret || may_tell) && !value.empty()) value = "***";
        out.push_back({.name = setting.name,
                       .value = mask_url_password(value),
                       .source = given == environment.end()         ? "default"
                                 : from_file.contains(given->first) ? ".env"
                                                                    : "environment"});
    }
    return out;
}

std::string print_config(const Environment& environment, const std::set<std::string>& from_file) {
    std::string out;
    for (const ShownSetting& setting : shown_settings(environment, from_file)) {
        out += setting.name;
        out += '=';
        for (const char c : setting.value)  // a PEM has several lines
            if (c == '\n')
                out += "\\n";
            else
                out += c;
        out += "  # ";
        out += setting.source;
        out += '\n';
    }
    return out;
}

}  // namespace consentry
