#include "app/commands/start_check.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/config/own_url.hpp"
#include "app/config/values.hpp"
#include "app/consent_log_key.hpp"
#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "app/mail_transport.hpp"
#include "app/missing_keys.hpp"
#include "app/observation/security_event_file.hpp"
#include "app/pages.hpp"
#include "app/services.hpp"
#include "app/sole_service.hpp"
#include "base/ascii.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/error_text.hpp"
#include "base/numbers.hpp"
#include "base/place_faults.hpp"
#include "base/text.hpp"
#include "base/wrong_settings.hpp"
#include "crypto/digest.hpp"
#include "crypto/known_answers.hpp"
#include "features/administration_log/administration_log.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/consent_log/former_keys.hpp"
#include "features/consent_log/receipt_keys.hpp"
#include "features/published_logs/continuation.hpp"
#include "features/published_logs/cosigning.hpp"
#include "features/sessions/key_ring.hpp"
#include "http/listeners.hpp"
#include "http/router.hpp"
#include "pages/website.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

// A message that begins with the name of a setting belongs to that setting.
ConfigProblem problem_of(std::string_view setting, std::string text) {
    const auto fits = [](char c) { return is_upper_letter(c) || is_digit(c) || c == '_'; };
    const auto colon = text.find(": ");
    const std::string begin = text.substr(0, colon);
    // All names of settings have an underscore; "S3" is none.
    if (colon == std::string::npos || !begin.contains('_') || !std::ranges::all_of(begin, fits))
        return {std::string(setting), std::move(text)};
    return {begin, text.substr(colon + 2)};
}

class Looker {
public:
    Looker(StartCheck& found, const Config& config) : found_(found), config_(config) {}

    // `consequence`: what a start would lack if the server does not respond; empty: the start fails. Returns whether
    // all is well.
    bool look(std::string_view setting, std::string_view consequence, const auto& at) {
        try {
            at(config_);
            return true;
        } catch (const Unavailable& outage) {
            const std::string then = consequence.empty() ? "" : "; " + std::string(consequence);
            add(consequence.empty() ? found_.problems : found_.warnings, setting, sentence_of(outage) + then);
        } catch (const std::exception& error) {
            add(found_.problems, setting, sentence_of(error));
            found_.lasts = found_.lasts || lasts(error);
        }
        return false;
    }

private:
    // As throw_as_fault_of() tells them apart for a start.
    static bool lasts(const std::exception& error) {
        const auto* of_system = dynamic_cast<const std::system_error*>(&error);
        return of_system != nullptr ? is_fault_of_place(of_system->code())
                                    : dynamic_cast<const WrongSettings*>(&error) != nullptr;
    }
    // Two looks may meet the same problem.
    static void add(std::vector<ConfigProblem>& to, std::string_view setting, std::string text) {
        ConfigProblem problem = problem_of(setting, std::move(text));
        const auto is_same = [&](const ConfigProblem& one) {
            return one.setting == problem.setting && one.text == problem.text;
        };
        if (std::ranges::none_of(to, is_same)) to.push_back(std::move(problem));
    }
    StartCheck& found_;
    const Config& config_;
};

void look_at_keys(const Config& given, const Clock& clock) {
    const fs::path folder = given.data.directory / "keys";
    // An unreadable folder would otherwise look like an empty one.
    if (std::error_code error; fs::exists(folder, error)) fs::directory_iterator{folder};
    const Config config = with_passing_secrets(given);
    const KeyRing ring(clock, folder, key_settings(config.jwt.access), key_settings(config.jwt.refresh));
}

// A start would make other keys. A key of another algorithm is not lost: the setting has changed.
void look_for_lost_keys(const Config& config) {
    if (config.app.environment != AppEnvironment::local) return;
    const fs::path folder = config.data.directory / "keys";
    for (const TokenKind kind : {TokenKind::access, TokenKind::refresh}) {
        const TokenConfig& token = kind == TokenKind::access ? config.jwt.access : config.jwt.refresh;
        if (!token.private_key.empty() || KeyRing::newest_algorithm(folder, kind)) continue;
        throw std::runtime_error(
            fmt::format("no key for {} tokens in {}. The running service keeps using the one whose file is missing. "
                        "Restore the file: a restart creates another key and rejects tokens of the missing one",
                        name_of(kind), folder.string()));
    }
}

// A start does without the files below it, and tries again with each line.
void look_at_lines(const fs::path& folder) {
    try {
        require_writable(folder);
    } catch (const std::exception& error) {
        throw Unavailable(sentence_of(error));
    }
}

void look_at_log(const Config& config) {
    if (config.logger.enable && config.logger.into_file) look_at_lines("logs");
}

void look_at_security_events(const Config& config) { look_at_lines(security_event_folder(config.data.directory)); }

// The key of a log that does not exist yet comes with its first start.
void look_at_witnesses(const Config& config) {
    if (!config.consent_log.enable || config.consent_log.witnesses.empty()) return;
    const tlog::Policy policy = read_witnesses(config.consent_log.witnesses).policy;
    if (policy.logs().empty() || config.consent_log.private_key.empty()) return;
    const auto own = crypto::sha256(consent_log_key(config.consent_log.private_key).public_key().ed25519());
    for (const tlog::PolicyLog& log : policy.logs())
        if (crypto::sha256(log.key.point()) == own) return;
    throw WrongSettings("no `log` line of the policy contains the key of CONSENT_LOG_PRIVATE_KEY");
}

// Without its index, a write-ahead log has what only a start can read.
void require_readable_database(const Config& config) {
    if (!config.database.url.empty() || database_version(config)) return;
    throw Unavailable(fmt::format("{0}-shm is missing beside {0}-wal, so only a start can read the database",
                                  config.database.file.string()));
}

std::vector<LogClaim> log_claims(const Config& given) {
    if (!given.consent_log.enable) return {};
    const Config config = with_passing_secrets(given);
    const std::string& origin = config.consent_log.origin;
    const bool is_given = config.consent_log.origin_is_given;
    const crypto::PrivateKey key = consent_log_key(config.consent_log.private_key);
    return {
        consent_log_claim(
            {.key = key, .origin = origin, .origin_is_given = is_given, .issuer = {}, .witness_lines = {}}),
        administration_log_claim(
            {.consent_key = key, .origin = origin, .origin_is_given = is_given, .retention = {}, .witness_lines = {}})};
}

// In one text, because the service may publish between two looks. The two engines spell bytes in different ways.
std::optional<LogState> state_of(const Config& config, std::string_view log) {
    const std::string name(log);
    const std::string sql = fmt::format(
        "SELECT verifier_key || '\n' || CAST(published AS TEXT) || '\n' || {} || '\n' || checkpoint FROM logs "
        "WHERE name = $1",
        config.database.url.empty() ? "hex(edge)" : "encode(edge, 'hex')");
    const auto found = text_in_database(config, "logs", sql.c_str(), {&name, 1});
    if (!found) return std::nullopt;
    std::string_view rest = *found;
    LogState out;
    out.verifier_key = take_part(rest, '\n');
    out.published = parse_number<std::int64_t>(take_part(rest, '\n')).value_or(0);
    out.edge = from_hex(to_lower_ascii(take_part(rest, '\n'))).value_or(Bytes{});
    out.checkpoint = rest;
    return out;
}

tlog::NoteSigner signer_of(const LogClaim& claim, const std::optional<LogState>& known) {
    return known ? signer_for(known->verifier_key, claim.origin, claim.origin_is_given, claim.key)
                 : signer_for(claim.origin, claim.key);
}

// What the database alone can tell.
void look_at_logs(const Config& config) {
    require_key_of_log(config);
    for (const LogClaim& claim : log_claims(config)) {
        const auto known = state_of(config, claim.place.name);
        try {
            const tlog::NoteSigner signer = signer_of(claim, known);
            if (known) require_whole(*known, signer.verifier());
        } catch (const LogRefused&) {
            throw_as_fault_of("DATABASE_URL");
        }
    }
}

// What look_at_logs() cannot tell: others may have seen more than the database has. Whether it has changed an entry
// that they have seen, only the start finds out, which reads the entries.
void look_at_published_logs(const Config& config) {
    for (const LogClaim& claim : log_claims(config)) {
        const auto note =
            text_in_object_store(config, claim.place.area, fmt::format("{}/{}", claim.place.folder, checkpoint_object),
                                 tlog::note_bytes_max);
        if (!note) continue;
        // Read after the object: the service may publish meanwhile, and then the database is the newer one.
        const auto known = state_of(config, claim.place.name);
        const tlog::NoteSigner signer = signer_of(claim, known);
        const tlog::Checkpoint published = published_checkpoint(*note, signer.verifier());
        try {
            require_not_behind(known ? own_checkpoint(known->checkpoint, signer.verifier())
                                     : tlog::Checkpoint{.origin = {}, .size = 0, .root = tlog::empty_root()},
                               published);
        } catch (const LogRefused&) {
            throw_as_fault_of("DATABASE_URL");
        }
    }
    if (!config.consent_log.enable) return;
    const auto former = text_in_object_store(config, storage::Area::private_area, std::string(former_keys_object),
                                             former_keys_bytes_max);
    if (former) FormerKeys::stored(*former);
}

// The service refuses another key under an ID that receipts name.
void look_at_receipt_key(const Config& given, const Clock& clock) {
    if (!given.consent_log.enable) return;
    const Config config = with_passing_secrets(given);
    KeyRing ring(clock, config.data.directory / "keys", key_settings(config.jwt.access),
                 key_settings(config.jwt.refresh));
    const auto signing = ring.keys(TokenKind::access)->signing;
    const char* sql = "SELECT jwk FROM receipt_keys WHERE kid = $1";
    if (const auto jwk = text_in_database(given, "receipt_keys", sql, {&signing->kid, 1}))
        ReceiptKeys::require_same(*jwk, *signing);
}

class TemporaryFolder {
public:
    // Throws Unavailable: containers may have no place for temporary files.
    TemporaryFolder() {
        std::error_code error;
        std::string name = (fs::temp_directory_path(error) / "consentry-check.XXXXXX").string();
        if (!error && ::mkdtemp(name.data()) == nullptr) error = {errno, std::generic_category()};
        if (error) throw Unavailable("no temporary folder: " + error.message());
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

void look_at_address(const Config& config) {
    try {
        http::require_listenable(config.http.host, config.http.port);
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::address_in_use) throw;
        throw std::runtime_error(sentence_of(error) +
                                 ". If it is the service that you check, add --running. If a service manager holds "
                                 "the socket for the service, add --socket");
    }
}

void look_for_other_service(const Config& config) {
    try {
        SoleService(config).lock(milliseconds{0});
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(sentence_of(error) + ". If it is the service that you check, add --running");
    }
}

// Throws Unavailable if there is no room in the folder, because the service itself writes nothing there.
std::unique_ptr<Services> passing_services(const Config& config, const Clock& clock) {
    try {
        return std::make_unique<Services>(config, clock);
    } catch (const WrongSettings&) {
        throw;
    } catch (const std::exception& error) {
        // Under DATABASE_URL, it would seem to be about the database of the service.
        throw Unavailable("cannot use a temporary folder: " + problem_of({}, sentence_of(error)).text);
    }
}

// Declares the pages as a start does, on an empty database of their own, so that no list of their needs is necessary.
void look_at_pages(const Config& given, const Clock& clock) {
    if (!can_serve_pages(given)) return;
    const TemporaryFolder folder;
    Config config = with_passing_secrets(given);
    config.data.directory = folder.path();
    config.database.url.clear();
    config.database.file = folder.path() / "consentry.db";
    config.cache.url.clear();
    config.storage.url = folder_url(folder.path() / "storage");
    config.consent_log.enable = false;
    const auto services = passing_services(config, clock);
    http::Router router;
    open_website(*services)->add_to(router);
}

}  // namespace

StartCheck check_start(const Config& config, const Clock& clock, ServiceRuns runs) {
    StartCheck found;
    Looker looker(found, config);
    const bool has_folder = looker.look("DATA_DIR", {}, [](const Config& c) { require_writable(c.data.directory); });
    looker.look("DATA_DIR", {}, [&](const Config& c) { look_at_keys(c, clock); });
    if (runs == ServiceRuns::yes) looker.look("DATA_DIR", {}, look_for_lost_keys);
    const bool has_database = looker.look("DATABASE_URL", {}, look_at_database);
    looker.look("CACHE_URL", "two-factor logins are unavailable until it responds", look_at_cache);
    const bool has_objects =
        looker.look("STORAGE_URL",
                    config.consent_log.enable ? "files of term policies are unavailable until it responds, and the "
                                                "published logs were not checked"
                                              : "files of term policies are unavailable until it responds",
                    look_at_object_store);
    looker.look("MAIL_URL", "emails wait until it responds", look_at_mail);
    if (has_database && looker.look("DATABASE_URL", "what it contains was not checked", require_readable_database)) {
        if (looker.look("CONSENT_LOG_PRIVATE_KEY", {}, look_at_logs) && has_objects)
            looker.look("STORAGE_URL", "the published logs were not checked", look_at_published_logs);
        looker.look("DATA_DIR", {}, [&](const Config& c) { look_at_receipt_key(c, clock); });
        if (std::string missing = missing_keys(config); !missing.empty())
            found.warnings.push_back({"DATA_DIR", std::move(missing)});
    }
    looker.look("CONSENT_LOG_WITNESSES", {}, look_at_witnesses);
    looker.look("CONSENT_LOG_CA_FILE", {}, look_at_log_ca);
    looker.look("AUTH_SOCIAL_CA_FILE", {}, look_at_social_ca);
    looker.look("LOGGER_INTO_FILE", "lines of the log are lost until it can be written", look_at_log);
    if (has_folder)
        looker.look("DATA_DIR", "security events are lost until they can be written", look_at_security_events);
    looker.look("PAGES_DIR", "the pages were not checked", [&](const Config& c) { look_at_pages(c, clock); });
    if (runs == ServiceRuns::no) {
        looker.look("DATA_DIR", {}, look_for_other_service);
        looker.look("HTTP_PORT", {}, look_at_address);
    }
    if (auto warning = crypto::choose_password_engine(wanted_password_engine(config)))
        found.warnings.push_back({"AUTH_PASSWORD_ENGINE", std::move(*warning)});
    crypto::run_known_answer_tests();
    return found;
}

}  // namespace consentry
