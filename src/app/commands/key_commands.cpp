#include "app/commands/key_commands.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/config/read_config.hpp"
#include "app/consent_log_key.hpp"
#include "app/local_secrets.hpp"
#include "app/missing_keys.hpp"
#include "app/terminal/results.hpp"
#include "base/bytes.hpp"
#include "base/standard_error.hpp"
#include "base/wrong_settings.hpp"
#include "crypto/random.hpp"
#include "features/sessions/epochs.hpp"
#include "features/sessions/key_ring.hpp"
#include "features/sessions/key_rotation.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

NewSetting setting_of(const std::string& prefix, const crypto::PrivateKey& key) {
    // Under its thumbprint as kid, and under a name that {prefix}_KID may have given it in the meantime.
    return {prefix + "_PRIVATE_KEY", to_base64(key.pkcs8_der()),
            fmt::format("# Other instances need this before the key signs, and all of them after you replace it:\n"
                        "# {0}_PUBLIC_KEY={1}\n"
                        "# or, if you set {0}_KID for it: {0}_PUBLIC_KEY=KID={1}\n",
                        prefix, to_base64(key.public_key().spki_der()))};
}

// The keys of a ring that reads a folder, as settings: one signs, the others still verify.
void add_keys_of(std::vector<NewSetting>& out, const std::string& prefix, const KindKeys& keys,
                 std::string_view usual_algorithm) {
    const SigningKey& signing = *keys.signing;
    const std::string_view algorithm = name_of(signing.key.algorithm());
    if (algorithm != usual_algorithm) out.push_back({prefix + "_ALGORITHM", std::string(algorithm)});
    out.push_back(setting_of(prefix, signing.key));
    if (signing.kid != signing.key.public_key().thumbprint()) out.push_back({prefix + "_KID", signing.kid});
    std::string former;
    for (const auto& [kid, key] : keys.verifying) {
        if (kid == signing.kid) continue;
        if (!former.empty()) former += ',';
        if (kid != key.thumbprint()) former += kid + "=";
        former += to_base64(key.spki_der());
    }
    if (!former.empty()) out.push_back({prefix + "_PUBLIC_KEY", std::move(former)});
}

// As a start in APP_ENV=local with this folder reads the settings, with the algorithms that it had last. A server of
// PostgreSQL may not be there yet; `consentry config check` asks it.
Config config_of_trial(const fs::path& data_folder, const std::string& database_url) {
    Environment settings{{"APP_ENV", "local"}, {"DATA_DIR", data_folder.string()}};
    if (database_url.starts_with("sqlite:")) settings["DATABASE_URL"] = database_url;
    Config config = read_config(settings).value();
    config.consent_log.enable = true;
    const fs::path folder = data_folder / "keys";
    if (const auto algorithm = KeyRing::newest_algorithm(folder, TokenKind::access))
        config.jwt.access.algorithm = name_of(*algorithm);
    if (const auto algorithm = KeyRing::newest_algorithm(folder, TokenKind::refresh))
        config.jwt.refresh.algorithm = name_of(*algorithm);
    return config;
}

// What the keys in the folder are for.
std::vector<std::string> uses_of(const fs::path& folder) {
    std::vector<std::string> out;
    if (KeyRing::newest_algorithm(folder, TokenKind::access) && KeyRing::newest_algorithm(folder, TokenKind::refresh))
        out.emplace_back("sessions");
    for (const auto& [file, use] : {std::pair{"two-factor.key", "second factors"},
                                    {"app.key", "queued emails"},
                                    {"consent-log.key", "the consent log"}})
        if (std::error_code error; fs::exists(folder / file, error)) out.emplace_back(use);
    return out;
}

// Throws if the folder cannot be read: it would look like one without keys.
bool has_keys(const fs::path& folder) {
    std::error_code error;
    if (fs::status(folder, error).type() == fs::file_type::not_found) return false;
    fs::directory_iterator files;
    if (!error) files = fs::directory_iterator(folder, error);
    if (error)
        throw std::runtime_error(fmt::format("cannot read the keys in {}: {}", folder.string(), error.message()));
    return std::ranges::any_of(files, [](const fs::directory_entry& file) {
        const fs::path ending = file.path().extension();
        return ending == ".key" || ending == ".pem";
    });
}

}  // namespace

std::vector<NewSetting> new_keys() {
    std::vector<NewSetting> out;
    out.push_back(setting_of("AUTH_JWT_ACCESS_TOKEN", crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256)));
    out.push_back(
        setting_of("AUTH_JWT_REFRESH_TOKEN", crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es512)));
    out.push_back({"AUTH_TWO_FACTOR_ENCRYPTION_KEY", to_base64url(crypto::random_bytes(32))});
    out.push_back({"APP_ENCRYPTION_SECRET_KEY", to_base64url(crypto::random_bytes(32))});
    out.push_back({"CONSENT_LOG_PRIVATE_KEY",
                   to_base64(crypto::PrivateKey::generate(crypto::SignatureAlgorithm::eddsa).pkcs8_der())});
    return out;
}

InstallationKeys keys_of_installation(const fs::path& data_folder, const std::string& database_url) {
    const fs::path folder = data_folder / "keys";
    const bool has_any = has_keys(folder);
    Config config = config_of_trial(data_folder, database_url);
    if (const std::string missing = missing_keys(config); !missing.empty()) throw WrongSettings(missing);
    if (!has_any) return {.settings = new_keys()};
    InstallationKeys out{.settings = {}, .taken_over = uses_of(folder)};
    const JwtConfig usual = read_config({{"APP_ENV", "local"}}).value().jwt;
    config = with_passing_secrets(std::move(config));
    const SystemClock clock;
    KeyRing ring(clock, folder, key_settings(config.jwt.access), key_settings(config.jwt.refresh));
    add_keys_of(out.settings, "AUTH_JWT_ACCESS_TOKEN", *ring.keys(TokenKind::access), usual.access.algorithm);
    add_keys_of(out.settings, "AUTH_JWT_REFRESH_TOKEN", *ring.keys(TokenKind::refresh), usual.refresh.algorithm);
    out.settings.push_back({"AUTH_TWO_FACTOR_ENCRYPTION_KEY", config.two_factor.encryption_keys.front()});
    out.settings.push_back({"APP_ENCRYPTION_SECRET_KEY", config.encryption.secrets.front()});
    out.settings.push_back(
        {"CONSENT_LOG_PRIVATE_KEY", to_base64(consent_log_key(config.consent_log.private_key).pkcs8_der())});
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
            say("The {} key is set in the settings. Replace it there and list the former public key. With several "
                "instances, first list the new public key at all of them.\n",
                name_of(kind));
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
    say("The new keys sign from now on. Tokens of the former ones stay valid until they expire.\n");
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
    std::vector<ResultColumn> columns{{.name = "epoch", .heading = "Epoch"}};
    ResultRow row{raised.epoch};
    std::string uncounted;
    try {
        const EndedGrants ended = run(epochs.count_ended(raised, clock.now()));
        columns.insert(columns.end(), {{.name = "sessions", .heading = "Sessions"},
                                       {.name = "links", .heading = "Links"},
                                       {.name = "backupCodes", .heading = "Backup codes"}});
        row.insert(row.end(), {ended.sessions, ended.links, ended.backup_codes});
        if (!keep_api_keys) {
            columns.push_back({.name = "apiKeys", .heading = "API keys"});
            row.push_back(ended.api_keys);
        }
    } catch (const Unavailable& outage) {
        // The epoch is raised: a failure would make people raise it again.
        uncounted = fmt::format("What has ended was not counted: {}.\n", outage.what());
    }
    print_result(columns, row, as_json);
    say("{}All sessions, links, logins in progress and backup codes are invalid now; API keys {}. Passwords and "
        "authenticator apps still work.\n",
        uncounted, keep_api_keys ? "were kept" : "are invalid as well");
    return 0;
}

}  // namespace consentry
