#include "features/passwords/lock_notices.hpp"

#include <cstddef>
#include <utility>

namespace consentry {
namespace {

constexpr std::size_t open_max = 10'000;  // each stands for five failures

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
    for (;;) {
        std::optional<Notice> notice;
        {
            const std::lock_guard lock(mutex_);
            if (!open_.empty()) notice = open_.front();
        }
        if (!notice) co_return;
        storage::Transaction transaction;
        Audit::add(transaction, notice->user, ActivityAction::user_reach_max_password_attempt, notice->cause,
                   notice->at);
        mails_.add_notice(transaction, notice->user, MailKind::password_locked, notice->cause, notice->at);
        co_await database_.commit(std::move(transaction));
        const std::lock_guard lock(mutex_);
        open_.erase(open_.begin());
    }
}

}  // namespace consentry
