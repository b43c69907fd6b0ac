// The operator's configuration, read once at start (read_config.hpp) and constant from then on.
//
// A setting is an environment variable; settings.hpp has the single table that reads, documents and prints them. The
// structures below hold plain values in the units of their types. Only this folder reads settings from the environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/values.hpp"
#include "base/clock.hpp"
#include "base/locales.hpp"
#include "base/log.hpp"
#include "features/users/consent.hpp"
#include "pages/colors.hpp"

namespace consentry {

enum class AppEnvironment { local, development, staging, production };
std::string_view text_of(AppEnvironment environment);

struct AppConfig {
    std::string name;
    AppEnvironment environment = AppEnvironment::local;
    std::string timezone;  // IANA name; for display and for the days of API keys; everything else uses UTC
    Language language = Language::en;
    std::vector<Language> languages;  // of responses; includes `language`
    std::string public_url;           // without trailing slash; empty: the host and port of the listener
    bool documentation = true;
};

struct HttpConfig {
    std::string host;
    std::uint16_t port = 0;     // 0: any free port
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

struct PagesConfig {
    bool enable = false;
    std::filesystem::path directory;  // of templates that replace ours; empty: none
    std::string name;                 // empty: the application's
    std::filesystem::path logo;       // empty: none
    PageColors colors;
    std::vector<std::string> return_hosts;  // checked
    std::string cookie_domain;              // shared by guarded hosts; empty: none
};

struct ThrottleConfig {
    std::int64_t limit = 0;  // 0: no limit
    milliseconds window{};
};

struct VersioningConfig {
    bool enable = true;
    std::string prefix;  // "v"
    int version = 1;
};

struct DataConfig {
    std::filesystem::path directory;  // root of all the service's files, unless another setting says otherwise
};

struct DatabaseConfig {
    std::filesystem::path file;  // of SQLite; used if url is empty
    std::string url;             // postgresql://…, validated; contains a password
    int connections_per_thread = 0;
    milliseconds timeout{};
    bool prepared_statements = true;
};

struct CacheConfig {
    std::string url;            // redis://… and variants, validated; contains a password. Empty: in-process cache
    std::size_t bytes_max = 0;  // of the in-process cache
    std::string name_space;     // of keys
    milliseconds ttl{};         // of cache entries without a setting of their own
    milliseconds timeout{};
};

struct TokenConfig {
    std::string algorithm;              // ES256, ES384, ES512 or EdDSA
    std::string key_id;                 // empty: derived from the key
    std::string private_key;            // base64 of PKCS#8 DER, or PEM; empty (local only): generated
    std::vector<NamedKey> public_keys;  // previous keys that still verify
    seconds lifetime{};
};

struct JwtConfig {
    std::string issuer;
    std::string audience;
    TokenConfig access;
    TokenConfig refresh;
    std::string access_jwks_uri;  // URL of the access keys for other services: this service's own, validated; or empty
    seconds refresh_grace{};      // during which a repeated refresh returns the same successor
};

struct TwoFactorConfig {
    std::string issuer;
    std::string label;
    std::vector<std::string> encryption_keys;  // the first one encrypts; empty (local only): generated
    bool replay_protection = true;
    std::chrono::hours setup_expired{};
};

struct PasswordConfig {
    bool by_length = false;  // rule for new passwords: length alone instead of character classes
    bool attempt = true;     // failed attempts are counted and lock
    int attempts_max = 0;
    std::size_t salt_length = 0;  // bytes
    seconds expired{};            // zero: never
    seconds expired_temporary{};
    seconds reuse_period{};  // zero: only the current password is barred
    bool own_argon2 = true;  // otherwise libsodium's
    std::size_t argon2_memory_kib = 0;
    std::size_t argon2_passes = 0;
    std::size_t argon2_lanes = 1;
    std::size_t hash_threads = 0;  // 0: one per core
    std::size_t hash_queue_max = 0;
};

// Links that verify ownership of an email address.
struct LinkConfig {
    std::chrono::minutes expired{};
    std::chrono::minutes resend{};  // minimum interval between two mails to one address
    std::size_t token_length = 0;
    std::string link_base_url;  // without trailing slash
    std::string reference_prefix;
    std::size_t reference_length = 0;
};

struct AccountConfig {
    std::string username_prefix;
    std::chrono::days erase_after{};  // for personal data of deleted accounts
    LinkConfig verification;
    LinkConfig forgot_password;
    std::int64_t link_requests_per_client_max = 0;  // in ten minutes, of both kinds together; 0: no limit
};

struct MailConfig {
    std::string url;  // file:FOLDER, smtp://... or smtps://..., validated; contains a password. Empty: DATA_DIR/mail
    std::string ca_file;
    std::string no_reply;  // addresses, validated
    std::string support;   // empty: none
    std::string admin;
    std::size_t batch_size = 0;
    std::string home_name;  // name of the site on whose behalf mails are sent
    std::string home_url;   // without trailing slash
};

struct SocialProviderConfig {
    std::vector<std::string> client_ids;  // empty: login with this provider is disabled
    std::string web_client_id;            // one of them, for the button on the pages; empty: there is none
    std::string issuer;
    std::string jwks_uri;
    std::string authorization_url;
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
    seconds cookie_idle{};
    std::string key_pattern;  // template of cache keys, with {userId} and {sessionId}
};

struct EncryptionConfig {
    std::vector<std::string> secrets;  // the first one seals; empty (local only): generated
};

struct ApiKeyConfig {
    bool required = false;  // for every endpoint that takes keys of type default
    std::string cache_prefix;
};

struct FeatureFlagConfig {
    std::string cache_prefix;
    milliseconds cache_ttl{};  // zero: no caching
};

struct ActivityConfig {
    std::chrono::days retention{};  // zero: forever
};

struct LoggerConfig {
    bool enable = false;
    LogLevel level = LogLevel::debug;
    bool into_file = false;
    bool prettier = false;
    bool automatic = false;  // log every request, not only failures
};

struct SecurityEventsConfig {
    std::size_t bytes_max = 0;  // of all its files together
};

struct MetricsConfig {
    bool enable = true;
    std::vector<std::string> allowed_from;  // addresses and networks, checked
};

// Limits above which an instance reports itself as unhealthy.
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
    std::string public_url;  // public URL of the public bucket; empty: the bucket's own
    int attempts_max = 0;    // per call
    milliseconds timeout{};  // per call, all attempts together
};

struct StorageConfig {
    std::string url;             // file:FOLDER, or s3://…; contains no secret
    seconds presign_lifetime{};  // of presigned URLs to read or write one private object
    S3Config s3;                 // used if url is an s3:// URL
};

struct TermPolicyConfig {
    std::string upload_path;                 // of drafts, in the private area; without leading and trailing slashes
    std::string public_path;                 // of published texts, in the public area
    std::vector<PolicyType> withdrawable{};  // policies whose acceptance users may withdraw
};

struct ConsentLogConfig {
    bool enable = true;
    std::string origin;            // of the installation, a URL without scheme
    bool origin_is_given = false;  // by a setting, not derived from the service's URL
    std::string private_key;       // Ed25519: PEM, base64 of PKCS#8 DER, or base64url of the seed
    std::string witnesses;         // path of a policy file; empty: none
    std::string timestamp_url;     // of an RFC 3161 authority; empty: none
    std::string ca_file;           // for both, trusted instead of the system's certificates; empty: those
};

// Who is responsible for personal data; empty: not set.
struct ConsentControllerConfig {
    std::string name;
    std::string email;
    std::string address;
    std::string url;
    std::string dpo;  // email address of the data protection officer
};

struct SentryConfig {
    std::string dsn;  // validated; empty: no error tracking
    milliseconds timeout{};
};

struct Config {
    AppConfig app;
    HttpConfig http;
    PagesConfig pages;
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
    ConsentLogConfig consent_log;
    ConsentControllerConfig consent_controller;
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

// Names a setting and states what is allowed. Never repeats the value, which may be a misplaced secret (OPS-2).
struct ConfigProblem {
    std::string setting;
    std::string text;
};

}  // namespace consentry
