// Tests functions that are switched on and off while the service runs.
#include "features/feature_flags/feature_flags.hpp"

#include <stdexcept>

#include "app/app.hpp"
#include "crypto/digest.hpp"
#include "tests/support/away_cache.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

struct Flags : Staff {
    using Staff::Staff;

    std::string id_of(const std::string& key) const {
        return service.sql("SELECT id FROM feature_flags WHERE key = '" + key + "'").at(0).at(0);
    }
    Answer set(const std::string& key, const json::object& status) const {
        return call(chief, "PATCH", "feature-flag/update/" + id_of(key) + "/status", status);
    }
    void switch_to(const std::string& key, bool on, int percent = 100) const {
        const Answer answer = set(key, {{"isEnable", on}, {"rolloutPercent", percent}});
        EXPECT_EQ(answer.status, 200U) << answer.body;
        EXPECT_EQ(answer.boolean("data.isEnable"), on);
        EXPECT_EQ(answer.number("data.rolloutPercent"), percent);
    }
    Answer set_metadata(const std::string& key, const json::object& metadata) const {
        return call(chief, "PUT", "feature-flag/update/" + id_of(key) + "/metadata", {{"metadata", metadata}});
    }
    // Status 422 means that the request was admitted, and then refused for its empty body.
    Answer change_password(const std::string& token) const {
        return service.patch("/api/shared/user/change-password", {}, bearer(token));
    }
};

TEST(FeatureFlags, SwitchAFunctionOffAndOnAgain) {
    Flags flags;
    const Person person = flags.service.make_person();
    EXPECT_EQ(flags.service.log_in(person).status, 200U) << "from here on the cache has a copy";
    flags.switch_to("loginWithCredential", false);
    expect_refused(flags.service.log_in(person), errors::feature_flag_unavailable);
    EXPECT_EQ(flags.change_password(flags.chief).status, 422U) << "another function";
    flags.switch_to("loginWithCredential", true);
    EXPECT_EQ(flags.service.log_in(person).status, 200U);
}

TEST(FeatureFlags, AreAskedBetweenGuardAndForm) {
    Flags flags;
    const std::string user = flags.member_of(built_in(Role::user));
    flags.switch_to("changePassword", false);
    EXPECT_EQ(flags.service.patch("/api/shared/user/change-password", {}).status, 401U);
    expect_refused(flags.change_password(user), errors::feature_flag_unavailable);
    expect_refused(flags.change_password(flags.chief), errors::feature_flag_unavailable, "super admins as well");
    EXPECT_EQ(flags.service.call("PATCH", "/api/shared/user/change-password", "{", bearer(user)).status, 503U);
}

TEST(FeatureFlags, AreAskedFirstWhereTheGuardKnowsNoUser) {
    Flags flags;
    for (const char* key : {"loginWithGoogle", "loginWithApple", "loginWithCredential", "signUp", "changePassword"})
        flags.switch_to(key, false);
    for (const char* path :
         {"login/social/google", "login/social/apple", "login/credential", "sign-up", "password/forgot"}) {
        const Answer refused = flags.service.call("POST", std::string("/api/public/user/") + path, "{", {});
        EXPECT_EQ(refused.number("statusCode"), 5081) << path << refused.body;
    }
}

TEST(FeatureFlags, RollOutToAPartOfTheUsersThatIsTheirsForGood) {
    Flags flags;
    std::vector<std::pair<unsigned long, std::string>> people;  // which hundredth each person is in, and their token
    for (int i = 0; i < 12; ++i) {
        const Person person = flags.service.make_person();
        const std::string digest = to_hex(crypto::md5(person.id.text()));
        people.emplace_back(std::stoul(digest.substr(0, 8), nullptr, 16) % 100, flags.service.tokens_of(person).access);
    }
    for (const int percent : {0, 1, 30, 50, 70, 99, 100}) {
        flags.switch_to("changePassword", true, percent);
        for (const auto& [part, token] : people)
            EXPECT_EQ(flags.change_password(token).status, part < static_cast<unsigned long>(percent) ? 422U : 503U)
                << part << " at " << percent;
    }
    flags.switch_to("loginWithCredential", true, 0);
    EXPECT_EQ(flags.service.log_in(flags.service.make_person()).status, 200U) << "nobody is known before their login";
}

TEST(FeatureFlags, ACopyIsBelievedForItsTimeAndNoLonger) {
    Flags flags;
    const Person person = flags.service.make_person();
    const auto log_in = [&] { return flags.service.log_in(person).status; };
    EXPECT_EQ(log_in(), 200U);
    flags.service.sql("UPDATE feature_flags SET is_enabled = FALSE");
    EXPECT_EQ(log_in(), 200U) << "nothing asked the database";
    flags.service.pass(std::chrono::minutes{59});
    EXPECT_EQ(log_in(), 200U);
    flags.service.pass(std::chrono::minutes{2});
    EXPECT_EQ(log_in(), 503U);
}

TEST(FeatureFlags, ACacheThatForgetsChangesNothing) {
    Flags flags({{"CACHE_MEMORY_MAX_IN_MB", "1"}});
    const Person person = flags.service.make_person();
    EXPECT_EQ(flags.service.log_in(person).status, 200U);
    flags.switch_to("loginWithCredential", false);
    flags.service.lose_cache();
    EXPECT_EQ(flags.service.log_in(person).status, 503U);
}

TEST(FeatureFlags, WithoutCopiesTheDatabaseIsAskedEachTime) {
    Flags flags({{"FEATURE_FLAG_CACHE_TTL_MS", "0"}});
    const Person person = flags.service.make_person();
    for (const bool on : {true, false, true}) {
        flags.service.sql(std::string("UPDATE feature_flags SET is_enabled = ") + (on ? "TRUE" : "FALSE"));
        EXPECT_EQ(flags.service.log_in(person).status, on ? 200U : 503U);
    }
}

TEST(FeatureFlags, ASlowReaderDoesNotPutTheOldStateBack) {
    Flags flags;
    auto& cache = flags.service.app().services().cache;
    const Person person = flags.service.make_person();
    EXPECT_EQ(flags.service.log_in(person).status, 200U);
    const std::string key = "FeatureFlag:loginWithCredential";
    const auto copy = run(cache.get(key));
    ASSERT_TRUE(copy);
    flags.switch_to("loginWithCredential", false);
    // A reader that read the row before the change tries to cache it.
    EXPECT_FALSE(run(cache.put_if_absent(key, *copy, std::chrono::hours{1})));
    EXPECT_EQ(flags.service.log_in(person).status, 503U);
}

TEST(FeatureFlags, ADamagedCopyIsNoCopy) {
    Flags flags;
    auto& cache = flags.service.app().services().cache;
    const Person person = flags.service.make_person();
    flags.switch_to("loginWithCredential", false);
    for (const char* text : {"", "{", "true", "{}", R"({"isEnable":1,"rolloutPercent":100,"metadata":{}})",
                             R"({"isEnable":true,"rolloutPercent":"100","metadata":{}})",
                             R"({"isEnable":true,"rolloutPercent":100,"metadata":[]})"}) {
        run(cache.put("FeatureFlag:loginWithCredential", text, std::chrono::hours{1}));
        EXPECT_EQ(flags.service.log_in(person).status, 503U) << text;
    }
}

TEST(FeatureFlags, WithoutTheCacheTheDatabaseDecidesAndNothingIsChanged) {
    Flags staff;
    AwayCache away;
    FeatureFlags flags(staff.service.app().services().database, away, staff.service.clock(), {});
    http::Operation operation;
    operation.feature_flag = "loginWithCredential";
    const http::Request request;
    http::RequestContext context{.request = request, .now = staff.service.clock().now()};
    EXPECT_TRUE(run(flags.admit(context, operation)));
    const auto id = FeatureFlagId::parse(staff.id_of("loginWithCredential")).value();
    EXPECT_THROW(static_cast<void>(run(flags.update_status(Actor::operator_at_the_machine(), id, false, 100, {}))),
                 Unavailable);
    EXPECT_EQ(staff.service.log_in(staff.service.make_person()).status, 200U);
    staff.switch_to("loginWithCredential", false);
    EXPECT_FALSE(run(flags.admit(context, operation)));
}

TEST(FeatureFlags, AnUnknownNameStopsTheStart) {
    http::Router router;
    router.get("/somewhere").id("somewhere").behind_flag("signUp");
    EXPECT_NO_THROW(FeatureFlags::check_names(router.operations()));
    router.get("/nowhere").id("nowhere").behind_flag("signUp.nothing");
    EXPECT_THROW(FeatureFlags::check_names(router.operations()), std::logic_error);
}

TEST(FeatureFlags, AnUnknownFlagLetsNobodyIn) {
    Flags staff;
    auto& services = staff.service.app().services();
    http::Operation operation;
    const http::Request request;
    http::RequestContext context{.request = request, .now = staff.service.clock().now()};
    for (const char* name : {"nothing", "loginWithGoogle.nothing", "loginWithCredential.signUpAllowed", "."}) {
        operation.feature_flag = name;
        EXPECT_FALSE(run(services.feature_flags.admit(context, operation))) << name;
    }
    operation.feature_flag = "loginWithGoogle.signUpAllowed";
    EXPECT_TRUE(run(services.feature_flags.admit(context, operation)));
    EXPECT_EQ(staff.set_metadata("loginWithGoogle", {{"signUpAllowed", false}}).status, 200U);
    EXPECT_FALSE(run(services.feature_flags.admit(context, operation)));
    operation.feature_flag = "loginWithGoogle";
    EXPECT_TRUE(run(services.feature_flags.admit(context, operation))) << "the login itself goes on";
    staff.switch_to("loginWithGoogle", false);
    EXPECT_EQ(staff.set_metadata("loginWithGoogle", {{"signUpAllowed", true}}).status, 200U);
    operation.feature_flag = "loginWithGoogle.signUpAllowed";
    EXPECT_FALSE(run(services.feature_flags.admit(context, operation))) << "a part of what is off";
}

TEST(FeatureFlags, MetadataKeepTheirForm) {
    Flags flags;
    for (const json::object& metadata :
         {json::object{}, json::object{{"signUpAllowed", nullptr}}, json::object{{"signUpAllowed", "true"}},
          json::object{{"signUpAllowed", 1}}, json::object{{"signUpAllowed", json::array{}}},
          json::object{{"signupallowed", true}}, json::object{{"signUpAllowed", true}, {"more", true}}})
        expect_refused(flags.set_metadata("loginWithApple", metadata), errors::feature_flag_invalid_metadata,
                       json::serialize(metadata));
    expect_refused(flags.set_metadata("signUp", {{"signUpAllowed", true}}), errors::feature_flag_invalid_metadata);
    flags.service.sql(R"(UPDATE feature_flags SET metadata = '{"title":"Sign up","days":3}' WHERE key = 'signUp')");
    expect_refused(flags.set_metadata("signUp", {{"title", ""}, {"days", 3}}), errors::feature_flag_invalid_metadata);
    const Answer changed = flags.set_metadata("signUp", {{"days", 4.5}, {"title", "Join"}});
    EXPECT_EQ(changed.status, 200U) << changed.body;
    EXPECT_EQ(changed.text("data.metadata.title"), "Join");
}

TEST(AUT_5, FeatureFlagsTakeNothingButTheirFields) {
    Flags flags(suite_service());
    const auto violates = [&](const json::object& body, const std::string& property, const std::string& rule) {
        const Answer answer = flags.set("signUp", body);
        EXPECT_EQ(answer.status, 422U);
        EXPECT_TRUE(answer.violates(property, rule)) << answer.body;
    };
    violates({{"isEnable", true}, {"rolloutPercent", 50}, {"key", "other"}}, "key", "whitelistValidation");
    violates({{"isEnable", "true"}, {"rolloutPercent", 50}}, "isEnable", "isBoolean");
    violates({{"rolloutPercent", 50}}, "isEnable", "isNotEmpty");
    violates({{"isEnable", true}}, "rolloutPercent", "isNotEmpty");
    violates({{"isEnable", true}, {"rolloutPercent", -1}}, "rolloutPercent", "min");
    violates({{"isEnable", true}, {"rolloutPercent", 101}}, "rolloutPercent", "max");
    for (const json::value& percent : {json::value("50"), json::value(1.5), json::value(nullptr)})
        violates({{"isEnable", true}, {"rolloutPercent", percent}}, "rolloutPercent", "isInt");
    const std::string path = std::string("feature-flag/update/") + absent_id;
    expect_refused(flags.call(flags.chief, "PATCH", path + "/status", {{"isEnable", true}, {"rolloutPercent", 1}}),
                   errors::feature_flag_not_found);
    expect_refused(flags.call(flags.chief, "PUT", path + "/metadata", {{"metadata", json::object{}}}),
                   errors::feature_flag_not_found);
}

TEST(FeatureFlags, AreListedAndSearched) {
    Flags flags(suite_service());
    const Answer all = flags.call(flags.chief, "GET", "feature-flag/list");
    EXPECT_EQ(all.number("metadata.count"), 5);
    const Answer found = flags.call(flags.chief, "GET", "feature-flag/list?search=GOOGLE");
    ASSERT_EQ(found.number("metadata.count"), 1);
    const auto& flag = found.json.at("data").at(0).as_object();
    EXPECT_EQ(flag.at("key"), "loginWithGoogle");
    EXPECT_EQ(flag.at("metadata"), (json::object{{"signUpAllowed", true}}));
    EXPECT_EQ(flag.at("rolloutPercent"), 100);
}

TEST(FeatureFlags, AreReadByOtherServices) {
    Keys keys(suite_service());
    const std::string path = "/api/system/feature-flag/list";
    const Answer answer = keys.service.get(path + "?search=login", with_key(keys.make("system").text()));
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(answer.json.at("data").as_array().size(), 3U);
    expect_refused(keys.service.get(path, bearer(keys.chief)), errors::api_key_required);
}

}  // namespace
}  // namespace consentry::tests
