// The address at which errors are reported: https://PUBLIC_KEY@HOST/PROJECT, as Sentry and all that speak its protocol
// hand it out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace consentry {

struct SentryDsn {
    std::string envelope_url;  // https://HOST/api/PROJECT/envelope/
    std::string public_key;
};

// nullopt: not in that form. A secret part of the key, which old addresses have, is left out.
std::optional<SentryDsn> parse_sentry_dsn(std::string_view text);

}  // namespace consentry
