// Sends the mails queued in the database on a thread of its own, so that no request waits for a mail server.
//
// Any number of instances share one queue. A conditional statement claims a mail for the time of a lease, which is
// renewed while the batch lasts; the mail is sent and then deleted. A mail is thus sent once, unless the process ends,
// loses the database for minutes, or has its clock set by minutes between the server's acceptance and the deletion. It
// is then sent again under the same Message-ID.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <spdlog/logger.h>

#include "base/last_trouble.hpp"
#include "features/activity/audit.hpp"
#include "features/mail/allowance.hpp"
#include "features/mail/mails.hpp"
#include "features/mail/repository.hpp"
#include "features/mail/transport.hpp"
#include "features/mail/wording.hpp"

namespace consentry {

namespace asio = boost::asio;

class MailDelivery {
public:
    // How long delivery is retried before a mail is abandoned. The secret that sealed a mail must remain configured for
    // as long; the description of APP_ENCRYPTION_SECRET_KEY tells operators so.
    static constexpr std::chrono::days patience{3};

    struct Options {
        std::unique_ptr<MailTransport> transport;
        MailSite site;
        std::string sender;
        std::int64_t batch_size = 100;
        // Run on the delivery thread before it looks for mails: at least once a second, and whenever Mails::wake() is
        // called. Failures are logged once until a round succeeds.
        std::vector<std::function<awaitable<void>()>> before_each_round{};
        // The same for tasks that write emails which can wait, and should not be written long before they are sent. Run
        // only while the mail service is available, or if no other email can show whether it is: then each task must
        // write at most one mail that its reader has to open soon.
        std::vector<std::function<awaitable<void>(MailAllowance)>> while_service_is_there{};
        // Replaces a claimed mail whose link is over by one with a new link, if it was written as a probe. Returns
        // false if it has not replaced it.
        std::function<awaitable<bool>(StoredMail, MailMark)> renew{};
    };
    struct Parts {
        storage::Database& database;
        const Clock& clock;
        const Locales& locales;
        Mails& mails;
        Audit& audit;
    };
    // The parts must stay alive until wait() has returned; they may be destroyed before this object.
    MailDelivery(Options options, Parts parts, std::shared_ptr<spdlog::logger> log);
    ~MailDelivery();
    MailDelivery(const MailDelivery&) = delete;
    MailDelivery& operator=(const MailDelivery&) = delete;

    void start();
    // Thread-safe and non-blocking. A mail in progress is completed unless that takes long.
    void stop();
    void wait();

    // Returns false from the moment the mail service fails until it accepts or rejects a mail again.
    bool is_leaving() const { return trouble().empty(); }
    std::string trouble() const { return trouble_.text(); }  // why it failed; empty while mails leave
    // Counted across all instances; may be some seconds old.
    WaitingMails waiting() const {
        return {.ordinary = waiting_ordinary_.load(std::memory_order_relaxed),
                .announcements = waiting_announcements_.load(std::memory_order_relaxed)};
    }
    std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
    std::uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }

private:
    enum class Next { go_on, end_batch };
    using SteadyTime = std::chrono::steady_clock::time_point;

    void wake();
    awaitable<void> work();
    awaitable<bool> guarded_round();
    awaitable<bool> round();
    bool is_paused(TimePoint now) const;
    awaitable<MailAllowance> may_write();
    awaitable<void> run_hooks(MailAllowance allowance);
    awaitable<void> settle();
    awaitable<bool> keep_rest(std::size_t rest);
    awaitable<Next> deliver(const StoredMail& mail);
    awaitable<bool> renew(const StoredMail& mail);
    awaitable<void> put_off(const StoredMail& mail, const std::string& why);
    awaitable<void> give_up(const StoredMail& mail, const std::string& why);
    void pause_service(const std::string& why);
    void service_is_there();
    awaitable<void> count_waiting();
    bool is_over(const StoredMail& mail) const;
    std::optional<std::string> content_of(const StoredMail& mail) const;

    Options options_;
    const Parts parts_;
    const MailWriter writer_;
    MailRepository repository_;
    const std::shared_ptr<spdlog::logger> log_;

    // Used by the thread only.
    MailMark mark_;
    bool holds_ = false;  // the mark may hold rows
    TimePoint kept_until_{};
    std::vector<MailId> delivered_;  // under the mark, not yet deleted
    int service_failures_ = 0;       // consecutive
    bool has_answered_ = false;      // the service, to the last mail
    TimePoint paused_at_{};
    milliseconds pause_{0};
    bool in_trouble_ = false;  // the database is failing
    bool hooks_in_trouble_ = false;
    bool woken_ = false;
    SteadyTime hooks_ran_{};
    SteadyTime counted_{};

    std::atomic<bool> wake_posted_{false};
    LastTrouble trouble_;
    std::atomic<std::int64_t> waiting_ordinary_{0};
    std::atomic<std::int64_t> waiting_announcements_{0};
    std::atomic<std::uint64_t> sent_{0};
    std::atomic<std::uint64_t> failed_{0};

    asio::io_context context_{1};
    asio::steady_timer timer_{context_};
    std::stop_source stopping_;
    std::thread thread_;
};

}  // namespace consentry
