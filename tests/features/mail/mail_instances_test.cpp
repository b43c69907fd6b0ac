// Tests that two instances on one database never send a mail twice.
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <spdlog/spdlog.h>

#include "app/config/read_config.hpp"
#include "app/mail_transport.hpp"
#include "features/mail/delivery.hpp"
#include "tests/support/calls/mail_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/mail_server.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

TEST(MailInstances, TwoOnOneDatabaseSendEachMailOnce) {
    const MailServer server(MailServerTls::none);
    const PostgresSchema schema;
    const TempFolder folder;
    ManualClock clock(from_epoch_ms(1'700'000'010'000));
    const Config config = read_config(test_settings(folder.path(), {{"HTTP_THREADS", "1"},
                                                                    {"DATABASE_URL", schema.patient_url()},
                                                                    {"DATABASE_TIMEOUT", "10s"},
                                                                    {"CACHE_URL", shared_redis_url()},
                                                                    {"CACHE_NAMESPACE", fresh_namespace()},
                                                                    {"EMAIL_BATCH_SIZE", "7"},
                                                                    {"MAIL_URL", server.url()}}))
                              .value();
    App first(config, clock);
    App second(config, clock);
    User user;
    user.email = "ada@example.org";
    user.role_id = built_in_role(Role::user);
    user.is_verified = true;
    const UserId ada = run(first.services().passwords.create(std::move(user), right_password)).value();

    constexpr std::size_t before = 50;
    constexpr std::size_t during = 50;
    for (std::size_t i = 0; i < before; ++i) ASSERT_TRUE(write_mail(first, ada, MailKind::welcome));
    first.start();
    second.start();
    for (std::size_t i = 0; i < during; ++i)
        ASSERT_TRUE(write_mail(i % 2 == 0 ? first : second, ada, MailKind::password_changed));
    server.wait_for(before + during);
    ASSERT_TRUE(eventually([&] { return schema.sql("SELECT COUNT(*) FROM mails").at(0).at(0) == "0"; }));
    std::map<std::string, int> times;
    for (const SmtpMail& one : server.mails()) ++times[one.mail.header("message-id")];
    EXPECT_EQ(times.size(), before + during);
    for (const auto& [id, count] : times) EXPECT_EQ(count, 1) << id;
    EXPECT_EQ(first.mail_delivery().sent() + second.mail_delivery().sent(), before + during);
    EXPECT_GT(first.mail_delivery().sent(), 0U);
    EXPECT_GT(second.mail_delivery().sent(), 0U);
}

// A mail server that takes its time by the clock of the test. During each mail, a second instance tries to take mails.
class SlowServer final : public MailTransport {
public:
    SlowServer(ManualClock& clock, Services& services, milliseconds each)
        : clock_(clock), services_(services), each_(each) {}

    Posting post(const PostedMail& mail, const std::stop_token&) override {
        clock_.advance(each_);
        const TimePoint now = clock_.now();
        MailRepository other(services_.database);
        taken_by_other_ +=
            run(other.take(MailMark::make(now), {.now = now, .latest = now + 1h, .latest_claim = now + 26min},
                           now + 5min, MailTurn::ordinary, 100))
                .size();
        posted_.push_back(mail.id);
        return {Posting::Verdict::done, {}};
    }
    std::size_t taken_by_other() const { return taken_by_other_; }
    const std::vector<MailId>& posted() const { return posted_; }

private:
    ManualClock& clock_;
    Services& services_;
    const milliseconds each_;
    std::atomic<std::size_t> taken_by_other_{0};
    std::vector<MailId> posted_;  // read only after the delivery has ended
};

struct SlowRound {
    std::size_t posted;
    std::size_t different;
    std::size_t taken_by_other;
    std::int64_t left;
};

// Sends six mails, one after the other, until all are sent or the second instance has taken the rest.
SlowRound send_slowly(milliseconds each) {
    const TempFolder folder;
    ManualClock clock(from_epoch_ms(1'700'000'010'000));
    const Config config = read_config(test_settings(folder.path())).value();
    std::unique_ptr<MailDelivery> delivery;  // outlives the services, as in App
    Services services(config, clock);
    User user;
    user.email = "ada@example.org";
    user.role_id = built_in_role(Role::user);
    const UserId ada = run(services.passwords.create(std::move(user), right_password)).value();
    for (int i = 0; i < 6; ++i) {
        storage::Transaction transaction;
        services.mails.add(transaction, ada, MailKind::welcome, {}, clock.now());
        EXPECT_TRUE(run(services.database.commit(std::move(transaction))).committed);
    }
    auto transport = std::make_unique<SlowServer>(clock, services, each);
    const SlowServer& server = *transport;
    std::atomic<int> rounds = 0;
    const auto count_round = [&]() -> awaitable<void> {
        ++rounds;
        co_return;
    };
    delivery = std::make_unique<MailDelivery>(
        MailDelivery::Options{.transport = std::move(transport),
                              .site = mail_site(config),
                              .sender = "no@example.com",
                              .before_each_round = {count_round}},
        MailDelivery::Parts{services.database, clock, services.locales, services.mails, services.audit},
        spdlog::default_logger());
    delivery->start();
    // The second round begins after the whole batch.
    EXPECT_TRUE(eventually([&] { return rounds >= 2 && (delivery->sent() == 6 || server.taken_by_other() > 0); }));
    delivery->stop();
    delivery->wait();
    MailRepository mails(services.database);
    const std::set<MailId> different(server.posted().begin(), server.posted().end());
    return {server.posted().size(), different.size(), server.taken_by_other(), run(mails.count_waiting()).ordinary};
}

TEST(MailInstances, HoweverSlowTheServerNobodyElseTakesTheBatch) {
    for (const milliseconds each : {130'000ms, milliseconds(MailTransport::longest)}) {
        const SlowRound round = send_slowly(each);
        EXPECT_EQ(round.posted, 6U) << each;
        EXPECT_EQ(round.different, 6U) << each;
        EXPECT_EQ(round.taken_by_other, 0U) << each;
        EXPECT_EQ(round.left, 0) << each;
    }
}

TEST(MailInstances, OneThatStoodStillTooLongOrWhoseClockWasSetBackLeavesTheRestToTheOther) {
    for (const milliseconds each : {20min, -120min}) {
        const SlowRound round = send_slowly(each);
        EXPECT_EQ(round.taken_by_other, 6U) << each;
        EXPECT_EQ(round.posted, 1U) << "the rest is the other's now; " << each;
        EXPECT_EQ(round.left, 6) << each;
    }
}

// A welcome that an instance had claimed for five minutes when it was killed. No other claim succeeds until the writes
// are mended.
void leave_taken(Service& service, const Person& person) {
    service.break_writes("UPDATE OF taken_by ON mails");
    EXPECT_TRUE(write_mail(service, person, MailKind::welcome));
    const auto until = epoch_ms(service.clock().now() + 5min);
    service.sql("UPDATE mails SET taken_until = " + std::to_string(until));
}

TEST(MailInstances, WhatADeadOneHadTakenAnotherSendsLater) {
    const MailServer server(MailServerTls::none);
    Service service({{"MAIL_URL", server.url()}});
    const Person ada = service.make_person();
    leave_taken(service, ada);
    service.mend_writes();
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    EXPECT_EQ(server.wait_for(1)[0].mail.kind, "passwordChanged");
    service.pass(4min);
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    server.wait_for(2);
    EXPECT_EQ(server.mails()[1].mail.kind, "passwordChanged");
    service.pass(61s);
    EXPECT_EQ(server.wait_for(3)[2].mail.kind, "welcome");
}

TEST(MailInstances, WhatADeadOneHadTakenDoesNotWaitForTheClockThatWasSetBack) {
    const MailServer server(MailServerTls::none);
    Service service({{"MAIL_URL", server.url()}});
    const Person ada = service.make_person();
    leave_taken(service, ada);
    service.clock().advance(-1h);
    service.mend_writes();
    EXPECT_EQ(server.wait_for(1)[0].mail.kind, "welcome");
}

}  // namespace
}  // namespace consentry::tests
