// Tests the activity log: entries are written with the change that they record, and read by their owner and by
// administrators (AUT-3).
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/support/calls/paging_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view own_log = "/api/shared/user/activity-log/list";

class ActivityLog : public ::testing::Test {
protected:
    ActivityLog() {
        forget(reader.person());
        forget(admin);
    }
    // Deletes the entries that logins of this person have left.
    void forget(const Person& person) const {
        service.sql("DELETE FROM activity_log WHERE user_id = '" + person.id.text() + "'");
    }
    void add(UserId user, ActivityAction action, std::optional<UserId> actor = {}, json::object metadata = {}) {
        add(service, user, action, actor, std::move(metadata));
    }
    static void add(Service& its_service, UserId user, ActivityAction action, std::optional<UserId> actor = {},
                    json::object metadata = {}) {
        storage::Transaction transaction;
        ActivityRepository::add_insert(transaction,
                                       {.user = user,
                                        .action = action,
                                        .actor = actor,
                                        .ip_address = "203.0.113.7",
                                        .user_agent = "Browser/1",
                                        .metadata = std::move(metadata)},
                                       its_service.clock().now());
        EXPECT_TRUE(run(its_service.app().services().database.commit(std::move(transaction))).committed);
        its_service.clock().advance(1ms);
    }
    static std::string log_of(const Person& person) {
        return "/api/admin/user/" + person.id.text() + "/activity-log/list";
    }
    Answer own(const Reader& reader, const std::string& query = {}) {
        return service.get(std::string(own_log) + "?" + query, reader.headers());
    }
    Answer refused(const std::string& path, const std::string& query) {
        return service.get(path + "?" + query, bearer(admin_token));
    }

    Service& service = suite_service();
    Reader reader{service};
    Person admin = service.make_person(Role::admin);
    std::string admin_token = service.tokens_of(admin).access;
};

TEST_F(ActivityLog, AnEntryTellsWhoDidWhatWhenAndWhence) {
    const UserId user = reader.person().id;
    add(user, ActivityAction::user_change_password);
    add(user, ActivityAction::admin_user_reset_two_factor, admin.id, {{"userId", user.text()}});
    const Answer log = own(reader);
    ASSERT_EQ(log.status, 200U) << log.body;
    ASSERT_EQ(log.json.at("data").as_array().size(), 2U);
    EXPECT_EQ(log.text("data.0.action"), "adminUserResetTwoFactor") << "newest first";
    EXPECT_EQ(log.text("data.0.createdBy"), admin.id.text());
    EXPECT_EQ(log.text("data.0.metadata.userId"), user.text());
    EXPECT_EQ(log.text("data.1.action"), "userChangePassword");
    EXPECT_EQ(log.text("data.1.description"), "The password was changed.");
    EXPECT_EQ(log.text("data.1.createdBy"), user.text());
    EXPECT_EQ(log.text("data.1.userId"), user.text());
    EXPECT_EQ(log.text("data.1.ipAddress"), "203.0.113.7");
    EXPECT_EQ(log.text("data.1.userAgent.ua"), "Browser/1");
    for (const char* part : {"browser", "cpu", "device", "engine", "os"})
        EXPECT_TRUE(log.has(std::string("data.1.userAgent.") + part)) << part;
    EXPECT_FALSE(log.has("data.1.metadata"));
    auto headers = reader.headers();
    headers.emplace_back("x-custom-lang", "de");
    EXPECT_EQ(service.get(std::string(own_log), headers).text("data.1.description"), "Das Passwort wurde geändert.");
}

// Version 0.1.0 wrote such entries.
TEST_F(ActivityLog, AnEntryHidesWhereItsAdministratorWas) {
    const std::vector<std::string> parts{"203.0.113.7", "Browser/1"};
    add(reader.person().id, ActivityAction::admin_user_reset_two_factor, admin.id);
    for (const Answer& answer : {own(reader), service.get(log_of(reader.person()), bearer(admin_token)),
                                 service.get("/api/shared/user/export", reader.headers())}) {
        EXPECT_EQ(answer.status, 200U) << answer.body;
        EXPECT_THAT(answer.body, HasSubstr("adminUserResetTwoFactor"));
        for (const std::string& part : parts) EXPECT_THAT(answer.body, Not(HasSubstr(part)));
    }
    add(reader.person().id, ActivityAction::user_change_password);
    for (const std::string& part : parts) EXPECT_THAT(own(reader).body, HasSubstr(part));
}

TEST_F(ActivityLog, EveryActionHasADescriptionInEveryLanguage) {
    const Locales& locales = service.app().services().locales;
    for (const auto& [action, name] : EnumNames<ActivityAction>::names)
        for (std::size_t i = 0; i < language_names.size(); ++i)
            EXPECT_TRUE(locales.find(static_cast<Language>(i), "activityLog." + std::string(name)))
                << name << " in " << language_names[i];
}

TEST_F(ActivityLog, WhatANewerVersionWroteIsShownByItsName) {
    add(reader.person().id, ActivityAction::user_logout);
    service.sql("UPDATE activity_log SET action = 'userDanced' WHERE user_id = '" + reader.person().id.text() + "'");
    const Answer log = own(reader);
    EXPECT_EQ(log.text("data.0.action"), "userDanced");
    EXPECT_EQ(log.text("data.0.description"), "userDanced");
}

TEST_F(ActivityLog, AnEntryIsThereWithItsChangeOrNotAtAll) {
    storage::Transaction transaction;
    ActivityRepository::add_insert(transaction, {.user = reader.person().id, .action = ActivityAction::user_logout},
                                   service.clock().now());
    transaction.add(storage::Expect::one, "UPDATE users SET name = $1 WHERE id = $2", "nobody", UserId{});
    EXPECT_FALSE(run(service.app().services().database.commit(std::move(transaction))).committed);
    EXPECT_TRUE(ids_of(own(reader)).empty());
}

TEST_F(ActivityLog, MetadataAreSmall) {
    storage::Transaction transaction;
    EXPECT_THROW(ActivityRepository::add_insert(
                     transaction, {.user = reader.person().id, .metadata = {{"name", std::string(2'048, 'x')}}},
                     service.clock().now()),
                 std::logic_error);
}

TEST_F(ActivityLog, AUT_3_EverybodyReadsTheirOwnAndAdministratorsAny) {
    const Reader other(service);
    forget(other.person());
    add(reader.person().id, ActivityAction::user_logout);
    EXPECT_TRUE(ids_of(own(other)).empty());
    EXPECT_EQ(service.get(log_of(reader.person()), other.headers()).status, 403U);
    EXPECT_EQ(service.get(log_of(other.person()), other.headers()).status, 403U) << "not even the own one that way";
    const Answer log = service.get(log_of(reader.person()), bearer(admin_token));
    EXPECT_EQ(log.status, 200U) << log.body;
    EXPECT_EQ(ids_of(log), ids_of(own(reader)));
    EXPECT_TRUE(ids_of(service.get(log_of(other.person()), bearer(admin_token))).empty());
}

TEST_F(ActivityLog, AnUnknownAccountIsNotFound) {
    for (const char* id : {"01890000-0000-7000-8000-000000000000", "00000000-0000-0000-0000-000000000000"}) {
        const Answer answer =
            service.get("/api/admin/user/" + std::string(id) + "/activity-log/list", bearer(admin_token));
        EXPECT_EQ(answer.status, 404U);
        EXPECT_EQ(answer.number("statusCode"), 5150);
    }
    EXPECT_EQ(service.get("/api/admin/user/me/activity-log/list", bearer(admin_token)).status, 400U);
}

TEST_F(ActivityLog, IsPagedByCursorForTheOwnerAndByNumberForAdministrators) {
    for (int i = 0; i < 25; ++i) add(reader.person().id, ActivityAction::user_refresh_token);
    const Answer page = service.get(log_of(reader.person()) + "?perPage=10&page=3", bearer(admin_token));
    EXPECT_EQ(ids_of(page).size(), 5U);
    EXPECT_EQ(page.text("metadata.type"), "offset");
    EXPECT_EQ(page.number("metadata.count"), 25);
    EXPECT_EQ(page.number("metadata.totalPage"), 3);
    EXPECT_EQ(page.number("metadata.previousPage"), 2);
    EXPECT_FALSE(page.has("metadata.nextPage"));
    const Answer beyond = service.get(log_of(reader.person()) + "?perPage=10&page=4", bearer(admin_token));
    EXPECT_TRUE(ids_of(beyond).empty());
    EXPECT_EQ(beyond.number("metadata.count"), 25);

    const Answer first = own(reader, "perPage=20");
    const Answer rest = own(reader, "perPage=20&cursor=" + first.text("metadata.nextCursor"));
    EXPECT_EQ(ids_of(first).size(), 20U);
    EXPECT_EQ(ids_of(rest).size(), 5U);
}

TEST_F(ActivityLog, INP_8_ByNumberHasRefusalsOfItsOwn) {
    const struct {
        const char* query;
        const char* name;
        int code;
    } cases[] = {{"page=0", "pageCannotBeLessThanOne", 5029},
                 {"page=-1", "pageCannotBeLessThanOne", 5029},
                 {"page=21", "pageExceedsMaximum", 5028},
                 {"page=9223372036854775808", "pageExceedsMaximum", 5028},
                 {"page=1.5", "invalidPage", 5027},
                 {"page=1e2", "invalidPage", 5027},
                 {"page=", "invalidPage", 5027},
                 {"cursor=", "invalidOffsetPaginationParams", 5026},
                 {"perPage=101", "perPageExceedsMaximum", 5030},
                 {"orderBy=createdAt:asc", "orderByNotAllowed", 5020}};
    for (const auto& [query, name, code] : cases) {
        const Answer answer = refused(log_of(reader.person()), query);
        EXPECT_EQ(answer.status, 422U) << query;
        EXPECT_EQ(answer.code_name(), name) << query;
        EXPECT_EQ(answer.number("statusCode"), code) << query;
    }
}

TEST_F(ActivityLog, INP_9_ACursorOfAnotherListIsRefused) {
    for (int i = 0; i < 2; ++i) {
        add(reader.person().id, ActivityAction::user_logout);
        reader.add_session(service.clock().now() - 1min);
    }
    const std::string of_sessions = reader.list("perPage=1").text("metadata.nextCursor");
    const std::string of_log = own(reader, "perPage=1").text("metadata.nextCursor");
    EXPECT_EQ(own(reader, "cursor=" + of_sessions).code_name(), "invalidCursorFormat");
    EXPECT_EQ(reader.list("cursor=" + of_log).code_name(), "invalidCursorFormat");
}

TEST_F(ActivityLog, EntriesAreKeptAsLongAsTheSettingSays) {
    Service alone;  // it is restarted, and its cleanup is for all accounts
    const UserId user = alone.make_person().id;
    const auto clean_up = [&] { run(alone.app().services().clean_up()); };
    const auto entries = [&] { return alone.sql("SELECT count(*) FROM activity_log")[0][0]; };
    alone.sql("DELETE FROM activity_log");
    add(alone, user, ActivityAction::user_logout);
    alone.pass(24h * 400);
    clean_up();
    EXPECT_EQ(entries(), "1") << "forever is the default";
    add(alone, user, ActivityAction::user_logout);
    alone.restart({{"ACTIVITY_LOG_RETENTION_IN_DAYS", "30"}});
    clean_up();
    EXPECT_EQ(entries(), "1");
    alone.pass(24h * 30);
    clean_up();
    EXPECT_EQ(entries(), "0");
}

}  // namespace
}  // namespace consentry::tests
