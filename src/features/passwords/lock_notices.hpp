// "Your account is locked": told to the owner once nobody waits for an answer.
//
// The answer to the failure that locks must not take longer for an address that somebody has than for one that nobody
// has (PWD-1), so what only an owner gets is written afterwards, on the thread that sends mails. The lock itself is in
// the database before the answer; a notice is lost with a process that ends in between.
#pragma once

#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "features/activity/audit.hpp"
#include "features/mail/mails.hpp"
#include "storage/database.hpp"

namespace consentry {

class LockNotices {
public:
    LockNotices(storage::Database& database, const Clock& clock, Mails& mails)
        : database_(database), clock_(clock), mails_(mails) {}

    // Thread-safe, and back at once.
    void add(UserId user, Cause cause);
    // Writes activity log and mail of what was added since; what an outage prevents is tried again.
    storage::awaitable<void> work_off();

private:
    struct Notice {
        UserId user;
        Cause cause;
        TimePoint at;
    };
    storage::Database& database_;
    const Clock& clock_;
    Mails& mails_;
    std::mutex mutex_;
    std::vector<Notice> open_;
};

}  // namespace consentry
