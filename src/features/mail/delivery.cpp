#include "features/mail/delivery.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <pthread.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error.hpp"
#include "base/unwatched.hpp"
#include "crypto/random.hpp"
#include "features/mail/message.hpp"

namespace consentry {
namespace {

using namespace std::chrono_literals;

// Renewed before a mail that may take longer than the rest of it. As short as that allows, because the mails of an
// instance that was killed wait as long.
constexpr milliseconds lease = MailTransport::longest + 1min;
// A later end of a claim is from before the clock was set back. Instances whose clocks differ by less than a lease
// respect each other's claims.
constexpr milliseconds longest_claim = lease * 2;
constexpr milliseconds first_retry = 10s;
constexpr milliseconds last_retry = 10min;
constexpr milliseconds longest_wait = last_retry * 6 / 5;  // with its jitter
// Poll intervals: short after a mail was queued, since its transaction may not have committed yet, then doubling.
constexpr milliseconds first_look = 5ms;
constexpr milliseconds last_look = 1s;
constexpr auto hooks_interval = 1s;
// Few, because a mail that is written meanwhile waits for them.
constexpr std::int64_t announcements_at_once = 10;
constexpr auto count_interval = 10s;
constexpr MailAllowance nothing{};
constexpr MailAllowance any_number{.most = std::numeric_limits<std::size_t>::max()};

MailDue due_at(TimePoint now) {
    return {.now = now, .latest = now + longest_wait, .latest_claim = now + longest_claim};
}

// Doubles with each failure. Adds up to a fifth of jitter, so that mails which failed together are not retried
// together.
milliseconds retry_after(std::int64_t failures) {
    const auto rung = std::min<std::int64_t>(std::max<std::int64_t>(failures, 1) - 1, 10);
    const milliseconds base = std::min(first_retry * (std::int64_t{1} << rung), last_retry);
    return base + base * crypto::random_bytes(1).front() / (5 * 256);
}

}  // namespace

MailDelivery::MailDelivery(Options options, Parts parts, std::shared_ptr<spdlog::logger> log)
    : options_(std::move(options)),
      parts_(parts),
      writer_(parts.locales, options_.site),
      repository_(parts.database),
      log_(std::move(log)) {
    parts_.mails.when_written([this] { wake(); });
}

MailDelivery::~MailDelivery() {
    stop();
    wait();
}

void MailDelivery::start() {
    asio::co_spawn(context_, work(), [this, told = unwatched("email delivery")](const std::exception_ptr& failure) {
        told(failure);
        context_.stop();
    });
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "mails");
        context_.run();
    });
}

void MailDelivery::stop() {
    stopping_.request_stop();
    wake();
}

void MailDelivery::wait() {
    if (thread_.joinable()) thread_.join();
}

void MailDelivery::wake() {
    if (wake_posted_.exchange(true)) return;  // coalesces the wake-ups of many mails while a server is slow
    asio::post(context_, [this] {
        wake_posted_ = false;
        woken_ = true;
        timer_.cancel();
    });
}

awaitable<void> MailDelivery::work() {
    milliseconds pause = first_look;
    while (!stopping_.stop_requested()) {
        const bool busy = co_await guarded_round();
        if (busy || std::exchange(woken_, false)) pause = first_look;
        timer_.expires_after(pause);
        if (!woken_ && !stopping_.stop_requested()) co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        pause = std::min(pause * 2, last_look);
    }
}

// Catches every error, so that the thread never ends.
awaitable<bool> MailDelivery::guarded_round() {
    std::string trouble;
    try {
        const bool busy = co_await round();
        if (std::exchange(in_trouble_, false)) log_->info("email delivery: the database is available again");
        co_return busy;
    } catch (const std::exception& error) {
        trouble = error.what();
    }
    if (!std::exchange(in_trouble_, true)) log_->warn("email delivery waits: {}", trouble);
    co_return false;
}

// Returns true if there may be more mails to send immediately.
awaitable<bool> MailDelivery::round() {
    co_await run_hooks(co_await may_write());
    co_await settle();
    const auto steady_now = std::chrono::steady_clock::now();
    if (steady_now - counted_ >= count_interval) co_await count_waiting();
    const TimePoint now = parts_.clock.now();
    if (is_paused(now)) co_return false;
    const MailDue due = due_at(now);
    const bool any = co_await repository_.any_due(due);
    if (!any) co_return false;

    mark_ = MailMark::make(now);
    kept_until_ = now + lease;
    holds_ = true;
    std::int64_t limit = options_.batch_size;
    auto batch = co_await repository_.take(mark_, due, kept_until_, MailTurn::ordinary, limit);
    if (batch.empty()) {
        limit = std::min(limit, announcements_at_once);
        batch = co_await repository_.take(mark_, due, kept_until_, MailTurn::announcement, limit);
    }
    std::size_t rest = batch.size();
    for (const StoredMail& mail : batch) {
        if (stopping_.stop_requested()) break;
        if (std::chrono::steady_clock::now() - hooks_ran_ >= hooks_interval)
            co_await run_hooks(has_answered_ ? any_number : nothing);
        const bool ours = co_await keep_rest(rest);
        if (!ours) break;
        const Next next = co_await deliver(mail);
        --rest;
        if (next == Next::end_batch) break;
    }
    co_await settle();
    // If the deletion of a link that is over leaves an outage without a mail, the next round may write one.
    const bool is_settled = has_answered_ || is_paused(parts_.clock.now());
    if (is_settled && batch.size() < static_cast<std::size_t>(limit)) co_await count_waiting();
    co_return !batch.empty();
}

// A clock that was set back ends a pause, and does not make mails wait that were put off before.
bool MailDelivery::is_paused(TimePoint now) const { return now >= paused_at_ && now < paused_at_ + pause_; }

// How many mails a task may write. During an outage, a link would be over before its mail leaves. A mail that waits
// already is to find out whether the service is there again; without one, the first that is written.
awaitable<MailAllowance> MailDelivery::may_write() {
    const TimePoint now = parts_.clock.now();
    if (is_paused(now)) co_return nothing;
    if (has_answered_) co_return any_number;
    const bool any = co_await repository_.any_due(due_at(now));
    if (any) co_return nothing;
    co_return MailAllowance{.most = 1, .is_probe = service_failures_ > 0};
}

// A failing hook does not stop the delivery of mails.
awaitable<void> MailDelivery::run_hooks(MailAllowance allowance) {
    hooks_ran_ = std::chrono::steady_clock::now();
    std::vector<awaitable<void>> tasks;
    for (const auto& hook : options_.before_each_round) tasks.push_back(hook());
    if (allowance.most > 0)
        for (const auto& hook : options_.while_service_is_there) tasks.push_back(hook(allowance));
    std::string trouble;
    for (awaitable<void>& task : tasks) {
        try {
            co_await std::move(task);
        } catch (const std::exception& error) {
            trouble = error.what();
        }
    }
    if (trouble.empty()) {
        hooks_in_trouble_ = false;
    } else if (!std::exchange(hooks_in_trouble_, true)) {
        log_->warn("a task before email delivery failed and will be retried: {}", trouble);
    }
}

// Deletes the delivered mails and releases the rest, including those of a batch that an outage interrupted. It runs
// before the next claim, so that no delivered mail is claimed again.
awaitable<void> MailDelivery::settle() {
    if (!holds_) co_return;
    while (!delivered_.empty()) {
        co_await repository_.erase(delivered_.back(), mark_);
        delivered_.pop_back();
    }
    co_await repository_.release(mark_);
    holds_ = false;
}

// Returns false if another instance has claimed the rows because the clock jumped or this process was suspended.
awaitable<bool> MailDelivery::keep_rest(std::size_t rest) {
    const TimePoint now = parts_.clock.now();
    const milliseconds left = kept_until_ - now;
    if (left > MailTransport::longest && left <= lease) co_return true;
    const TimePoint until = now + lease;
    const std::int64_t kept = co_await repository_.keep(mark_, until);
    kept_until_ = until;
    co_return kept == static_cast<std::int64_t>(rest);
}

awaitable<MailDelivery::Next> MailDelivery::deliver(const StoredMail& mail) {
    if (is_over(mail)) {
        const bool is_renewed = co_await renew(mail);
        if (is_renewed) co_return Next::go_on;
        if (mail.kind == name_of(MailKind::forgot_password)) {
            log_->info("email {} ({}) was not sent: its link is over", mail.id.text(), mail.kind);
            co_await repository_.erase(mail.id, mark_);
            co_return Next::go_on;
        }
    }
    const auto content = content_of(mail);
    if (!content) {
        co_await put_off(mail, "cannot be decrypted or read");
        co_return Next::go_on;
    }
    const Posting posting = options_.transport->post({.id = mail.id,
                                                      .written_at = mail.created_at,
                                                      .from = options_.sender,
                                                      .to = mail.address,
                                                      .content = *content},
                                                     stopping_.get_token());
    switch (posting.verdict) {
        case Posting::Verdict::done:
            sent_.fetch_add(1, std::memory_order_relaxed);
            service_is_there();
            delivered_.push_back(mail.id);
            co_await repository_.erase(mail.id, mark_);
            delivered_.pop_back();
            co_return Next::go_on;
        case Posting::Verdict::refused:
            service_is_there();
            co_await give_up(mail, posting.reason);
            co_return Next::go_on;
        case Posting::Verdict::put_off:
            service_is_there();
            co_await put_off(mail, posting.reason);
            co_return Next::go_on;
        case Posting::Verdict::no_service:
            break;
    }
    if (!stopping_.stop_requested()) {
        pause_service(posting.reason);
        // Retry this mail later than the others: if it is what the server fails on, it must not block them.
        co_await put_off(mail, posting.reason);
    }
    co_return Next::end_batch;
}

// A mail whose account is damaged must not stop the others.
awaitable<bool> MailDelivery::renew(const StoredMail& mail) {
    if (!options_.renew) co_return false;
    try {
        const bool is_renewed = co_await options_.renew(mail, mark_);
        co_return is_renewed;
    } catch (const Unavailable&) {
        throw;
    } catch (const std::exception& error) {
        log_->error("the link of email {} cannot be renewed: {}", mail.id.text(), error.what());
    }
    co_return false;
}

awaitable<void> MailDelivery::put_off(const StoredMail& mail, const std::string& why) {
    const TimePoint now = parts_.clock.now();
    if (now - mail.created_at >= patience) {
        co_await give_up(mail, why);
        co_return;
    }
    co_await repository_.put_off(mail.id, mark_, now + retry_after(mail.attempt), why);
}

awaitable<void> MailDelivery::give_up(const StoredMail& mail, const std::string& why) {
    co_await repository_.give_up(mail.id, mark_, parts_.clock.now(), why);
    failed_.fetch_add(1, std::memory_order_relaxed);
    log_->warn("email {} ({}) could not be delivered and was abandoned: {}", mail.id.text(), mail.kind, why);
    parts_.audit.tell("mail.failed", Outcome::failure, mail.user, {},
                      {{"mail", mail.id.text()}, {"kind", mail.kind}, {"reason", why}});
}

void MailDelivery::pause_service(const std::string& why) {
    if (++service_failures_ == 1) log_->warn("MAIL_URL: email delivery waits: {}", why);
    has_answered_ = false;
    trouble_.set(why.empty() ? "unknown reason" : why);
    paused_at_ = parts_.clock.now();
    pause_ = retry_after(service_failures_);
}

void MailDelivery::service_is_there() {
    if (std::exchange(service_failures_, 0) > 0) log_->info("email delivery works again");
    has_answered_ = true;
    trouble_.clear();
}

awaitable<void> MailDelivery::count_waiting() {
    counted_ = std::chrono::steady_clock::now();
    const WaitingMails waiting = co_await repository_.count_waiting();
    waiting_ordinary_.store(waiting.ordinary, std::memory_order_relaxed);
    waiting_announcements_.store(waiting.announcements, std::memory_order_relaxed);
}

// A link that opens nothing any more misleads its reader, who must request another one in any case, unless the request
// came during the outage: requests wait until its end, and so does this one, which became the probe and is renewed.
// Without that, a link that verifies an address is sent even so: that of a sign-up tells that the account is there.
bool MailDelivery::is_over(const StoredMail& mail) const {
    const MailSite& site = options_.site;
    const TimePoint now = parts_.clock.now();
    if (mail.kind == name_of(MailKind::forgot_password)) return now >= mail.created_at + site.forgot_password_lifetime;
    return mail.kind == name_of(MailKind::verify_email) && now >= mail.created_at + site.verification_lifetime;
}

// Returns nullopt if the mail is damaged, was written by a newer version, or was sealed with a secret that only another
// instance has. Another instance may be able to send it.
std::optional<std::string> MailDelivery::content_of(const StoredMail& mail) const {
    try {
        const auto kind = find_enum<MailKind>(mail.kind);
        const auto facts = parts_.mails.open(mail.id, mail.payload);
        if (!kind || !facts) return std::nullopt;
        const Language language = find_language(mail.language).value_or(Language::en);
        Wording wording = writer_.write(*kind, language, *facts, mail.created_at);
        return message_of({.id = mail.id,
                           .date = mail.created_at,
                           .from_name = options_.site.name,
                           .from = options_.sender,
                           .to = mail.address,
                           .kind = mail.kind,
                           .language = std::string(name_of(language)),
                           .subject = std::move(wording.subject),
                           .text = std::move(wording.text),
                           .html = std::move(wording.html),
                           .eight_bit = options_.transport->takes_eight_bits()});
    } catch (const std::exception& error) {
        log_->error("email {} ({}) cannot be composed: {}", mail.id.text(), mail.kind, error.what());
        return std::nullopt;
    }
}

}  // namespace consentry
