// What the operator may choose, read once at start and constant from then on.
//
// A setting is an environment variable; settings.hpp has the one table that reads, documents and prints them. The
// structures below hold plain values in the units their types say; nothing in the program but this folder looks at
// the environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/dotenv.hpp"
#include "app/config/values.hpp"
#include "base/clock.hpp"
#include "base/locales.hpp"
#include "base/log.hpp"
#include "features/users/consent.hpp"

namespace consentry {

enum class AppEnvironment { local, development, staging, production };
std::string_view text_of(AppEnvironment environment);

struct AppConfig {
    std::string name;
    AppEnvironment environment = AppEnvironment::local;
    std::string timezone;  // IANA name; for display, and for the days of API keys; else the service reckons in UTC
    Language language = Language::en;
    std::vector<Language> languages;  // of answers; `language` is one of them
    std::string public_url;           // without a slash at its end; empty: host and port listened on
    bool documentation = true;
};

struct HttpConfig {
    std::string host;
    std::uint16_t port = 0;     // 0: any free one
    std::string global_prefix;  // "/api" or empty
    std::size_t threads = 0;    // 0: one per core
    std::size_t connections_max = 0;
    std::size_t body_memory_max = 0;  // bytes
    std::size_t json_bytes_max = 0;
    std::size_t text_bytes_max = 0;
    milliseconds head_timeout{};
    milliseconds body_timeout{};
    milliseconds idle_timeout{};
    milliseconds request_timeout{};
    std::vector<std::string> trusted_proxies;  // addresses and networks, checked
    std::vector<std::string> cors_origins;     // hosts, checked
};

struct ThrottleConfig {
    std::int64_t limit = 0;  // 0: none
    milliseconds window{};
};

struct VersioningConfig {
    bool enable = true;
    std::string prefix;  // "v"
    int version = 1;
};

struct DataConfig {
    std::filesystem::path directory;  // everything the service keeps, unless told otherwise
};

struct DatabaseConfig {
    std::filesystem::path file;  // of SQLite; used where url is empty
    std::string url;             // postgresql://…, checked; holds a password
    int connections_per_thread = 0;
    milliseconds timeout{};
    bool prepared_statements = true;
};

struct CacheConfig {
    std::string url;            // redis://… and its kin, checked; holds a password. Empty: in this process
    std::size_t bytes_max = 0;  // in this process
    std::string name_space;     // of keys
    milliseconds ttl{};         // of copies that have no setting of their own
    milliseconds timeout{};
};

struct TokenConfig {
    std::string algorithm;              // ES256, ES384, ES512 or EdDSA
    std::string key_id;                 // empty: follows from the key
    std::string private_key;            // base64 of PKCS#8 DER, or PEM; empty (local only): the program makes its own
    std::vector<NamedKey> public_keys;  // former ones that still verify
    seconds lifetime{};
};

struct JwtConfig {
    std::string issuer;
    std::string audience;
    TokenConfig access;
    TokenConfig refresh;
    std::string access_jwks_uri;  // empty, or where others find the access keys: the service's own address, checked
    seconds refresh_grace{};      // in which a repeated refresh gets the same successor
};

struct TwoFactorConfig {
    std::string issuer;
    std::string label;
    std::vector<std::string> encryption_keys;  // the first one encrypts; none (local only): the program makes its own
    bool replay_protection = true;
};

struct PasswordConfig {
    bool by_length = false;  // the form of new ones: kinds of characters, or length alone
    bool attempt = true;     // failures are counted and lock
    int attempts_max = 0;
    std::size_t salt_length = 0;  // bytes
    seconds expired{};            // zero: never
    seconds expired_temporary{};
    seconds reuse_period{};  // zero: only the current one is barred
    std::size_t argon2_memory_kib = 0;
    std::size_t argon2_passes = 0;
    std::size_t argon2_lanes = 1;
    std::size_t hash_threads = 0;  // 0: one per core
    std::size_t hash_queue_max = 0;
};

// Links that prove that somebody reads the mails of an address.
struct LinkConfig {
    std::chrono::minutes expired{};
    std::chrono::minutes resend{};  // between two mails to one address
    std::size_t token_length = 0;
    std::string link_base_url;  // without a slash at its end
    std::string reference_prefix;
    std::size_t reference_length = 0;
};

struct AccountConfig {
    std::string username_prefix;
    std::chrono::days erase_after{};  // personal data of deleted accounts
    LinkConfig verification;
    LinkConfig forgot_password;
};

struct MailConfig {
    std::string url;  // file:FOLDER, smtp://... or smtps://..., checked; holds a password. Empty: DATA_DIR/mail
    std::string ca_file;
    std::string no_reply;  // addresses, checked
    std::string support;   // empty: none
    std::string admin;
    std::size_t batch_size = 0;
    std::string home_name;  // of the site that mails speak for
    std::string home_url;   // without a slash at its end
};

struct SocialProviderConfig {
    std::vector<std::string> client_ids;  // none: nobody can log in with this provider
    std::string issuer;
    std::string jwks_uri;
    bool nonce_required = false;
};

struct SocialConfig {
    SocialProviderConfig google;
    SocialProviderConfig apple;
    std::string ca_file;  // trusted instead of the system's certificates
};

enum class SessionCheckMode { strict, cache };

struct SessionConfig {
    SessionCheckMode check = SessionCheckMode::strict;
    std::size_t per_user_max = 0;
    seconds admin_lifetime{};
    seconds admin_idle{};
    std::string key_pattern;  // of cache keys, with {userId} and {sessionId}
};

struct EncryptionConfig {
    std::vector<std::string> secrets;  // the first one seals; none (local only): the program makes its own
};

struct ApiKeyConfig {
    bool required = false;  // of all that is for keys of type default
    std::string cache_prefix;
};

struct FeatureFlagConfig {
    std::string cache_prefix;
    milliseconds cache_ttl{};  // zero: no copies
};

struct ActivityConfig {
    std::chrono::days retention{};  // zero: for ever
};

struct LoggerConfig {
    bool enable = false;
    LogLevel level = LogLevel::debug;
    bool into_file = false;
    bool prettier = false;
    bool automatic = false;  // every request, not failures only
};

struct SecurityEventsConfig {
    std::size_t bytes_max = 0;  // of all their files together
};

struct MetricsConfig {
    bool enable = true;
    std::vector<std::string> allowed_from;  // addresses and networks, checked
};

// Beyond these an instance is not well.
struct HealthConfig {
    std::int64_t memory_bytes_max = 0;
    std::int64_t disk_percent_max = 0;
};

struct S3Config {
    std::string access_key;
    std::string secret;
    std::string region;
    std::string private_bucket;
    std::string public_bucket;
    std::string public_url;  // where everybody reads the public bucket; empty: at the bucket itself
    int attempts_max = 0;    // of one call
    milliseconds timeout{};  // of one call, all its attempts together
};

struct StorageConfig {
    std::string url;             // file:FOLDER, or s3://…, which holds no secret
    seconds presign_lifetime{};  // of addresses to read or write one private object
    S3Config s3;                 // where the url is one of S3
};

struct TermPolicyConfig {
    std::string upload_path;                 // of drafts, in the private area; without slashes at its ends
    std::string public_path;                 // of what is published, in the public area
    std::vector<PolicyType> withdrawable{};  // what users may take back
};

struct SentryConfig {
    std::string dsn;  // checked; empty: no error tracking
    milliseconds timeout{};
};

struct Config {
    AppConfig app;
    HttpConfig http;
    ThrottleConfig throttle;
    VersioningConfig versioning;
    DataConfig data;
    DatabaseConfig database;
    CacheConfig cache;
    JwtConfig jwt;
    TwoFactorConfig two_factor;
    PasswordConfig password;
    SessionConfig session;
    AccountConfig account;
    MailConfig mail;
    SocialConfig social;
    StorageConfig storage;
    TermPolicyConfig term_policy;
    EncryptionConfig encryption;
    ApiKeyConfig api_key;
    FeatureFlagConfig feature_flag;
    ActivityConfig activity;
    LoggerConfig logger;
    SecurityEventsConfig security_events;
    SentryConfig sentry;
    MetricsConfig metrics;
    HealthConfig health;
};

// Names a setting and says what is allowed; never repeats a value, which may be a secret in the wrong place (OPS-2).
struct ConfigProblem {
    std::string setting;
    std::string text;
};

// All problems at once, so that one start is enough to learn of them.
std::expected<Config, std::vector<ConfigProblem>> read_config(const Environment& environment);

// Allowed, and yet worth a line in the log at start. `environment` is what the configuration was read from: variables
// in it that only resemble a setting have no effect, and are named.
std::vector<ConfigProblem> warnings(const Config& config, const Environment& environment = {});

// Every setting as NAME=value with where the value came from; secrets as ***. `from_file` has the names whose value
// the .env file gave. Works on settings that read_config refuses, too.
std::string print_config(const Environment& environment, const std::set<std::string>& from_file = {});

}  // namespace consentry
