// Paging through lists that change meanwhile: no item appears twice, and items that exist throughout are not missed.
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/calls/paging_calls.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

TEST(Paging, AWalkOverAChangingListMissesAndRepeatsNothing) {
    Service& service = suite_service();
    const Reader reader(service);
    const TimePoint begin = service.clock().now() - 24h;
    std::vector<SessionId> sessions;
    for (int i = 0; i < 250; ++i) sessions.push_back(reader.add_session(begin + i / 5 * 1ms));  // five per millisecond
    std::set<std::string> stood;
    for (const auto& id : sessions) stood.insert(id.text());

    for (const std::string order : {"", "&orderBy=createdAt:asc", "&orderBy=updatedAt:asc&orderBy=createdAt:desc"}) {
        std::mt19937 random(7);
        std::vector<std::string> walked;
        std::string cursor;
        for (int page_number = 0;; ++page_number) {
            const Answer page = reader.list("perPage=7" + order + (cursor.empty() ? "" : "&cursor=" + cursor));
            ASSERT_EQ(page.status, 200U) << page.body;
            for (auto& id : ids_of(page)) walked.push_back(std::move(id));
            if (!page.boolean("metadata.hasNext")) break;
            ASSERT_EQ(ids_of(page).size(), 7U);
            cursor = page.text("metadata.nextCursor");
            if (page_number % 3 == 0) {
                reader.add_session(begin + std::chrono::milliseconds(random() % 50));
                const auto ended = sessions.begin() + static_cast<std::ptrdiff_t>(random() % sessions.size());
                reader.end_session(*ended);
                stood.erase(ended->text());
                sessions.erase(ended);
            }
        }
        const std::set<std::string> once(walked.begin(), walked.end());
        EXPECT_EQ(once.size(), walked.size()) << "one came twice" << order;
        EXPECT_TRUE(std::ranges::includes(once, stood)) << "one that stayed throughout was missed" << order;
        EXPECT_GT(walked.size(), 200U);
    }
}

TEST(Paging, TheIdDecidesAmongEquals) {
    Service& service = suite_service();
    const Reader reader(service);
    std::vector<std::string> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(reader.add_session(service.clock().now() - 1h).text());
    std::ranges::sort(ids);
    const auto walk = [&](const std::string& order) {
        std::vector<std::string> out;
        std::string cursor;
        do {
            const Answer page = reader.list("perPage=3&orderBy=" + order + (cursor.empty() ? "" : "&cursor=" + cursor));
            for (auto& id : ids_of(page)) out.push_back(std::move(id));
            cursor = page.has("metadata.nextCursor") ? page.text("metadata.nextCursor") : std::string();
        } while (!cursor.empty());
        return out;
    };
    auto up = walk("createdAt:asc");
    ASSERT_EQ(up.size(), 21U) << "and the session of the login";
    up.pop_back();
    EXPECT_EQ(up, ids);
    auto down = walk("createdAt:desc");
    ASSERT_EQ(down.size(), 21U);
    std::ranges::reverse(down);
    down.pop_back();
    EXPECT_EQ(down, ids);
}

TEST(AUT_3, AListHoldsTheCallersOwnOnly) {
    Service service;
    const Reader one(service);
    const Reader other(service);
    for (int i = 0; i < 5; ++i) one.add_session(service.clock().now() - 1h);
    EXPECT_EQ(ids_of(one.list()).size(), 6U);
    EXPECT_EQ(ids_of(other.list()).size(), 1U);
    EXPECT_EQ(other.list("userId=" + one.person().id.text()).status, 422U);
}

}  // namespace
}  // namespace consentry::tests
