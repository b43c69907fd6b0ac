// What may happen to a service with a log: a clock that is set back, keys that are replaced or lost.
#include <fstream>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "base/wrong_settings.hpp"
#include "features/consent_log/entry.hpp"
#include "features/sessions/key_ring.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/log_mirror.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Fetch fetch_from(const Service& service) {
    return [&service](const std::string& path) { return service.get(path); };
}

DescribedReceiptKeys keys_of(const Service& service) {
    const Fetch fetch = fetch_from(service);
    return {fetch("/.well-known/consent-log.note").body, log_key(fetch)};
}

// Positions, not times, are the order of a log.
TEST(LogFaults, AClockThatIsSetBackHarmsNothing) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    std::vector<std::string> receipts{receipt_of(accept(t.service, t.token, "marketing"))};
    t.service.clock().step(-std::chrono::days{2});
    const std::string token = t.service.tokens_of(t.person).access;
    receipts.push_back(receipt_of(withdraw(t.service, token, "marketing")));
    t.service.work();
    t.service.clock().step(std::chrono::days{1});
    const std::string later = t.service.tokens_of(t.person).access;
    receipts.push_back(receipt_of(accept(t.service, later, "marketing")));
    t.service.work();

    const LogMirror mirror = mirror_of(fetch_from(t.service), log_key(fetch_from(t.service)));
    EXPECT_THAT(mirror.complaints, IsEmpty());
    ASSERT_EQ(mirror.entries.size(), 3U);
    std::multiset<std::int64_t> recorded;
    for (const Bytes& bytes : mirror.entries)
        recorded.insert(parse_entry(bytes).value().time.time_since_epoch().count());
    std::multiset<std::int64_t> promised;
    for (const std::string& receipt : receipts) {
        const json::object claims = keys_of(t.service).claims_of(receipt);
        ASSERT_FALSE(claims.empty());
        promised.insert(claims.at("iat").as_int64());
        EXPECT_TRUE(mirror.leaves.contains(std::string(claims.at("entryHash").as_string())));
    }
    EXPECT_EQ(recorded, promised);
    EXPECT_LT(*promised.begin(), *promised.rbegin());
}

// Who holds the verifier key alone can verify receipts of every key that ever signed one.
TEST(LogFaults, ReceiptsOutliveTheKeysThatSignedThem) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    std::vector<std::string> receipts;
    std::set<std::string> kids;
    const auto sign = [&] {
        const std::string token = t.service.tokens_of(t.person).access;
        receipts.push_back(receipt_of(accept(t.service, token, "marketing")));
        receipts.push_back(receipt_of(withdraw(t.service, token, "marketing")));
        kids.insert(crypto::parse_jws(receipts.back())->kid);
    };
    sign();
    for (int rotation = 0; rotation < 2; ++rotation) {
        t.service.pass(std::chrono::days{400});
        const auto folder = t.service.folder() / "data" / "keys";
        KeyRing::generate(folder, TokenKind::access, crypto::SignatureAlgorithm::es256, t.service.clock().now());
        t.service.restart();
        sign();
    }
    EXPECT_EQ(kids.size(), 3U) << "three keys have signed";
    t.service.pass(std::chrono::days{400});
    t.service.restart();
    const DescribedReceiptKeys keys = keys_of(t.service);
    EXPECT_EQ(keys.size(), 3U);
    for (const std::string& receipt : receipts) EXPECT_FALSE(keys.claims_of(receipt).empty()) << receipt;
    std::string forged = receipts.front();
    forged[forged.size() - 20] = forged[forged.size() - 20] == 'A' ? 'B' : 'A';
    EXPECT_TRUE(keys.claims_of(forged).empty());
    // The retired keys no longer verify access tokens: only the log still names them.
    EXPECT_EQ(t.service.get("/.well-known/jwks.json").json.at("keys").as_array().size(), 1U);
}

// The database of a version before 0.2, whose keys have no signatures, on its first start with this version; with a
// receipt of a key that has been replaced since.
struct Upgraded : Signed {
    Upgraded() : Signed(Environment{}) {
        publish(service, "marketing", 1);
        receipt = receipt_of(accept(service, token, "marketing"));
        service.pass(std::chrono::days{400});
        KeyRing::generate(service.folder() / "data" / "keys", TokenKind::access, crypto::SignatureAlgorithm::es256,
                          service.clock().now());
        service.restart();  // otherwise it might sign the former key once more
        std::filesystem::remove_all(lists);
        forget_signatures();
    }
    void forget_signatures() const { service.sql("UPDATE receipt_keys SET signature = NULL"); }
    // As an attacker does who can write to the database: a key that is well-formed and one that is none.
    void plant() const {
        json::object jwk = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256).public_key().jwk();
        jwk.insert({{"kid", "planted"}, {"alg", "ES256"}, {"use", "sig"}});
        service.sql("INSERT INTO receipt_keys (kid, jwk, first_used_at) VALUES ('planted', '" + json::serialize(jwk) +
                    "', 1), ('none', '{\"kid\":\"none\"}', 1)");
    }
    bool is_known() const { return !keys_of(service).claims_of(receipt).empty(); }
    std::string unsigned_keys() const {
        return value_of(service, "COUNT(*) FROM receipt_keys WHERE signature IS NULL");
    }
    const std::filesystem::path lists = service.folder() / "data/storage/private/receipt-keys";
    std::string receipt;
};

TEST(LogFaults, KeysOfFormerVersionsStayKnownAfterTheUpgradeAndAfterARestore) {
    Upgraded t;
    t.service.restart();
    t.service.work();
    EXPECT_TRUE(t.is_known());
    EXPECT_EQ(keys_of(t.service).size(), 2U);
    t.forget_signatures();  // as in a backup from before the upgrade
    t.plant();
    t.service.restart();
    t.service.work();
    EXPECT_TRUE(t.is_known());
    EXPECT_EQ(keys_of(t.service).size(), 2U) << "only keys that the upgrade has found";
    EXPECT_EQ(t.unsigned_keys(), "2");
    t.forget_signatures();  // as if the database failed over to an older copy
    t.service.work();
    EXPECT_TRUE(t.is_known());
}

TEST(LogFaults, WithoutAListOfFormerKeysNoneIsSigned) {
    Upgraded t;
    std::ofstream(t.lists) << "no object can be stored below a file";
    t.service.restart();
    t.plant();
    const auto trouble = run(t.service.app().services().clean_up());
    EXPECT_THAT(trouble, Not(IsEmpty())) << "the operator is told";
    EXPECT_EQ(keys_of(t.service).size(), 1U) << "the service has the signing key itself";
    EXPECT_EQ(t.unsigned_keys(), "3");
    std::filesystem::remove(t.lists);
    t.service.work();
    EXPECT_TRUE(t.is_known());
    EXPECT_EQ(keys_of(t.service).size(), 2U);
    EXPECT_EQ(t.unsigned_keys(), "2") << "what came after the first look is not of a former version";
}

TEST(LogFaults, AKeyThatIsNoneIsNotSigned) {
    Upgraded t;
    t.plant();
    t.service.restart();
    t.service.work();
    EXPECT_EQ(t.unsigned_keys(), "1");
    EXPECT_TRUE(t.is_known());
}

// As if the database failed over to an older copy.
TEST(LogFaults, AKeyThatTheDatabaseLosesIsStoredBeforeTheNextReceipt) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    receipt_of(accept(t.service, t.token, "marketing"));
    const auto stored = [&] { return value_of(t.service, "COUNT(*) FROM receipt_keys WHERE signature IS NOT NULL"); };
    for (const char* loss : {"DELETE FROM receipt_keys", "UPDATE receipt_keys SET signature = NULL"}) {
        t.service.sql(loss);
        const std::string receipt = receipt_of(withdraw(t.service, t.token, "marketing"));
        EXPECT_EQ(stored(), "1") << loss;
        EXPECT_FALSE(keys_of(t.service).claims_of(receipt).empty()) << loss;
        t.service.sql(loss);
        const std::string id(keys_of(t.service).claims_of(receipt).at("jti").as_string());
        t.service.sql(loss);
        EXPECT_EQ(t.service.get("/api/shared/user/term-policy/receipt/" + id, bearer(t.token)).status, 200U);
        EXPECT_EQ(stored(), "1") << loss;
        receipt_of(accept(t.service, t.token, "marketing"));
    }
    t.service.sql("DELETE FROM receipt_keys");
    t.service.work();
    EXPECT_EQ(stored(), "1");
}

// A verifier compares the name in a receipt with that of the log.
TEST(LogFaults, ReceiptsNameTheLogAlsoAfterTheServiceHasMoved) {
    Signed t{Environment{{"PUBLIC_URL", "https://a.example.com"}}};
    publish(t.service, "marketing", 1);
    receipt_of(accept(t.service, t.token, "marketing"));
    t.service.restart({{"PUBLIC_URL", "https://b.example.com"}});
    const std::string token = t.service.tokens_of(t.person).access;
    const json::object claims = keys_of(t.service).claims_of(receipt_of(withdraw(t.service, token, "marketing")));
    EXPECT_EQ(claims.at("log"), "a.example.com/consent");
    EXPECT_EQ(log_key(fetch_from(t.service)).name(), "a.example.com/consent");
}

// A log with an entry whose service has moved to another address, and whose store takes no checkpoint: it is not open.
struct MovedWithoutStore : Signed {
    MovedWithoutStore() : Signed(Environment{{"PUBLIC_URL", "https://a.example.com"}}) {
        publish(service, "marketing", 1);
        receipt_of(accept(service, token, "marketing"));
        service.work();
        std::filesystem::remove(checkpoint);
        std::filesystem::create_directory(checkpoint);  // nothing can be stored there
        service.restart({{"PUBLIC_URL", "https://b.example.com"}});
    }
    void mend_store() {
        std::filesystem::remove(checkpoint);
        service.work();
    }
    const std::filesystem::path checkpoint = service.folder() / "data/storage/public/consent-log/checkpoint";
};

TEST(LogFaults, ReceiptsNameTheLogAlsoIfTheObjectStoreIsAwayAfterTheServiceHasMoved) {
    MovedWithoutStore t;
    const std::string token = t.service.tokens_of(t.person).access;
    const Answer answer = withdraw(t.service, token, "marketing");
    EXPECT_EQ(t.service.app().services().consent_log->published().signer(), nullptr) << "the log is not open";
    t.mend_store();
    const json::object claims = keys_of(t.service).claims_of(receipt_of(answer));
    EXPECT_EQ(claims.at("log"), "a.example.com/consent");
}

TEST(LogFaults, AnExportThatTheLogCannotCompleteIsRefusedBeforeItBegins) {
    MovedWithoutStore t;
    const std::string token = t.service.tokens_of(t.person).access;
    const Answer refused = t.service.get("/api/shared/user/export", bearer(token));
    EXPECT_EQ(t.service.app().services().consent_log->published().signer(), nullptr) << "the log is not open";
    EXPECT_EQ(refused.status, 503U);
    EXPECT_NE(refused.header("retry-after"), "");
    const char* const exports = "SELECT id FROM activity_log WHERE action = 'userExport'";
    EXPECT_THAT(t.service.sql(exports), IsEmpty());
    t.mend_store();
    const Answer complete = t.service.get("/api/shared/user/export", bearer(token));
    EXPECT_EQ(complete.status, 200U);
    EXPECT_THAT(complete.body, HasSubstr("\"consentLog\""));
    EXPECT_EQ(t.service.sql(exports).size(), 1U);
}

TEST(LogFaults, PublicationsFromBeforeTheLogAreTakenInAfterAnOutageAtTheStart) {
    Signed t{Environment{{"CONSENT_LOG_ENABLE", "false"}}};
    publish(t.service, "privacy", 1);
    t.service.break_writes("INSERT ON log_entries");
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.mend_writes();
    t.service.work();
    const Fetch fetch = fetch_from(t.service);
    EXPECT_EQ(mirror_of(fetch, log_key(fetch)).checkpoint.size, 1U);
}

TEST(LogFaults, ALostKeyFileStopsTheStartAndIsNamed) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 1);
    receipt_of(accept(t.service, t.token, "privacy"));
    t.service.work();
    const auto file = t.service.folder() / "data" / "keys" / "consent-log.key";
    const auto kept = t.service.folder() / "kept.key";
    std::filesystem::rename(file, kept);
    for (int again = 0; again < 2; ++again) {
        try {
            t.service.restart();
            ADD_FAILURE() << "started";
        } catch (const WrongSettings& refused) {
            EXPECT_THAT(refused.what(), HasSubstr("keys/consent-log.key"));
        }
    }
    std::filesystem::rename(kept, file);
    t.service.restart();
    EXPECT_THAT(mirror_of(fetch_from(t.service), log_key(fetch_from(t.service))).complaints, IsEmpty());
}

}  // namespace
}  // namespace consentry::tests
