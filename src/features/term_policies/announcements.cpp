#include "features/term_policies/announcements.hpp"

#include <algorithm>
#include <iterator>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "base/error.hpp"

namespace consentry {
namespace {

constexpr std::int64_t announced_at_once = 100;

}  // namespace

awaitable<AnnouncementRepository::Readers> Announcements::readers(AnnouncementRepository::Open announcement) {
    AnnouncementRepository::Readers out{.found = {}, .next_after = announcement.after.value_or(UserId{})};
    constexpr int portions_max = 100;  // then what has been looked at is recorded, and other mails are sent
    for (int portions = 1;; ++portions) {
        auto some = co_await announcements_.readers_in_portion(*out.next_after, announcement.created_at,
                                                               announced_at_once - std::ssize(out.found));
        std::ranges::move(some.found, std::back_inserter(out.found));
        out.next_after = some.next_after;
        if (!out.next_after || std::ssize(out.found) == announced_at_once || portions == portions_max) break;
        // SQLite reads on this thread: lets it serve requests between portions.
        co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
    }
    co_return out;
}

awaitable<void> Announcements::work_off() {
    const auto open = co_await announcements_.next(announced_at_once);
    if (!open) co_return;
    // Once a change that is not material has been published, users can no longer accept what was announced.
    const auto policy = co_await repository_.find(open->latest);
    if (!policy) co_return;
    if (policy->contents.empty())
        throw Unavailable(fmt::format("the texts of the published policy {}/{} are missing in the database",
                                      name_of(policy->type), policy->version));
    const auto written_to = co_await readers(*open);
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    // Add this statement first: of several instances that read the same accounts, only one commits, and none does if a
    // newer version has been published meanwhile.
    AnnouncementRepository::add_progress(transaction, *open, *policy, written_to.next_after);
    for (const AnnouncementRepository::Reader& reader : written_to.found)
        mails_.add(transaction, reader.id, MailKind::policy_published,
                   {{"type", std::string(name_of(policy->type))},
                    {"version", std::to_string(policy->version)},
                    {"url", address_of(*policy, reader.language)}},
                   now);
    // If this does not commit, another instance was faster, a newer version was published, or an account was deleted.
    // The next round handles what remains.
    co_await database_.commit(std::move(transaction));
}

// The URL of the text in the reader's language, else in English, else in the first language available: of its page if
// there is one, because the file is the source of the text.
std::string Announcements::address_of(const TermPolicy& policy, Language wanted) const {
    const auto has = [&](Language language) {
        return std::ranges::find(policy.contents, language, &PolicyContent::language) != policy.contents.end();
    };
    const Language language = has(wanted)         ? wanted
                              : has(Language::en) ? Language::en
                                                  : policy.contents.front().language;
    if (pages_)
        return fmt::format("{}/policies/{}/{}?text={}", *pages_, name_of(policy.type), policy.version,
                           name_of(language));
    return store_.public_address(paths_.publication(policy.type, policy.version, language));
}

}  // namespace consentry
