#include "features/accounts/export.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/accounts/dto.hpp"
#include "features/activity/dto.hpp"
#include "features/activity/repository.hpp"
#include "features/users/stored.hpp"
#include "http/schema/serialize.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::sql;

constexpr auto session_columns = columns<ExportedSession>(
    column<"id", &ExportedSession::id>, column<"login_from", &ExportedSession::login_from>,
    column<"login_with", &ExportedSession::login_with>, column<"ip_address", &ExportedSession::ip_address>,
    column<"user_agent", &ExportedSession::user_agent>,
    column<"device_fingerprint", &ExportedSession::device_fingerprint>,
    column<"device_name", &ExportedSession::device_name>, column<"device_platform", &ExportedSession::device_platform>,
    column<"created_at", &ExportedSession::created_at>, column<"last_active_at", &ExportedSession::last_active_at>,
    column<"expires_at", &ExportedSession::expired_at>, column<"revoked_at", &ExportedSession::revoked_at>,
    column<"revoked_reason", &ExportedSession::revoked_reason>);

constexpr auto identity_columns = columns<ExportedIdentity>(
    column<"provider", &ExportedIdentity::provider>, column<"subject", &ExportedIdentity::subject>,
    column<"email", &ExportedIdentity::email>, column<"created_at", &ExportedIdentity::created_at>,
    column<"last_used_at", &ExportedIdentity::last_used_at>, column<"unlinked_at", &ExportedIdentity::unlinked_at>);

constexpr auto password_columns = columns<ExportedPassword>(column<"type", &ExportedPassword::type>,
                                                            column<"created_at", &ExportedPassword::created_at>);

std::vector<ContentHashResponse> to_hashes(const std::string& text) {
    std::vector<ContentHashResponse> out;
    for (const auto& [language, hash] : read_hashes(text)) out.push_back({language, hash});
    return out;
}

constexpr auto acceptance_columns = columns<ExportedAcceptance>(
    column<"id", &ExportedAcceptance::id>, column<"type", &ExportedAcceptance::type>,
    column<"version", &ExportedAcceptance::version>, column<"action", &ExportedAcceptance::action>,
    column<"language", &ExportedAcceptance::language>,
    column<"content_hashes", &ExportedAcceptance::content_hashes, to_hashes>,
    column<"accepted_at", &ExportedAcceptance::accepted_at>, column<"ip_address", &ExportedAcceptance::ip_address>,
    column<"user_agent", &ExportedAcceptance::user_agent>, column<"session_id", &ExportedAcceptance::session_id>,
    column<"shown_diff_hash", &ExportedAcceptance::shown_diff_hash>);

// What the document says about the log itself.
struct LogHead {
    std::string begin;       // of the part about the log; empty: there is no log
    std::string checkpoint;  // one for all proofs, so that the timestamp is about all of them
};

// Throws Unavailable if the log is not open.
awaitable<LogHead> head_of(ConsentLog& log) {
    const std::string note = co_await log.description_note();
    LogHead out{.begin = ",\"consentLog\":{\"descriptionNote\":", .checkpoint = {}};
    http::write_json(out.begin, note);
    out.begin += ",\"policy\":";
    http::write_json(out.begin, log.policy_text());
    out.checkpoint = co_await log.published().checkpoint();
    out.begin += ",\"checkpoint\":";
    http::write_json(out.begin, out.checkpoint);
    out.begin += ",\"timestamp\":";
    const auto newest =
        co_await log.published().newest_stamp(tlog::parse_signed_checkpoint(out.checkpoint)->checkpoint);
    if (newest.stamp)
        http::write_json(out.begin, ExportedStamp::of(*newest.stamp));
    else
        out.begin += "null";
    out.begin += ",\"entries\":[";
    co_return out;
}

// Writes the document: small parts in one piece, the others page by page.
class Writer {
public:
    Writer(storage::Database& database, const Locales& locales, ConsentLog* log, UserId user, Language language,
           TimePoint now, UserProfileResponse profile, LogHead log_head)
        : database_(database),
          locales_(locales),
          log_(log),
          user_(user),
          language_(language),
          now_(now),
          profile_(std::move(profile)),
          log_head_(std::move(log_head)) {}

    awaitable<std::optional<std::string>> next() {
        switch (part_) {
            case Part::head:
                part_ = Part::sessions;
                co_return co_await head();
            case Part::sessions:
                co_return co_await sessions();
            case Part::acceptances:
                co_return co_await acceptances();
            case Part::activity:
                co_return co_await activity();
            case Part::log:
                part_ = Part::records;
                co_return std::exchange(log_head_.begin, {});
            case Part::records:
                co_return co_await records();
            case Part::end:
                break;
        }
        co_return std::nullopt;
    }

private:
    enum class Part { head, sessions, acceptances, activity, log, records, end };
    static constexpr std::int64_t page = 500;
    static constexpr std::int64_t records_at_once = 20;  // each is a signature and a proof

    awaitable<std::string> head() {
        std::string out = "{\"exportedAt\":";
        http::write_json(out, now_);
        out += ",\"profile\":";
        http::write_json(out, profile_);
        const auto identities = co_await database_.query(
            sql<"SELECT ", identity_columns,
                " FROM (SELECT provider, subject, email, created_at, last_used_at, NULL AS unlinked_at FROM identities "
                "WHERE user_id = $1 UNION ALL SELECT provider, subject, NULL, created_at, NULL, unlinked_at "
                "FROM unlinked_identities WHERE user_id = $1) AS i ORDER BY created_at, subject">,
            user_);
        write_list(out, "identities", identity_columns.read_all(identities));
        const auto passwords = co_await database_.query(
            sql<"SELECT ", password_columns, " FROM password_history WHERE user_id = $1 ORDER BY created_at">, user_);
        write_list(out, "passwords", password_columns.read_all(passwords));
        const auto devices = co_await database_.query("SELECT count(*) FROM known_devices WHERE user_id = $1", user_);
        out += ",\"knownDevices\":";
        http::write_json(out, devices[0].integer(0));
        out += ",\"sessions\":[";
        co_return out;
    }

    // UUIDv7 ids increase with time, so the order of ids is the order in which the sessions started.
    awaitable<std::string> sessions() {
        const auto rows = co_await database_.query(
            sql<"SELECT ", session_columns, " FROM sessions WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3">,
            user_, last_, page);
        const auto found = session_columns.read_all(rows);
        std::string out;
        for (const ExportedSession& session : found) append(out, session);
        if (std::ssize(found) < page) {
            out += "],\"acceptances\":[";
            begin(Part::acceptances);
        } else {
            last_ = found.back().id.uuid();
        }
        co_return out;
    }

    awaitable<std::string> acceptances() {
        const auto rows = co_await database_.query(
            sql<"SELECT ", acceptance_columns,
                " FROM term_policy_acceptances WHERE user_id = $1 AND (accepted_at, id) > ($2, $3) "
                "ORDER BY accepted_at, id LIMIT $4">,
            user_, last_time_, last_, page);
        const auto found = acceptance_columns.read_all(rows);
        std::string out;
        for (const ExportedAcceptance& acceptance : found) append(out, acceptance);
        if (std::ssize(found) < page) {
            out += "],\"activity\":[";
            begin(Part::activity);
        } else {
            last_ = found.back().id.uuid();
            last_time_ = found.back().accepted_at;
        }
        co_return out;
    }

    awaitable<std::string> activity() {
        const auto rows =
            co_await database_.query(sql<"SELECT ", activity_columns,
                                         " FROM activity_log WHERE user_id = $1 AND (created_at, id) > ($2, $3) "
                                         "ORDER BY created_at, id LIMIT $4">,
                                     user_, last_time_, last_, page);
        const auto found = activity_columns.read_all(rows);
        std::string out;
        for (const ActivityEntry& entry : found) append(out, ActivityResponse::of(entry, locales_, language_));
        if (std::ssize(found) < page) {
            out += log_ == nullptr ? "]}\n" : "]";
            begin(log_ == nullptr ? Part::end : Part::log);
        } else {
            last_ = found.back().id.uuid();
            last_time_ = found.back().created_at;
        }
        co_return out;
    }

    awaitable<std::string> records() {
        auto found = co_await log_->records_of(user_, AcceptanceId{last_}, records_at_once, log_head_.checkpoint);
        std::string out;
        if (!found.empty()) last_ = found.back().acceptance.uuid();
        const bool is_last = std::ssize(found) < records_at_once;
        for (OwnRecord& record : found) append(out, ExportedRecord::of(std::move(record)));
        if (is_last) {
            out += "]}}\n";
            begin(Part::end);
        }
        co_return out;
    }

    template <class Dto>
    void append(std::string& out, const Dto& dto) {
        if (!first_) out += ',';
        first_ = false;
        http::write_json(out, dto);
    }
    template <class Dto>
    static void write_list(std::string& out, std::string_view name, const std::vector<Dto>& list) {
        out += ",\"" + std::string(name) + "\":[";
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i != 0) out += ',';
            http::write_json(out, list[i]);
        }
        out += ']';
    }
    void begin(Part part) {
        part_ = part;
        first_ = true;
        last_ = Uuid{};
        last_time_ = TimePoint{};
    }

    storage::Database& database_;
    const Locales& locales_;
    ConsentLog* const log_;
    const UserId user_;
    const Language language_;
    const TimePoint now_;
    const UserProfileResponse profile_;
    LogHead log_head_;
    Part part_ = Part::head;
    bool first_ = true;
    Uuid last_{};
    TimePoint last_time_{};
};

}  // namespace

awaitable<Result<http::NextPiece>> AccountExport::of(UserId user, Language language, Cause cause) {
    auto profile = co_await profiles_.get(user);
    if (!profile) co_return fail(std::move(profile.error()));
    // First, because it may fail: an export that could not be completed is not recorded as one.
    LogHead log_head;
    if (log_ != nullptr) log_head = co_await head_of(*log_);
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    Audit::add(transaction, user, ActivityAction::user_export, cause, now);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) throw Unavailable("export: its entry in the activity log was not written");
    audit_.tell("account.exported", Outcome::success, user, cause);
    auto writer = std::make_shared<Writer>(database_, locales_, log_, user, language, now, std::move(*profile),
                                           std::move(log_head));
    co_return http::NextPiece([writer] { return writer->next(); });
}

}  // namespace consentry
