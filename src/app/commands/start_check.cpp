#include "app/commands/start_check.hpp"

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "app/consent_log_key.hpp"
#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "app/mail_transport.hpp"
#include "app/services.hpp"
#include "base/error.hpp"
#include "base/error_text.hpp"
#include "crypto/digest.hpp"
#include "crypto/known_answers.hpp"
#include "features/published_logs/cosigning.hpp"
#include "features/sessions/key_ring.hpp"
#include "http/listeners.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

class Looker {
public:
    Looker(StartCheck& found, const Config& config) : found_(found), config_(config) {}

    // `consequence`: what a start would lack if the server does not respond; empty: the start fails.
    void look(std::string_view setting, std::string_view consequence, const auto& at) {
        try {
            at(config_);
        } catch (const Unavailable& outage) {
            auto& where = consequence.empty() ? found_.problems : found_.warnings;
            const std::string then = consequence.empty() ? "" : "; " + std::string(consequence);
            where.push_back({std::string(setting), sentence_of(outage) + then});
        } catch (const std::exception& error) {
            found_.problems.push_back({std::string(setting), sentence_of(error)});
        }
    }

private:
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
    throw std::runtime_error("no line `log` of the policy has the key of CONSENT_LOG_PRIVATE_KEY");
}

}  // namespace

StartCheck check_start(const Config& config, const Clock& clock, bool running) {
    StartCheck found;
    Looker looker(found, config);
    looker.look("DATA_DIR", {}, [](const Config& c) { require_writable(c.data.directory); });
    looker.look("DATA_DIR", {}, [&](const Config& c) { look_at_keys(c, clock); });
    looker.look("DATABASE_URL", {}, look_at_database);
    looker.look("CACHE_URL", "two-factor logins are unavailable until it responds", look_at_cache);
    looker.look("STORAGE_URL", "files of term policies are unavailable until it responds", look_at_object_store);
    looker.look("MAIL_URL", "emails wait until it responds", look_at_mail);
    looker.look("CONSENT_LOG_WITNESSES", {}, look_at_witnesses);
    looker.look("CONSENT_LOG_CA_FILE", {}, look_at_log_ca);
    looker.look("LOGGER_INTO_FILE", {}, look_at_log);
    if (!running)
        looker.look("HTTP_PORT", {}, [](const Config& c) { http::require_listenable(c.http.host, c.http.port); });
    if (auto warning = crypto::choose_password_engine(wanted_password_engine(config)))
        found.warnings.push_back({"AUTH_PASSWORD_ENGINE", std::move(*warning)});
    crypto::run_known_answer_tests();
    return found;
}

}  // namespace consentry
