#include "features/accounts/export.hpp"

#include <memory>
#include <string>
#include <utility>

#include "features/accounts/dto.hpp"
#include "features/activity/dto.hpp"
#include "features/users/stored.hpp"
#include "http/schema/serialize.hpp"

namespace consentry {
namespace {

ExportedSession to_session(const storage::Row& row) {
    ExportedSession out;
    out.id = row.id<SessionId>(0);
    out.login_from = stored_enum<LoginFrom>(row.text(1));
    out.login_with = stored_enum<LoginWith>(row.text(2));
    out.ip_address = row.text(3);
    out.user_agent = row.text(4);
    out.device_fingerprint = row.text_or_null(5);
    out.device_name = row.text_or_null(6);
    out.device_platform = row.text_or_null(7);
    out.created_at = row.time(8);
    out.last_active_at = row.time(9);
    out.expired_at = row.time(10);
    out.revoked_at = row.time_or_null(11);
    out.revoked_reason = row.text_or_null(12);
    return out;
}

ExportedIdentity to_identity(const storage::Row& row) {
    return {.provider = row.text(0),
            .subject = row.text(1),
            .email = row.text_or_null(2),
            .created_at = row.time(3),
            .last_used_at = row.time_or_null(4)};
}

ExportedPassword to_password(const storage::Row& row) { return {.type = row.text(0), .created_at = row.time(1)}; }

ExportedAcceptance to_acceptance(const storage::Row& row) {
    ExportedAcceptance out;
    out.id = row.id<AcceptanceId>(0);
    out.type = stored_enum<PolicyType>(row.text(1));
    out.version = row.integer(2);
    out.action = stored_enum<ConsentAction>(row.text(3));
    out.language = stored_enum<Language>(row.text(4));
    for (const auto& [language, hash] : read_hashes(row.text(5))) out.content_hashes.push_back({language, hash});
    out.accepted_at = row.time(6);
    out.ip_address = row.text_or_null(7);
    out.user_agent = row.text_or_null(8);
    out.session_id = row.id_or_null<SessionId>(9);
    return out;
}

ActivityEntry to_activity(const storage::Row& row) {
    ActivityEntry out;
    out.id = row.id<ActivityId>(0);
    out.user = row.id<UserId>(1);
    out.action = row.text(2);
    out.ip_address = row.text_or_null(3);
    out.user_agent = row.text_or_null(4);
    out.metadata = row.text_or_null(5);
    out.created_at = row.time(6);
    out.created_by = row.id<UserId>(7);
    return out;
}

// Writes the document: what is little in one piece, the rest page by page.
class Writer {
public:
    Writer(storage::Database& database, const Locales& locales, UserId user, Language language, TimePoint now,
           UserProfileResponse profile)
        : database_(database),
          locales_(locales),
          user_(user),
          language_(language),
          now_(now),
          profile_(std::move(profile)) {}

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
            case Part::end:
                break;
        }
        co_return std::nullopt;
    }

private:
    enum class Part { head, sessions, acceptances, activity, end };
    static constexpr std::int64_t page = 500;

    awaitable<std::string> head() {
        std::string out = "{\"exportedAt\":";
        http::write_json(out, now_);
        out += ",\"profile\":";
        http::write_json(out, profile_);
        const auto identities = co_await database_.query(
            "SELECT provider, subject, email, created_at, last_used_at FROM identities WHERE user_id = $1 "
            "ORDER BY created_at",
            user_);
        write_list(out, "identities", identities, to_identity);
        const auto passwords = co_await database_.query(
            "SELECT type, created_at FROM password_history WHERE user_id = $1 ORDER BY created_at", user_);
        write_list(out, "passwords", passwords, to_password);
        const auto devices = co_await database_.query("SELECT count(*) FROM known_devices WHERE user_id = $1", user_);
        out += ",\"knownDevices\":";
        http::write_json(out, devices[0].integer(0));
        out += ",\"sessions\":[";
        co_return out;
    }

    // UUIDv7 grows with time: the order of ids is the order of beginning.
    awaitable<std::string> sessions() {
        const auto rows = co_await database_.query(
            "SELECT id, login_from, login_with, ip_address, user_agent, device_fingerprint, device_name, "
            "device_platform, created_at, last_active_at, expires_at, revoked_at, revoked_reason FROM sessions "
            "WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3",
            user_, last_, page);
        std::string out;
        for (std::size_t i = 0; i < rows.size(); ++i) append(out, to_session(rows[i]));
        if (std::ssize(rows) < page) {
            out += "],\"acceptances\":[";
            begin(Part::acceptances);
        } else {
            last_ = rows[rows.size() - 1].uuid(0);
        }
        co_return out;
    }

    awaitable<std::string> acceptances() {
        const auto rows = co_await database_.query(
            "SELECT id, type, version, action, language, content_hashes, accepted_at, ip_address, user_agent, "
            "session_id FROM term_policy_acceptances WHERE user_id = $1 AND (accepted_at, id) > ($2, $3) "
            "ORDER BY accepted_at, id LIMIT $4",
            user_, last_time_, last_, page);
        std::string out;
        for (std::size_t i = 0; i < rows.size(); ++i) append(out, to_acceptance(rows[i]));
        if (std::ssize(rows) < page) {
            out += "],\"activity\":[";
            begin(Part::activity);
        } else {
            last_ = rows[rows.size() - 1].uuid(0);
            last_time_ = rows[rows.size() - 1].time(6);
        }
        co_return out;
    }

    awaitable<std::string> activity() {
        const auto rows = co_await database_.query(
            "SELECT id, user_id, action, ip_address, user_agent, metadata, created_at, created_by FROM activity_log "
            "WHERE user_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4",
            user_, last_time_, last_, page);
        std::string out;
        for (std::size_t i = 0; i < rows.size(); ++i)
            append(out, ActivityResponse::of(to_activity(rows[i]), locales_, language_));
        if (std::ssize(rows) < page) {
            out += "]}\n";
            begin(Part::end);
        } else {
            last_ = rows[rows.size() - 1].uuid(0);
            last_time_ = rows[rows.size() - 1].time(6);
        }
        co_return out;
    }

    template <class Dto>
    void append(std::string& out, const Dto& dto) {
        if (!first_) out += ',';
        first_ = false;
        http::write_json(out, dto);
    }
    template <class Read>
    static void write_list(std::string& out, std::string_view name, const storage::Rows& rows, Read read) {
        out += ",\"" + std::string(name) + "\":[";
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i != 0) out += ',';
            http::write_json(out, read(rows[i]));
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
    const UserId user_;
    const Language language_;
    const TimePoint now_;
    const UserProfileResponse profile_;
    Part part_ = Part::head;
    bool first_ = true;
    Uuid last_{};
    TimePoint last_time_{};
};

}  // namespace

awaitable<Result<http::NextPiece>> AccountExport::of(UserId user, Language language, Cause cause) {
    auto profile = co_await profiles_.get(user);
    if (!profile) co_return fail(std::move(profile.error()));
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    Audit::add(transaction, user, ActivityAction::user_export, cause, now);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) throw Unavailable("export: its entry in the activity log was not written");
    audit_.tell("account.exported", Outcome::success, user, cause);
    auto writer = std::make_shared<Writer>(database_, locales_, user, language, now, std::move(*profile));
    co_return http::NextPiece([writer] { return writer->next(); });
}

}  // namespace consentry
