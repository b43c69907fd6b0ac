// Settings of the consent log.
#include <algorithm>

#include <fmt/format.h>

#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"
#include "base/host_port.hpp"
#include "tlog/note_keys.hpp"

namespace consentry {

using namespace setting_types;

namespace {

// Leaves room for what the origin of a log adds: configured origin + administration_log_suffix.
constexpr std::size_t configured_origin_bytes_max = 200;

bool is_origin(std::string_view text) {
    return text.size() <= configured_origin_bytes_max && tlog::is_key_name(text) && !text.contains("://") &&
           !text.ends_with('/');
}

bool is_http_url(std::string_view text) {
    if (text.empty()) return true;
    const bool is_clean = std::ranges::all_of(text, is_visible) && !text.contains('@') && has_possible_port(text);
    return is_clean && (text.starts_with("http://") || text.starts_with("https://")) && !text.ends_with("://");
}

bool is_key(std::string_view text) { return !trim(text).empty(); }

}  // namespace

std::vector<SettingSpec> consent_log_settings() {
    constexpr std::string_view group = "Consent log";
    return {
        {.name = "CONSENT_LOG_ENABLE",
         .group = group,
         .type = flag<&Config::consent_log, &ConsentLogConfig::enable>(),
         .default_text = "true",
         .description = "Whether acceptances and withdrawals are recorded in a public log without personal data, and "
                        "users get signed receipts. If this is unset and there is no key, the log is off."},
        {.name = "CONSENT_LOG_ORIGIN",
         .group = group,
         .type = text<&Config::consent_log, &ConsentLogConfig::origin>(
             fmt::format("a URL without scheme and without a slash at its end, of at most {} characters",
                         configured_origin_bytes_max),
             is_origin),
         .default_text = "`PUBLIC_URL` without its scheme",
         .derived = true,
         .description = "The name by which verifiers know the log; the log of acceptances is "
                        "`<this>/consent`. A log keeps its first name.",
         .example = "login.example.com"},
        {.name = "CONSENT_LOG_PRIVATE_KEY",
         .group = group,
         .type = as_secret(text<&Config::consent_log, &ConsentLogConfig::private_key>(
             "an Ed25519 key as base64 of PKCS#8 DER, as PEM, or as the content of `keys/consent-log.key`", is_key)),
         .default_text = "with `APP_ENV=local` generated at the first start; otherwise none",
         .derived = true,
         .description = "The private key that signs the log. `consentry keys generate` creates one. Keep a copy, and "
                        "never replace it: a log has one key. The key of a log that began with `APP_ENV=local` is "
                        "the content of `DATA_DIR/keys/consent-log.key`."},
        {.name = "CONSENT_LOG_WITNESSES",
         .group = group,
         .type = text<&Config::consent_log, &ConsentLogConfig::witnesses>(
             "empty, or a file path", [](std::string_view path) { return !path.contains('\0'); }),
         .default_text = "",
         .description = "A policy file (C2SP tlog-policy) that names the witnesses of the log, each with its URL, and "
                        "the quorum. Each new checkpoint is sent to them, and their cosignatures are published with "
                        "it. A `log` line, if there is one, must contain the key of this log.",
         .example = "/etc/consentry/witnesses.txt"},
        {.name = "CONSENT_LOG_TIMESTAMP_URL",
         .group = group,
         .type = text<&Config::consent_log, &ConsentLogConfig::timestamp_url>(
             "empty, or an http or https URL without credentials", is_http_url),
         .default_text = "",
         .description =
             "The URL of a timestamp authority (RFC 3161). Once an hour, if the log has grown, it stamps the "
             "checkpoint. The stamps are public at `/consent-log/timestamps/<size>.tsr`.",
         .example = "https://timestamp.example.com"},
        {.name = "CONSENT_LOG_CA_FILE",
         .group = group,
         .type = text<&Config::consent_log, &ConsentLogConfig::ca_file>(
             "empty, or a file path", [](std::string_view path) { return !path.contains('\0'); }),
         .default_text = "",
         .description = "A PEM file of CA certificates to trust for witnesses and the timestamp authority, instead of "
                        "the system's.",
         .example = "/etc/consentry/log-ca.pem"},
    };
}

}  // namespace consentry
