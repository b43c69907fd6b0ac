#include "app/commands/key_commands.hpp"

#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "base/bytes.hpp"
#include "crypto/random.hpp"
#include "features/sessions/epochs.hpp"
#include "features/sessions/key_ring.hpp"
#include "features/sessions/key_rotation.hpp"

namespace consentry {

int generate_keys() {
    // Does not use the configuration: these keys are needed to create one.
    const auto print = [](std::string_view prefix, crypto::SignatureAlgorithm algorithm) {
        const auto key = crypto::PrivateKey::generate(algorithm);
        fmt::print("{}_PRIVATE_KEY={}\n", prefix, to_base64(key.pkcs8_der()));
        // Under its thumbprint as kid, and under a name that {prefix}_KID may have given it in the meantime.
        fmt::print(
            "# After you replace this key: {0}_PUBLIC_KEY={1}\n"
            "# or, if you set {0}_KID for it: {0}_PUBLIC_KEY=KID={1}\n",
            prefix, to_base64(key.public_key().spki_der()));
    };
    print("AUTH_JWT_ACCESS_TOKEN", crypto::SignatureAlgorithm::es256);
    print("AUTH_JWT_REFRESH_TOKEN", crypto::SignatureAlgorithm::es512);
    fmt::print("AUTH_TWO_FACTOR_ENCRYPTION_KEY={}\n", to_base64url(crypto::random_bytes(32)));
    fmt::print("APP_ENCRYPTION_SECRET_KEY={}\n", to_base64url(crypto::random_bytes(32)));
    fmt::print("CONSENT_LOG_PRIVATE_KEY={}\n",
               to_base64(crypto::PrivateKey::generate(crypto::SignatureAlgorithm::eddsa).pkcs8_der()));
    fmt::print(stderr,
               "These keys are for ES256 and ES512. Store them with your secrets; Consentry has not saved them.\n");
    return 0;
}

int rotate_keys() {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    const Config& config = services->config;
    const auto settings_of = [&](TokenKind kind) -> const TokenConfig& {
        return kind == TokenKind::access ? config.jwt.access : config.jwt.refresh;
    };
    std::vector<TokenKind> kinds;
    for (const auto kind : {TokenKind::access, TokenKind::refresh}) {
        if (settings_of(kind).private_key.empty())
            kinds.push_back(kind);
        else
            fmt::print(stderr, "The {} key is set in the settings. Replace it there and add the former public key.\n",
                       name_of(kind));
    }
    if (kinds.empty()) return wrong_use;
    run(record_key_rotation(services->database, kinds, services->clock.now()));
    for (const TokenKind kind : kinds) {
        const std::string kid =
            KeyRing::generate(config.data.directory / "keys", kind,
                              crypto::find_algorithm(settings_of(kind).algorithm).value(), clock.now());
        fmt::print("{} {}\n", name_of(kind), kid);
        services->audit.tell("keys.rotated", Outcome::success, std::nullopt, {},
                             {{"key", std::string(name_of(kind))}, {"kid", kid}});
    }
    return 0;
}

int raise_epoch(bool keep_api_keys) {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return 2;
    Epochs epochs(services->database);
    const RaisedEpoch raised = run(epochs.raise(keep_api_keys, clock.now()));
    services->audit.tell("epoch.raised", Outcome::success, std::nullopt, {},
                         {{"apiKeys", keep_api_keys ? "kept" : "ended"}});
    fmt::print("epoch\t{}\nsessions\t{}\nlinks\t{}\nbackup-codes\t{}\n", raised.epoch, raised.sessions, raised.links,
               raised.backup_codes);
    if (!keep_api_keys) fmt::print("api-keys\t{}\n", raised.api_keys);
    fmt::print(stderr,
               "All sessions, links, logins in progress and backup codes are invalid now; API keys {}. Passwords and "
               "authenticator apps still work.\n",
               keep_api_keys ? "were kept" : "are invalid as well");
    return 0;
}

}  // namespace consentry
