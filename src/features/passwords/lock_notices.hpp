// Tells owners that their account is locked, after the request was answered.
//
// The answer to the failure that locks must not take longer for an existing account than for an unknown address
// (PWD-1). Rows that only an existing account causes are therefore written afterwards, on the thread that sends emails.
// The lock itself is in the database before the answer. A stop writes what is left; a crash in between loses the
// notice.
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

    // Thread-safe and non-blocking.
    void add(UserId user, Cause cause);
    // Writes the activity log entries and mails of the notices added since. Whatever an outage prevents is retried in
    // the next round. A notice that fails goes behind the others; one for a deleted account is dropped.
    storage::awaitable<void> work_off();

private:
    struct Notice {
        UserId user;
        Cause cause;
        TimePoint at;
        // What it writes, with the ids of the rows; empty until the first attempt. If the answer to the commit was
        // lost, the repetition violates their keys instead of writing them twice.
        storage::Transaction change = {};
    };
    void add_change(Notice& notice) const;

    storage::Database& database_;
    const Clock& clock_;
    Mails& mails_;
    std::mutex mutex_;
    std::vector<Notice> open_;
};

}  // namespace consentry
