// Tests that a clean-up runs all of its tasks even if some fail, and soon retries those that failed.
#include "app/periodic_tasks.hpp"

#include <algorithm>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>

#include "app/app.hpp"
#include "base/error.hpp"
#include "tests/support/run.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

awaitable<void> count(int& done) {
    ++done;
    co_return;
}
template <class E>
awaitable<void> fail_with(int& tried, const bool& broken, E error) {
    ++tried;
    if (broken) throw error;
    co_return;
}

struct Plan {
    bool broken = true;
    int unavailable = 0;
    int unexpected = 0;
    int odd = 0;
    int good = 0;
    std::ostringstream said;
    spdlog::logger log{"test", std::make_shared<spdlog::sinks::ostream_sink_st>(said)};

    std::vector<PeriodicTask> tasks() {
        return {{"outage", 1h, [this] { return fail_with(unavailable, broken, Unavailable("no answer")); }},
                {"bug", 1h, [this] { return fail_with(unexpected, broken, std::logic_error("a row is odd")); }},
                {"number", 10s, [this] { return fail_with(odd, broken, 7); }},
                {"good", 1h, [this] { return count(good); }}};
    }
};

TEST(PeriodicTasks, WhatFailsHoldsUpNothingAndIsTriedAgainSoon) {
    Plan plan;
    const PeriodicTasks::SteadyTime begin{};
    PeriodicTasks clean_up(plan.tasks(), plan.log, begin + 5s);
    run(clean_up.do_due(begin + 4s));
    EXPECT_EQ(plan.good, 0);
    EXPECT_EQ(clean_up.next(), begin + 5s);

    run(clean_up.do_due(begin + 5s));
    EXPECT_EQ(plan.good, 1);
    EXPECT_EQ(clean_up.next(), begin + 15s) << "the one that is due every ten seconds";
    EXPECT_THAT(plan.said.str(), AllOf(HasSubstr("background task 'outage' failed and will be retried: no answer"),
                                       HasSubstr("background task 'bug' failed and will be retried: a row is odd"),
                                       HasSubstr("background task 'number' failed and will be retried: ")));
    const auto said = plan.said.str().size();
    run(clean_up.do_due(begin + 65s));
    EXPECT_EQ(plan.unavailable, 2);
    EXPECT_EQ(plan.unexpected, 2);
    EXPECT_EQ(plan.odd, 2);
    EXPECT_EQ(plan.good, 1) << "nothing was wrong with it";
    EXPECT_EQ(plan.said.str().size(), said) << "once for as long as it lasts";

    plan.broken = false;
    run(clean_up.do_due(begin + 125s));
    EXPECT_THAT(plan.said.str(), HasSubstr("background task 'bug' works again"));
    EXPECT_EQ(plan.unexpected, 3);
    run(clean_up.do_due(begin + 1h));
    EXPECT_EQ(plan.unexpected, 3) << "well again, in its own time";
    run(clean_up.do_due(begin + 1h + 5s));
    EXPECT_EQ(plan.good, 2);
}

TEST(PeriodicTasks, AllAtOnceTellsWhatWasNotDone) {
    Plan plan;
    const auto troubles = run(do_all(plan.tasks()));
    ASSERT_EQ(troubles.size(), 3U);
    EXPECT_EQ(troubles[1].task, "bug");
    EXPECT_EQ(troubles[1].reason, "a row is odd");
    EXPECT_EQ(plan.good, 1);
}

// A table that one task cannot read does not keep the next task from deleting objects in the store.
TEST(PeriodicTasks, AServiceWithADamagedTableDoesTheRest) {
    Service service;
    service.make_person();
    service.sql(
        "INSERT INTO loose_objects (area, type, version, language, due_at) VALUES ('private', 'privacy', 1, 'en', 0)");
    service.sql("ALTER TABLE import_rows RENAME TO misplaced");
    const auto troubles = run(service.app().services().clean_up());
    ASSERT_EQ(troubles.size(), 1U);
    EXPECT_EQ(troubles[0].task, "abandoned imports");
    EXPECT_EQ(service.sql("SELECT count(*) FROM loose_objects").at(0).at(0), "0");
}

TEST(PeriodicTasks, WhatIsDeletedIsSweptWithinAMinute) {
    Service service;
    const std::vector<PeriodicTask> tasks = service.app().services().clean_up_tasks();
    const auto sweep = std::ranges::find(tasks, "orphaned policy files", &PeriodicTask::name);
    ASSERT_NE(sweep, tasks.end());
    EXPECT_LE(sweep->every, 30s);
    for (const PeriodicTask& task : tasks) EXPECT_LE(task.every, 1h) << task.name;
}

}  // namespace
}  // namespace consentry::tests
