// Auditor's bundles of the real service: what they contain, that they are the same each time, and that each byte
// counts.
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "features/consent_proof/bundle_check.hpp"
#include "tests/features/consent_proof/forged_bundle.hpp"
#include "tests/features/consent_proof/log_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/faulty_storage.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* export_path = "/api/admin/consent/export";

struct Auditor : Signed {
    explicit Auditor(int rounds = 2) : Signed(Environment{}) {
        publish_with_entry(service, "marketing", 1, {"de", "en"});  // entry 0
        publish_with_entry(service, "privacy", 2);                  // entry 1
        put_text(service, "marketing", 1, "en");
        receipt_of(accept(service, token, "privacy"));
        for (int i = 0; i < rounds; ++i) {
            service.pass(std::chrono::hours{1});
            token = service.tokens_of(person).access;  // the former one has expired
            receipt_of(accept(service, token, "marketing"));
            receipt_of(withdraw(service, token, "marketing"));
        }
        other = service.make_person();
        receipt_of(accept(service, service.tokens_of(other).access, "marketing", {{"language", "de"}}));
        publish_log(service);
        admin = service.tokens_of(service.make_person(Role::super_admin)).access;
    }
    std::string bundle(const std::string& query = {}) const {
        const Answer answer = service.get(export_path + query, bearer(admin));
        EXPECT_EQ(answer.status, 200U) << answer.body;
        EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
        EXPECT_EQ(answer.headers.at("content-type"), "application/zip");
        return answer.body;
    }
    std::expected<VerifiedBundle, std::string> verify(const std::string& bytes) const {
        return verify_bundle(as_bytes(bytes), policy_of(service));
    }

    // What the operator can sign.
    const tlog::NoteSigner* log_key() const { return service.app().services().consent_log->published().signer(); }

    Person other;
    std::string admin;
};

TEST(Bundles, TheWholeLogVerifiesFromTheKeyAlone) {
    const Auditor given;
    const std::string archive = given.bundle();
    const auto verified = given.verify(archive);
    ASSERT_TRUE(verified) << verified.error();
    EXPECT_TRUE(verified->is_whole());
    EXPECT_EQ(verified->entries, 8U);
    EXPECT_EQ(verified->addenda, 6U);
    EXPECT_EQ(verified->documents, 3U) << "two records of publications; the store has one of the texts";
    EXPECT_EQ(verified->absent_documents, 2U) << "in German, and about privacy";
    EXPECT_EQ(describe(verified->doubts), "");
    const auto fewer =
        given.verify(forged(archive, {{"documents/" + hash_of("marketing", 1), std::nullopt}}, given.log_key()));
    ASSERT_TRUE(fewer) << fewer.error();
    EXPECT_EQ(fewer->absent_documents, 3U);
    const auto names = names_in(archive);
    EXPECT_THAT(names, ::testing::Contains("tile/entries/000.p/8"));
    EXPECT_THAT(names, ::testing::Contains("documents/" + hash_of("marketing", 1)));
    EXPECT_EQ(member_of(archive, "checkpoint"), given.service.get("/consent-log/checkpoint").body);
    EXPECT_EQ(member_of(archive, "description.note"), given.service.get("/.well-known/consent-log.note").body);
    EXPECT_THAT(member_of(archive, "addenda.ndjson"), HasSubstr(given.other.id.text()));
    const auto other =
        tlog::Policy::of_log(tlog::NoteSigner::generate("x/consent", tlog::KeyType::ed25519)->verifier());
    EXPECT_THAT(verify_bundle(as_bytes(archive), *other).error(), HasSubstr("checkpoint: "));
}

TEST(Bundles, TheSameCheckpointMakesTheSameBytes) {
    Auditor given;
    const std::string first = given.bundle();
    given.service.pass(std::chrono::hours{3});
    given.admin = given.service.tokens_of(given.service.make_person(Role::super_admin)).access;
    EXPECT_EQ(given.bundle(), first);
    const std::string part = given.bundle("?type=privacy");
    given.service.restart();
    publish_log(given.service);
    EXPECT_EQ(given.bundle(), first);
    EXPECT_EQ(given.bundle("?type=privacy"), part);
}

// The checkpoint fixes the entries, but not which keys sign receipts.
TEST(Bundles, ANewReceiptKeyChangesTheDescriptionAlone) {
    Auditor given;
    const std::string first = given.bundle();
    const auto key = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256);
    given.service.restart({{"AUTH_JWT_ACCESS_TOKEN_KID", "next"}, {"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", key.pem()}});
    given.admin = given.service.tokens_of(given.service.make_person(Role::super_admin)).access;
    const std::string second = given.bundle();
    ASSERT_EQ(names_in(second), names_in(first));
    std::vector<std::string> changed;
    for (const std::string& name : names_in(first))
        if (member_of(first, name) != member_of(second, name)) changed.push_back(name);
    EXPECT_THAT(changed, ::testing::ElementsAre("SHA256SUMS", "description.note", "manifest.note"));
    EXPECT_THAT(member_of(second, "description.note"), HasSubstr("\"kid\":\"next\""));
}

TEST(Bundles, FiltersTakeAPart) {
    const Auditor given;
    // Publications have no addenda.
    const auto size_of = [&](const std::string& query, std::uint64_t publications = 0) {
        const auto verified = given.verify(given.bundle(query));
        EXPECT_TRUE(verified) << query << ": " << verified.error();
        if (!verified) return std::uint64_t{999};
        EXPECT_FALSE(verified->is_whole());
        EXPECT_EQ(verified->addenda, query.contains("withoutAddenda") ? 0U : verified->entries - publications) << query;
        return verified->entries;
    };
    EXPECT_EQ(size_of("?type=privacy", 1), 2U);
    EXPECT_EQ(size_of("?type=marketing&withoutAddenda=true", 1), 6U);
    EXPECT_EQ(size_of("?user=" + given.other.id.text()), 1U);
    EXPECT_EQ(size_of("?user=" + given.person.id.text() + "&type=marketing"), 4U);
    EXPECT_EQ(size_of("?type=cookies"), 0U);
    const std::string now = to_iso8601(given.service.clock().now() - std::chrono::minutes{30});
    EXPECT_EQ(size_of("?from=" + now), 3U);
    EXPECT_EQ(size_of("?to=" + now, 2), 5U);
    // Without time in between, it would be a bundle without entries, which looks as if there were none.
    for (const char* end : {"2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-02-01T01:00:00%2B01:00"}) {
        const Answer refused =
            given.service.get(std::string(export_path) + "?from=2026-02-01T00:00:00Z&to=" + end, bearer(given.admin));
        EXPECT_EQ(refused.status, 422U) << end;
        EXPECT_THAT(refused.body, HasSubstr("to must be after from")) << end;
    }
    EXPECT_EQ(size_of("?from=2026-02-01T00:00:00Z&to=2026-02-01T00:00:00.001Z"), 0U);
    EXPECT_EQ(member_of(given.bundle("?withoutAddenda=true"), "addenda.ndjson"), "");
    EXPECT_FALSE(given.bundle("?withoutAddenda=true").contains(given.other.id.text()));
}

TEST(Bundles, EachByteCounts) {
    const Auditor given(1);
    const tlog::Policy policy = policy_of(given.service);
    for (const std::string& archive : {given.bundle(), given.bundle("?type=privacy")}) {
        ASSERT_TRUE(verify_bundle(as_bytes(archive), policy));
        // The page is by far the largest member, and all its bytes are covered in the same way: each 61st will do.
        const std::size_t page = archive.find(member_of(archive, "verify.html"));
        const std::size_t page_end = page + member_of(archive, "verify.html").size();
        std::string changed = archive;
        for (std::size_t at = 0; at<archive.size(); at += at> page && at + 61 < page_end ? 61 : 1) {
            changed[at] = static_cast<char>(archive[at] ^ 1);
            EXPECT_FALSE(verify_bundle(as_bytes(changed), policy)) << at;
            changed[at] = archive[at];
        }
    }
}

// A forger makes CRCs and sums fit.
TEST(Bundles, NoMemberCanBeReplaced) {
    const Auditor given;
    const std::string whole = given.bundle();
    EXPECT_EQ(forged(whole, {}), whole);
    EXPECT_EQ(forged(whole, {}, given.log_key()), whole);
    const auto verdict = [&](const std::map<std::string, std::optional<std::string>>& changes) {
        EXPECT_FALSE(given.verify(forged(whole, changes))) << "without the log's key";
        const auto verified = given.verify(forged(whole, changes, given.log_key()));
        return verified ? std::string("genuine") : verified.error();
    };
    const std::string entries = member_of(whole, "tile/entries/000.p/8");
    std::string altered = entries;
    altered[10] ^= 1;
    EXPECT_THAT(verdict({{"tile/entries/000.p/8", altered}}), HasSubstr("entr"));
    EXPECT_THAT(verdict({{"tile/entries/000.p/8", std::nullopt}}), Not("genuine"));
    EXPECT_THAT(verdict({{"tile/entries/000.p/8", std::nullopt}, {"tile/entries/000.p/7", entries}}),
                HasSubstr("tile/entries/000.p/8"));
    const std::string addenda = member_of(whole, "addenda.ndjson");
    std::string lie = addenda;
    lie.replace(lie.find("\"ipAddress\":\"") + 13, 1, "9");
    EXPECT_THAT(verdict({{"addenda.ndjson", lie}}), HasSubstr("not the one that it names"));
    EXPECT_THAT(verdict({{"addenda.ndjson", addenda + addenda}}), HasSubstr("form or order"));
    EXPECT_EQ(verdict({{"addenda.ndjson", addenda.substr(addenda.find('\n') + 1)}}), "genuine") << "see below";
    EXPECT_THAT(verdict({{"documents/" + hash_of("marketing", 1), "another text"}}),
                HasSubstr("not the one that its name says"));
    EXPECT_THAT(verdict({{"documents/" + to_hex(crypto::sha256("x")), "x"}}), HasSubstr("no entry"));
    EXPECT_THAT(verdict({{"extra", "x"}}), HasSubstr("extra: "));
    EXPECT_THAT(verdict({{"description.note", member_of(whole, "checkpoint")}}), HasSubstr("description.note: "));
    EXPECT_THAT(verdict({{"checkpoint", std::nullopt}}), HasSubstr("checkpoint: "));
    EXPECT_THAT(verdict({{"SHA256SUMS", ""}}), HasSubstr("SHA256SUMS"));
    const std::string part = given.bundle("?type=privacy");
    const std::string proof = member_of(part, "proofs/000000000002.tlog-proof");
    EXPECT_THAT(verdict({{"proofs/000000000002.tlog-proof", proof}}), HasSubstr("has no proofs"));
    EXPECT_FALSE(given.verify(
        forged(part, {{"proofs/000000000002.tlog-proof", std::nullopt}, {"proofs/000000000003.tlog-proof", proof}},
               given.log_key())));
}

// The log says which evidence was erased. What else is missing, the operator keeps back.
TEST(Bundles, EvidenceThatNoErasureExplainsIsCounted) {
    const Auditor given;
    const std::string whole = given.bundle();
    const auto withheld = [&](const std::string& archive) {
        const auto verified = given.verify(archive);
        EXPECT_TRUE(verified) << verified.error();
        return verified ? verified->withheld : 999;
    };
    EXPECT_EQ(withheld(whole), 0U);
    EXPECT_EQ(withheld(given.bundle("?withoutAddenda=true")), 0U);
    const std::string addenda = member_of(whole, "addenda.ndjson");
    const auto with = [&](const std::string& lines) {
        return forged(whole, {{"addenda.ndjson", lines}}, given.log_key());
    };
    EXPECT_EQ(withheld(with(addenda.substr(addenda.find('\n') + 1))), 1U);
    EXPECT_EQ(withheld(with(addenda.substr(0, addenda.rfind('\n', addenda.size() - 2) + 1))), 1U);
    EXPECT_EQ(withheld(with("")), 6U);
    const std::string part = given.bundle("?type=marketing");
    EXPECT_EQ(withheld(forged(part, {{"addenda.ndjson", ""}}, given.log_key())), 0U) << "nobody can tell";

    // What an erasure does to one of the two accounts.
    const std::string tile = member_of(whole, "tile/entries/000.p/8");
    ErasureEntry erasure;
    for (const BytesView bytes : tlog::parse_entry_bundle(as_bytes(tile), 8).value())
        if (const auto entry = parse_entry(bytes); entry && entry->language == Language::de)
            erasure = {.time = entry->time, .subject = entry->subject};
    const std::string of_other = " WHERE user_id = '" + given.other.id.text() + "'";
    for (const std::string& statement :
         {"INSERT INTO log_entries (id, log, entry) VALUES ('ffffffff-0000-7000-8000-000000000001', 'consent', " +
              given.service.literal(format_entry(erasure)) + ")",
          "UPDATE log_entries SET salt = NULL WHERE id IN (SELECT id FROM term_policy_acceptances" + of_other + ")",
          "DELETE FROM term_policy_acceptances" + of_other, "DELETE FROM log_subjects" + of_other})
        given.service.sql(statement);
    publish_log(given.service);
    const auto erased = given.verify(given.bundle());
    ASSERT_TRUE(erased) << erased.error();
    EXPECT_EQ(erased->entries, 9U);
    EXPECT_EQ(erased->addenda, 5U);
    EXPECT_EQ(erased->withheld, 0U);
}

// The page that showed what had changed, and texts in languages in which no account has accepted the version.
TEST(Bundles, MayHoldWhatAddendaAndPublicationsName) {
    const Signed given{Environment{}};
    const PolicyDesk desk{given.service};
    for (int version : {1, 2})
        desk.published("privacy", version, {{"en", "Terms " + std::to_string(version) + "\n"}, {"de", "Eins\n"}});
    run(given.service.app().services().publications.complete());
    const std::string page = given.service.get("/api/public/term-policy/diff/privacy/1/2").body;
    const std::string page_hash = to_hex(crypto::sha256(page));
    receipt_of(accept(given.service, given.token, "privacy", {{"shownDiffHash", page_hash}}));
    publish_log(given.service);
    const std::string admin = given.service.tokens_of(given.service.make_person(Role::super_admin)).access;
    const std::string whole = given.service.get(export_path, bearer(admin)).body;
    const std::string page_name = "documents/" + page_hash;
    const std::string german_name = "documents/" + to_hex(crypto::sha256("Eins\n"));
    const auto* key = given.service.app().services().consent_log->published().signer();
    const auto verdict = [&](std::map<std::string, std::optional<std::string>> changes) {
        changes.try_emplace(page_name, page);
        changes.try_emplace(german_name, "Eins\n");
        const auto verified = verify_bundle(as_bytes(forged(whole, changes, key)), policy_of(given.service));
        return verified ? std::to_string(verified->documents) : verified.error();
    };
    EXPECT_EQ(verdict({}), "5") << "two records, one accepted text, and these two";
    EXPECT_EQ(verdict({{"addenda.ndjson", ""}}), page_name + ": no entry of the bundle names this document");
    std::map<std::string, std::optional<std::string>> without_records;
    for (const std::string& name : names_in(whole))
        if (name.starts_with("documents/") && member_of(whole, name).contains("contentHashes"))
            without_records[name] = std::nullopt;
    EXPECT_EQ(without_records.size(), 2U);
    EXPECT_EQ(verdict(without_records), german_name + ": no entry of the bundle names this document");
    EXPECT_THAT(verdict({{"documents/" + to_hex(crypto::sha256("x")), "x"}}), HasSubstr("no entry"));
}

// A person who hands a bundle on cannot make less of it, nor show it as a bundle of something else.
TEST(Bundles, ACutBundleIsNone) {
    const Auditor given;
    const std::string whole = given.bundle();
    const std::string part = given.bundle("?type=privacy");
    const std::string none = given.bundle("?type=cookies");
    const std::string cut = "manifest.note: the bundle has other members than the log has put in";
    const std::map<std::string, std::optional<std::string>> without_entries{
        {"proofs/000000000001.tlog-proof", std::nullopt},
        {"proofs/000000000002.tlog-proof", std::nullopt},
        {"tile/entries/000.p/8", std::nullopt},
        {"addenda.ndjson", ""}};
    EXPECT_THAT(given.verify(forged(part, without_entries)).error(), HasSubstr(cut));
    EXPECT_THAT(given.verify(forged(part, {{"proofs/000000000002.tlog-proof", std::nullopt}})).error(), HasSubstr(cut));
    EXPECT_THAT(given.verify(forged(whole, {{"addenda.ndjson", ""}})).error(), HasSubstr(cut));
    // With the manifest of another bundle, or without one.
    auto as_another = without_entries;
    as_another["manifest.note"] = member_of(none, "manifest.note");
    for (const std::string& archive : {part, whole})
        EXPECT_THAT(given.verify(forged(archive, as_another)).error(), HasSubstr(cut));
    EXPECT_THAT(given.verify(forged(none, {{"manifest.note", std::nullopt}})).error(), HasSubstr("lacks this member"));
    EXPECT_THAT(given.verify(forged(none, {{"manifest.note", member_of(none, "checkpoint")}})).error(),
                HasSubstr("not the manifest"));
    // Not even the operator can name other entries than there are.
    EXPECT_THAT(given.verify(forged(part, without_entries, given.log_key())).error(),
                HasSubstr("names 2 entries, but the bundle has 0"));
    EXPECT_THAT(given.verify(forged(whole, without_entries, given.log_key(), 0)).error(), HasSubstr("8 entries"));
    std::map<std::string, std::optional<std::string>> foreign{{"addenda.ndjson", ""}};
    for (const std::string& name : names_in(part))
        if (name.starts_with("proofs/")) foreign[name] = member_of(part, name);
    EXPECT_THAT(given.verify(forged(none, foreign, given.log_key(), 2)).error(), HasSubstr("not one of those"));
}

TEST(Bundles, SayWhatTheyHold) {
    const Auditor given;
    const auto filter_of = [&](const std::string& query) {
        const auto verified = given.verify(given.bundle(query));
        EXPECT_TRUE(verified) << query << ": " << verified.error();
        return verified ? describe(verified->filter) : "";
    };
    EXPECT_EQ(filter_of(""), "");
    EXPECT_EQ(filter_of("?withoutAddenda=true"), "");
    EXPECT_EQ(filter_of("?type=cookies"), "type cookies");
    EXPECT_EQ(filter_of("?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"),
              "from 2026-01-01T00:00:00.000Z on, before 2026-01-02T00:00:00.000Z");
    const std::string id = given.other.id.text();
    EXPECT_EQ(filter_of("?user=" + id), "account " + id);
    EXPECT_THAT(filter_of("?withoutAddenda=true&user=" + id),
                ::testing::MatchesRegex("account with the tag [0-9a-f]+"));
    EXPECT_FALSE(given.bundle("?withoutAddenda=true&user=" + id).contains(id));
    const std::string nobody = given.service.make_person().id.text();
    EXPECT_EQ(filter_of("?user=" + nobody), "account " + nobody) << "which has accepted nothing";
}

// SQLite answers at once, so nothing else would give other connections of the thread a turn for as long as a log takes.
TEST(Bundles, OthersHaveTheirTurnBetweenPortions) {
    const Auditor given;
    std::string more;
    for (int i = 100; i < 900; ++i)
        more += std::string(more.empty() ? "" : ", ") + "('00000000-0000-7000-8000-000000000" + std::to_string(i) +
                "', 'consent', (SELECT entry FROM log_entries WHERE log = 'consent' AND position = 0))";
    given.service.sql("INSERT INTO log_entries (id, log, entry) VALUES " + more);
    publish_log(given.service);

    asio::io_context thread{1};
    int turns = 0;
    std::vector<int> seen;  // before each portion
    std::function<void()> have_turn = [&] {
        ++turns;
        asio::post(thread, have_turn);
    };
    asio::post(thread, have_turn);
    const auto export_log = [&]() -> awaitable<void> {
        const auto made = co_await given.service.app().services().bundles->make({}, [&] { seen.push_back(turns); });
        EXPECT_TRUE(made);
        thread.stop();
    };
    run_on(thread, export_log());
    ASSERT_GE(seen.size(), 4U);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << "no turn between two portions";
}

TEST(Bundles, AnAlteredRowIsNotHandedOut) {
    const Auditor given;
    given.service.sql("UPDATE term_policy_acceptances SET ip_address = '192.0.2.99' WHERE user_id = '" +
                      given.other.id.text() + "'");
    const Answer refused = given.service.get(export_path, bearer(given.admin));
    EXPECT_EQ(refused.number("statusCode"), 6120);
    EXPECT_THAT(refused.body, ::testing::ContainsRegex("Entry [567] of the consent log"));
    EXPECT_EQ(given.service.get(std::string(export_path) + "?withoutAddenda=true", bearer(given.admin)).status, 200U);
    given.service.sql(
        "UPDATE log_entries SET entry = (SELECT e.entry FROM log_entries e WHERE e.log = 'consent' AND e.position = 3) "
        "WHERE log = 'consent' AND position = 4");
    EXPECT_EQ(
        given.service.get(std::string(export_path) + "?withoutAddenda=true", bearer(given.admin)).number("statusCode"),
        6120);
}

// What the database says must not decide which entries a bundle lacks: the log signs it as complete.
TEST(Bundles, OfAPartOfAnAlteredDatabaseAreNotSigned) {
    const Auditor given;
    const std::string user = given.other.id.text();
    const std::string of_user = " WHERE user_id = '" + user + "'";
    const auto code = [&](const std::string& query) {
        const Answer answer = given.service.get(export_path + query, bearer(given.admin));
        return answer.status == 200 ? std::int64_t{200} : answer.number("statusCode");
    };
    const auto expect_refused = [&](const std::string& what, std::initializer_list<std::string> queries) {
        for (const std::string& query : queries) EXPECT_EQ(code(query), 6120) << what << ": " << query;
    };
    const std::string tag = value_of(given.service, "hex(tag) FROM log_subjects" + of_user);
    const auto restore_tag = [&] {
        given.service.sql("DELETE FROM log_subjects" + of_user);
        given.service.sql("INSERT INTO log_subjects (user_id, tag) VALUES ('" + user + "', " +
                          given.service.literal(from_hex(tag).value()) + ")");
    };
    const std::string own = "?user=" + user;
    given.service.sql("UPDATE log_subjects SET tag = " + given.service.literal(Bytes(16, 7)) + of_user);
    expect_refused("another tag", {own, own + "&withoutAddenda=true", own + "&type=cookies"});
    given.service.sql("DELETE FROM log_subjects" + of_user);
    expect_refused("no tag", {own, own + "&withoutAddenda=true", own + "&type=cookies"});
    // Nothing but the evidence says then that the entry is not about another account.
    const std::string another = given.person.id.text();
    given.service.sql("UPDATE term_policy_acceptances SET user_id = '" + another + "', sequence = 99" + of_user);
    expect_refused("a row of somebody else", {own, own + "&withoutAddenda=true"});
    given.service.sql("UPDATE term_policy_acceptances SET user_id = '" + user + "', sequence = 1 WHERE sequence = 99");
    restore_tag();
    EXPECT_EQ(code(own), 200);

    const std::string at = " WHERE log = 'consent' AND position = 2";  // of a privacy policy
    const std::string entry = value_of(given.service, "hex(entry) FROM log_entries" + at);
    Bytes other_type = from_hex(entry).value();
    ASSERT_EQ(other_type[3], 2);
    other_type[3] = 4;
    const auto set_entry = [&](const Bytes& bytes) {
        given.service.sql("UPDATE log_entries SET entry = " + given.service.literal(bytes) + at);
    };
    set_entry(other_type);
    expect_refused("another type", {"?type=privacy", "?type=marketing", "?type=cookies&withoutAddenda=true", own});
    set_entry(from_hex(entry).value());
    EXPECT_EQ(code("?type=privacy"), 200);

    given.service.sql("DELETE FROM term_policy_acceptances" + of_user);
    expect_refused("no row", {own, own + "&withoutAddenda=true", own + "&type=marketing"});
}

// What was erased has an entry that says so. Anything else that is missing looks like tampering.
TEST(Bundles, EvidenceThatIsMissingButNotErasedIsNotPassedOver) {
    const Auditor given;
    const auto status = [&](const std::string& query = {}) {
        return given.service.get(export_path + query, bearer(given.admin)).status;
    };
    const std::string tag =
        value_of(given.service, "hex(tag) FROM log_subjects WHERE user_id = '" + given.other.id.text() + "'");
    const std::string entry =
        " WHERE id = (SELECT a.id FROM term_policy_acceptances a WHERE a.user_id = '" + given.other.id.text() + "')";
    const std::string salt = value_of(given.service, "hex(salt) FROM log_entries" + entry);
    given.service.sql("UPDATE log_entries SET salt = NULL" + entry);
    EXPECT_EQ(status(), 409U) << "no salt";
    EXPECT_EQ(status("?type=marketing"), 409U);
    EXPECT_EQ(status("?type=privacy"), 200U) << "has no such entry";
    EXPECT_EQ(status("?withoutAddenda=true"), 200U);
    given.service.sql("UPDATE log_entries SET salt = " + given.service.literal(from_hex(salt).value()) + entry);
    EXPECT_EQ(status(), 200U);

    given.service.sql("UPDATE log_entries SET salt = NULL" + entry);
    given.service.sql("DELETE FROM term_policy_acceptances WHERE user_id = '" + given.other.id.text() + "'");
    EXPECT_EQ(status(), 409U) << "neither salt nor row";
    ErasureEntry erasure{.time = std::chrono::floor<std::chrono::seconds>(given.service.clock().now()), .subject = {}};
    std::ranges::copy(from_hex(tag).value(), erasure.subject.begin());
    given.service.sql("INSERT INTO log_entries (id, log, entry) VALUES ('" +
                      Uuid::v7(given.service.clock().now()).text() + "', 'consent', " +
                      given.service.literal(format_entry(erasure)) + ")");
    EXPECT_EQ(status(), 200U) << "erased, which the log says later than the checkpoint";
    publish_log(given.service);
    EXPECT_EQ(status(), 200U) << "erased";
    EXPECT_EQ(status("?type=marketing"), 200U);
}

// It is unknown which entries are about it: those of a stranger's tag, or none, would be a guess that the log signs.
TEST(Bundles, OfAnAccountThatNobodyKnowsDoNotExist) {
    const Auditor given;
    const auto refusal = [&](const std::string& user) {
        const Answer answer = given.service.get(export_path + ("?user=" + user), bearer(given.admin));
        EXPECT_EQ(answer.status, 404U) << answer.body;
        return answer.number("statusCode");
    };
    const Person nobody = given.service.make_person();
    EXPECT_EQ(refusal(Uuid::v7(given.service.clock().now()).text()), errors::user_not_found.service_code);
    given.service.sql("UPDATE users SET erased_at = 1 WHERE id = '" + nobody.id.text() + "'");
    EXPECT_EQ(refusal(nobody.id.text()), errors::user_not_found.service_code);
}

// Addenda and records of publications are evidence for what they name, which a reader must have.
TEST(Bundles, HaveWhatAddendaAndRecordsNameByItsHash) {
    Service service{Environment{}};
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en"}, "one"));
    const std::string second = desk.draft("privacy", 2, texts_in({"en"}, "two"));
    ASSERT_EQ(desk.call("PUT", "update/" + second + "/processing", {{"processing", some_processing()}}).status, 200U);
    ASSERT_EQ(desk.publish(second).status, 200U);
    const std::string page = service.get("/api/public/term-policy/diff/privacy/1/2").body;
    const std::string hash = to_hex(crypto::sha256(page));
    receipt_of(accept(service, service.tokens_of(service.make_person()).access, "privacy", {{"shownDiffHash", hash}}));
    publish_log(service);
    const std::string admin = service.tokens_of(service.make_person(Role::super_admin)).access;
    const auto bundle = [&](const std::string& query) { return service.get(export_path + query, bearer(admin)).body; };
    const std::string record = service.get("/api/public/term-policy/publication/privacy/2").body;
    const std::string processing = "documents/" + std::string(json::parse(record).at("processingHash").as_string());
    for (const char* query : {"", "?type=privacy"}) {
        const std::string archive = bundle(query);
        EXPECT_EQ(member_of(archive, "documents/" + hash), page) << query;
        EXPECT_EQ(member_of(archive, "documents/" + to_hex(crypto::sha256(record))), record) << query;
        EXPECT_THAT(member_of(archive, processing), HasSubstr("Mails about our offers")) << query;
    }
    EXPECT_THAT(names_in(bundle("?withoutAddenda=true")), Not(::testing::Contains("documents/" + hash)));
    service.sql("DELETE FROM term_policy_diffs");
    EXPECT_THAT(run(service.app().services().bundles->make({}))->lost_texts,
                ::testing::ElementsAre("the comparison " + hash));
}

// The bundle is genuine without them, but the operator who makes it should know.
TEST(Bundles, TellWhichTextsTheObjectStoreHasLost) {
    const Auditor given;
    const auto lost = [&] { return run(given.service.app().services().bundles->make({}))->lost_texts; };
    const std::string de = "term-policies/marketing/1/de.hbs";
    const std::string privacy = "term-policies/privacy/2/en.hbs";
    EXPECT_THAT(lost(), ::testing::UnorderedElementsAre(de, privacy));
    put_text(given.service, "marketing", 1, "de");
    put_text(given.service, "privacy", 2, "en");
    EXPECT_THAT(lost(), ::testing::IsEmpty());
    run(given.service.app().services().object_store.put(storage::Area::public_area, de, "another text", "text/plain"));
    EXPECT_THAT(lost(), ::testing::ElementsAre(de));
}

// Languages, and versions, may have the same text.
TEST(Bundles, HaveATextOfWhichOneCopyIsLeft) {
    const Signed given{Environment{}};
    const PolicyDesk desk(given.service);
    const std::string text = "Cookies\n";
    desk.published("cookies", 1, {{"de", text}, {"en", text}, {"fr", text}});
    for (const char* language : {"de", "en"})
        receipt_of(accept(given.service, given.service.tokens_of(given.service.make_person()).access, "cookies",
                          {{"language", language}}));
    publish_log(given.service);
    auto& services = given.service.app().services();
    const auto key = [](const char* language) { return "term-policies/cookies/1/" + std::string(language) + ".hbs"; };
    const auto lost = [&] { return run(services.bundles->make({}))->lost_texts; };
    const auto lose = [&](const char* language) {
        run(services.object_store.erase(storage::Area::public_area, key(language)));
    };
    lose("de");
    run(services.object_store.put(storage::Area::public_area, key("en"), "another text", "text/plain"));
    EXPECT_THAT(lost(), ::testing::IsEmpty());
    const std::string admin = given.service.tokens_of(given.service.make_person(Role::super_admin)).access;
    const std::string archive = given.service.get(export_path, bearer(admin)).body;
    EXPECT_EQ(member_of(archive, "documents/" + to_hex(crypto::sha256(text))), text);
    lose("fr");
    EXPECT_THAT(lost(), ::testing::UnorderedElementsAre(key("de"), key("en"))) << "what was accepted";
}

// Each call may take nearly as long as a request may, so none may share the time of another one.
TEST(Bundles, EachReadHasTheTimeOfARequest) {
    const Signed given{Environment{}};
    auto& services = given.service.app().services();
    const PolicyDesk desk(given.service);
    for (const int version : {1, 2}) desk.published("privacy", version, texts_in({"de", "en", "fr"}, "one"));
    const std::string page = given.service.get("/api/public/term-policy/diff/privacy/1/2").body;
    for (const char* language : {"de", "en", "fr"})
        receipt_of(accept(given.service, given.service.tokens_of(given.service.make_person()).access, "privacy",
                          {{"language", language}, {"shownDiffHash", to_hex(crypto::sha256(page))}}));
    receipt_of(accept(given.service, given.token, "privacy"));
    publish_log(given.service);
    // The erasure of this account has no position yet, and is behind those of so many others that one read does not
    // find it.
    const std::string of_person = " WHERE user_id = '" + given.person.id.text() + "'";
    ErasureEntry erasure{.time = std::chrono::floor<std::chrono::seconds>(given.service.clock().now()), .subject = {}};
    std::ranges::copy(from_hex(value_of(given.service, "hex(tag) FROM log_subjects" + of_person)).value(),
                      erasure.subject.begin());
    std::string erasures_of_others = "INSERT INTO log_entries (id, log, entry) VALUES ";
    for (int i = 0; i < 300; ++i)
        erasures_of_others +=
            std::string(i == 0 ? "" : ", ") + "('" +
            Uuid::v7(given.service.clock().now() - std::chrono::seconds{1}).text() + "', 'consent', " +
            given.service.literal(format_entry(ErasureEntry{.time = erasure.time, .subject = {}})) + ")";
    for (const std::string& statement :
         {"UPDATE log_entries SET salt = NULL WHERE id IN (SELECT id FROM term_policy_acceptances" + of_person + ")",
          "DELETE FROM term_policy_acceptances" + of_person, "DELETE FROM log_subjects" + of_person, erasures_of_others,
          "INSERT INTO log_entries (id, log, entry) VALUES ('" + Uuid::v7(given.service.clock().now()).text() +
              "', 'consent', " + given.service.literal(format_entry(erasure)) + ")"})
        given.service.sql(statement);
    // The store has lost one copy of each text, so that it is asked for another one.
    for (const char* language : {"de", "en", "fr"})
        run(services.object_store.erase(storage::Area::public_area,
                                        "term-policies/privacy/1/" + std::string(language) + ".hbs"));

    int steps = 0;
    int reads = 0;  // since the first step
    bool has_time = false;
    std::string without;
    const BeforeCall note = [&](std::string_view call) {
        if (steps == 0) return;
        ++reads;
        if (!std::exchange(has_time, false)) without.append(" ").append(call);
    };
    const auto step = [&] {
        ++steps;
        has_time = true;
    };
    FaultyStore store(services.object_store, note);
    FaultyDatabase database(services.database, note);
    Bundles bundles(database, store, services.clock, *services.consent_log, services.term_policies.paths());
    for (const BundleFilter& filter : {BundleFilter{}, BundleFilter{.type = PolicyType::privacy}}) {
        steps = reads = 0;
        without.clear();
        auto made = run(bundles.make(filter, step));
        ASSERT_TRUE(made);
        EXPECT_EQ(without, "");
        EXPECT_GE(reads, 9) << "the log, what is behind it, a page, six copies of three texts";
        EXPECT_THAT(made->lost_texts, ::testing::IsEmpty());
        std::string archive;
        while (auto piece = run(made->next())) archive += *piece;
        const auto verified = verify_bundle(as_bytes(archive), policy_of(given.service));
        ASSERT_TRUE(verified) << verified.error();
        EXPECT_EQ(verified->absent_documents, 0U);
    }
}

TEST(Bundles, AnExportIsInTheActivityLogOfTheAdministrator) {
    const Auditor given;
    given.bundle("?type=privacy");
    EXPECT_EQ(given.service.sql("SELECT id FROM activity_log WHERE action = 'adminConsentExport'").size(), 1U);
    EXPECT_EQ(given.service.get(std::string(export_path) + "?type=nonsense", bearer(given.admin)).status, 422U);
}

TEST(Bundles, OtherProgramsReadThem) {
    const Auditor given;
    const TempFolder folder;
    std::ofstream(folder / "b.zip", std::ios::binary) << given.bundle();
    const auto runs = [&](const std::string& command) {
        return std::system(("cd " + folder.path().string() + " && " + command + " > out 2>&1").c_str()) == 0;
    };
    EXPECT_TRUE(runs("python3 -c \"import zipfile, sys; sys.exit(zipfile.ZipFile('b.zip').testzip() is not None)\""));
    EXPECT_TRUE(runs("python3 -m zipfile -e b.zip x && cd x && sha256sum -c SHA256SUMS"));
    if (runs("command -v unzip")) EXPECT_TRUE(runs("unzip -t b.zip"));
}

// Empty logs have bundles, too.
TEST(Bundles, OfALogWithoutEntries) {
    const Signed given{Environment{}};
    publish_log(given.service);
    const std::string admin = given.service.tokens_of(given.service.make_person(Role::super_admin)).access;
    const Answer answer = given.service.get(export_path, bearer(admin));
    ASSERT_EQ(answer.status, 200U) << answer.body;
    const auto verified = verify_bundle(as_bytes(answer.body), policy_of(given.service));
    ASSERT_TRUE(verified) << verified.error();
    EXPECT_EQ(verified->entries, 0U);
}

}  // namespace
}  // namespace consentry::tests
