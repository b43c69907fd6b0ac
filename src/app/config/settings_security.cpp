// Security settings: tokens, second factor, passwords, sessions.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"
#include "base/text_rules.hpp"

namespace consentry {
namespace {

using namespace std::chrono_literals;
using namespace setting_types;

constexpr std::string_view keys_group = "Tokens";

// Issuer and label are joined by a colon in the otpauth URL, so they must not contain one.
bool is_otpauth_name(std::string_view value) {
    const auto length = code_points(value);
    return length && *length <= 100 && !trim(value).empty() && !value.contains(':') &&
           std::ranges::none_of(value, is_control);
}
constexpr std::string_view otpauth_name = "1 to 100 characters on one line, without a colon";

bool is_token_claim(std::string_view value) {
    return !value.empty() && value.size() <= 200 && std::ranges::all_of(value, is_visible);
}
bool is_http_address(std::string_view value) { return parse_public_url(value).has_value(); }
constexpr std::string_view carrier_reason = "proxies, caches and logs treat no other header as a secret";
constexpr std::string_view key_id_allowed = "1 to 200 printable ASCII characters without spaces or commas";
constexpr std::string_view public_keys_allowed =
    "one or more keys as base64 of SPKI DER or as PEM, each optionally with KID= before it, separated by commas";
// A comma would split the id in the list of previous keys.
bool is_key_id(std::string_view value) { return is_token_claim(value) && !value.contains(','); }
bool is_name(std::string_view value) { return !trim(value).empty() && is_at_most(value, 200); }
bool is_set(std::string_view value) { return !trim(value).empty(); }

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
         .description = "The signature algorithm of new tokens. It requires a private key on the matching curve: "
                        "P-256, P-384, P-521 or Ed25519. Tokens of another algorithm stay valid as long as their key "
                        "is accepted."},
        {.name = key_id_name,
         .group = keys_group,
         .type = text<&Config::jwt, Kind, &TokenConfig::key_id>(std::string(key_id_allowed), is_key_id),
         .default_text = "the key's thumbprint (RFC 7638)",
         .derived = true,
         .description = "The key ID in the header of these tokens. Give every new key a new ID.",
         .example = "2026-11"},
        {.name = private_key_name,
         .group = keys_group,
         .type = as_secret(
             text<&Config::jwt, Kind, &TokenConfig::private_key>("a key as base64 of PKCS#8 DER, or as PEM", is_set)),
         .default_text = "with `APP_ENV=local` generated at the first start; otherwise required",
         .derived = true,
         .description = "The private key that signs these tokens. `consentry keys generate` creates one. Anyone who "
                        "has it can impersonate every user."},
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
         .default_text = "none besides the public half of the private key",
         .derived = true,
         .description =
             "Additional public keys that verify these tokens. After you change the private key, list the public half "
             "of the former one here until the last token signed with it has expired. With several instances, first "
             "add the public half of the new key to the settings of every instance, so that each accepts the tokens of "
             "the others. The keys may be of any of the algorithms. If a key has an ID of its own (`…_KID`), put that "
             "key ID and an equals sign before the key; otherwise its thumbprint is its key ID.",
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
         .type = text<&Config::jwt, &JwtConfig::issuer>("1 to 200 printable ASCII characters without spaces",
                                                        is_token_claim),
         .default_text = "`PUBLIC_URL`, or `consentry` if that is empty",
         .derived = true,
         .description = "The `iss` claim of the tokens. The service refuses tokens of another issuer, so a change "
                        "invalidates all tokens issued before.",
         .example = "https://login.example.com"},
        {.name = "AUTH_JWT_AUDIENCE",
         .group = keys_group,
         .type = text<&Config::jwt, &JwtConfig::audience>("1 to 200 characters", is_name),
         .default_text = "`APP_NAME`",
         .derived = true,
         .description = "The `aud` claim of the tokens. The service refuses tokens for another audience, so a change "
                        "invalidates all tokens issued before.",
         .example = "my-shop"},
    };
    // The interface has settings for both, but they are fixed here: a custom header would be cached, logged and
    // forwarded like any other.
    const std::vector<SettingSpec> carriers{
        {.name = "AUTH_JWT_HEADER",
         .group = keys_group,
         .type = only("Authorization", carrier_reason),
         .default_text = "Authorization",
         .description = "The header that carries the token. Only `Authorization` is supported, because proxies, caches "
                        "and logs treat no other header as a secret."},
        {.name = "AUTH_JWT_PREFIX",
         .group = keys_group,
         .type = only("Bearer", "RFC 6750 defines this scheme"),
         .default_text = "Bearer",
         .description = "The scheme before the token in that header. Only `Bearer` is supported."}};
    all.insert(all.end(), carriers.begin(), carriers.end());
    const auto add = [&](std::vector<SettingSpec> more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    add(settings_of_kind<&JwtConfig::access>(
        "AUTH_JWT_ACCESS_TOKEN_ALGORITHM", "ES256", "AUTH_JWT_ACCESS_TOKEN_KID", "AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY",
        "AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", "AUTH_JWT_ACCESS_TOKEN_EXPIRED", "1h", 24h,
        "The lifetime of an access token. A revoked session ends at once regardless of this setting."));
    add({{.name = "AUTH_JWT_ACCESS_TOKEN_JWKS_URI",
          .group = keys_group,
          .type = text<&Config::jwt, &JwtConfig::access_jwks_uri>("an http or https URL", is_http_address),
          .default_text = "`/.well-known/jwks.json` under `PUBLIC_URL`",
          .derived = true,
          .description =
              "Where other services find the public keys of access tokens. Consentry publishes these keys itself: any "
              "value other than `/.well-known/jwks.json` under `PUBLIC_URL` (or, without `PUBLIC_URL`, under the host "
              "and port it listens on) prevents the service from starting. Consentry verifies tokens with its own keys "
              "and fetches none.",
          .example = "https://login.example.com/.well-known/jwks.json"},
         {.name = "AUTH_JWT_REFRESH_TOKEN_JWKS_URI",
          .group = keys_group,
          .type =
              unsupported("the keys of refresh tokens are not published, as only the service verifies these tokens"),
          .default_text = "none",
          .derived = true,
          .description = "Not supported. Only Consentry verifies refresh tokens, so it does not publish their keys. If "
                         "you set this, the service refuses to start and says why."}});
    add(settings_of_kind<&JwtConfig::refresh>("AUTH_JWT_REFRESH_TOKEN_ALGORITHM", "ES512", "AUTH_JWT_REFRESH_TOKEN_KID",
                                              "AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", "AUTH_JWT_REFRESH_TOKEN_PUBLIC_KEY",
                                              "AUTH_JWT_REFRESH_TOKEN_EXPIRED", "30d", 24h * 30,
                                              "The maximum lifetime of a login; refreshing does not extend it. Must "
                                              "not be shorter than the lifetime of access tokens."));
    add({{.name = "AUTH_JWT_REFRESH_GRACE_IN_SECONDS",
          .group = keys_group,
          .type = whole_number<&Config::jwt, &JwtConfig::refresh_grace>(0, 60),
          .default_text = "10",
          .description =
              "How long a client can repeat the refresh token that it has just used and get the same new tokens "
              "again, in case it lost the response. A later repeat counts as theft and ends the session. If you set "
              "less than the default, tell the TypeScript client with its option `refreshGrace`, or its repeats come "
              "too late."}});
    return all;
}

std::vector<SettingSpec> two_factor_settings() {
    constexpr std::string_view group = "Two-factor authentication";
    return {
        {.name = "AUTH_TWO_FACTOR_ISSUER",
         .group = group,
         .type = text<&Config::two_factor, &TwoFactorConfig::issuer>(std::string(otpauth_name), is_otpauth_name),
         .default_text = "`APP_NAME`",
         .derived = true,
         .description = "The issuer name that authenticator apps show.",
         .example = "Example Shop"},
        {.name = "AUTH_TWO_FACTOR_LABEL",
         .group = group,
         .type = text<&Config::two_factor, &TwoFactorConfig::label>(std::string(otpauth_name), is_otpauth_name),
         .default_text = "`AUTH_TWO_FACTOR_ISSUER`",
         .derived = true,
         .description = "The text before the email address in the name of the entry in authenticator apps.",
         .example = "Example Shop"},
        {.name = "AUTH_TWO_FACTOR_ENCRYPTION_KEY",
         .group = group,
         .type = {.allowed = "one or more keys, none of them empty, separated by commas",
                  .read = [](std::string_view value, Config& config) -> Read {
                      auto keys = parse_list(value);
                      if (!keys) return refused("one or more keys, none of them empty, separated by commas");
                      config.two_factor.encryption_keys = std::move(*keys);
                      return {};
                  },
                  .show = [](const Config&) { return std::string(); },
                  .secret = true},
         .default_text = "with `APP_ENV=local` generated at the first start; otherwise required",
         .derived = true,
         .description = "Encrypts the secrets of authenticator apps. Use 32 characters or more, for example the output "
                        "of `openssl rand -base64 32`. To rotate it, put the new key before the old one, separated by "
                        "a comma: the service encrypts with the first key and decrypts with any of them. Keep the old "
                        "one while `consentry doctor` counts accounts that need it; backup codes created under it stop "
                        "working without it. Without any key no code can be verified, so back it up, separately from "
                        "the database."},
        {.name = "AUTH_TWO_FACTOR_REPLAY_PROTECTION",
         .group = group,
         .type = flag<&Config::two_factor, &TwoFactorConfig::replay_protection>(),
         .default_text = "true",
         .description = "Accepts each authenticator code only once, as RFC 6238 section 5.2 requires."},
        {.name = "AUTH_TWO_FACTOR_SETUP_EXPIRED_IN_HOURS",
         .group = group,
         .type = whole_number<&Config::two_factor, &TwoFactorConfig::setup_expired>(1, 8760),
         .default_text = "168",
         .description = "How long the owner of an account can log in to set up two-factor authentication again after "
                        "an administrator has reset it (168 is seven days). In this time, the password alone is "
                        "enough, for a stranger too. After that, logins are refused until another reset, or until the "
                        "owner resets the password with a mailed link."},
    };
}

std::vector<SettingSpec> password_settings() {
    constexpr std::string_view group = "Passwords";
    return {
        {.name = "AUTH_PASSWORD_RULES",
         .group = group,
         .type = one_of<&Config::password, &PasswordConfig::by_length>({{"classes", false}, {"nist", true}}),
         .default_text = "classes",
         .description = "The rules for new passwords. `classes`: 8 to 50 characters with an uppercase letter, a "
                        "lowercase letter and a digit. `nist`: 12 to 128 characters of any kind, as NIST SP 800-63B-4 "
                        "recommends. Both refuse common passwords, and passwords that contain the name of the service, "
                        "the address of the account, or the part before its @ (names of fewer than four characters do "
                        "not count). Existing passwords remain valid."},
        {.name = "AUTH_PASSWORD_ATTEMPT",
         .group = group,
         .type = flag<&Config::password, &PasswordConfig::attempt>(),
         .default_text = "true",
         .description = "Counts wrong passwords and temporarily locks the login after too many."},
        {.name = "AUTH_PASSWORD_MAX_ATTEMPT",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::attempts_max>(1, 100),
         .default_text = "5",
         .description = "The number of consecutive wrong passwords that locks the login. Each further failure "
                        "lengthens the lock, which expires by itself. A correct password resets the count."},
        {.name = "AUTH_PASSWORD_SALT_LENGTH",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::salt_length>(16, 16),
         .default_text = "16",
         .description = "The length of the random salt in each password hash, in bytes. Only 16 is supported."},
        {.name = "AUTH_PASSWORD_EXPIRED_IN_SECONDS",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::expired>(0, 315'360'000),
         .default_text = "0",
         .description = "The age at which a password must be changed. 0 means never, as NIST SP 800-63B recommends."},
        {.name = "AUTH_PASSWORD_EXPIRED_TEMPORARY_IN_SECONDS",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::expired_temporary>(60, 2'592'000),
         .default_text = "259200",
         .description = "How long a temporary password from an administrator is valid (259200 is three days)."},
        {.name = "AUTH_PASSWORD_PERIOD_IN_SECONDS",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::reuse_period>(0, 315'360'000),
         .default_text = "7776000",
         .description = "How long a former password cannot be reused (7776000 is 90 days). If an account has had "
                        "more than 100 passwords in this time, only the newest 100 count."},
        {.name = "AUTH_PASSWORD_ENGINE",
         .group = group,
         .type = one_of<&Config::password, &PasswordConfig::own_argon2>({{"builtin", true}, {"libsodium", false}}),
         .default_text = "builtin",
         .description =
             "The code that computes Argon2 hashes. Both give the same hashes; `builtin` uses AVX-512 or AVX2 and is "
             "faster. If it fails its test at the start, `libsodium` replaces it, with a warning."},
        {.name = "AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::argon2_memory_kib>(8'192, 1'048'576),
         .default_text = "19456",
         .description = "The memory of one Argon2id password hash, in KiB. `production` requires at least 19456, "
                        "OWASP's minimum. Each existing hash is upgraded at the user's next login."},
        {.name = "AUTH_PASSWORD_ARGON2_PASSES",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::argon2_passes>(1, 16),
         .default_text = "2",
         .description = "The number of passes over that memory. `production` requires at least 2."},
        {.name = "AUTH_PASSWORD_ARGON2_LANES",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::argon2_lanes>(1, 1),
         .default_text = "1",
         .description = "The number of lanes of one password hash. Only 1 is supported: each hash runs on its own "
                        "thread, several in parallel."},
        {.name = "AUTH_PASSWORD_HASH_THREADS",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::hash_threads>(0, 256),
         .default_text = "0",
         .description =
             "The number of threads that hash passwords, at the lowest priority. 0 means one per core. Another "
             "thread serves client networks that find all of these busy with others."},
        {.name = "AUTH_PASSWORD_HASH_QUEUE_MAX",
         .group = group,
         .type = whole_number<&Config::password, &PasswordConfig::hash_queue_max>(1, 10'000),
         .default_text = "64",
         .description =
             "The maximum number of logins that wait for such a thread. Further logins get 503 with `Retry-After`."},
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
             "How the service checks the session of a request. With `strict`, the database decides on every request, "
             "so a session ended anywhere ends at once. `cache` trusts a cached session for up to a minute."},
        {.name = "SESSION_MAX_PER_USER",
         .group = group,
         .type = whole_number<&Config::session, &SessionConfig::per_user_max>(1, 1'000),
         .default_text = "10",
         .description =
             "The maximum number of concurrent sessions per user. A further login ends the oldest session. For "
             "administrators, sessions that are past their time limits go first."},
        {.name = "SESSION_ADMIN_EXPIRED",
         .group = group,
         .type = duration<&Config::session, &SessionConfig::admin_lifetime>(1min, 24h * 30),
         .default_text = "24h",
         .description = "The maximum lifetime of an administrator's session. The lifetime of the refresh token limits "
                        "it as well."},
        {.name = "SESSION_ADMIN_IDLE",
         .group = group,
         .type = duration<&Config::session, &SessionConfig::admin_idle>(1min, 24h * 30),
         .default_text = "1h",
         .description = "How long an administrator's session may go without a request before it ends."},
        {.name = "SESSION_COOKIE_IDLE",
         .group = group,
         .type = duration<&Config::session, &SessionConfig::cookie_idle>(5min, 24h * 365),
         .default_text = "7d",
         .description = "How long a session of the pages may go without a request before it ends. The lifetime of the "
                        "refresh token limits the whole session."},
        {.name = "SESSION_KEY_PATTERN",
         .group = group,
         .type = text<&Config::session, &SessionConfig::key_pattern>(
             "printable ASCII with {userId} and {sessionId} exactly once each", is_session_key_pattern),
         .default_text = "User:{userId}:Session:{sessionId}",
         .description = "The cache key of a session."},
    };
}

}  // namespace consentry
