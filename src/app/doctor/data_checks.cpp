#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "app/doctor/checks.hpp"
#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "app/services.hpp"
#include "app/two_factor_keys.hpp"
#include "base/error.hpp"
#include "base/run_to_end.hpp"
#include "base/uuid_time.hpp"
#include "features/consent_proof/database_check.hpp"
#include "features/published_logs/published_log.hpp"
#include "features/sessions/key_ring.hpp"

namespace consentry {
namespace {

constexpr std::chrono::minutes mail_patience{10};
constexpr std::chrono::days key_age_max{365};
constexpr const char* two_factor_key = "two-factor key";

// Counting all rows of a large table takes longer than a request may wait: a search has ten seconds.
struct Asked {
    storage::Database& database;
    asio::io_context& context;

    storage::Rows operator()(std::string_view sql, auto... values) const {
        return run_to_end(context, database.search_with(sql, storage::bind_all(values...)));
    }
};

void examine_mails(const Asked& ask, TimePoint now, Findings& findings) {
    const auto rows =
        ask("SELECT count(*) FROM mails WHERE failed_at IS NULL AND created_at < $1", TimePoint(now - mail_patience));
    const std::int64_t waiting = rows[0].integer(0);
    const auto failed = ask("SELECT count(*) FROM mails WHERE failed_at IS NOT NULL")[0].integer(0);
    if (waiting > 0)
        findings.warn("emails", fmt::format("{} have waited for more than {} minutes", waiting, mail_patience.count()),
                      "If the service is not running, start it; otherwise read its standard error (the journal), and "
                      "check MAIL_URL.");
    if (failed > 0)
        findings.warn("emails", fmt::format("{} could not be delivered in the last 30 days", failed),
                      "Standard error (the journal) and the column last_error of the table mails name the reasons.");
    if (waiting == 0 && failed == 0) findings.ok("emails", "none is delayed, and none has failed");
}

void examine_logs(const Config& config, const Asked& ask, TimePoint now, Findings& findings) {
    if (!config.consent_log.enable) return;
    const auto tell = [&](const char* log, bool is_late) {
        if (is_late)
            findings.error(
                log,
                fmt::format("entries have waited for more than the {} s that receipts promise", merge_delay.count()),
                "If the service is running, its standard error (the journal) names the reason; otherwise start it, "
                "or run `consentry clean-up`.");
        else
            findings.ok(log, "is up to date");
    };
    tell("consent log", run_to_end(ask.context, has_overdue_entries(ask.database, now)));
    const auto oldest = ask("SELECT id FROM administration_acts WHERE is_logged = FALSE ORDER BY id LIMIT 1");
    tell("administration log", !oldest.empty() && now - time_of(oldest[0].uuid(0)) > merge_delay);
    const auto rows = ask("SELECT name, size - published FROM logs WHERE published < size");
    for (std::size_t i = 0; i < rows.size(); ++i)
        findings.warn(fmt::format("{} log", rows[i].text(0)),
                      fmt::format("{} entries are not published yet", rows[i].integer(1)),
                      "Start the service, or run `consentry clean-up`.");
}

// Nullopt if the store does not answer, which examine_other_servers() reports.
std::optional<bool> has_former_keys(const Config& config) {
    try {
        return text_in_object_store(config, storage::Area::private_area, std::string(former_keys_object), 1)
            .has_value();
    } catch (const Unavailable&) {
        return std::nullopt;
    }
}

void examine_receipt_keys(const Config& config, const Asked& ask, Findings& findings) {
    if (!config.consent_log.enable || ask("SELECT 1 FROM logs WHERE name = 'consent'").empty()) return;
    const auto found = run_to_end(ask.context, unsigned_receipt_keys(ask.database, {}));
    const bool has_list = has_former_keys(config).value_or(true);
    if (!has_list)
        findings.error("receipt keys",
                       fmt::format("the private part of the object store lacks {}, so no key of a former version is "
                                   "signed, and verifiers refuse its receipts",
                                   former_keys_object),
                       "If the service is running, its standard error (the journal) says why it cannot write this "
                       "object; otherwise start it.");
    if (!found.empty())
        findings.error(
            "receipt keys",
            fmt::format("{} in the database {} not signed by the consent log, so verifiers refuse {} receipts",
                        found.size(), found.size() == 1 ? "is" : "are", found.size() == 1 ? "its" : "their"),
            "`consentry verify database` names them. If the service is running, see docs/guides/backup.md; "
            "otherwise start it.");
    if (has_list && found.empty()) findings.ok("receipt keys", "are all signed by the consent log");
}

void examine_keys(const Config& given, const Clock& clock, Findings& findings) {
    const Config config = with_passing_secrets(given);
    KeyRing ring(clock, config.data.directory / "keys", key_settings(config.jwt.access),
                 key_settings(config.jwt.refresh));
    for (const TokenKind kind : {TokenKind::access, TokenKind::refresh}) {
        const auto made_at = ring.keys(kind)->signing->made_at;
        if (!made_at) continue;
        const std::string subject = fmt::format("{} key", name_of(kind));
        const TimePoint now = clock.now();
        if (*made_at > now + clock_ahead_max) {
            findings.warn(subject, "was made in the future: at " + to_iso8601(*made_at),
                          "Check the clock. If it is right, it was ahead when a key was made. Newer keys get a later "
                          "time, so that they sign, and this warning stays until then. Delete the file of a former key "
                          "when its last token has expired, because Consentry would accept it for longer.");
            continue;
        }
        const auto days = std::chrono::duration_cast<std::chrono::days>(now - *made_at);
        const std::string text = fmt::format("is {} days old", days.count());
        if (days > key_age_max)
            findings.warn(subject, text, "Run `consentry keys rotate`; tokens of the former key stay valid.");
        else
            findings.ok(subject, text);
    }
}

// Whether a former two-factor key can be removed.
void examine_two_factor_keys(const Config& given, const Asked& ask, Findings& findings) {
    const Config config = with_passing_secrets(given);
    const auto count = [&](std::optional<std::size_t> keys) {
        return std::stoll(ask(accounts_with_another_key(config, keys))[0].text(0));
    };
    const std::int64_t unknown = count(std::nullopt);
    const std::int64_t former = count(1) - unknown;
    constexpr const char* subject = two_factor_key;
    if (unknown > 0)
        findings.error(
            subject, text_of_missing_key(unknown),
            "Add the former key to AUTH_TWO_FACTOR_ENCRYPTION_KEY, after the first one. If it is lost, reset "
            "the second factor: `consentry user two-factor reset`.");
    if (former > 0)
        findings.warn(subject,
                      fmt::format("{} a former key", former == 1 ? "1 account still needs"
                                                                 : fmt::format("{} accounts still need", former)),
                      "Keep it in AUTH_TWO_FACTOR_ENCRYPTION_KEY. An account no longer needs it after the next code of "
                      "its app.");
    if (unknown == 0 && former == 0) findings.ok(subject, "no account needs a former one for the codes of its app");
}

void examine_administrators(const Asked& ask, Findings& findings) {
    constexpr const char* without_factor =
        "SELECT count(*), COALESCE(SUM(CASE WHEN EXISTS (SELECT 1 FROM two_factors t WHERE t.user_id = u.id "
        "AND t.enabled AND NOT t.required_setup) THEN 0 ELSE 1 END), 0) FROM users u JOIN roles r ON r.id = u.role_id "
        "WHERE r.type = 'superAdmin' AND u.status = 'active' AND u.deleted_at IS NULL";
    const auto rows = ask(without_factor);
    const std::int64_t all = rows[0].integer(0);
    const std::int64_t without = rows[0].integer(1);
    if (all == 0)
        findings.warn("administrators", "there is no super admin",
                      "Create one: `consentry user create --email you@example.org --role superAdmin`.");
    else if (without > 0)
        findings.warn("administrators",
                      fmt::format("{} of {} super admins have no two-factor authentication", without, all),
                      "Have them turn it on; otherwise a stolen password is enough to log in.");
    else
        findings.ok("administrators", fmt::format("all {} super admins have two-factor authentication", all));
}

}  // namespace

void examine_data(const Config& config, storage::Database& database, asio::io_context& context, const Clock& clock,
                  Findings& findings) {
    const Asked ask{database, context};
    const auto guarded = [&](const char* subject, const std::function<void()>& examine) {
        try {
            examine();
        } catch (const std::exception& error) {
            findings.error(subject, error.what(), "Run the command again; if it fails again, check the database.");
        }
    };
    guarded("token keys", [&] { examine_keys(config, clock, findings); });
    guarded("emails", [&] { examine_mails(ask, clock.now(), findings); });
    guarded("logs", [&] { examine_logs(config, ask, clock.now(), findings); });
    guarded("receipt keys", [&] { examine_receipt_keys(config, ask, findings); });
    guarded(two_factor_key, [&] {
        try {
            examine_two_factor_keys(config, ask, findings);
        } catch (const Unavailable& outage) {
            // It looks at all accounts. The other examinations say what is wrong with the database.
            findings.warn(two_factor_key, fmt::format("not examined: {}", outage.what()),
                          "Run the command again at a time of little load.");
        }
    });
    guarded("administrators", [&] { examine_administrators(ask, findings); });
}

}  // namespace consentry
