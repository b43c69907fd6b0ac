#include "app/two_factor_keys.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "base/bytes.hpp"
#include "features/two_factor/secrets.hpp"

namespace consentry {

std::string accounts_with_another_key(const Config& config, std::optional<std::size_t> count) {
    std::vector<std::string> ids;
    for (const Bytes& id : TwoFactorSecrets(config.two_factor.encryption_keys).key_ids())
        ids.push_back("'" + to_hex(id) + "'");
    ids.resize(std::min(ids.size(), count.value_or(ids.size())));
    // A sealed secret begins with the id of its key. The two engines have no literal for bytes in common.
    const char* id =
        config.database.url.empty() ? "lower(hex(substr(secret, 1, 4)))" : "encode(substr(secret, 1, 4), 'hex')";
    return fmt::format(
        "SELECT CAST(count(*) AS TEXT) FROM two_factors WHERE enabled = TRUE AND required_setup = FALSE "
        "AND secret IS NOT NULL AND {} NOT IN ({})",
        id, fmt::join(ids, ", "));
}

std::string text_of_missing_key(std::int64_t accounts) {
    return fmt::format("{} {} cannot log in: the key that encrypts the secret is missing", accounts,
                       accounts == 1 ? "account" : "accounts");
}

std::string missing_two_factor_key(const Config& given) {
    const Config config = with_passing_secrets(given);
    const auto count = text_in_database(config, "two_factors", accounts_with_another_key(config).c_str());
    return !count || *count == "0" ? "" : text_of_missing_key(std::stoll(*count));
}

}  // namespace consentry
