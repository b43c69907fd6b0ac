// Tests API keys as programs present them.
#include "features/api_keys/api_keys.hpp"

#include <atomic>
#include <regex>
#include <thread>

#include "app/app.hpp"
#include "crypto/digest.hpp"
#include "crypto/random.hpp"
#include "http/endpoint.hpp"
#include "storage/memory/memory_cache.hpp"
#include "tests/support/away_cache.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/raw_call.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

const std::string some_secret(50, 'x');

std::string everything_stored(const Service& service) {
    std::string out;
    for (const std::string& table : service.tables())
        for (const auto& row : service.sql("SELECT * FROM " + table))
            for (const std::string& value : row) out += value + '\n';
    return out;
}

std::string everything_below(const std::filesystem::path& folder) {
    std::string out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) out += text_in(entry.path());
    return out;
}

TEST(KEY_1, TheSecretIsShownOnceAndKeptAsADigest) {
    const Keys keys;
    const Issued issued = keys.make();
    EXPECT_TRUE(std::regex_match(issued.key, std::regex("local_[A-Za-z0-9]{25}"))) << issued.key;
    EXPECT_TRUE(std::regex_match(issued.secret, std::regex("[A-Za-z0-9]{50}"))) << issued.secret;
    EXPECT_NE(keys.make().secret, issued.secret);
    const auto rows = keys.service.sql("SELECT hex(digest) FROM api_keys WHERE id = '" + issued.id + "'");
    EXPECT_EQ(to_lower_ascii(rows.at(0).at(0)), to_hex(crypto::sha256(issued.text())));

    const Answer listed = keys.show_signed_in(issued.text());
    EXPECT_TRUE(listed.body.contains(issued.key));
    EXPECT_FALSE(listed.body.contains(issued.secret));
    EXPECT_FALSE(listed.body.contains("digest"));
    const std::string stored = everything_stored(keys.service) + everything_below(keys.service.folder());
    EXPECT_TRUE(stored.contains(issued.key)) << "looked at the right place";
    EXPECT_FALSE(stored.contains(issued.secret));
}

TEST(KEY_1, NoLogHasIt) {
    const WorkingFolder here;
    const Keys keys(everything_logged());
    const Issued issued = keys.make();
    EXPECT_EQ(keys.show_signed_in(issued.text()).status, 200U);
    EXPECT_EQ(keys.show(issued.key + ":" + some_secret).status, 401U);
    EXPECT_EQ(keys.service.get("/api/admin/api-key/list?x-api-key=" + issued.text(), bearer(keys.chief)).status, 422U);
    keys.service.break_writes("UPDATE ON api_keys");
    const Answer broken = keys.service.patch("/api/admin/api-key/update/" + issued.id + "/reset", {},
                                             with_key(issued.text(), bearer(keys.chief)));
    EXPECT_EQ(broken.status, 503U);
    keys.service.mend_writes();
    const Issued again = Keys::issued_in(keys.update(issued.id, "reset"), 200);

    std::string log;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    do log = text_in(here / "logs/api.log");
    while (!log.contains("api-key/update/" + issued.id + "/reset") && std::chrono::steady_clock::now() < deadline);
    ASSERT_TRUE(log.contains("api-key/update/" + issued.id + "/reset")) << "the log is where it is looked for";
    const std::string kept = log + everything_below(keys.service.folder());
    for (const std::string& secret : {issued.secret, again.secret, some_secret})
        EXPECT_FALSE(kept.contains(secret)) << secret;
}

TEST(KEY_1, EachRefusalHasItsCode) {
    const Keys keys(suite_service());
    const Issued good = keys.make();
    const Issued off = keys.make();
    const Issued gone = keys.make();
    EXPECT_EQ(keys.switch_to(off.id, false).status, 200U);
    EXPECT_EQ(keys.erase(gone.id).status, 204U);
    std::string other_case = good.text();
    for (char& c : other_case) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    const struct {
        std::string text;
        const ErrorKind& kind;
    } cases[] = {
        {"", errors::api_key_required},
        {"   ", errors::api_key_required},
        {"x", errors::api_key_invalid},
        {good.key, errors::api_key_invalid},
        {":", errors::api_key_invalid},
        {good.key + ":", errors::api_key_invalid},
        {good.key + ": ", errors::api_key_invalid},
        {":" + good.secret, errors::api_key_invalid},
        {good.text() + ":", errors::api_key_invalid},
        {good.text() + ":" + good.secret, errors::api_key_invalid},
        {good.text() + "," + good.text(), errors::api_key_invalid},
        {good.text() + ", x", errors::api_key_invalid},
        {good.text() + ",", errors::api_key_invalid},
        {good.text() + "x", errors::api_key_invalid},
        {good.text().substr(0, good.text().size() - 1), errors::api_key_invalid},
        {good.key + ":" + some_secret, errors::api_key_invalid},
        {good.key + ":" + off.secret, errors::api_key_invalid},
        {off.text(), errors::api_key_invalid},
        {gone.text(), errors::api_key_unknown},
        {other_case, errors::api_key_unknown},
        {"local_" + std::string(25, 'A') + ":" + good.secret, errors::api_key_unknown},
        {"' OR '1'='1:x", errors::api_key_unknown},
        {std::string(5'000, 'a') + ":x", errors::api_key_unknown},
        {"\xFF\xFE:x", errors::api_key_unknown},
    };
    for (const auto& [text, kind] : cases) {
        expect_refused(keys.show(text), kind, text + " ");
        expect_refused(keys.show_signed_in(text), kind, text + " ");
        expect_refused(keys.show_as_system(text), kind, text + " ");
    }
    expect_refused(keys.service.get("/api/system/role/list"), errors::api_key_required);
    EXPECT_EQ(keys.show(good.text()).status, 200U);
    EXPECT_EQ(keys.show(" \t" + good.text() + " ").status, 200U) << "blanks around a header are none of its value";
    EXPECT_EQ(keys.service.get("/api/hello").status, 200U) << "nobody needs one there";
}

TEST(KEY_1, TwoHeaderLinesAreRefused) {
    const Keys keys(suite_service());
    const Issued one = keys.make();
    const Issued two = keys.make();
    const auto show = [&](const std::string& first, const std::string& second) {
        return ask(keys.service, "GET /api/hello HTTP/1.1\r\nHost: a\r\nX-API-Key: " + first + "\r\n" + second);
    };
    for (const std::string& second : {one.text(), two.text(), std::string()}) {
        const auto refused = show(one.text(), "x-api-key: " + second + "\r\n");
        EXPECT_EQ(refused.status, 401U);
        EXPECT_TRUE(refused.body.contains("\"statusCode\":5102")) << refused.body;
        EXPECT_EQ(show(second, "x-api-key: " + one.text() + "\r\n").status, 401U);
    }
    EXPECT_EQ(show(one.text(), "").status, 200U);
}

TEST(KEY_1, OnlyTheHeaderCounts) {
    const Keys keys(suite_service());
    const Issued system = keys.make("system");
    expect_refused(keys.service.get("/api/system/role/list?x-api-key=" + system.text()), errors::api_key_required);
    const Answer with_good = keys.service.get("/api/system/role/list?x-api-key=x", with_key(system.text()));
    EXPECT_EQ(with_good.status, 422U);
    EXPECT_TRUE(with_good.violates("x-api-key", "whitelistValidation")) << with_good.body;
    expect_refused(keys.service.call("GET", "/api/system/role/list", {}, {{"apiKey", system.text()}}),
                   errors::api_key_required);
    expect_refused(keys.service.call("GET", "/api/system/role/list", {}, {{"cookie", "x-api-key=" + system.text()}}),
                   errors::api_key_required);
    expect_refused(keys.service.get("/api/system/role/list", bearer(system.text())), errors::api_key_required);
}

TEST(KEY_1, AWindowIsWholeDaysOfTheServicesTimeZone) {
    Keys keys({{"APP_TIMEZONE", "Asia/Tokyo"}});  // local time: 07:13 on 15 November 2023
    const Answer made = keys.create({{"name", "for two days"},
                                     {"type", "default"},
                                     {"startAt", "2023-11-16T12:00:00.000+09:00"},
                                     {"endAt", "2023-11-16T16:00:00.000Z"}});
    const Issued issued = Keys::issued_in(made, 201);
    const Answer listed = keys.show_signed_in(keys.make().text());
    const auto& rows = listed.json.at("data").as_array();
    const auto row = std::ranges::find(rows, json::value(issued.id), [](const auto& one) { return one.at("id"); });
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(row->at("startAt"), "2023-11-15T15:00:00.000Z");
    EXPECT_EQ(row->at("endAt"), "2023-11-17T14:59:59.999Z");

    const auto at = [&](const char* time, milliseconds more) {
        keys.service.clock().set(from_iso8601(time).value() + more);
        return keys.show(issued.text());
    };
    expect_refused(keys.show(issued.text()), errors::api_key_invalid);
    expect_refused(at("2023-11-15T15:00:00.000Z", milliseconds{-1}), errors::api_key_invalid);
    EXPECT_EQ(at("2023-11-15T15:00:00.000Z", milliseconds{0}).status, 200U);
    EXPECT_EQ(at("2023-11-17T14:59:59.999Z", milliseconds{0}).status, 200U);
    expect_refused(at("2023-11-17T14:59:59.999Z", milliseconds{1}), errors::api_key_invalid);
}

// Returns the settings of another instance on the same database and cache.
Environment beside(Service& first) {
    const Config& config = first.app().services().config;
    Environment out{{"DATA_DIR", config.data.directory.string()}};
    if (!config.database.url.empty()) {
        out["DATABASE_URL"] = config.database.url;
        out["CACHE_URL"] = config.cache.url;
        out["CACHE_NAMESPACE"] = config.cache.name_space;
    }
    return out;
}

TEST(KEY_2, ARevokedKeyIsRefusedByEveryInstanceUnderLoad) {
    Keys keys;
    const Service second(beside(keys.service));
    const Issued issued = keys.make();
    std::atomic<bool> is_gone = false;
    std::atomic<int> let_in_before = 0;
    std::atomic<int> let_in_after = 0;
    std::atomic<int> asked_after = 0;
    std::vector<std::jthread> programs;
    for (int i = 0; i < 4; ++i)
        programs.emplace_back([&, i] {
            const Service& service = i % 2 == 0 ? second : keys.service;
            while (asked_after < 200) {
                const bool was_gone = is_gone;
                const unsigned status = service.get("/api/hello", with_key(issued.text())).status;
                if (!was_gone) {
                    if (status == 200) ++let_in_before;
                    continue;
                }
                ++asked_after;
                if (status != 403) ++let_in_after;
            }
        });
    while (let_in_before < 40) std::this_thread::yield();
    EXPECT_EQ(keys.erase(issued.id).status, 204U);
    is_gone = true;
    programs.clear();
    EXPECT_EQ(let_in_after, 0);
}

TEST(KEY_2, EachChangeActsAtTheNextRequest) {
    Keys keys;
    const Service second(beside(keys.service));
    const Issued issued = keys.make();
    const auto ask = [&](const std::string& text) {
        const unsigned here = keys.show(text).status;
        EXPECT_EQ(second.get("/api/hello", with_key(text)).status, here);
        return here;
    };
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(ask(issued.text()), 200U);
        EXPECT_EQ(keys.switch_to(issued.id, false).status, 200U);
        EXPECT_EQ(ask(issued.text()), 401U);
        EXPECT_EQ(keys.switch_to(issued.id, true).status, 200U);
    }
    const Issued again = Keys::issued_in(keys.update(issued.id, "reset"), 200);
    EXPECT_EQ(again.key, issued.key);
    EXPECT_EQ(ask(issued.text()), 401U);
    EXPECT_EQ(ask(again.text()), 200U);
    const json::object next_week{{"startAt", "2023-11-20T00:00:00Z"}, {"endAt", "2023-11-21T00:00:00Z"}};
    EXPECT_EQ(keys.update(issued.id, "date", next_week).status, 200U);
    EXPECT_EQ(ask(again.text()), 401U);
    EXPECT_EQ(keys.erase(issued.id).status, 204U);
    EXPECT_EQ(ask(again.text()), 403U);
}

awaitable<std::size_t> guess(ApiKeys& keys, std::size_t count, TimePoint now) {
    std::size_t unknown = 0;
    const http::Operation operation;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string text = "local_" + crypto::random_text(25, crypto::alphanumerics) + ":" + some_secret;
        http::Request request;
        request.headers.emplace_back("x-api-key", text);
        http::RequestContext context{.request = request, .now = now};
        const auto admitted = co_await keys.admit(context, operation);
        if (!admitted && admitted.error().is(errors::api_key_unknown) && !context.caller.api_key) ++unknown;
    }
    co_return unknown;
}

TEST(KEY_2, GuessesLeaveNothingInTheCache) {
    Keys staff(suite_service());
    auto& services = staff.service.app().services();
    storage::MemoryCache cache(services.clock);
    ApiKeys keys(services.database, cache, services.clock, {});
    constexpr std::size_t guesses = 20'000;
    EXPECT_EQ(run(guess(keys, guesses, services.clock.now())), guesses);
    EXPECT_EQ(cache.bytes(), 0U);
}

TEST(KEY_2, WithoutTheCacheTheDatabaseDecides) {
    Keys staff(suite_service());
    const Issued issued = staff.make();
    auto& services = staff.service.app().services();
    AwayCache away;
    ApiKeys keys(services.database, away, services.clock, {});
    const http::Operation operation;
    const auto admit = [&](const std::string& text) {
        http::Request request;
        request.headers.emplace_back("X-Api-Key", text);
        http::RequestContext context{.request = request, .now = services.clock.now()};
        const auto admitted = run(keys.admit(context, operation));
        EXPECT_EQ(context.caller.api_key.has_value(), admitted.has_value());
        return admitted.has_value();
    };
    EXPECT_TRUE(admit(issued.text()));
    EXPECT_FALSE(admit(issued.key + ":" + some_secret));
    EXPECT_EQ(staff.erase(issued.id).status, 204U);
    EXPECT_FALSE(admit(issued.text()));
}

TEST(KEY_2, WhateverStandsInTheCacheLetsNobodyIn) {
    Keys keys(suite_service());
    const Issued one = keys.make();
    const Issued two = keys.make();
    auto& cache = keys.service.app().services().cache;
    for (const std::string& planted : {two.id, std::string(absent_id), std::string("nonsense"), std::string()}) {
        run(cache.put("ApiKey:" + one.key, planted, std::chrono::hours{1}));
        expect_refused(keys.show(one.key + ":" + two.secret), errors::api_key_invalid, planted);
        run(cache.put("ApiKey:" + one.key, planted, std::chrono::hours{1}));
        EXPECT_EQ(keys.show(one.text()).status, 200U) << planted;
    }
}

TEST(KEY_3, AGoodKeyDoesWhereNoneIsNeeded) {
    const Keys keys;
    const Issued plain = keys.make("default");
    const Issued system = keys.make("system");
    EXPECT_EQ(keys.show_as_system(system.text()).status, 200U);
    expect_refused(keys.show_as_system(plain.text()), errors::api_key_forbidden);
    EXPECT_EQ(keys.show_signed_in(plain.text()).status, 200U);
    expect_refused(keys.show_signed_in(system.text()), errors::api_key_forbidden);
    for (const Issued& issued : {plain, system})
        EXPECT_EQ(keys.show(issued.text()).status, 200U) << "where no key is needed, any good one will do";
}

// Every operation at its documented path, with the id of an absent object in place of a path parameter.
struct Door {
    std::string method;
    std::string path;
    const http::Operation* operation;
};
std::vector<Door> doors(Service& service) {
    std::vector<Door> out;
    for (const auto& operation : service.app().router().operations()) {
        std::string path = service.app().router().full_paths(*operation).front();
        if (const auto colon = path.find(':'); colon != std::string::npos)
            path.replace(colon, std::min(path.find('/', colon), path.size()) - colon, absent_id);
        out.push_back({std::string(name_of(operation->method)), path, operation.get()});
    }
    return out;
}

bool is_refused_as(const Answer& answer, const ErrorKind& kind) {
    return answer.status == kind.http_status && answer.has("statusCode") &&
           answer.number("statusCode") == kind.service_code;
}

// Returns whether an operation accepts a key of this type at all, with or without a user.
bool takes(const http::Operation& operation, ApiKeyType type) {
    if (operation.api_key == http::ApiKeyDemand::none) return true;
    return (operation.api_key == http::ApiKeyDemand::system) == (type == ApiKeyType::system);
}

TEST(KEY_3, AKeyNeverTakesThePlaceOfAnAccessToken) {
    Keys keys;
    const Issued plain = keys.make("default");
    const Issued system = keys.make("system");
    for (const char* required : {"false", "true"}) {
        keys.service.restart({{"AUTH_API_KEY_REQUIRED", required}});
        std::size_t guarded = 0;
        for (const Door& door : doors(keys.service)) {
            if (door.operation->access.security_scheme.empty()) continue;
            ++guarded;
            const auto ask = [&](Headers headers) {
                return keys.service.call(door.method, door.path, {}, std::move(headers));
            };
            EXPECT_EQ(ask(with_key(plain.text())).status, 401U) << door.path;
            EXPECT_EQ(ask(with_key(plain.text(), bearer(plain.text()))).status, 401U) << door.path;
            EXPECT_EQ(ask(with_key(plain.text(), bearer(plain.secret))).status, 401U) << door.path;
            expect_refused(ask(with_key(system.text())), errors::api_key_forbidden, door.path);
        }
        EXPECT_GT(guarded, 40U);
    }
}

TEST(KEY_3, AKeyOfOneTypeOpensNoOperationOfTheOther) {
    Keys keys;
    const Issued plain = keys.make("default");
    const Issued system = keys.make("system");
    for (const char* required : {"false", "true"}) {
        keys.service.restart({{"AUTH_API_KEY_REQUIRED", required}});
        std::size_t for_systems = 0;
        std::size_t for_others = 0;
        for (const Door& door : doors(keys.service)) {
            ++(door.operation->api_key == http::ApiKeyDemand::system ? for_systems : for_others);
            // Calls each operation without a token and as a super admin, except those that would end the super admin's
            // session.
            for (const bool signed_in : {false, true})
                for (const auto& [issued, type] :
                     {std::pair{plain, ApiKeyType::default_}, {system, ApiKeyType::system}}) {
                    if (signed_in && (door.operation->id == "logout" || door.operation->id == "deleteSelf")) continue;
                    Headers headers = with_key(issued.text());
                    if (signed_in) headers.emplace_back("authorization", "Bearer " + keys.chief);
                    const Answer answer = keys.service.call(door.method, door.path, {}, std::move(headers));
                    EXPECT_NE(is_refused_as(answer, errors::api_key_forbidden), takes(*door.operation, type))
                        << door.method << " " << door.path << (signed_in ? ", signed in: " : ": ") << answer.body;
                }
        }
        EXPECT_GT(for_systems, 8U);
        EXPECT_GT(for_others, 60U);
    }
}

TEST(AUT_1, AKeyAloneOpensNothingThatWantsAUser) {
    Keys keys;
    const Issued plain = keys.make("default");
    const Issued system = keys.make("system");
    keys.service.restart({{"AUTH_API_KEY_REQUIRED", "true"}});
    std::size_t guarded = 0;
    std::size_t for_systems = 0;
    for (const auto& [method, path, operation] : doors(keys.service)) {
        const auto ask = [&](const Issued& issued) {
            return keys.service.call(method, path, {}, with_key(issued.text()));
        };
        if (operation->api_key == http::ApiKeyDemand::system) {
            ++for_systems;
            expect_refused(ask(plain), errors::api_key_forbidden, path);
            EXPECT_LT(ask(system).status, 500U) << path;
            EXPECT_NE(ask(system).status, 401U) << path;
            EXPECT_NE(ask(system).status, 403U) << path;
        } else if (operation->access.name != "public") {
            ++guarded;
            EXPECT_EQ(ask(plain).status, 401U) << path;
            expect_refused(ask(system), errors::api_key_forbidden, path);
        }
    }
    EXPECT_GT(guarded, 20U);
    EXPECT_GE(for_systems, 3U);
}

TEST(AUT_1, WhereKeysAreRequiredNothingElseIsSaidBefore) {
    Keys keys;
    keys.service.restart({{"AUTH_API_KEY_REQUIRED", "true"}});
    std::size_t closed = 0;
    std::size_t open = 0;
    for (const auto& [method, path, operation] : doors(keys.service)) {
        const Answer answer = keys.service.call(method, path, "{", bearer(keys.chief));
        if (operation->api_key == http::ApiKeyDemand::none) {
            ++open;
            // A signed address authorizes access to a file. These addresses are not signed.
            if (operation->tag != "file") EXPECT_LT(answer.status, 401U) << path;
            EXPECT_NE(answer.text("statusCodeKey"), errors::api_key_required.name) << path;
        } else {
            ++closed;
            expect_refused(answer, errors::api_key_required, path);
        }
    }
    EXPECT_GT(closed, 30U);
    EXPECT_GE(open, 4U) << "hello, health, metrics, documentation";
    EXPECT_EQ(keys.service.get("/api/hello").status, 200U);
}

TEST(KEY_3, WhatIsForSystemsCannotBeDeclaredWithoutTheirKeys) {
    const auto declare = [](const char* path, bool with_key) {
        http::Router router;
        auto endpoint = router.get(path);
        endpoint.id("somewhere").tag("test").says("Something").message("auth.logout");
        if (with_key) endpoint.with_system_key();
        endpoint.handled_by([]() -> awaitable<Result<http::Done>> { co_return http::Done{}; });
        router.finish();
    };
    EXPECT_NO_THROW(declare("/system/somewhere", true));
    EXPECT_NO_THROW(declare("/systems", false));
    EXPECT_THROW(declare("/system/somewhere", false), std::logic_error);
    EXPECT_THROW(declare("/system", false), std::logic_error);
}

}  // namespace
}  // namespace consentry::tests
