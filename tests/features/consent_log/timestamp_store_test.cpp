// Timestamps, where the database decides: when one is due, and which instance fetches it.
#include <gmock/gmock.h>

#include "tests/features/consent_log/log_timestamps.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST_F(LogTimestamps, OneAnHourIfTheLogGrew) {
    add();
    EXPECT_EQ(work(), "");
    const Answer first = stamp(1);
    ASSERT_EQ(first.status, 200U);
    EXPECT_EQ(first.headers.at("content-type"), "application/timestamp-reply");
    EXPECT_THAT(first.headers.at("cache-control"), HasSubstr("immutable"));
    const CommandResult verified = authority_.verify(text(), first.body);
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    EXPECT_NE(authority_.verify(text() + " ", first.body).code, 0);
    add();
    EXPECT_EQ(work(), "");
    EXPECT_EQ(stamp(2).status, 404U) << "not within the hour";
    t_.service.pass(1h);
    EXPECT_EQ(work(), "");
    EXPECT_EQ(authority_.verify(text(), stamp(2).body).code, 0);
    t_.service.pass(3h);
    EXPECT_EQ(work(), "");
    EXPECT_EQ(authority_.requests(), 2) << "the log has not grown";
    for (const char* none : {"0.tsr", "3.tsr", "01.tsr", "1", ".tsr", "1.tsr.tsr", "checkpoint", "..%2fcheckpoint"})
        EXPECT_EQ(t_.service.get("/consent-log/timestamps/" + std::string(none)).status, 404U) << none;
}

// Otherwise, verifiers would call an entry backdated that an outage has held up.
TEST_F(LogTimestamps, WaitForEntriesThatAreNotPublished) {
    add();
    EXPECT_EQ(work(), "");
    add();
    EXPECT_EQ(work(), "");
    t_.service.pass(1h);
    add();
    t_.service.pass(1min);
    run(t_.service.app().services().timestamps->work());
    EXPECT_EQ(stamp(2).status, 404U);
    EXPECT_EQ(work(), "");
    EXPECT_EQ(stamp(2).status, 404U);
    EXPECT_EQ(authority_.verify(text(), stamp(3).body).code, 0);
}

TEST_F(LogTimestamps, AFailureHoldsNothingUpAndIsTriedAgain) {
    add();
    work();
    ASSERT_EQ(stamp(1).status, 200U);
    int size = 1;
    for (const char* fault : {"500", "garbage", "again"}) {
        authority_.fail_with(fault);
        t_.service.pass(1h);
        const int before = authority_.requests();
        add();
        work();
        ++size;
        EXPECT_EQ(authority_.requests(), before + 1) << fault;
        EXPECT_EQ(stamp(size).status, 404U) << fault;
        EXPECT_THAT(text(), HasSubstr("\n" + std::to_string(size) + "\n")) << "the log goes on";
        work();
        EXPECT_EQ(authority_.requests(), before + 1) << "not at once";
    }
    authority_.fail_with({});
    t_.service.pass(5min);
    EXPECT_EQ(work(), "");
    EXPECT_EQ(authority_.verify(text(), stamp(size).body).code, 0);
}

// Regression: while the authority was away, standard error said every five minutes that the task works again.
TEST_F(LogTimestamps, AnOutageLastsUntilAnInstanceHasATimestamp) {
    const Services& services = t_.service.app().services();
    Timestamps other(services.consent_log->published(), t_.service.clock(), authority_.url(), "");
    add();
    EXPECT_EQ(work(), "");
    ASSERT_EQ(stamp(1).status, 200U);
    authority_.fail_with("500");
    t_.service.pass(1h);
    add();
    const int before = authority_.requests();
    for (int minute = 0; minute < 9; ++minute) {
        EXPECT_THAT(work(), HasSubstr("the authority answers 500")) << minute;
        t_.service.pass(1min);
    }
    EXPECT_EQ(authority_.requests(), before + 2) << "every five minutes";
    run(other.work());
    EXPECT_EQ(authority_.requests(), before + 2) << "it is not due, and this instance has met no outage";
    add();
    EXPECT_THAT(work(), HasSubstr("the authority answers 500")) << "the log goes on";
    authority_.fail_with({});
    t_.service.pass(1min);
    run(other.work());
    EXPECT_EQ(stamp(3).status, 200U);
    EXPECT_EQ(work(), "") << "the outage is over for all";
    add();
    EXPECT_EQ(work(), "");
}

}  // namespace
}  // namespace consentry::tests
