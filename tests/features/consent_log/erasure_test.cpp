// What remains of an account once it is erased: nothing in any table or object that names the person, and a log whose
// proofs still verify.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "crypto/jws.hpp"
#include "features/consent_log/entry.hpp"
#include "tests/features/consent_proof/log_calls.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/erasure_calls.hpp"
#include "tests/support/calls/role_calls.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/files.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"
#include "tlog/policy.hpp"
#include "tlog/proof_file.hpp"
#include "tlog/tiles.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* delete_path = "/api/shared/user/delete/self";
constexpr const char* address = "203.0.113.77";
constexpr const char* program = "CanaryBrowser/1.0";
const Environment behind_a_proxy{{"HTTP_TRUSTED_PROXIES", "127.0.0.1"}};

Headers canary(Headers headers = {}) {
    headers.emplace_back("X-Forwarded-For", address);
    headers.emplace_back("User-Agent", program);
    return headers;
}

void erase_self(Service& service, const std::string& token) {
    const Answer deleted = service.erase(delete_path, {}, canary(bearer(token)));
    ASSERT_EQ(deleted.status, 204U) << deleted.body;
    settle_mails(service);
    settle_acts(service);
}

void erase_in_time(Service& service, const std::string& token) {
    erase_self(service, token);
    service.pass(std::chrono::days{30});
    service.work();
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}
std::string hex_of(const std::string& text) { return lower(to_hex(as_bytes(text))); }

// The rows of a table as lowercase text. SQLite: every column in hexadecimal, since its text may hold any bytes.
// PostgreSQL: as the server writes rows, bytes in hexadecimal.
std::vector<std::string> rows_of(const Service& service, const std::string& table) {
    std::string select = "t::text FROM \"" + table + "\" t";
    if (service.literal({}).starts_with("x")) {
        select.clear();
        for (const auto& column : service.sql("SELECT name FROM pragma_table_info('" + table + "')"))
            select += (select.empty() ? "hex(\"" : " || ' ' || hex(\"") + column.at(0) + "\")";
        select += " FROM \"" + table + "\"";
    }
    std::vector<std::string> out;
    for (const auto& row : service.sql("SELECT " + select)) out.push_back(lower(row.at(0)));
    return out;
}

// The places that hold this text, its hexadecimal form, or the bytes of the ID that it is.
std::vector<std::string> traces(const Service& service, const std::string& needle) {
    std::string digits = lower(needle);
    std::erase(digits, '-');
    std::vector<std::string> forms{lower(needle), hex_of(needle), hex_of(lower(needle))};
    if (digits.size() == 32) forms.insert(forms.end(), {digits, hex_of(digits)});
    const auto has = [&](const std::string& text) {
        return std::ranges::any_of(forms, [&](const std::string& form) { return text.contains(form); });
    };
    std::vector<std::string> out;
    for (const std::string& table : service.tables())
        for (const std::string& row : rows_of(service, table))
            if (has(row)) out.push_back(table);
    // The mail folder takes the place of a mail server here, and the security events are a stream with an age of its
    // own; the files of the database may hold what a former transaction has left.
    for (const auto& file : fs::recursive_directory_iterator(service.folder())) {
        const std::string path = fs::relative(file.path(), service.folder()).string();
        if (!file.is_regular_file() || path.starts_with("data/mail/") || path.starts_with("data/consentry.db") ||
            path.contains("security"))
            continue;
        const std::string bytes = text_in(file.path());
        if (has(lower(bytes)) || has(hex_of(bytes))) out.push_back(path);
    }
    std::ranges::sort(out);
    const auto again = std::ranges::unique(out);
    out.erase(again.begin(), again.end());
    return out;
}

// What an outsider keeps of the log.
struct Log {
    explicit Log(const Service& service)
        : verifier(
              tlog::VerifierKey::parse(
                  std::string(json::parse(service.get("/.well-known/consent-log").body).at("verifierKey").as_string()))
                  .value()),
          checkpoint(tlog::open_checkpoint(service.get("/consent-log/checkpoint").body, verifier).value().checkpoint) {
        for (const tlog::TileId& id : tlog::new_entry_bundles(0, checkpoint.size)) {
            const Answer bundle = service.get("/consent-log/" + tlog::tile_path(id));
            const auto read = tlog::parse_entry_bundle(as_bytes(bundle.body), id.width);
            EXPECT_TRUE(read) << tlog::tile_path(id);
            if (read)
                for (const BytesView entry : *read) entries.emplace_back(entry.begin(), entry.end());
        }
        EXPECT_EQ(root_of(checkpoint.size), checkpoint.root);
    }
    tlog::Hash root_of(std::uint64_t size) const {
        std::vector<tlog::Hash> leaves;
        for (std::uint64_t i = 0; i < size; ++i) leaves.push_back(tlog::leaf_hash(entries.at(i)));
        tlog::GrowingTree tree;
        tree.append(leaves);
        return tree.root();
    }
    // Entries that are not about the publication of a version.
    std::size_t acts_of_users() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(entries, [](const Bytes& entry) { return entry.size() != publication_entry_bytes; }));
    }
    bool proves(const std::string& file) const {
        const auto proof = tlog::parse_proof_file(file);
        return proof && tlog::verify_proof(proof->extra, *proof, tlog::Policy::of_log(verifier).value()).has_value();
    }
    std::vector<ErasureEntry> erasures() const {
        std::vector<ErasureEntry> out;
        for (const Bytes& entry : entries)
            if (const auto read = parse_log_entry(entry); read && std::holds_alternative<ErasureEntry>(*read))
                out.push_back(std::get<ErasureEntry>(*read));
        return out;
    }

    tlog::VerifierKey verifier;
    tlog::Checkpoint checkpoint;
    std::vector<Bytes> entries;
};

// Whether a key of the log's description has signed the receipt.
bool is_signed(const Service& service, const std::string& receipt) {
    const auto jws = crypto::parse_jws(receipt);
    const json::value facts = json::parse(service.get("/.well-known/consent-log").body);
    return jws && std::ranges::any_of(facts.at("receiptKeys").at("keys").as_array(), [&](const json::value& jwk) {
               const auto key = crypto::PublicKey::from_jwk(jwk.as_object());
               return jwk.at("kid") == jws->kid.c_str() && key && key->verify(jws->signing_input, jws->signature);
           });
}

std::string subject_of(const std::string& receipt) {
    return std::string(crypto::parse_jws(receipt)->claims.at("sub").as_string());
}

TEST(DOC_5, NothingNamesAPersonWhoseAccountIsErased) {
    Service service(behind_a_proxy);
    for (const std::string& type : all_types) publish(service, type, 1);
    const Person ada = newcomer(service, "ada.canary@example.org");
    const Person stays = newcomer(service, "bob@example.org");
    const Answer login =
        service.post("/api/public/user/login/credential", credentials(ada.email, ada.password), canary());
    const Headers caller = canary(bearer(login.text("data.tokens.accessToken")));
    for (const std::string& type : all_types)
        ASSERT_EQ(service.post(accept_path, {{"type", type}}, caller).status, 200U) << type;
    ASSERT_EQ(service.post(withdraw_path, {{"type", "marketing"}}, caller).status, 200U);
    EXPECT_EQ(service.call("PUT", "/api/shared/user/profile", R"({"name":"Ada Canary"})", caller).status, 200U);
    forget(service, ada.email);
    settle_mails(service);
    EXPECT_EQ(accept(service, service.tokens_of(stays).access, "privacy").status, 200U);
    const Staff staff(service);
    for (const char* status : {"inactive", "active"})
        ASSERT_EQ(
            staff.call(staff.chief, "PATCH", "user/update/" + ada.id.text() + "/status", {{"status", status}}).status,
            200U);
    const Answer again =
        service.post("/api/public/user/login/credential", credentials(ada.email, ada.password), canary());
    const std::vector<std::string> needles{ada.id.text(), ada.email, "Ada Canary", address, program};
    for (const std::string& needle : needles) EXPECT_FALSE(traces(service, needle).empty()) << needle;

    const std::string others =
        value_of(service, "count(*) FROM activity_log WHERE user_id = '" + stays.id.text() + "'");
    erase_in_time(service, again.text("data.tokens.accessToken"));
    for (const std::string& needle : needles) EXPECT_THAT(traces(service, needle), IsEmpty()) << needle;
    EXPECT_EQ(value_of(service, "count(*) FROM log_entries WHERE log = 'consent' AND salt IS NOT NULL"), "1")
        << "of the account that stays";
    EXPECT_EQ(value_of(service, "count(*) FROM log_subjects WHERE user_id NOT IN (SELECT id FROM users)"), "0");
    EXPECT_EQ(history(service, stays), "privacy 1 accepted");
    EXPECT_EQ(value_of(service, "count(*) FROM activity_log WHERE user_id = '" + stays.id.text() + "'"), others);
    EXPECT_EQ(value_of(service, "count(*) FROM activity_log WHERE metadata LIKE '%\"userId\":null%'"), "2")
        << "what the administrator did stays in the administrator's log";
    EXPECT_EQ(service.log_in(stays).status, 200U);
}

TEST(DOC_5, ReceiptsAndProofsOutliveTheAccount) {
    Signed t{Environment{}};
    publish_with_entry(t.service, "privacy", 1);
    publish_with_entry(t.service, "marketing", 1);
    const std::string receipt = receipt_of(accept(t.service, t.token, "privacy"));
    receipt_of(accept(t.service, t.token, "marketing"));
    t.service.work();
    const std::string id(crypto::parse_jws(receipt)->claims.at("jti").as_string());
    const Answer proof = t.service.get("/api/shared/user/term-policy/receipt/" + id + "/proof", bearer(t.token));
    ASSERT_EQ(proof.status, 200U) << proof.body;
    const Log before(t.service);
    ASSERT_EQ(before.checkpoint.size, 4U);

    erase_in_time(t.service, t.token);
    t.service.work();
    const Log after(t.service);
    EXPECT_EQ(after.verifier.text(), before.verifier.text());
    EXPECT_EQ(after.root_of(before.checkpoint.size), before.checkpoint.root) << "the log has only grown";
    EXPECT_TRUE(after.proves(proof.body));
    EXPECT_TRUE(is_signed(t.service, receipt));
    const json::object claims = crypto::parse_jws(receipt)->claims;
    EXPECT_TRUE(std::ranges::any_of(after.entries, [&](const Bytes& entry) {
        return to_hex(tlog::leaf_hash(entry)) == claims.at("entryHash").as_string();
    }));
    ASSERT_EQ(after.erasures().size(), 1U) << "the log says itself why the rows are missing";
    EXPECT_EQ(to_hex(after.erasures().at(0).subject), subject_of(receipt));
    EXPECT_EQ(after.erasures().at(0).time, std::chrono::floor<std::chrono::seconds>(t.service.clock().now()));
    EXPECT_EQ(after.entries.size(), 5U);
    EXPECT_EQ(t.rows(), "0");
    t.service.work();
    EXPECT_EQ(Log(t.service).entries.size(), 5U) << "once";
}

// An entry that waits for its position when its account is erased is still published, before the erasure.
TEST(DOC_5, AnErasureLosesNoEntryThatWaits) {
    Signed t{Environment{}};
    publish_with_entry(t.service, "privacy", 1);
    t.service.break_writes("UPDATE ON logs");
    const std::string receipt = receipt_of(accept(t.service, t.token, "privacy"));
    erase_self(t.service, t.token);
    t.service.pass(std::chrono::days{30});
    run(t.service.app().services().accounts.erase_deleted());
    EXPECT_EQ(
        value_of(t.service, "count(*) FROM log_entries WHERE log = 'consent' AND position IS NULL AND salt IS NULL"),
        "2");
    t.service.mend_writes();
    t.service.work();
    const Log log(t.service);
    ASSERT_EQ(log.entries.size(), 3U);
    EXPECT_EQ(to_hex(tlog::leaf_hash(log.entries.at(1))),
              crypto::parse_jws(receipt)->claims.at("entryHash").as_string());
    ASSERT_EQ(log.erasures().size(), 1U);
    EXPECT_EQ(to_hex(log.erasures().at(0).subject), subject_of(receipt));
}

TEST(DOC_5, RowsThatNoLogKnowsLeaveNone) {
    Signed t{Environment{{"CONSENT_LOG_ENABLE", "false"}}};
    publish(t.service, "privacy", 1);
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    erase_in_time(t.service, t.token);
    EXPECT_EQ(t.rows(), "0");
    EXPECT_EQ(value_of(t.service, "count(*) FROM log_entries WHERE log = 'consent'"), "0");
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.work();
    EXPECT_EQ(Log(t.service).acts_of_users(), 0U) << "nothing is there to be logged late";
}

// Between the portions of an erasure, the rows that remain must not get a new tag.
TEST(DOC_5, NothingOfAnErasedAccountIsLoggedLate) {
    Signed t{Environment{{"CONSENT_LOG_ENABLE", "false"}}};
    publish(t.service, "privacy", 1);
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    t.service.sql("UPDATE users SET erased_at = 1 WHERE id = '" + t.person.id.text() + "'");
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.work();
    EXPECT_EQ(Log(t.service).acts_of_users(), 0U);
    EXPECT_EQ(value_of(t.service, "count(*) FROM log_subjects"), "0");
    t.service.sql("UPDATE users SET erased_at = NULL");
    t.service.restart();
    t.service.work();
    EXPECT_EQ(Log(t.service).acts_of_users(), 1U) << "which the mark alone prevented";
}

TEST(DOC_5, ALogThatIsOffStillLearnsOfTheErasure) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 1);
    publish(t.service, "cookies", 1);
    const std::string receipt = receipt_of(accept(t.service, t.token, "privacy"));
    t.service.work();
    t.service.restart({{"CONSENT_LOG_ENABLE", "false"}});
    EXPECT_EQ(accept(t.service, t.token, "cookies").status, 200U) << "will never be in the log";
    erase_in_time(t.service, t.token);
    EXPECT_EQ(value_of(t.service, "count(*) FROM log_entries WHERE log = 'consent' AND salt IS NOT NULL"), "0");
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.work();
    const Log log(t.service);
    EXPECT_EQ(log.acts_of_users(), 2U);
    ASSERT_EQ(log.erasures().size(), 1U);
    EXPECT_EQ(to_hex(log.erasures().at(0).subject), subject_of(receipt));
}

// More rows than one transaction erases, and several instances that erase at the same moments.
TEST(DOC_5, InstancesEraseEachAccountOnce) {
    Signed t{Environment{}};
    const std::string policy = publish_with_entry(t.service, "marketing", 1);
    std::vector<Person> people;
    for (int i = 0; i < 3; ++i) people.push_back(t.service.make_person());
    for (const Person& person : people) {
        const std::string token = t.service.tokens_of(person).access;
        EXPECT_EQ(accept(t.service, token, "marketing").status, 200U);
        std::string rows;
        std::string acts;
        const TimePoint now = t.service.clock().now() - std::chrono::days{1};  // the log does not look back so far
        for (int sequence = 2; sequence <= 2'500; ++sequence) {
            rows += (rows.empty() ? "('" : ", ('") + AcceptanceId::make(now).text() + "', '" + person.id.text() +
                    "', 'marketing', " + std::to_string(sequence) + ", 'accepted', '" + policy +
                    "', 1, 'en', '{}', 1, '192.0.2.9', 'agent')";
            acts += (acts.empty() ? "('" : ", ('") + AcceptanceId::make(now).text() + "', '" + person.id.text() +
                    "', 'userLogin', 1, '" + person.id.text() + "')";
        }
        t.service.sql(
            "INSERT INTO term_policy_acceptances (id, user_id, type, sequence, action, term_policy_id, version, "
            "language, content_hashes, accepted_at, ip_address, user_agent) VALUES " +
            rows);
        t.service.sql("INSERT INTO activity_log (id, user_id, action, created_at, created_by) VALUES " + acts);
        erase_self(t.service, token);
    }
    t.service.pass(std::chrono::days{30});
    Accounts& accounts = t.service.app().services().accounts;
    std::vector<awaitable<void>> works;
    for (int instance = 0; instance < 4; ++instance) works.push_back(accounts.erase_deleted());
    for (const auto& ended : run_all(std::move(works), 4)) EXPECT_TRUE(ended);
    run(accounts.erase_deleted());
    EXPECT_EQ(t.rows(), "0");
    EXPECT_EQ(accounts.erased().accounts, 3);
    EXPECT_EQ(accounts.erased().consents, 3 * 2'500);
    for (const Person& person : people) EXPECT_THAT(traces(t.service, person.id.text()), IsEmpty());
    t.service.work();
    const Log log(t.service);
    EXPECT_EQ(log.entries.size(), 7U);
    EXPECT_EQ(log.erasures().size(), 3U);
}

// A log may give the account its tag between the look-up of the tag and the erasure.
TEST(DOC_5, ALogThatNamesTheAccountMeanwhilePutsNothingOff) {
    if (!on_shared_engines()) GTEST_SKIP() << "only a sequence of PostgreSQL counts what a transaction takes back";
    Service service(Environment{{"CONSENT_LOG_ENABLE", "false"}});
    const Person eve = service.make_person();
    erase_self(service, service.tokens_of(eve).access);
    service.sql(
        "CREATE SEQUENCE marks; CREATE FUNCTION give_tag() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF nextval('marks') = 1 THEN INSERT INTO log_subjects (user_id, tag) "
        "VALUES (NEW.id, '\\x000102030405060708090a0b0c0d0e0f'); END IF; RETURN NEW; END $$; "
        "CREATE TRIGGER give_tag AFTER UPDATE OF erased_at ON users FOR EACH ROW EXECUTE FUNCTION give_tag()");
    service.pass(std::chrono::days{30});
    service.work();
    EXPECT_EQ(value_of(service, "nextval('marks')"), "3") << "it was refused once";
    EXPECT_THAT(traces(service, eve.email), IsEmpty());
    EXPECT_THAT(traces(service, eve.id.text()), IsEmpty());
}

// The former version of the program has marked the account as erased and left its rows.
TEST(DOC_5, WhatTheFormerVersionLeftGoesToo) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 1);
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    erase_self(t.service, t.token);
    t.service.sql("UPDATE users SET erased_at = deleted_at, deleted_email = NULL WHERE id = '" + t.person.id.text() +
                  "'");
    t.service.pass(std::chrono::days{30});
    t.service.work();
    EXPECT_THAT(traces(t.service, t.person.id.text()), IsEmpty());
    EXPECT_EQ(Log(t.service).erasures().size(), 1U);
}

// What a person did to others stays under their ID for as long as the activity log keeps it, without an origin.
TEST(Deletion, AFormerAdministratorLeavesWithTheirActs) {
    Environment settings = behind_a_proxy;
    settings["ACTIVITY_LOG_RETENTION_IN_DAYS"] = "365";
    Service service(settings);
    const Person eve = service.make_person(Role::admin);
    const Person bob = service.make_person();
    const Staff staff(service);
    const Answer login =
        service.post("/api/public/user/login/credential", credentials(eve.email, eve.password), canary());
    const std::string admin = login.text("data.tokens.accessToken");
    const Answer changed = service.call("PATCH", "/api/admin/user/update/" + bob.id.text() + "/status",
                                        R"({"status":"inactive"})", canary(bearer(admin)));
    ASSERT_EQ(changed.status, 200U) << changed.body;
    service.sql("UPDATE users SET role_id = '" + built_in(Role::user) + "', role = 'user' WHERE id = '" +
                eve.id.text() + "'");
    erase_in_time(service, service.tokens_of(eve).access);
    EXPECT_THAT(traces(service, eve.id.text()), ElementsAre("activity_log", "users"));
    for (const std::string& needle : {eve.email, std::string(address), std::string(program)})
        EXPECT_THAT(traces(service, needle), IsEmpty()) << needle;
    EXPECT_EQ(value_of(service, "count(*) FROM activity_log WHERE created_by = '" + eve.id.text() + "'"), "1");
    service.sql("UPDATE activity_log SET created_at = 1");
    service.work();
    EXPECT_THAT(traces(service, eve.id.text()), IsEmpty()) << "the retention of the activity log is over";
}

TEST(Deletion, TheOriginsOfManyActsGoInPortions) {
    Service service;
    const Person eve = service.make_person();
    const Person bob = service.make_person();
    std::string rows;
    for (int i = 0; i < 600; ++i)
        rows += (rows.empty() ? "('" : ", ('") + Uuid::v7(service.clock().now()).text() + "', '" + bob.id.text() +
                "', 'adminUserUpdateStatus', '" + address + "', '" + program + "', 1, '" + eve.id.text() + "')";
    service.sql(
        "INSERT INTO activity_log (id, user_id, action, ip_address, user_agent, created_at, created_by) VALUES " +
        rows);
    erase_self(service, service.tokens_of(eve).access);
    service.pass(std::chrono::days{30});
    std::vector<std::string> left;
    FaultyDatabase database(
        service.app().services().database, [](std::string_view) {},
        [&] {
            left.push_back(value_of(service, "count(*) FROM activity_log WHERE user_agent = '" + std::string(program) +
                                                 "' AND created_by = '" + eve.id.text() + "'"));
        });
    Accounts accounts = accounts_on(database, service);
    run(accounts.erase_deleted());
    EXPECT_THAT(left, ElementsAre("350", "100", "0"));
    EXPECT_THAT(traces(service, address), IsEmpty());
    run(accounts.erase_deleted());
    EXPECT_THAT(traces(service, eve.id.text()), ElementsAre("activity_log", "users"));
}

// Whatever the reason is. What cannot be erased is told, and tried again.
TEST(Deletion, AnAccountThatCannotBeErasedHoldsUpNoOther) {
    Service service;
    std::vector<Person> people;
    for (int i = 0; i < 3; ++i) {
        people.push_back(service.make_person());
        erase_self(service, service.tokens_of(people.back()).access);
        service.clock().advance(std::chrono::milliseconds{1});  // the order in which they are erased
    }
    service.pass(std::chrono::days{30});
    bool fails = true;
    FaultyDatabase database(service.app().services().database, [&](std::string_view call) {
        if (call == "commit" && std::exchange(fails, false)) throw std::runtime_error("injected fault");
    });
    Accounts accounts = accounts_on(database, service);
    EXPECT_THROW(run(accounts.erase_deleted()), Unavailable);
    EXPECT_EQ(accounts.erased().accounts, 2);
    EXPECT_FALSE(traces(service, people[0].id.text()).empty());
    for (const Person& other : {people[1], people[2]}) EXPECT_THAT(traces(service, other.id.text()), IsEmpty());
    run(accounts.erase_deleted());
    EXPECT_THAT(traces(service, people[0].id.text()), IsEmpty());
}

}  // namespace
}  // namespace consentry::tests
