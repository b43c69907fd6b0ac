#include "app/commands/key_commands.hpp"

#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/terminal/results.hpp"
#include "base/bytes.hpp"
#include "base/standard_error.hpp"
#include "crypto/random.hpp"
#include "features/sessions/epochs.hpp"
#include "features/sessions/key_ring.hpp"
#include "features/sessions/key_rotation.hpp"

namespace consentry {

std::vector<NewSetting> new_keys() {
    std::vector<NewSetting> out;
    const auto add = [&out](const std::string& prefix, crypto::SignatureAlgorithm algorithm) {
        const auto key = crypto::PrivateKey::generate(algorithm);
        // Under its thumbprint as kid, and under a name that {prefix}_KID may have given it in the meantime.
        out.push_back({prefix + "_PRIVATE_KEY", to_base64(key.pkcs8_der()),
                       fmt::format("# After you replace this key: {0}_PUBLIC_KEY={1}\n"
                                   "# or, if you set {0}_KID for it: {0}_PUBLIC_KEY=KID={1}\n",
                                   prefix, to_base64(key.public_key().spki_der()))});
    };
    add("AUTH_JWT_ACCESS_TOKEN", crypto::SignatureAlgorithm::es256);
    add("AUTH_JWT_REFRESH_TOKEN", crypto::SignatureAlgorithm::es512);
    out.push_back({"AUTH_TWO_FACTOR_ENCRYPTION_KEY", to_base64url(crypto::random_bytes(32))});
    out.push_back({"APP_ENCRYPTION_SECRET_KEY", to_base64url(crypto::random_bytes(32))});
    out.push_back({"CONSENT_LOG_PRIVATE_KEY",
                   to_base64(crypto::PrivateKey::generate(crypto::SignatureAlgorithm::eddsa).pkcs8_der())});
    return out;
}

int generate_keys(bool as_json) {
    // Does not use the configuration: these keys are needed to create one.
    boost::json::object settings;
    for (const NewSetting& key : new_keys()) {
        if (as_json)
            settings[key.name] = key.value;
        else
            fmt::print("{}={}\n{}", key.name, key.value, key.remark);
    }
    if (as_json) print_json(settings);
    say("These keys are for ES256 and ES512. Store them with your secrets; Consentry has not saved them.\n");
    return 0;
}

int rotate_keys(bool as_json) {
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
            say("The {} key is set in the settings. Replace it there and add the former public key.\n", name_of(kind));
    }
    if (kinds.empty()) return wrong_use;
    run(record_key_rotation(services->database, kinds, services->clock.now()));
    ResultList list({{.name = "token", .heading = "TOKEN"}, {.name = "kid", .heading = "KEY ID"}}, as_json);
    for (const TokenKind kind : kinds) {
        const std::string kid =
            KeyRing::generate(config.data.directory / "keys", kind,
                              crypto::find_algorithm(settings_of(kind).algorithm).value(), clock.now());
        list.add({name_of(kind), kid});
        services->audit.tell("keys.rotated", Outcome::success, std::nullopt, {},
                             {{"key", std::string(name_of(kind))}, {"kid", kid}});
    }
    list.end();
    return 0;
}

int raise_epoch(bool keep_api_keys, bool as_json) {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    Epochs epochs(services->database);
    const RaisedEpoch raised = run(epochs.raise(keep_api_keys, clock.now()));
    services->audit.tell("epoch.raised", Outcome::success, std::nullopt, {},
                         {{"apiKeys", keep_api_keys ? "kept" : "ended"}});
    std::vector<ResultColumn> columns{{.name = "epoch", .heading = "Epoch"},
                                      {.name = "sessions", .heading = "Sessions"},
                                      {.name = "links", .heading = "Links"},
                                      {.name = "backupCodes", .heading = "Backup codes"}};
    ResultRow row{raised.epoch, raised.sessions, raised.links, raised.backup_codes};
    if (!keep_api_keys) {
        columns.push_back({.name = "apiKeys", .heading = "API keys"});
        row.push_back(raised.api_keys);
    }
    print_result(columns, row, as_json);
    say("All sessions, links, logins in progress and backup codes are invalid now; API keys {}. Passwords and "
        "authenticator apps still work.\n",
        keep_api_keys ? "were kept" : "are invalid as well");
    return 0;
}

}  // namespace consentry
