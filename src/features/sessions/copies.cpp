#include "features/sessions/copies.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

// An upper limit on how long a session's end stays unnoticed when this cache was not told of it, because of a cache
// outage or an operator's SQL.
constexpr std::chrono::seconds trusted_max{60};

// Lines of text: compact and independent of the cache engine.
std::string text_of(const LiveSession& session, TimePoint now) {
    const std::int64_t password_expiry = session.password_expires_at ? epoch_ms(*session.password_expires_at) : 0;
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{:d}\n{}", epoch_ms(now), session.jti,
                       session.security_version, session.epoch, epoch_ms(session.login_at),
                       epoch_ms(session.expires_at), session.email, session.role_id.text(), name_of(session.role),
                       epoch_ms(session.last_active_at), password_expiry, session.must_change_password,
                       epoch_ms(session.proven_at));
}

constexpr std::array<std::size_t, 9> lines_of_numbers{0, 2, 3, 4, 5, 9, 10, 11, 12};

// An unreadable copy counts as missing: another version of the program wrote it.
std::optional<LiveSession> session_of(std::string_view text, TimePoint now) {
    std::array<std::string_view, 13> lines;
    for (std::string_view& line : lines) line = take_part(text, '\n');
    std::array<std::int64_t, lines.size()> numbers{};
    for (const std::size_t at : lines_of_numbers) {
        const auto number = parse_number<std::int64_t>(lines[at]);
        if (!number) return std::nullopt;
        numbers[at] = *number;
    }
    const auto role_id = RoleId::parse(lines[7]);
    const auto role = find_enum<Role>(lines[8]);
    if (!role_id || !role || !text.empty()) return std::nullopt;
    // The cache expires the entry as well, but anyone who can write to the cache can restore it.
    if (!happened_within(trusted_max, from_epoch_ms(numbers[0]), now)) return std::nullopt;
    LiveSession out;
    out.jti = lines[1];
    out.security_version = numbers[2];
    out.epoch = numbers[3];
    out.login_at = from_epoch_ms(numbers[4]);
    out.expires_at = from_epoch_ms(numbers[5]);
    out.email = lines[6];
    out.role_id = *role_id;
    out.role = *role;
    out.last_active_at = from_epoch_ms(numbers[9]);
    out.is_verified = true;
    if (numbers[10] != 0) out.password_expires_at = from_epoch_ms(numbers[10]);
    out.must_change_password = numbers[11] != 0;
    out.proven_at = from_epoch_ms(numbers[12]);
    return out;
}

// The beginning of a jti as a positive number. Redis keeps a number without an allocation for the value, which saves 48
// bytes per session. Eight of the jti's 32 random characters suffice, because the copy decides nothing.
std::int64_t mark_of(std::string_view jti) {
    std::int64_t mark = 0;
    for (const char character : jti.substr(0, 8)) mark = mark << 8 | (character & 0x7f);
    return mark;
}

}  // namespace

bool SessionCopies::is_of(std::string_view copy, std::string_view jti) {
    // Earlier versions store the jti itself. Instances of both versions may run side by side.
    return copy == jti || parse_number<std::int64_t>(copy) == mark_of(jti);
}

std::string SessionCopies::key(UserId user, SessionId id) const {
    std::string out;
    out.reserve(key_pattern_.size() + 80);
    for (std::string_view rest = key_pattern_; !rest.empty();) {
        constexpr std::string_view user_mark = "{userId}";
        constexpr std::string_view session_mark = "{sessionId}";
        if (rest.starts_with(user_mark)) {
            out.append(cache_.group(user.text()));
            rest.remove_prefix(user_mark.size());
        } else if (rest.starts_with(session_mark)) {
            out.append(id.text());
            rest.remove_prefix(session_mark.size());
        } else {
            const std::size_t plain = std::min(rest.find('{', 1), rest.size());
            out.append(rest.substr(0, plain));
            rest.remove_prefix(plain);
        }
    }
    return out;
}

std::optional<LiveSession> SessionCopies::open(const std::string& key, std::string_view sealed, TimePoint now) const {
    const auto text = sealing_.open_in_one(as_bytes(sealed), as_bytes(key));
    return text ? session_of(as_text(*text), now) : std::nullopt;
}

awaitable<std::optional<LiveSession>> SessionCopies::find(UserId user, SessionId id, std::string_view jti,
                                                          TimePoint now) {
    const std::string place = key(user, id);
    const auto copy = co_await cache_.get(place);
    if (!copy) co_return std::nullopt;
    auto session = open(place, *copy, now);
    if (!session || session->jti != jti) co_return std::nullopt;
    session->id = id;
    session->user = user;
    co_return session;
}

std::unique_ptr<storage::Cache::Reading> SessionCopies::begin_read(const boost::asio::any_io_executor& executor,
                                                                   UserId user, SessionId id) const {
    return cache_.begin_get(executor, key(user, id));
}

awaitable<void> SessionCopies::put(const LiveSession& session, TimePoint now) {
    std::string place = key(session.user, session.id);
    const milliseconds left = session.expires_at - now;
    if (!are_trusted()) return cache_.put(std::move(place), fmt::to_string(mark_of(session.jti)), left);
    const Bytes sealed = sealing_.seal_in_one(as_bytes(text_of(session, now)), as_bytes(place));
    return cache_.put(std::move(place), std::string(as_text(sealed)), std::min<milliseconds>(left, trusted_max));
}

awaitable<void> SessionCopies::erase(UserId user, SessionId id) { return cache_.erase(key(user, id)); }

}  // namespace consentry
