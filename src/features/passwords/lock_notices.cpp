#include "features/passwords/lock_notices.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

namespace consentry {
namespace {

constexpr std::size_t open_max = 10'000;  // each stands for five failures
// In a row: one may be due to the notice itself, two are an outage.
constexpr int failures_max = 2;

}  // namespace

void LockNotices::add(UserId user, Cause cause) {
    {
        const std::lock_guard lock(mutex_);
        if (open_.size() >= open_max) return;
        open_.push_back({user, std::move(cause), clock_.now()});
    }
    mails_.wake();
}

storage::awaitable<void> LockNotices::work_off() {
    for (int failures = 0;;) {
        storage::Transaction change;
        {
            const std::lock_guard lock(mutex_);
            if (open_.empty()) co_return;
            Notice& first = open_.front();
            if (first.change.statements().empty()) add_change(first);
            change = first.change;
        }
        try {
            co_await database_.commit(std::move(change));
        } catch (const std::exception&) {
            const std::lock_guard lock(mutex_);
            std::ranges::rotate(open_, open_.begin() + 1);
            if (++failures == failures_max) throw;
            continue;
        }
        failures = 0;
        const std::lock_guard lock(mutex_);
        open_.erase(open_.begin());
    }
}

void LockNotices::add_change(Notice& notice) const {
    // The mail comes first: its expectation fails if the account is deleted, and then there is no owner to tell. The
    // entry would break a foreign key if the account is erased as well, which looks like an outage.
    mails_.add_notice(notice.change, notice.user, MailKind::password_locked, notice.cause, notice.at);
    Audit::add(notice.change, notice.user, ActivityAction::user_reach_max_password_attempt, notice.cause, notice.at);
}

}  // namespace consentry
