// Sends what waits in the table of mails, on a thread of its own: no request waits for a mail server.
//
// Any number of instances work off one table. A mail is taken by one conditional statement, for a while that is renewed
// while the batch lasts, sent, and then deleted; so it goes out once, unless the process ends, or loses the database
// for minutes, between the server's word and the deletion: then it goes out again under the same Message-ID.
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

#include "features/activity/audit.hpp"
#include "features/mail/mails.hpp"
#include "features/mail/repository.hpp"
#include "features/mail/transport.hpp"
#include "features/mail/wording.hpp"

namespace consentry {

namespace asio = boost::asio;

class MailDelivery {
public:
    // How long a mail is tried before it is given up. What sealed it must stay known as long: the description of
    // APP_ENCRYPTION_SECRET_KEY tells operators so.
    static constexpr std::chrono::days patience{3};

    struct Options {
        std::unique_ptr<MailTransport> transport;
        MailSite site;
        std::string sender;
        std::int64_t batch_size = 100;
        // Done on the delivery's thread before it looks for mails, at least once a second, and when Mails::wake() is
        // called. What they throw is told of, once for as long as it lasts.
        std::vector<std::function<awaitable<void>()>> before_each_round{};
    };
    struct Parts {
        storage::Database& database;
        const Clock& clock;
        const Locales& locales;
        Mails& mails;
        Audit& audit;
    };
    // The parts may end before it does, once wait() has returned.
    MailDelivery(Options options, Parts parts, std::shared_ptr<spdlog::logger> log);
    ~MailDelivery();
    MailDelivery(const MailDelivery&) = delete;
    MailDelivery& operator=(const MailDelivery&) = delete;

    void start();
    // Thread-safe, returns at once. A mail under way is finished, if it does not take long.
    void stop();
    void wait();

    // Whether mails leave: false from the moment nobody takes them until somebody does.
    bool is_leaving() const { return leaving_.load(std::memory_order_relaxed); }
    // Of all instances, as counted some seconds ago.
    std::int64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }
    std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
    std::uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }

private:
    enum class Next { go_on, end_batch };
    using SteadyTime = std::chrono::steady_clock::time_point;

    void wake();
    awaitable<void> work();
    awaitable<bool> guarded_round();
    awaitable<bool> round();
    awaitable<void> run_hooks();
    awaitable<void> settle();
    awaitable<bool> keep_rest(std::size_t rest);
    awaitable<Next> deliver(const StoredMail& mail);
    awaitable<void> put_off(const StoredMail& mail, const std::string& why);
    awaitable<void> give_up(const StoredMail& mail, const std::string& why);
    void pause_service(const std::string& why);
    void service_is_there();
    awaitable<void> count_waiting();
    std::optional<std::string> content_of(const StoredMail& mail) const;

    Options options_;
    const Parts parts_;
    const MailWriter writer_;
    MailRepository repository_;
    const std::shared_ptr<spdlog::logger> log_;

    // The thread's own.
    MailMark mark_;
    bool holds_ = false;  // rows under the mark, perhaps
    TimePoint kept_until_{};
    std::vector<MailId> delivered_;  // by the mark, not deleted yet
    int service_failures_ = 0;       // in a row
    TimePoint paused_until_{};
    bool in_trouble_ = false;  // with the database
    bool hooks_in_trouble_ = false;
    bool woken_ = false;
    SteadyTime hooks_ran_{};
    SteadyTime counted_{};

    std::atomic<bool> wake_posted_{false};
    std::atomic<bool> leaving_{true};
    std::atomic<std::int64_t> waiting_{0};
    std::atomic<std::uint64_t> sent_{0};
    std::atomic<std::uint64_t> failed_{0};

    asio::io_context context_{1};
    asio::steady_timer timer_{context_};
    std::stop_source stopping_;
    std::thread thread_;
};

}  // namespace consentry
