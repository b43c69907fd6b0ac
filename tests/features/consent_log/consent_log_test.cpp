// The consent log through the front door: what is recorded, published and proven, and what stops the start.

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "base/gzip.hpp"
#include "base/wrong_settings.hpp"
#include "crypto/digest.hpp"
#include "crypto/jws.hpp"
#include "features/consent_log/entry.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/files.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"
#include "tlog/policy.hpp"
#include "tlog/proof_file.hpp"
#include "tlog/tiles.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;

json::object log_facts(const Service& service) {
    const Answer answer = service.get("/.well-known/consent-log");
    EXPECT_EQ(answer.status, 200U);
    return json::parse(answer.body).as_object();
}

tlog::VerifierKey verifier_of(const Service& service) {
    return tlog::VerifierKey::parse(std::string(log_facts(service).at("verifierKey").as_string())).value();
}

tlog::Checkpoint checkpoint_of(const Service& service) {
    const Answer answer = service.get("/consent-log/checkpoint");
    EXPECT_EQ(answer.status, 200U);
    const auto opened = tlog::open_checkpoint(answer.body, verifier_of(service));
    EXPECT_TRUE(opened) << opened.error();
    return opened ? opened->checkpoint : tlog::Checkpoint{};
}

// The claims of a receipt, if a key of the description has signed it.
json::object claims_of(const Service& service, const std::string& receipt) {
    const auto jws = crypto::parse_jws(receipt);
    if (!jws || jws->typ != "consent-receipt+jwt") return {};
    const json::object facts = log_facts(service);
    for (const json::value& jwk : facts.at("receiptKeys").at("keys").as_array()) {
        if (jwk.at("kid") != jws->kid.c_str()) continue;
        const auto key = crypto::PublicKey::from_jwk(jwk.as_object());
        if (key && key->verify(jws->signing_input, jws->signature)) return jws->claims;
    }
    return {};
}

std::string proof_path(const json::object& claims) {
    return "/api/shared/user/term-policy/receipt/" + std::string(claims.at("jti").as_string()) + "/proof";
}

// The entry, if the proof shows it in the log of this verifier key.
std::optional<ConsentEntry> proven_entry(const Service& service, const std::string& file) {
    const auto proof = tlog::parse_proof_file(file);
    if (!proof) return std::nullopt;
    const auto policy = tlog::Policy::of_log(verifier_of(service));
    if (!policy || !tlog::verify_proof(proof->extra, *proof, *policy)) return std::nullopt;
    const auto entry = parse_entry(proof->extra);
    return entry ? std::optional(*entry) : std::nullopt;
}

TEST(ConsentLog, AnAcceptanceGetsAReceiptAndThenAProof) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 3, {"de", "en"});
    const std::string receipt = receipt_of(accept(t.service, t.token, "privacy", {{"language", "de"}}));
    const json::object claims = claims_of(t.service, receipt);
    ASSERT_FALSE(claims.empty()) << receipt;
    EXPECT_EQ(claims.at("action"), "accepted");
    const json::object policy{
        {"type", "privacy"}, {"version", 3}, {"language", "de"}, {"contentHash", hash_of("privacy", 3, "de")}};
    EXPECT_EQ(claims.at("policy"), policy);
    EXPECT_EQ(claims.at("mergeDelay"), 60);
    EXPECT_FALSE(claims.contains("late"));
    EXPECT_EQ(claims.at("log"), log_facts(t.service).at("origin"));

    const Answer early = t.service.get(proof_path(claims), bearer(t.token));
    EXPECT_TRUE(early.status == 200U || early.number("statusCode") == 6116) << early.body;
    t.service.work();
    const Answer file = t.service.get(proof_path(claims), bearer(t.token));
    ASSERT_EQ(file.status, 200U) << file.body;
    const auto entry = proven_entry(t.service, file.body);
    ASSERT_TRUE(entry) << file.body;
    EXPECT_EQ(entry->action, ConsentAction::accepted);
    EXPECT_EQ(entry->type, PolicyType::privacy);
    EXPECT_EQ(entry->version, 3U);
    EXPECT_EQ(entry->language, Language::de);
    EXPECT_EQ(to_hex(entry->content), hash_of("privacy", 3, "de"));
    EXPECT_EQ(to_hex(entry->subject), claims.at("sub").as_string());
    EXPECT_EQ(to_hex(tlog::leaf_hash(format_entry(*entry))), claims.at("entryHash").as_string());
    EXPECT_EQ(checkpoint_of(t.service).size, 1U);

    const Answer again = t.service.get(
        "/api/shared/user/term-policy/receipt/" + std::string(claims.at("jti").as_string()), bearer(t.token));
    EXPECT_EQ(claims_of(t.service, receipt_of(again)), claims);
    const json::value listed = t.service.get(accepted_path, bearer(t.token)).json.at("data").at(0);
    EXPECT_EQ(listed.at("acceptanceId"), claims.at("jti"));
    EXPECT_EQ(listed.at("logState"), "published");
}

// A party with the row can show what the entry names by digest; without the row, that is impossible.
TEST(ConsentLog, TheEntryNamesTheEvidenceByADigestAlone) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 1);
    const json::object claims = claims_of(t.service, receipt_of(accept(t.service, t.token, "privacy")));
    const auto [entry, salt, evidence] = logged_acceptance(t.service);
    EXPECT_EQ(evidence.acceptance.text(), claims.at("jti").as_string());
    EXPECT_EQ(evidence.user, t.person.id);
    EXPECT_EQ(entry.addendum, crypto::sha256(addendum_text(evidence, salt)));
    EXPECT_NE(entry.addendum, crypto::sha256(addendum_text(evidence, AddendumSalt{})));
}

TEST(ConsentLog, OneAccountIsOneSubjectAndAWithdrawalAnEntryOfItsOwn) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    publish(t.service, "cookies", 2);
    const json::object given = claims_of(t.service, receipt_of(accept(t.service, t.token, "marketing")));
    const json::object other = claims_of(t.service, receipt_of(accept(t.service, t.token, "cookies")));
    const json::object taken = claims_of(t.service, receipt_of(withdraw(t.service, t.token, "marketing")));
    EXPECT_EQ(given.at("sub"), other.at("sub"));
    EXPECT_EQ(given.at("sub"), taken.at("sub"));
    EXPECT_EQ(taken.at("action"), "withdrawn");
    EXPECT_EQ(taken.at("policy"), given.at("policy"));
    const Person second = t.service.make_person();
    const auto theirs = receipt_of(accept(t.service, t.service.tokens_of(second).access, "marketing"));
    EXPECT_NE(claims_of(t.service, theirs).at("sub"), given.at("sub"));
    t.service.work();
    EXPECT_EQ(checkpoint_of(t.service).size, 4U);
    // Receipts and proofs are their owner's alone.
    const std::string other_token = t.service.tokens_of(second).access;
    EXPECT_EQ(t.service.get(proof_path(given), bearer(other_token)).number("statusCode"), 6115);
    EXPECT_EQ(t.service.get(proof_path(given)).status, 401U);
}

void accept_and_withdraw(Signed& t, int times) {
    for (int i = 0; i < times; ++i) {
        EXPECT_EQ(accept(t.service, t.token, "marketing").status, 200U);
        EXPECT_EQ(withdraw(t.service, t.token, "marketing").status, 200U);
    }
}

// An auditor with a mirror: every tile that the specification names is there, and together they have the root.
TEST(ConsentLog, TheTilesAreTheLog) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    for (int round = 0; round < 4; ++round) {
        accept_and_withdraw(t, 50);
        t.service.work();
    }
    const tlog::Checkpoint checkpoint = checkpoint_of(t.service);
    ASSERT_EQ(checkpoint.size, 400U);
    std::vector<tlog::Hash> leaves;
    for (const tlog::TileId& id : tlog::new_entry_bundles(0, checkpoint.size)) {
        const Answer bundle = t.service.get("/consent-log/" + tlog::tile_path(id));
        ASSERT_EQ(bundle.status, 200U) << tlog::tile_path(id);
        EXPECT_THAT(bundle.headers.at("cache-control"), HasSubstr("immutable"));
        EXPECT_TRUE(bundle.headers.at("etag").starts_with('"')) << "strong";
        const auto entries = tlog::parse_entry_bundle(as_bytes(bundle.body), id.width);
        ASSERT_TRUE(entries) << entries.error();
        for (const BytesView entry : *entries) leaves.push_back(tlog::leaf_hash(entry));
    }
    tlog::GrowingTree tree;
    for (const tlog::Tile& tile : tree.append(leaves))
        EXPECT_EQ(t.service.get("/consent-log/" + tlog::tile_path(tile.id)).body, std::string(as_text(tile.bytes)));
    EXPECT_EQ(tree.root(), checkpoint.root);
    // Full tiles have replaced the partial ones before them; what never was is not there.
    for (const char* gone : {"tile/0/000.p/100", "tile/entries/000.p/200", "tile/0/002", "tile/0/000.p/256",
                             "tile/entries/../checkpoint", "tile/0/000.p/0", "tile/0/0"})
        EXPECT_EQ(t.service.get("/consent-log/" + std::string(gone)).status, 404U) << gone;
}

// c2sp.org/tlog-tiles: bundles should be compressed at the HTTP layer. Hashes do not shrink.
TEST(ConsentLog, BundlesAreCompressedForClientsThatAcceptIt) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    accept_and_withdraw(t, 20);
    t.service.work();
    const std::string bundle = "/consent-log/tile/entries/000.p/40";
    const Answer plain = t.service.get(bundle);
    const Answer packed = t.service.get(bundle, {{"Accept-Encoding", "gzip"}});
    EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
    EXPECT_LT(packed.body.size(), plain.body.size() * 2 / 3);
    EXPECT_EQ(gunzip(packed.body, tlog::tile_bytes_max)->bytes, plain.body);
    EXPECT_NE(packed.headers.at("etag"), plain.headers.at("etag")) << "strong tags of different bytes";
    EXPECT_FALSE(plain.headers.contains("content-encoding"));
    for (const Answer& answer : {plain, packed}) EXPECT_THAT(answer.headers.at("vary"), HasSubstr("Accept-Encoding"));
    const std::string tag = packed.headers.at("etag");
    const Answer unchanged = t.service.get(bundle, {{"Accept-Encoding", "gzip"}, {"If-None-Match", tag}});
    EXPECT_EQ(unchanged.status, 304U);
    EXPECT_EQ(unchanged.headers.at("vary"), packed.headers.at("vary"));

    const Answer hashes = t.service.get("/consent-log/tile/0/000.p/40", {{"Accept-Encoding", "gzip"}});
    EXPECT_FALSE(hashes.headers.contains("content-encoding"));
}

// Several instances try at the same moments: each entry gets one position, and the log is one.
TEST(ConsentLog, WorkersAtTheSameTimeMakeOneLog) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    for (int i = 0; i < 30; ++i) {
        accept_and_withdraw(t, 1);
        Services& services = t.service.app().services();
        std::vector<awaitable<void>> works;
        for (int worker = 0; worker < 4; ++worker) works.push_back(services.consent_log->published().work());
        for (const auto& ended : run_all(std::move(works), 4)) EXPECT_TRUE(ended);
        EXPECT_EQ(checkpoint_of(t.service).size, 2U * static_cast<unsigned>(i + 1));
    }
    EXPECT_EQ(value_of(t.service, "count(DISTINCT position) FROM log_entries WHERE log = 'consent'"), "60");
    EXPECT_EQ(value_of(t.service, "max(position) FROM log_entries WHERE log = 'consent'"), "59");
}

TEST(ConsentLog, TakesInWhatWasRecordedWithoutIt) {
    Signed t{Environment{{"CONSENT_LOG_ENABLE", "false"}}};
    publish(t.service, "privacy", 1);
    const Answer without = accept(t.service, t.token, "privacy");
    EXPECT_EQ(without.status, 200U);
    EXPECT_FALSE(without.json.as_object().contains("data"));
    EXPECT_EQ(t.service.get("/.well-known/consent-log").status, 404U);
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.work();
    EXPECT_EQ(checkpoint_of(t.service).size, 2U) << "the publication and its acceptance";
    const json::value listed = t.service.get(accepted_path, bearer(t.token)).json.at("data").at(0);
    const std::string id(listed.at("id").as_string());
    const Answer receipt = t.service.get("/api/shared/user/term-policy/receipt/" + id, bearer(t.token));
    const json::object claims = claims_of(t.service, receipt_of(receipt));
    EXPECT_EQ(claims.at("late"), true);
    EXPECT_EQ(claims.at("jti"), id.c_str());
    t.service.work();
    EXPECT_EQ(checkpoint_of(t.service).size, 2U) << "once";
}

// During a rolling restart that turns the log on, instances without it still record.
TEST(ConsentLog, TakesInWhatAnInstanceWithoutItRecordsMeanwhile) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    t.service.work();
    EXPECT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    t.service.sql("DELETE FROM log_entries WHERE position IS NULL");
    t.service.pass(std::chrono::hours{1});
    t.service.work();
    EXPECT_EQ(checkpoint_of(t.service).size, 2U) << "the publication and its acceptance";
    t.service.pass(std::chrono::hours{1});
    t.service.work();
    EXPECT_EQ(checkpoint_of(t.service).size, 2U) << "once";
}

// As if another request gave the account its tag between the reading and the writing.
TEST(ConsentLog, TriesAgainWhatItCouldNotTakeIn) {
    Signed t{Environment{{"CONSENT_LOG_ENABLE", "false"}}};
    publish(t.service, "privacy", 1);
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    const bool on_postgres = on_shared_engines();
    t.service.sql(on_postgres
                      ? "CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; "
                        "CREATE TRIGGER skip BEFORE INSERT ON log_subjects FOR EACH ROW EXECUTE FUNCTION skip()"
                      : "CREATE TRIGGER skip BEFORE INSERT ON log_subjects BEGIN SELECT RAISE(IGNORE); END");
    t.service.work();
    t.service.sql(on_postgres ? "DROP FUNCTION skip CASCADE" : "DROP TRIGGER skip");
    t.service.work();
    EXPECT_EQ(checkpoint_of(t.service).size, 2U) << "the publication and the acceptance";
}

// Rows of before the log may be many, and each of them may fail.
TEST(ConsentLog, OldAcceptancesDoNotDelayNewOnes) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 1);
    publish(t.service, "marketing", 1);
    receipt_of(accept(t.service, t.token, "privacy"));
    const Person late = t.service.make_person();
    t.service.restart({{"CONSENT_LOG_ENABLE", "false"}});
    EXPECT_EQ(accept(t.service, t.service.tokens_of(late).access, "privacy").status, 200U);
    t.service.break_writes("INSERT ON log_subjects");
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    receipt_of(accept(t.service, t.token, "marketing"));
    run(t.service.app().services().clean_up());
    EXPECT_EQ(checkpoint_of(t.service).size, 4U) << "two publications and the acceptances that have receipts";
    t.service.mend_writes();
    t.service.work();
    EXPECT_EQ(checkpoint_of(t.service).size, 5U);
}

// More than two portions: no row is skipped where one ends and the next begins.
TEST(ConsentLog, TakesInManyOldAcceptances) {
    Signed t{Environment{{"CONSENT_LOG_ENABLE", "false"}}};
    const std::string policy = publish(t.service, "marketing", 1);
    std::string rows;
    for (int sequence = 1; sequence <= 1'200; ++sequence)
        rows += (rows.empty() ? "('" : ", ('") + AcceptanceId::make(t.service.clock().now()).text() + "', '" +
                t.person.id.text() + "', 'marketing', " + std::to_string(sequence) + ", 'accepted', '" + policy +
                "', 1, 'en', '{}', 1, '192.0.2.9', 'agent')";
    t.service.sql(
        "INSERT INTO term_policy_acceptances (id, user_id, type, sequence, action, term_policy_id, version, language, "
        "content_hashes, accepted_at, ip_address, user_agent) VALUES " +
        rows);
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.work();
    EXPECT_EQ(checkpoint_of(t.service).size, 1'201U) << "with the publication";
}

TEST(ConsentLog, WithoutAReceiptNothingIsAcceptedAndARepetitionSucceeds) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    const std::string withdrawal = "/api/shared/user/term-policy/withdraw";
    t.service.break_writes("INSERT ON receipt_keys");
    t.service.sql("DELETE FROM receipt_keys");
    EXPECT_EQ(accept(t.service, t.token, "marketing").status, 503U);
    t.service.mend_writes();
    receipt_of(accept(t.service, t.token, "marketing"));
    t.service.break_writes("INSERT ON receipt_keys");
    t.service.sql("DELETE FROM receipt_keys");
    EXPECT_EQ(t.service.post(withdrawal, {{"type", "marketing"}}, bearer(t.token)).status, 503U);
    t.service.mend_writes();
    receipt_of(withdraw(t.service, t.token, "marketing"));
}

TEST(ConsentLog, AKeyThatOnlyTheDatabaseKnowsSignsNoReceipts) {
    Signed t{Environment{}};
    t.service.work();
    const json::value before = log_facts(t.service);
    t.service.sql(
        "INSERT INTO receipt_keys (kid, jwk, first_used_at) VALUES ('planted', '{\"kty\":\"EC\",\"kid\":\"planted\"}', "
        "1)");
    t.service.sql(
        "INSERT INTO receipt_keys (kid, jwk, first_used_at, signature) SELECT 'moved', '{\"kid\":\"moved\"}', 1, "
        "signature "
        "FROM receipt_keys WHERE signature IS NOT NULL");
    t.service.sql(
        "INSERT INTO receipt_keys (kid, jwk, first_used_at, signature) SELECT 'copied', jwk, 1, signature "
        "FROM receipt_keys WHERE kid NOT IN ('planted', 'moved')");
    t.service.restart();
    t.service.work();
    EXPECT_EQ(log_facts(t.service), before);
}

TEST(ConsentLog, AnotherKeyNeedsAnotherId) {
    const auto settings = [](const crypto::PrivateKey& key) {
        return Environment{{"AUTH_JWT_ACCESS_TOKEN_KID", "main"}, {"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", key.pem()}};
    };
    Signed t{settings(crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256))};
    publish(t.service, "marketing", 1);
    receipt_of(accept(t.service, t.token, "marketing"));
    try {
        t.service.restart(settings(crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256)));
        FAIL() << "receipts of two keys have the same key ID";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("AUTH_JWT_ACCESS_TOKEN_KID: receipts have been signed with another key of the ID main"));
    }
}

// What the database alone can tell stops the start.
TEST(ConsentLog, AnObjectStoreThatIsAwayHidesNoRefusal) {
    const auto signs_as_main = [] {
        const auto key = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256);
        return Environment{{"AUTH_JWT_ACCESS_TOKEN_KID", "main"}, {"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", key.pem()}};
    };
    const Environment settings = signs_as_main();
    Signed t{settings};
    publish(t.service, "marketing", 1);
    receipt_of(accept(t.service, t.token, "marketing"));
    t.service.work();
    const auto refusal = [&](const Environment& changes) -> std::string {
        try {
            t.service.restart(changes);
        } catch (const std::exception& error) {
            return error.what();
        }
        return {};
    };
    const auto checkpoint = t.service.folder() / "data/storage/public/consent-log/checkpoint";
    std::filesystem::remove(checkpoint);
    std::filesystem::create_directory(checkpoint);  // nothing can be stored there
    EXPECT_EQ(refusal({}), "");
    EXPECT_THAT(refusal(signs_as_main()), HasSubstr("AUTH_JWT_ACCESS_TOKEN_KID"));
    const auto policy = t.service.folder() / "policy";
    const auto key = [](const char* name, tlog::KeyType type) {
        const Bytes seed(32, std::uint8_t{7});
        return tlog::NoteSigner::from_seed(name, type, seed).value().verifier().text();
    };
    std::ofstream(policy) << "log " << key("other.example/consent", tlog::KeyType::ed25519) << "\nwitness w "
                          << key("w.example", tlog::KeyType::cosignature) << " http://127.0.0.1:1/\nquorum w\n";
    EXPECT_THAT(refusal({{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", settings.at("AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY")},
                         {"CONSENT_LOG_WITNESSES", policy.string()}}),
                HasSubstr("CONSENT_LOG_WITNESSES: the policy does not name this log"));
    std::filesystem::remove(checkpoint);
    t.service.restart({{"CONSENT_LOG_WITNESSES", ""}});
    t.service.work();
    EXPECT_TRUE(std::filesystem::is_regular_file(checkpoint));
}

TEST(ConsentLog, TheLogSignsItsOwnDescription) {
    Signed t{Environment{}};
    const Answer answer = t.service.get("/.well-known/consent-log.note");
    ASSERT_EQ(answer.status, 200U);
    const auto note = tlog::parse_note(answer.body);
    ASSERT_TRUE(note) << note.error();
    const std::vector keys{verifier_of(t.service)};
    EXPECT_TRUE(tlog::verify_note(*note, keys));
    EXPECT_THAT(note->text, HasSubstr(json::serialize(log_facts(t.service))));
}

TEST(ConsentLog, KeepsItsOriginAndItsKey) {
    Signed t{Environment{{"PUBLIC_URL", "https://a.example.com"}}};
    EXPECT_EQ(log_facts(t.service).at("origin"), "a.example.com/consent");
    t.service.restart({{"PUBLIC_URL", "https://b.example.com"}});
    EXPECT_EQ(log_facts(t.service).at("origin"), "a.example.com/consent") << "a log keeps its name";
    const auto refusal = [&](const Environment& changes) -> std::string {
        try {
            t.service.restart(changes);
        } catch (const WrongSettings& refused) {
            return refused.what();
        }
        return {};
    };
    const std::string another = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::eddsa).pem();
    EXPECT_THAT(refusal({{"CONSENT_LOG_PRIVATE_KEY", another}}), HasSubstr("not the key of the log"));
}

TEST(ConsentLog, RefusesADatabaseThatIsOlderThanWhatOthersHaveSeen) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 1);
    receipt_of(accept(t.service, t.token, "privacy"));
    t.service.work();
    ASSERT_EQ(checkpoint_of(t.service).size, 1U);
    // What a restored backup looks like.
    t.service.sql("DELETE FROM log_entries WHERE log = 'consent'");
    t.service.sql("DELETE FROM logs WHERE name = 'consent'");
    try {
        t.service.restart();
        ADD_FAILURE() << "started";
    } catch (const LogRefused& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("older than what others have seen"));
    }
}

// A change of an entry that has a position but is not published yet only harms its author; one that is published has
// another hash than the tiles.
TEST(ConsentLog, AChangedEntryGetsNoProof) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 1);
    const json::object claims = claims_of(t.service, receipt_of(accept(t.service, t.token, "privacy")));
    t.service.work();
    ASSERT_EQ(t.service.get(proof_path(claims), bearer(t.token)).status, 200U);
    t.service.sql("UPDATE log_entries SET entry = " + t.service.literal(Bytes(consent_entry_bytes, 1)));
    EXPECT_EQ(t.service.get(proof_path(claims), bearer(t.token)).status, 503U);
}

// Regression: the service signed whatever the database said of an entry, such as a withdrawal of what was accepted.
TEST(ConsentLog, AChangedEntryGetsNoReceipt) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    const auto receipt = [&](const json::object& claims) {
        const std::string path = "/api/shared/user/term-policy/receipt/" + std::string(claims.at("jti").as_string());
        return t.service.get(path, bearer(t.token));
    };
    const auto change = [&](const json::object& claims, const std::string& columns) {
        t.service.sql("UPDATE log_entries SET " + columns + " WHERE id = '" +
                      std::string(claims.at("jti").as_string()) + "'");
    };
    const auto altered = [&](const json::object& claims, std::size_t at, std::uint8_t byte) {
        const std::string former = value_of(
            t.service, "hex(entry) FROM log_entries WHERE id = '" + std::string(claims.at("jti").as_string()) + "'");
        Bytes entry = from_hex(former).value();
        entry[at] = byte;
        change(claims, "entry = " + t.service.literal(entry));
        const Answer answer = receipt(claims);
        EXPECT_FALSE(answer.body.contains("eyJ")) << answer.body;
        change(claims, "entry = " + t.service.literal(from_hex(former).value()));
        return answer.status;
    };
    const json::object accepted = claims_of(t.service, receipt_of(accept(t.service, t.token, "marketing")));
    t.service.work();
    ASSERT_EQ(t.service.get(proof_path(accepted), bearer(t.token)).status, 200U);
    EXPECT_EQ(altered(accepted, 1, 2), 503U) << "accepted becomes withdrawn";
    t.service.sql("UPDATE term_policy_acceptances SET action = 'withdrawn'");
    EXPECT_EQ(altered(accepted, 1, 2), 503U) << "and so does its row";
    t.service.sql("UPDATE term_policy_acceptances SET action = 'accepted'");
    EXPECT_EQ(claims_of(t.service, receipt_of(receipt(accepted))), accepted);

    // One that the log has not published yet is compared with its row.
    const json::object withdrawn = claims_of(t.service, receipt_of(withdraw(t.service, t.token, "marketing")));
    t.service.work();
    change(withdrawn, "position = 1000");
    EXPECT_EQ(claims_of(t.service, receipt_of(receipt(withdrawn))), withdrawn);
    EXPECT_EQ(altered(withdrawn, 1, 1), 503U) << "withdrawn becomes accepted";
    EXPECT_EQ(altered(withdrawn, 7, 9), 503U) << "another version";
    EXPECT_EQ(altered(withdrawn, 97, 0), 503U) << "another addendum";
}

}  // namespace
}  // namespace consentry::tests
