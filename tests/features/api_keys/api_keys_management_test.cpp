// Tests creating, changing and deleting API keys.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "app/app.hpp"
#include "base/errors.hpp"
#include "features/sessions/epochs.hpp"
#include "features/users/abilities.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

json::object in_two_days(const Keys& keys) {
    const std::string day = to_iso8601(keys.service.clock().now() + std::chrono::days{2});
    return {{"startAt", day}, {"endAt", day}};
}

std::string state_of(const Keys& keys, const std::string& id, const std::string& column) {
    return keys.service.sql("SELECT " + column + " FROM api_keys WHERE id = '" + id + "'").at(0).at(0);
}

TEST(ApiKeys, AreListedSearchedAndFiltered) {
    const Keys keys;
    Keys::issued_in(keys.create({{"name", "Billing"}, {"type", "default"}}), 201);
    Keys::issued_in(keys.create({{"name", "Ledger of billing"}, {"type", "system"}}), 201);
    const Issued off = Keys::issued_in(keys.create({{"name", "Old shop"}, {"type", "default"}}), 201);
    EXPECT_EQ(keys.switch_to(off.id, false).status, 200U);
    const auto count = [&](const std::string& query) {
        return keys.call(keys.chief, "GET", "api-key/list" + query).number("metadata.count");
    };
    EXPECT_EQ(count(""), 3);
    EXPECT_EQ(count("?search=billing"), 2);
    EXPECT_EQ(count("?type=system"), 1);
    EXPECT_EQ(count("?type=system,default"), 3);
    EXPECT_EQ(count("?isActive=false"), 1);
    EXPECT_EQ(count("?isActive=true&type=default&search=bill"), 1);
    expect_refused(keys.call(keys.chief, "GET", "api-key/list?type=root"), errors::filter_invalid_value);
    const Answer found = keys.call(keys.chief, "GET", "api-key/list?isActive=false");
    const auto& row = found.json.at("data").at(0).as_object();
    EXPECT_EQ(row.at("id"), json::value(off.id));
    EXPECT_EQ(row.at("key"), json::value(off.key));
    EXPECT_EQ(row.at("name"), "Old shop");
    EXPECT_EQ(row.at("type"), "default");
    EXPECT_FALSE(row.contains("startAt"));
    EXPECT_TRUE(row.contains("createdBy"));
}

TEST(ApiKeys, ChangesStandInTheActivityLogOfWhoMadeThem) {
    const Keys keys(suite_service());
    const std::string id = keys.make().id;
    keys.update(id, "", {{"name", "Ledger"}});
    keys.update(id, "date", in_two_days(keys));
    keys.update(id, "reset");
    keys.switch_to(id, false);
    expect_refused(keys.update(id, "reset"), errors::api_key_inactive);
    expect_refused(keys.update(id, "", {{"name", "Old ledger"}}), errors::api_key_inactive);
    keys.erase(id);
    expect_refused(keys.erase(id), errors::api_key_not_found);
    EXPECT_EQ(keys.logged("apiKeyId", id),
              (std::multiset<std::string>{"adminApiKeyCreate", "adminApiKeyUpdate", "adminApiKeyUpdateDate",
                                          "adminApiKeyReset", "adminApiKeyUpdateStatus", "adminApiKeyDelete"}));
}

TEST(ApiKeys, WhatTheyGrantedStandsInTheActivityLog) {
    const Keys keys(suite_service());
    const Answer made = keys.create({{"name", "shop"}, {"type", "system"}, {"endAt", "2033-11-16T08:00:00Z"}});
    ASSERT_EQ(made.status, 201U) << made.body;
    keys.service.pass(std::chrono::seconds{1});
    const json::object dates{{"startAt", "2033-11-15T08:00:00Z"}, {"endAt", "2033-11-17T08:00:00Z"}};
    const Answer moved = keys.update(made.text("data.id"), "date", dates);
    ASSERT_EQ(moved.status, 200U) << moved.body;
    const auto log = keys.service.sql("SELECT metadata FROM activity_log WHERE metadata LIKE '%" +
                                      made.text("data.id") + "%' ORDER BY created_at DESC");
    ASSERT_EQ(log.size(), 2U);
    const auto entry = [&](std::size_t i) { return json::parse(log.at(i).at(0)).as_object(); };
    EXPECT_EQ(entry(1).at("type"), "system");
    EXPECT_FALSE(entry(1).contains("startAt"));
    EXPECT_EQ(entry(1).at("endAt"), "2033-11-16T23:59:59.999Z");
    EXPECT_EQ(entry(0).at("startAt"), moved.json.at("data").at("startAt"));
    EXPECT_EQ(entry(0).at("endAt"), moved.json.at("data").at("endAt"));
}

TEST(ApiKeys, WhatIsSentMustHaveItsForm) {
    const Keys keys;
    const Issued issued = keys.make();
    const auto violates = [&](const Answer& answer, const std::string& property, const std::string& rule) {
        EXPECT_EQ(answer.status, 422U);
        EXPECT_TRUE(answer.violates(property, rule)) << property << " " << rule << answer.body;
    };
    const auto create = [&](json::object more) {
        more.emplace("name", "shop");
        more.emplace("type", "default");
        return keys.create(more);
    };
    violates(keys.create({{"type", "default"}}), "name", "isNotEmpty");
    violates(create({{"name", ""}}), "name", "isNotEmpty");
    violates(create({{"name", std::string(101, 'x')}}), "name", "maxLength");
    EXPECT_EQ(create({{"name", std::string(100, 'x')}}).status, 201U);
    violates(create({{"type", "root"}}), "type", "isEnum");
    violates(create({{"secret", "mine"}}), "secret", "whitelistValidation");
    violates(create({{"startAt", "2023-11-16T00:00:00Z"}}), "endAt", "isNotEmpty");
    EXPECT_EQ(create({{"endAt", "2023-11-16T00:00:00Z"}}).status, 201U) << "good at once";
    for (const json::value& text : {json::value("2023-11-16"), json::value("soon"), json::value(1'700'000'000)})
        violates(create({{"startAt", text}, {"endAt", "2023-11-17T00:00:00Z"}}), "startAt", "isIso8601");
    const json::object backwards{{"startAt", "2023-11-16T00:00:00.001Z"}, {"endAt", "2023-11-16T00:00:00Z"}};
    violates(create(backwards), "endAt", "isNotBefore");
    violates(keys.update(issued.id, "date", backwards), "endAt", "isNotBefore");
    // The clock of the tests starts at 22:13:30.
    const json::object now{{"startAt", "2023-11-14T22:13:30Z"}, {"endAt", "2023-11-15T00:00:00Z"}};
    violates(create(now), "startAt", "isAfterNow");
    violates(keys.update(issued.id, "date", now), "startAt", "isAfterNow");
    const Answer all = keys.create(
        {{"name", ""}, {"type", "root"}, {"startAt", "2023-11-12T00:00:00Z"}, {"endAt", "2023-11-11T00:00:00Z"}});
    const std::vector<std::pair<const char*, const char*>> faults{{"name", "isNotEmpty"},
                                                                  {"type", "isEnum"},
                                                                  {"startAt", "isAfterNow"},
                                                                  {"endAt", "isAfterNow"},
                                                                  {"endAt", "isNotBefore"}};
    for (const auto& [property, rule] : faults) violates(all, property, rule);
    EXPECT_EQ(all.json.at("errors").as_array().size(), faults.size()) << "each once: " << all.body;
    const json::object extra{{"endAt", "2023-11-11T00:00:00Z"}, {"more", 1}};
    violates(keys.update(issued.id, "date", extra), "endAt", "isAfterNow");
    violates(keys.update(issued.id, "date", extra), "more", "whitelistValidation");
    violates(keys.update(issued.id, "date", {{"startAt", "2023-11-16T00:00:00Z"}}), "endAt", "isNotEmpty");
    violates(keys.update(issued.id, "status", {{"isActive", "true"}}), "isActive", "isBoolean");
    violates(keys.update(issued.id, "", json::object{{"name", ""}}), "name", "isNotEmpty");
    EXPECT_EQ(create(in_two_days(keys)).status, 201U);
}

TEST(ApiKeys, AWindowBeginsWithItsDay) {
    const Keys keys;
    const Issued issued =
        keys.make("default", {{"startAt", "2023-11-14T23:00:00Z"}, {"endAt", "2023-11-14T23:00:00Z"}});
    EXPECT_EQ(keys.show(issued.text()).status, 200U) << "today is the day";
}

TEST(ApiKeys, AreRenamed) {
    const Keys keys(suite_service());
    const Issued issued = keys.make();
    const Answer renamed = keys.update(issued.id, "", {{"name", "Шоп"}});
    EXPECT_EQ(renamed.status, 200U) << renamed.body;
    EXPECT_EQ(renamed.text("data.name"), "Шоп");
    EXPECT_EQ(renamed.text("data.key"), issued.key);
    EXPECT_FALSE(renamed.has("data.secret"));
    EXPECT_EQ(keys.show(issued.text()).status, 200U);
}

TEST(ApiKeys, WhatIsOffStaysAsItIsUntilItIsOn) {
    const Keys keys(suite_service());
    const Issued issued = keys.make();
    EXPECT_EQ(keys.switch_to(issued.id, false).status, 200U);
    const std::string digest = state_of(keys, issued.id, "hex(digest)");
    expect_refused(keys.update(issued.id, "reset"), errors::api_key_inactive);
    expect_refused(keys.update(issued.id, "", {{"name", "other"}}), errors::api_key_inactive);
    expect_refused(keys.update(issued.id, "date", in_two_days(keys)), errors::api_key_inactive);
    EXPECT_EQ(state_of(keys, issued.id, "hex(digest)"), digest);
    EXPECT_EQ(state_of(keys, issued.id, "name"), "made for a test");
    EXPECT_EQ(state_of(keys, issued.id, "COALESCE(start_at, 0)"), "0");
    EXPECT_EQ(keys.switch_to(issued.id, false).status, 200U) << "it is so already";
    EXPECT_EQ(keys.switch_to(issued.id, true).status, 200U);
    EXPECT_EQ(keys.update(issued.id, "reset").status, 200U);
}

TEST(ApiKeys, WhatIsOverIsSwitchedNoMore) {
    Keys keys;
    const Issued issued =
        keys.make("default", {{"startAt", "2023-11-14T22:14:00Z"}, {"endAt", "2023-11-14T22:14:00Z"}});
    keys.service.pass(std::chrono::hours{2});  // past midnight
    const std::string chief = keys.service.tokens_of(keys.service.make_person(Role::super_admin)).access;
    const std::string path = "api-key/update/" + issued.id;
    for (const bool on : {false, true})
        expect_refused(keys.call(chief, "PATCH", path + "/status", {{"isActive", on}}), errors::api_key_expired);
    EXPECT_EQ(keys.call(chief, "PUT", path + "/date", in_two_days(keys)).status, 200U) << "it may have another time";
    EXPECT_EQ(keys.call(chief, "PATCH", path + "/status", {{"isActive", false}}).status, 200U);
}

TEST(ApiKeyDates, ADateThatCannotBeReadBreaksNoRuleAboutItsTime) {
    Keys keys;
    const Issued issued = keys.make("default");
    const auto put = [&](const json::object& dates) { return keys.update(issued.id, "date", dates); };
    const std::string start = to_iso8601(keys.service.clock().now() + std::chrono::days{1});
    for (const json::object& dates : {json::object{{"startAt", start}}, {{"startAt", start}, {"endAt", "tomorrow"}}}) {
        const Answer refused = put(dates);
        EXPECT_TRUE(refused.violates("endAt", "isIso8601")) << refused.body;
        EXPECT_FALSE(refused.violates("endAt", "isAfterNow")) << refused.body;
        EXPECT_FALSE(refused.violates("endAt", "isNotBefore")) << refused.body;
    }
    const Answer created =
        keys.create({{"name", "shop"}, {"type", "default"}, {"startAt", "tomorrow"}, {"endAt", "in May"}});
    EXPECT_TRUE(created.violates("startAt", "isIso8601")) << created.body;
    EXPECT_TRUE(created.violates("endAt", "isIso8601")) << created.body;
    EXPECT_EQ(created.json.at("errors").as_array().size(), 2U) << created.body;
}

// A key as it can be: switched on or off, of the present epoch or an earlier one, expired or not.
struct KeyState {
    bool on;
    bool current;
    bool over;

    std::string text() const {
        return std::string(on ? "on" : "off") + (current ? "" : ", of an earlier epoch") + (over ? ", expired" : "");
    }
};

class KeyStates {
public:
    // Makes `each` keys of every state.
    explicit KeyStates(int each) {
        for (const bool current : {false, true}) {
            for (int i = 0; i < each; ++i)
                for (const bool on : {false, true})
                    for (const bool over : {false, true}) made_.push_back(make({on, current, over}));
            if (!current) run(Epochs(keys.service.app().services().database).raise(false, keys.service.clock().now()));
            log_in();
        }
        keys.service.pass(std::chrono::hours{2});  // past midnight
        log_in();
    }
    // A key of this state that no test has taken.
    Issued take(const KeyState& state) {
        const auto found =
            std::ranges::find_if(made_, [&](const auto& one) { return one.first.text() == state.text(); });
        Issued out = found->second;
        made_.erase(found);
        return out;
    }
    static std::vector<KeyState> all() {
        std::vector<KeyState> out;
        for (const bool on : {false, true})
            for (const bool current : {false, true})
                for (const bool over : {false, true}) out.push_back({on, current, over});
        return out;
    }
    json::object to_the_day_after_tomorrow() const { return {{"endAt", in_two_days(keys).at("endAt")}}; }

    Keys keys;

private:
    void log_in() { keys.chief = keys.service.tokens_of(keys.service.make_person(Role::super_admin)).access; }
    std::pair<KeyState, Issued> make(const KeyState& state) const {
        const json::object today{{"endAt", to_iso8601(keys.service.clock().now())}};
        Issued issued = keys.make("default", state.over ? today : json::object{});
        if (!state.on) EXPECT_EQ(keys.switch_to(issued.id, false).status, 200U);
        return {state, std::move(issued)};
    }
    std::vector<std::pair<KeyState, Issued>> made_;
};

// The service code of the answer, or the status of a success.
std::int64_t code_of(const Answer& answer) { return answer.status < 300 ? answer.status : answer.number("statusCode"); }

TEST(ApiKeys, ARefusalNamesWhatBarsTheChange) {
    KeyStates t(6);
    for (const KeyState& state : KeyStates::all()) {
        SCOPED_TRACE(state.text());
        const bool in_use = state.on && state.current;
        const int to_switch = state.over ? 5105 : state.current ? 200 : 5108;
        EXPECT_EQ(code_of(t.keys.switch_to(t.take(state).id, true)), to_switch);
        EXPECT_EQ(code_of(t.keys.switch_to(t.take(state).id, false)), to_switch);
        EXPECT_EQ(code_of(t.keys.update(t.take(state).id, "", {{"name", "other"}})), in_use ? 200 : 5108);
        EXPECT_EQ(code_of(t.keys.update(t.take(state).id, "date", t.to_the_day_after_tomorrow())),
                  in_use || (state.current && state.over) ? 200 : 5108);
        EXPECT_EQ(code_of(t.keys.update(t.take(state).id, "reset")), in_use || !state.current ? 200 : 5108);
        EXPECT_EQ(code_of(t.keys.erase(t.take(state).id)), 204);
    }
}

TEST(ApiKeys, EveryKeyCanBeBroughtBackIntoUse) {
    KeyStates t(1);
    for (const KeyState& state : KeyStates::all()) {
        SCOPED_TRACE(state.text());
        const std::string id = t.take(state).id;
        t.keys.update(id, "reset");
        t.keys.update(id, "date", t.to_the_day_after_tomorrow());
        t.keys.switch_to(id, true);
        const Issued renewed = Keys::issued_in(t.keys.update(id, "reset"), 200);
        EXPECT_EQ(t.keys.show(renewed.text()).status, 200U);
    }
}

TEST(ApiKeys, WhatIsNotThereIsNotFound) {
    const Keys keys(suite_service());
    expect_refused(keys.update(absent_id, "reset"), errors::api_key_not_found);
    expect_refused(keys.update(absent_id, "", {{"name", "other"}}), errors::api_key_not_found);
    expect_refused(keys.update(absent_id, "date", in_two_days(keys)), errors::api_key_not_found);
    expect_refused(keys.switch_to(absent_id, true), errors::api_key_not_found);
    expect_refused(keys.erase(absent_id), errors::api_key_not_found);
    expect_refused(keys.erase("7"), errors::invalid_identifier);
}

TEST(ApiKeys, OfSeveralResetsAtOnceTheLastOneHolds) {
    const Keys keys(suite_service());
    const Issued issued = keys.make();
    const auto answers = at_once(8, [&](std::size_t) { return keys.update(issued.id, "reset"); });
    std::size_t good = 0;
    for (const Answer& answer : answers)
        if (keys.show(Keys::issued_in(answer, 200).text()).status == 200) ++good;
    EXPECT_EQ(good, 1U);
    EXPECT_EQ(keys.show(issued.text()).status, 401U);
}

TEST(ApiKeys, AreDeletedOnce) {
    const Keys keys(suite_service());
    const Issued issued = keys.make();
    const auto answers = at_once(8, [&](std::size_t) { return keys.erase(issued.id); });
    EXPECT_EQ(statuses(answers), (std::map<unsigned, std::size_t>{{204, 1}, {404, 7}}));
}

TEST(AUT_5, EachChangeNeedsItsAbility) {
    Keys keys(suite_service());
    const Issued issued = keys.make();
    const std::string update = "api-key/update/" + issued.id;
    const struct {
        std::string method;
        std::string path;
        json::object body;
        std::string action;  // besides "read"
    } changes[] = {
        {"GET", "api-key/list", {}, "read"},
        {"POST", "api-key/create", {{"name", "shop"}, {"type", "default"}}, "create"},
        {"PATCH", update + "/reset", {}, "update"},
        {"PUT", update, {{"name", "other"}}, "update"},
        {"PUT", update + "/date", in_two_days(keys), "update"},
        {"PATCH", update + "/status", {{"isActive", true}}, "update"},
        {"DELETE", "api-key/delete/" + issued.id, {}, "delete"},
    };
    const std::string user = keys.member_of(built_in(Role::user));
    for (const auto& [method, path, body, action] : changes) {
        std::vector<std::string> others;
        for (const std::string other : {"read", "create", "update", "delete"})
            if (other != action) others.push_back(other);
        expect_refused(keys.call(user, method, path, body), errors::role_forbidden, path);
        expect_refused(keys.call(keys.admin_with({{"apiKey", others}}), method, path, body), errors::policy_forbidden,
                       path);
        if (action != "read")
            expect_refused(keys.call(keys.admin_with({{"apiKey", {action}}}), method, path, body),
                           errors::policy_forbidden, path + " without read");
        std::vector<std::string> enough{"read"};
        if (action != "read") enough.push_back(action);
        EXPECT_LT(keys.call(keys.admin_with({{"apiKey", enough}}), method, path, body).status, 300U) << path;
    }
}

// The operations for system keys, and the ability that administrators need to see the same data.
const std::map<std::string, std::optional<Ability>>& for_systems() {
    static const std::map<std::string, std::optional<Ability>> rows{
        {"listUsersForSystem", Ability{Subject::user, Action::read}},
        {"checkUsername", Ability{Subject::user, Action::read}},
        {"checkEmail", Ability{Subject::user, Action::read}},
        {"listRolesForSystem", Ability{Subject::role, Action::read}},
        {"getRoleAbilities", Ability{Subject::role, Action::read}},
        {"listFeatureFlagsForSystem", Ability{Subject::feature_flag, Action::read}},
        // These show how the service is doing, but no account and no secret.
        {"checkDatabaseHealth", std::nullopt},
        {"checkAwsHealth", std::nullopt},
        {"checkThirdPartyHealth", std::nullopt},
        {"checkInstanceHealth", std::nullopt},
    };
    return rows;
}

TEST(KEY_3, ASystemKeyStandsForWhatItShows) {
    Service& service = suite_service();
    std::set<std::string> declared;
    for (const auto& operation : service.app().router().operations())
        if (operation->api_key == http::ApiKeyDemand::system) declared.insert(operation->id);
    std::set<std::string> written;
    for (const auto& [id, ability] : for_systems()) {
        written.insert(id);
        if (ability)
            EXPECT_TRUE(std::ranges::any_of(
                system_key_abilities,
                [&](Ability one) { return one.subject == ability->subject && one.action == ability->action; }))
                << id << " shows what a key of type system does not stand for";
    }
    EXPECT_EQ(written, declared) << "write down what a system sees by the new operation";
}

TEST(KEY_3, NobodyMakesAKeyThatSeesMoreThanTheyDo) {
    Keys keys(suite_service());
    const Issued system = keys.make("system");
    const json::object wanted{{"name", "shop"}, {"type", "system"}};
    const std::string update = "api-key/update/" + system.id;
    const std::vector<std::string> everything_of_keys{"read", "create", "update", "delete"};
    const Abilities enough{
        {"apiKey", everything_of_keys}, {"user", {"read"}}, {"role", {"read"}}, {"featureFlag", {"read"}}};
    for (std::size_t missing = 1; missing <= enough.size(); ++missing) {
        Abilities abilities = enough;
        if (missing < enough.size()) abilities.erase(abilities.begin() + static_cast<std::ptrdiff_t>(missing));
        const std::string admin = keys.admin_with(abilities);
        const auto ask = [&](const std::string& method, const std::string& path, const json::object& body = {}) {
            const Answer answer = keys.call(admin, method, path, body);
            if (missing == enough.size())
                EXPECT_LT(answer.status, 300U) << path << answer.body;
            else
                expect_refused(answer, errors::policy_forbidden, path);
        };
        ask("POST", "api-key/create", wanted);
        ask("PATCH", update + "/reset");
        ask("PUT", update, {{"name", "other"}});
        ask("PUT", update + "/date", in_two_days(keys));
        ask("PATCH", update + "/status", {{"isActive", true}});
    }
    const std::string admin = keys.admin_with({{"apiKey", everything_of_keys}});
    EXPECT_EQ(keys.call(admin, "POST", "api-key/create", {{"name", "shop"}, {"type", "default"}}).status, 201U);
    EXPECT_EQ(keys.call(admin, "DELETE", "api-key/delete/" + system.id).status, 204U) << "which opens nothing";
}

}  // namespace
}  // namespace consentry::tests
