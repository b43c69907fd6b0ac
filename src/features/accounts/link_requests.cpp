#include "features/accounts/link_requests.hpp"

#include <algorithm>
#include <exception>

#include "features/mail/delivery.hpp"

namespace consentry {
namespace {

constexpr std::int64_t portion = 100;
constexpr int portions_max = 20;  // per call, so that waiting mails are not delayed
constexpr std::chrono::minutes client_window{10};
constexpr std::string_view probe = "isProbe";  // a fact of mails that were written as probes

// Returns whether the owner of an address gets the requested mail. An account without a password may set one, since its
// owner reads the mails (REC-1 allows no third kind of answer).
bool is_due(const User& user, TokenPurpose purpose) {
    if (user.status != UserStatus::active) return false;
    return purpose == TokenPurpose::forgot_password || !user.is_verified;
}

}  // namespace

LinkRequests::LinkRequests(storage::Database& database, storage::Cache& cache, const Clock& clock,
                           UserRepository& users, Mails& mails, Audit audit, LinkRequestSettings settings)
    : database_(database),
      repository_(database),
      tokens_(database),
      clock_(clock),
      users_(users),
      mails_(mails),
      audit_(audit),
      settings_(std::move(settings)),
      per_client_(cache, clock, {.limit = settings_.per_client_max, .window = client_window}) {}

awaitable<void> LinkRequests::request(TokenPurpose purpose, std::string email, Cause cause) {
    const std::string_view event =
        purpose == TokenPurpose::forgot_password ? "password.forgotten" : "account.verification_requested";
    const auto refusal = co_await take(purpose, std::move(email), cause);
    if (refusal) {
        audit_.tell(event, Outcome::refused, std::nullopt, cause, {{"reason", std::string(*refusal)}});
        co_return;
    }
    mails_.wake();
    audit_.tell(event, Outcome::success, std::nullopt, cause);
}

awaitable<std::optional<std::string_view>> LinkRequests::take(TokenPurpose purpose, std::string email,
                                                              const Cause& cause) {
    // Each request counts, also one that is too soon: what is left tells nothing about the requests of others.
    if (cause.origin && per_client_.is_on())
        if (const auto client = http::parse_address(cause.origin->address))
            if (!(co_await per_client_.admit("mailedLinks", *client)).admitted) co_return "clientLimit";
    const TimePoint now = clock_.now();
    LinkRequest wanted;
    wanted.address_digest = digest_of(email);
    wanted.purpose = purpose;
    wanted.email = std::move(email);
    wanted.requested_at = now;
    if (cause.origin) {
        wanted.ip_address = cause.origin->address;
        wanted.user_agent = cause.origin->user_agent;
    }
    const bool taken = co_await repository_.request(std::move(wanted), now - settings_.of(purpose).resend);
    if (!taken) co_return "tooSoon";
    co_return std::nullopt;
}

awaitable<void> LinkRequests::work_off(MailAllowance allowance) {
    std::size_t mails = 0;
    for (int i = 0; i < portions_max; ++i) {
        auto open = co_await repository_.list_open(portion);
        const bool was_all = std::ssize(open) < portion;
        // A request that fails because its account is damaged does not stop the others; the error is thrown at the end.
        std::exception_ptr trouble;
        for (LinkRequest& request : open) {
            try {
                const bool has_written = co_await handle(std::move(request), allowance.is_probe);
                if (has_written && ++mails == allowance.most) co_return;
            } catch (const Unavailable&) {
                throw;
            } catch (const std::exception&) {
                trouble = std::current_exception();
            }
        }
        if (trouble) std::rethrow_exception(trouble);
        if (was_all) co_return;
    }
}

awaitable<bool> LinkRequests::handle(LinkRequest request, bool is_probe) {
    const auto user = co_await users_.find_by_email(request.email);
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    // Must come first: if several instances handle the request, only one commits.
    LinkRequestRepository::add_handled(transaction, request, now);
    const bool writes = user && is_due(*user, request.purpose);
    if (writes) {
        const bool forgotten = request.purpose == TokenPurpose::forgot_password;
        Cause cause;
        cause.origin.emplace();
        cause.origin->address = request.ip_address;
        cause.origin->user_agent = request.user_agent;
        Audit::add(transaction, user->id,
                   forgotten ? ActivityAction::user_forgot_password : ActivityAction::user_send_verification_email,
                   cause, now);
        add_link(transaction, user->id, request.purpose, is_probe, now);
    }
    co_await database_.commit(std::move(transaction));
    co_return writes;
}

// The activity log has the request already.
awaitable<bool> LinkRequests::renew(StoredMail mail, MailMark mark) {
    const auto facts = mails_.open(mail.id, mail.payload);
    if (!facts || std::ranges::find(*facts, probe, &MailFacts::value_type::first) == facts->end()) co_return false;
    const bool forgotten = mail.kind == name_of(MailKind::forgot_password);
    const TokenPurpose purpose = forgotten ? TokenPurpose::forgot_password : TokenPurpose::verify_email;
    const auto user = co_await users_.find_by_email(mail.address);
    if (!user || user->id != mail.user || !is_due(*user, purpose)) co_return false;
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    LinkRequestRepository::add_handled_again(transaction, digest_of(mail.address), purpose, mail.created_at, now);
    MailRepository::add_erase(transaction, mail.id, mark);
    add_link(transaction, user->id, purpose, true, now);
    const auto outcome = co_await database_.commit(std::move(transaction));
    co_return outcome.committed;
}

crypto::Sha256 LinkRequests::digest_of(const std::string& email) const {
    return crypto::hmac_sha256(as_bytes(settings_.address_key), as_bytes(email));
}

void LinkRequests::add_link(storage::Transaction& transaction, UserId user, TokenPurpose purpose, bool is_probe,
                            TimePoint now) {
    MailFacts facts{{"token", AccountTokens::add(transaction, user, purpose, settings_.of(purpose), now)}};
    if (is_probe) facts.emplace_back(probe, "true");
    const bool forgotten = purpose == TokenPurpose::forgot_password;
    mails_.add(transaction, user, forgotten ? MailKind::forgot_password : MailKind::verify_email, std::move(facts),
               now);
}

awaitable<void> LinkRequests::forget_old() {
    const TimePoint now = clock_.now();
    co_await tokens_.erase_expired(now);
    const auto resend = std::max(settings_.verification.resend, settings_.forgot_password.resend);
    const auto kept = std::max<milliseconds>(resend, std::chrono::days{1});
    // During an outage, requests wait for as long as mails do.
    const auto waiting = std::max<milliseconds>(kept, MailDelivery::patience);
    co_await repository_.erase_outside(now - kept, now - waiting, now + clock_error_max);
}

}  // namespace consentry
