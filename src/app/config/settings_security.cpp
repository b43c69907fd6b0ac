// Settings of what the service exists for: tokens, second factor, passwords, sessions.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"

namespace consentry {
namespace {

using namespace std::chrono_literals;
using namespace setting_types;

constexpr std::string_view keys_group = "Tokens";

// Issuer and label are joined by a colon in the address that authenticator apps read.
bool is_otpauth_name(std::string_view value) {
    const auto length = code_points(value);
    return length && *length <= 100 && !trim(value).empty() && !value.contains(':') &&
           std::ranges::none_of(value, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; });
}
constexpr std::string_view otpauth_name = "1 to 100 characters of text without a colon";

bool is_token_claim(std::string_view value) {
    return !value.empty() && value.size() <= 200 &&
           std::ranges::all_of(value, [](char c) { return c > ' ' && c <= '~'; });
}
bool is_http_address(std::string_view value) { return parse_public_url(value).has_value(); }
constexpr std::string_view carrier_reason = "proxies, caches and logs treat that header as a secret, and no other";
constexpr std::string_view key_id_allowed = "1 to 200 printable ASCII characters without blanks and commas";
constexpr std::string_view public_keys_allowed =
    "one or more keys between commas, each base64 of SPKI DER or PEM, or KID= and such a key";
// A comma would end it in the list of former keys.
bool is_key_id(std::string_view value) { return is_token_claim(value) && !value.contains(','); }
bool is_name(std::string_view value) { return is_token_claim(value) || !trim(value).empty(); }
bool is_set(std::string_view value) { return !trim(value).empty(); }

SettingType as_secret(SettingType type) {
    type.secret = true;
    return type;
}

std::expected<std::vector<NamedKey>, std::string> read_public_keys(std::string_view value) {
    const auto refusal = [] { return std::unexpected("must be " + std::string(public_keys_allowed)); };
    const auto entries = parse_list(value);
    if (!entries) return refusal();
    std::vector<NamedKey> keys;
    for (const std::string& entry : *entries) {
        auto key = parse_named_key(entry);
        if (!key || (!key->kid.empty() && !is_key_id(key->kid))) return refusal();
        keys.push_back(std::move(*key));
    }
    return keys;
}

template <auto Kind>
std::vector<SettingSpec> settings_of_kind(std::string_view algorithm_name, std::string_view algorithm_default,
                                          std::string_view key_id_name, std::string_view private_key_name,
                                          std::string_view public_key_name, std::string_view lifetime_name,
                                          std::string_view lifetime_default, milliseconds lifetime_max,
                                          std::string_view lifetime_description) {
    return {
        {.name = algorithm_name,
         .group = keys_group,
         .type = one_of<&Config::jwt, Kind, &TokenConfig::algorithm>(
             {{"ES256", "ES256"}, {"ES384", "ES384"}, {"ES512", "ES512"}, {"EdDSA", "EdDSA"}}),
         .default_text = algorithm_default,
         .description =
             "How these tokens are signed. The key must be of the fitting kind: P-256, P-384, P-521 or Ed25519."},
        {.name = key_id_name,
         .group = keys_group,
         .type = text<&Config::jwt, Kind, &TokenConfig::key_id>(std::string(key_id_allowed), is_key_id),
         .default_text = "thumbprint of the key (RFC 7638)",
         .derived = true,
         .description = "The name of the key in the header of these tokens. A new key takes a new name.",
         .example = "2026-11"},
        {.name = private_key_name,
         .group = keys_group,
         .type = as_secret(
             text<&Config::jwt, Kind, &TokenConfig::private_key>("a key as base64 of PKCS#8 DER, or as PEM", is_set)),
         .default_text = "with APP_ENV=local made at the first start; else required",
         .derived = true,
         .description =
             "The key that signs these tokens: base64 of PKCS#8 DER, or PEM. `consentry keys generate` makes "
             "one. Whoever has it can be anybody."},
        {.name = public_key_name,
         .group = keys_group,
         .type = {.allowed = std::string(public_keys_allowed),
                  .read = [](std::string_view value, Config& config) -> Read {
                      auto keys = read_public_keys(value);
                      if (!keys) return std::unexpected(keys.error());
                      (config.jwt.*Kind).public_keys = std::move(*keys);
                      return {};
                  },
                  .show = [](const Config&) { return std::string(); }},
         .default_text = "none but the private key's own",
         .derived = true,
         .description =
             "More keys that verify these tokens, separated by commas: base64 of SPKI DER, or PEM. After a change of "
             "the private key, list the former one's public half here until the last token signed with it has ended. "
             "If its tokens name it by a `…_KID` of yours, put that name and an equals sign before the key; without "
             "one, its name is its thumbprint.",
         .example = "2026-05=MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE…"},
        {.name = lifetime_name,
         .group = keys_group,
         .type = duration<&Config::jwt, Kind, &TokenConfig::lifetime>(1s, lifetime_max),
         .default_text = lifetime_default,
         .description = lifetime_description},
    };
}

}  // namespace

std::vector<SettingSpec> token_settings() {
    std::vector<SettingSpec> all{
        {.name = "AUTH_JWT_ISSUER",
         .group = keys_group,
         .type = text<&Config::jwt, &JwtConfig::issuer>("1 to 200 printable ASCII characters without blanks",
                                                        is_token_claim),
         .default_text = "`PUBLIC_URL`, or `consentry` where that is empty",
         .derived = true,
         .description =
             "The `iss` claim of the tokens. Tokens of another issuer are refused, so a change ends what was "
             "issued before.",
         .example = "https://login.example.com"},
        {.name = "AUTH_JWT_AUDIENCE",
         .group = keys_group,
         .type = text<&Config::jwt, &JwtConfig::audience>("1 to 200 characters", is_name),
         .default_text = "`APP_NAME`",
         .derived = true,
         .description =
             "The `aud` claim of the tokens. Tokens for another audience are refused, so a change ends what was "
             "issued before.",
         .example = "my-shop"},
    };
    // The interface has settings for both; a header of one's own would be cached, logged and passed on like any other.
    const std::vector<SettingSpec> carriers{
        {.name = "AUTH_JWT_HEADER",
         .group = keys_group,
         .type = only("Authorization", carrier_reason),
         .default_text = "Authorization",
         .description =
             "The header that carries a token. Only `Authorization`: proxies, caches and logs treat that one "
             "as a secret, and no other."},
        {.name = "AUTH_JWT_PREFIX",
         .group = keys_group,
         .type = only("Bearer", "this is the scheme of RFC 6750"),
         .default_text = "Bearer",
         .description = "What stands before the token in that header. Only `Bearer`."}};
    all.insert(all.end(), carriers.begin(), carriers.end());
    const auto add = [&](std::vector<SettingSpec> more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    add(settings_of_kind<&JwtConfig::access>(
        "AUTH_JWT_ACCESS_TOKEN_ALGORITHM", "ES256", "AUTH_JWT_ACCESS_TOKEN_KID", "AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY",
        "AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", "AUTH_JWT_ACCESS_TOKEN_EXPIRED", "1h", 24h,
        "How long an access token is good. Revoked sessions end at once, whatever stands here."));
    add({{.name = "AUTH_JWT_ACCESS_TOKEN_JWKS_URI",
          .group = keys_group,
          .type = text<&Config::jwt, &JwtConfig::access_jwks_uri>("an http or https address", is_http_address),
          .default_text = "`/.well-known/jwks.json` at `PUBLIC_URL`",
          .derived = true,
          .description =
              "Where other services find the keys that verify access tokens. The service publishes them itself: an "
              "address that is not `/.well-known/jwks.json` below `PUBLIC_URL` (without one, below the host and port "
              "listened on) stops the start. It verifies with its own keys and fetches none.",
          .example = "https://login.example.com/.well-known/jwks.json"},
         {.name = "AUTH_JWT_REFRESH_TOKEN_JWKS_URI",
          .group = keys_group,
          .type =
              unsupported("the keys of refresh tokens are published nowhere, only the service verifies these tokens"),
          .default_text = "none",
          .derived = true,
          .description = "Known, so that a start with it names the reason: only the service itself verifies refresh "
                         "tokens, and publishes their keys nowhere."}});
    add(settings_of_kind<&JwtConfig::refresh>(
        "AUTH_JWT_REFRESH_TOKEN_ALGORITHM", "ES512", "AUTH_JWT_REFRESH_TOKEN_KID", "AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY",
        "AUTH_JWT_REFRESH_TOKEN_PUBLIC_KEY", "AUTH_JWT_REFRESH_TOKEN_EXPIRED", "30d", 24h * 30,
        "How long a login lasts at most. Refreshing does not extend it. Not shorter than the access token."));
    add({{.name = "AUTH_JWT_REFRESH_GRACE_IN_SECONDS",
          .group = keys_group,
          .type = whole_number<&Config::jwt, &JwtConfig::refresh_grace>(0, 60),
          .default_text = "10",
          .description = "How long a repeat of the refresh token just used gets the same new tokens again, for clients "
                         "that lost the answer. Later it counts as theft and ends the session."}});
    return all;
}

std::vector<SettingSpec> two_factor_settings() {
    constexpr std::string_view group = "Two-factor";
    return {
        {.name = "AUTH_TWO_FACTOR_ISSUER",
         .group = group,
         .type = text<&Config::two_factor, &TwoFactorConfig::issuer>(std::string(otpauth_name), is_otpauth_name),
         .default_text = "`APP_NAME`",
         .derived = true,
         .description = "Who issues the codes, as authenticator apps show it.",
         .example = "Example Shop"},
        {.name = "AUTH_TWO_FACTOR_LABEL",
         .group = group,
         .type = text<&Config::two_factor, &TwoFactorConfig::label>(std::string(otpauth_name), is_otpauth_name),
         .default_text = "`AUTH_TWO_FACTOR_ISSUER`",
         .derived = true,
         .description = "What stands before the e-mail address in the name of the entry in authenticator apps.",
         .example = "Example Shop"},
        {.name = "AUTH_TWO_FACTOR_ENCRYPTION_KEY",
         .group = group,
         .type = {.allowed = "one or more keys between commas, none of them empty",
                  .read = [](std::string_view value, Config& config) -> Read {
                      auto keys = parse_list(value);
                      if (!keys) return refused("one or more keys between commas, none of them empty");
                      config.two_factor.encryption_keys = std::move(*keys);
                      return {};
                  },
                  .show = [](const Config&) { return std::string(); },
                  .secret = true},
         .default_text = "with APP_ENV=local made at the first start; else required",
         .derived = true,
         .description =
             "What the secrets of authenticator apps are encrypted with: 32 characters or more, for instance "
             "the output of `openssl rand -base64 32`. To change it, put the new key before the old one with a "
             "comma between: the first encrypts, all decrypt. Without the key nobody's codes can be checked, so "
             "it belongs into a backup, apart from the database's."},
        {.name = "AUTH_TWO_FACTOR_REPLAY_PROTECTION",
         .group = group,
         .type = flag<&Config::two_factor, &TwoFactorConfig::replay_protection>(),
         .default_text = "true",
         .description = "Takes each code of an authenticator app once only, as RFC 6238 section 5.2 demands."},
    };
}

std::vector<SettingSpec> password_settings() {
    constexpr std::string_view group = "Passwords";
    return {
        {.name = "AUTH_PASSWORD_RULES",
         .group = group,
         .type = one_of<&Config::password, &PasswordConfig::by_length>({{"classes", false}, {"nist", true}}),
         .default_text = "classes",
         .description =
             "The form of new passwords. `classes`: 8 to 50 characters with an upper-case letter, a lower-case letter "
             "and a digit. `nist`: 12 to 128 characters of any kind, as NIST SP 800-63B-4 advises. Either way common "
             "passwords are refused. Existing passwords stay valid."},
        {.name = "AUTH_PASSWORD_ATTEMPT",
         .group = group,
         .type = flag<&Config::password, &PasswordConfig::attempt>(),
         .default_text = "true",
         .description = "Counts wrong passwords and locks the login for a while when they are too many."},
        {.name = "AUTH_PASSWORD_MAX_ATTEMPT",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::attempts_max>(1, 100),
         .default_text = "5",
         .description =
             "After how many wrong passwords in a row the login is locked. The lock grows with every further "
             "failure and ends by itself; a right password clears the count."},
        {.name = "AUTH_PASSWORD_SALT_LENGTH",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::salt_length>(16, 16),
         .default_text = "16",
         .description = "Random bytes of salt in each password hash. Only 16, as the library makes them."},
        {.name = "AUTH_PASSWORD_EXPIRED_IN_SECONDS",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::expired>(0, 315'360'000),
         .default_text = "0",
         .description =
             "After how long a password must be changed; 0 is never, which is the advice of NIST SP 800-63B."},
        {.name = "AUTH_PASSWORD_EXPIRED_TEMPORARY_IN_SECONDS",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::expired_temporary>(60, 2'592'000),
         .default_text = "259200",
         .description = "How long a temporary password given by an administrator is good (259200 is three days)."},
        {.name = "AUTH_PASSWORD_PERIOD_IN_SECONDS",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::reuse_period>(0, 315'360'000),
         .default_text = "7776000",
         .description = "For how long a former password may not be used again (7776000 is 90 days)."},
        {.name = "AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::argon2_memory_kib>(8'192, 1'048'576),
         .default_text = "19456",
         .description = "Memory for one password hash (Argon2id). In production not below 19456, the least that OWASP "
                        "advises. Existing hashes follow at the next login."},
        {.name = "AUTH_PASSWORD_ARGON2_PASSES",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::argon2_passes>(1, 16),
         .default_text = "2",
         .description = "How often one password hash goes over that memory. In production at least 2."},
        {.name = "AUTH_PASSWORD_ARGON2_LANES",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::argon2_lanes>(1, 1),
         .default_text = "1",
         .description = "Lanes of one password hash. Only 1: hashes run side by side on a thread each instead."},
        {.name = "AUTH_PASSWORD_HASH_THREADS",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::hash_threads>(0, 256),
         .default_text = "0",
         .description = "Threads that hash passwords, at the lowest priority; 0 is one per core."},
        {.name = "AUTH_PASSWORD_HASH_QUEUE_MAX",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::hash_queue_max>(1, 10'000),
         .default_text = "64",
         .description = "Logins that may wait for such a thread; more are asked to come again, with 503 and "
                        "`Retry-After`."},
    };
}

std::vector<SettingSpec> session_settings() {
    constexpr std::string_view group = "Sessions";
    return {
        {.name = "SESSION_CHECK",
         .group = group,
         .type = one_of<&Config::session, &SessionConfig::check>(
             {{"strict", SessionCheckMode::strict}, {"cache", SessionCheckMode::cache}}),
         .default_text = "strict",
         .description =
             "How a request's session is looked up. `strict` wants it in the cache and in the database, so "
             "that a session ended anywhere ends at once; `cache` believes a find in the cache, for a minute "
             "at most."},
        {.name = "SESSION_MAX_PER_USER",
         .group = group,
         .type = whole_number<&Config::session, &SessionConfig::per_user_max>(1, 1'000),
         .default_text = "10",
         .description = "Sessions one user may have at once; one more ends the oldest."},
        {.name = "SESSION_ADMIN_EXPIRED",
         .group = group,
         .type = duration<&Config::session, &SessionConfig::admin_lifetime>(1min, 24h * 30),
         .default_text = "24h",
         .description = "How long the session of an administrator lasts at most; no longer than a refresh token."},
        {.name = "SESSION_ADMIN_IDLE",
         .group = group,
         .type = duration<&Config::session, &SessionConfig::admin_idle>(1min, 24h * 30),
         .default_text = "1h",
         .description = "After how long without a request the session of an administrator ends."},
        {.name = "SESSION_KEY_PATTERN",
         .group = group,
         .type = text<&Config::session, &SessionConfig::key_pattern>(
             "printable ASCII with {userId} and {sessionId} once each", is_session_key_pattern),
         .default_text = "User:{userId}:Session:{sessionId}",
         .description = "The key of a session in the cache."},
    };
}

}  // namespace consentry
