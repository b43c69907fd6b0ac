// The DSN for error reports: https://PUBLIC_KEY@HOST/PROJECT, as issued by Sentry and services compatible with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace consentry {

struct SentryDsn {
    std::string envelope_url;  // https://HOST/api/PROJECT/envelope/
    std::string public_key;
};

// Returns nullopt if malformed. Drops the secret part of the key, which old DSNs have.
std::optional<SentryDsn> parse_sentry_dsn(std::string_view text);

}  // namespace consentry
