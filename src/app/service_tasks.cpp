// What a service does at intervals, and `consentry clean-up` at once.
#include <algorithm>
#include <iterator>

#include "app/services.hpp"

namespace consentry {
namespace {

constexpr std::chrono::days failed_mails_kept{30};  // long enough to investigate the failure

}  // namespace

std::vector<PeriodicTask> Services::clean_up_tasks() {
    constexpr std::chrono::hours rarely{1};
    // Deleted files are gone within a minute, even if the store did not respond at first.
    constexpr std::chrono::seconds often{20};
    return {
        {"password failure counts", rarely, [this] { return passwords.forget_old(); }},
        {"former passwords", rarely, [this] { return passwords.forget_former(); }},
        {"expired sessions", rarely, [this] { return sessions.forget_old(); }},
        {"old activity log entries", rarely, [this] { return activity.forget_old(); }},
        {"expired identity tokens", rarely, [this] { return social_accounts.forget_old(); }},
        {"used forward auth codes", rarely, [this] { return hand_over.forget_old(); }},
        {"old link requests", rarely, [this] { return link_requests.forget_old(); }},
        {"deleted accounts", rarely, [this] { return accounts.erase_deleted(); }},
        {"abandoned emails", rarely, [this] { return forget_failed_mails(); }},
        {"abandoned imports", rarely, [this] { return user_import.forget_abandoned(); }},
        {"orphaned policy files", often, [this] { return term_policies.sweep(); }},
        {"counted security events", often, [this] { return tell_counted_events(); }},
        {"time of the database", often, [this] { return shared_clock_.follow(); }},
    };
}

std::vector<std::vector<PeriodicTask>> Services::task_loops() {
    // Well within the promise of a receipt (merge_delay), even after a few failures.
    constexpr std::chrono::seconds soon{1};
    constexpr milliseconds sooner{500};
    constexpr std::chrono::minutes often{1};  // it knows itself when an hour is over
    std::vector<std::vector<PeriodicTask>> loops;
    // In a loop of its own, before that of the log: it may take long, and new entries must not wait for old ones.
    if (consent_log)
        loops.push_back({{"acceptances that the consent log lacks", soon, [this] { return complete_log(); }}});
    if (consent_log)
        loops.push_back({{"the consent log", soon, [this] { return work_on_log(); }},
                         {"keys of receipts", soon, [this] { return consent_log->work_on_keys(); }},
                         {"the administration log", soon, [this] { return administration_log->work(); }}});
    if (cosigning) loops.push_back({{"cosignatures of the consent log", sooner, [this] { return cosigning->work(); }}});
    if (administration_cosigning)
        loops.push_back(
            {{"cosignatures of the administration log", sooner, [this] { return administration_cosigning->work(); }}});
    if (timestamps) loops.push_back({{"timestamps of the consent log", often, [this] { return timestamps->work(); }}});
    return loops;
}

awaitable<void> Services::complete_publications() {
    if (publications_are_complete_) co_return;
    co_await publications.complete();
    publications_are_complete_ = true;
}

// Again and again: during a rolling restart that turns the log on, instances without it still record. Later looks cover
// what is new, and what clocks and commits that differ may have put before the last look.
awaitable<void> Services::complete_log() {
    constexpr std::chrono::hours interval{1};
    constexpr std::chrono::hours margin{1};
    const TimePoint now = clock.now();
    const TimePoint former = log_completed_at_;
    if (now < former + interval) co_return;
    co_await publications.complete();
    publications_are_complete_ = true;
    const auto since = former == TimePoint{} ? std::nullopt : std::optional(former - margin);
    const bool is_complete = co_await consents.complete_log(since);
    if (is_complete) log_completed_at_ = now;  // otherwise the next turn tries those again that are still unlogged
}

awaitable<void> Services::work_on_log() {
    co_await complete_publications();
    co_await consent_log->published().work();
}

awaitable<std::vector<TaskTrouble>> Services::clean_up() {
    std::vector<PeriodicTask> tasks;
    // First, because the erasure waits for acts that are not logged. The logs come last: the erasure adds entries.
    if (administration_log)
        tasks.push_back({"acts of administrators", {}, [this] { return administration_log->take_in_all(); }});
    std::ranges::move(clean_up_tasks(), std::back_inserter(tasks));
    for (auto& loop : task_loops()) std::ranges::move(loop, std::back_inserter(tasks));
    co_return co_await do_all(std::move(tasks));
}

awaitable<void> Services::forget_failed_mails() {
    MailRepository stored_mails(database);
    co_await stored_mails.erase_failed(clock.now() - failed_mails_kept);
}

awaitable<void> Services::tell_counted_events() {
    bounded_events.settle();
    co_return;
}

}  // namespace consentry
