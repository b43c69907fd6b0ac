#include "app/commands/start_check.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/config/own_url.hpp"
#include "app/consent_log_key.hpp"
#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "app/mail_transport.hpp"
#include "app/pages.hpp"
#include "app/services.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/error_text.hpp"
#include "crypto/digest.hpp"
#include "crypto/known_answers.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/consent_log/receipt_keys.hpp"
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
        }
        return false;
    }

private:
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

void look_at_log(const Config& config) {
    if (config.logger.enable && config.logger.into_file) require_writable("logs");
}

// The key of a log that does not exist yet comes with its first start.
void look_at_witnesses(const Config& config) {
    if (!config.consent_log.enable || config.consent_log.witnesses.empty()) return;
    const tlog::Policy policy = read_witnesses(config.consent_log.witnesses).policy;
    if (policy.logs().empty() || config.consent_log.private_key.empty()) return;
    const auto own = crypto::sha256(consent_log_key(config.consent_log.private_key).public_key().ed25519());
    for (const tlog::PolicyLog& log : policy.logs())
        if (crypto::sha256(log.key.point()) == own) return;
    throw std::runtime_error("no `log` line of the policy contains the key of CONSENT_LOG_PRIVATE_KEY");
}

void look_at_consent_log(const Config& given) {
    if (!given.consent_log.enable) return;
    const Config config = with_passing_secrets(given);
    const crypto::PrivateKey key = consent_log_key(config.consent_log.private_key);
    const auto known = text_in_database(given, "logs", "SELECT verifier_key FROM logs WHERE name = 'consent'");
    if (!known) return;
    require_same_consent_log(*known, config.consent_log.origin, config.consent_log.origin_is_given, key);
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

// Declares the pages as a start does, on an empty database of their own, so that no list of their needs is necessary.
void look_at_pages(const Config& given, const Clock& clock) {
    if (!can_serve_pages(given)) return;
    const TemporaryFolder folder;
    Config config = with_passing_secrets(given);
    config.data.directory = folder.path();
    config.database.url.clear();
    config.database.file = folder.path() / "consentry.db";
    config.cache.url.clear();
    config.storage.url = "file:" + (folder.path() / "storage").string();
    config.consent_log.enable = false;
    Services services(config, clock);
    http::Router router;
    open_website(services)->add_to(router);
}

}  // namespace

StartCheck check_start(const Config& config, const Clock& clock, ServiceRuns runs) {
    StartCheck found;
    Looker looker(found, config);
    looker.look("DATA_DIR", {}, [](const Config& c) { require_writable(c.data.directory); });
    looker.look("DATA_DIR", {}, [&](const Config& c) { look_at_keys(c, clock); });
    if (runs == ServiceRuns::yes) looker.look("DATA_DIR", {}, look_for_lost_keys);
    const bool has_database = looker.look("DATABASE_URL", {}, look_at_database);
    looker.look("CACHE_URL", "two-factor logins are unavailable until it responds", look_at_cache);
    looker.look("STORAGE_URL", "files of term policies are unavailable until it responds", look_at_object_store);
    looker.look("MAIL_URL", "emails wait until it responds", look_at_mail);
    if (has_database) {
        looker.look("CONSENT_LOG_PRIVATE_KEY", {}, look_at_consent_log);
        looker.look("DATA_DIR", {}, [&](const Config& c) { look_at_receipt_key(c, clock); });
    }
    looker.look("CONSENT_LOG_WITNESSES", {}, look_at_witnesses);
    looker.look("CONSENT_LOG_CA_FILE", {}, look_at_log_ca);
    looker.look("LOGGER_INTO_FILE", {}, look_at_log);
    looker.look("PAGES_DIR", "the pages were not checked", [&](const Config& c) { look_at_pages(c, clock); });
    if (runs == ServiceRuns::no)
        looker.look("HTTP_PORT", {}, [](const Config& c) { http::require_listenable(c.http.host, c.http.port); });
    if (auto warning = crypto::choose_password_engine(wanted_password_engine(config)))
        found.warnings.push_back({"AUTH_PASSWORD_ENGINE", std::move(*warning)});
    crypto::run_known_answer_tests();
    return found;
}

}  // namespace consentry
