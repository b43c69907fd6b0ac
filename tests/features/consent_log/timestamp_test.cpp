// Timestamps: of a real authority, which fails on command, in the log and in the bundles of auditors.
#include <fstream>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "features/consent_proof/bundle_check.hpp"
#include "tests/features/consent_log/log_faults.hpp"
#include "tests/features/consent_log/log_timestamps.hpp"
#include "tests/features/consent_proof/forged_bundle.hpp"
#include "tests/features/consent_proof/log_calls.hpp"
#include "tests/support/files.hpp"
#include "tests/support/tls_front.hpp"
#include "tlog/lines.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// What is stored must verify for as long as there are bundles that contain it.
TEST_F(LogTimestamps, ThatDoNotVerifyAreNotKept) {
    const struct {
        const char* fault;
        const char* says;
    } cases[] = {{"again", "its digest or nonce differs"},
                 {"altered", "the signature of the timestamp is invalid"},
                 {"bare", "does not contain the certificate of exactly one signer"}};
    add();
    work();
    ASSERT_EQ(stamp(1).status, 200U);
    int size = 1;
    for (const bool names_itself : {false, true}) {
        if (names_itself) authority_.name_itself();
        for (const auto& [fault, says] : cases) {
            SCOPED_TRACE(fault);
            authority_.fail_with(fault);
            add();
            ++size;
            EXPECT_THAT(refusal(says), HasSubstr(says));
            EXPECT_EQ(stamp(size).status, 404U);
        }
    }
}

TEST_F(LogTimestamps, MayNameTheirAuthority) {
    authority_.name_itself();
    add();
    EXPECT_EQ(work(), "");
    const CommandResult verified = authority_.verify(text(), stamp(1).body);
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
}

TEST_F(LogTimestamps, OfAPrivateAuthorityNeedItsCertificate) {
    const TlsFront front(authority_.port());
    t_.service.restart({{"CONSENT_LOG_TIMESTAMP_URL", front.url()}});
    add();
    EXPECT_THAT(refusal("certificate"), HasSubstr("certificate"));
    EXPECT_EQ(authority_.requests(), 0);
    t_.service.restart({{"CONSENT_LOG_CA_FILE", front.certificate().string()}});
    t_.service.pass(1h);
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (authority_.requests() == 0 && std::chrono::steady_clock::now() < deadline) work();
    EXPECT_EQ(authority_.requests(), 1);
}

class StampedBundles : public LogTimestamps {
protected:
    std::string bundle(const std::string& query = {}) {
        const std::string admin = t_.service.tokens_of(t_.service.make_person(Role::super_admin)).access;
        const Answer answer = t_.service.get("/api/admin/consent/export" + query, bearer(admin));
        EXPECT_EQ(answer.status, 200U) << answer.body;
        return answer.body;
    }
    std::expected<VerifiedBundle, std::string> verify(const std::string& archive,
                                                      std::optional<std::string_view> authorities = {}) {
        return verify_bundle(as_bytes(archive), policy_of(t_.service), authorities);
    }
    std::string verdict(const std::string& archive, std::map<std::string, std::optional<std::string>> changes) {
        const tlog::NoteSigner* log = t_.service.app().services().consent_log->published().signer();
        const auto verified = verify(forged(archive, changes, log));
        return verified ? "genuine" : verified.error();
    }
    const std::string authorities_ = text_in(authority_.certificate());
};

TEST_F(StampedBundles, ProveWhenTheirLogExisted) {
    add();
    EXPECT_EQ(work(), "");
    EXPECT_EQ(bundle(), bundle()) << "the same bytes";
    for (const int size : {1, 2}) {
        SCOPED_TRACE(size);
        if (size == 2) {
            add();
            EXPECT_EQ(work(), "");
        }
        for (const std::string& archive : {bundle(), bundle("?type=marketing")}) {
            const auto anybody = verify(archive);
            ASSERT_TRUE(anybody) << anybody.error();
            ASSERT_TRUE(anybody->stamp);
            EXPECT_EQ(anybody->stamp->size, 1U) << "no other stamp within the hour";
            EXPECT_EQ(anybody->stamp->authority, "CN=tsa");
            EXPECT_FALSE(anybody->stamp->is_trusted);
            const auto trusted = verify(archive, authorities_);
            ASSERT_TRUE(trusted) << trusted.error();
            EXPECT_TRUE(trusted->stamp->is_trusted);
            EXPECT_LT(std::chrono::abs(trusted->stamp->time - std::chrono::system_clock::now()), 1min);
            const std::string text = member_of(archive, "timestamps/1.txt");
            const CommandResult openssl = authority_.verify(text, member_of(archive, "timestamps/1.tsr"));
            EXPECT_EQ(openssl.code, 0) << openssl.err;
        }
    }
}

// Of a log whose owner adds entries and dates them before a stamp that they are not in.
TEST_F(StampedBundles, ShowWhichEntriesWereBackdated) {
    add();
    EXPECT_EQ(work(), "");
    const std::string archive = bundle("?withoutAddenda=true");
    const auto stamped_at = verify(archive).value().stamp->time;
    const auto before = [&](std::chrono::seconds time) {
        ConsentEntry out = parse_entry(entries_in(archive).at(0)).value();
        out.time = stamped_at - time;
        return format_entry(out);
    };
    const auto doubts = [&](std::vector<Bytes> entries) {
        entries.insert(entries.begin(), entries_in(archive).at(0));
        const std::string consistency =
            tlog::hash_lines({tlog::leaf_hash(entries.at(1)), tlog::leaf_hash(entries.at(2))});
        const tlog::NoteSigner* log = t_.service.app().services().consent_log->published().signer();
        const auto verified = verify(rebuilt(archive, entries, *log, {{"timestamps/1.consistency", consistency}}));
        return verified ? describe(verified->doubts) : verified.error();
    };
    const std::string says =
        "Entries that are more than 60 seconds older than the timestamp, which is about a state of the log without "
        "them: ";
    EXPECT_THAT(doubts({before(1min), before(-1s)}), Not(HasSubstr(says))) << "so long may an entry wait";
    EXPECT_THAT(doubts({before(61s), before(0s)}), HasSubstr(says + "1 (entry 1). They were backdated, or "));
    EXPECT_THAT(doubts({before(1h), before(30min)}), HasSubstr(says + "2 (entries 1, 2)."));
}

TEST_F(StampedBundles, AreNotMadeOfDamagedTiles) {
    const auto damage = [&](std::size_t size) {
        const auto tile = t_.service.folder() / "data/storage/public/consent-log/tile/0/000.p" / std::to_string(size);
        ASSERT_TRUE(std::filesystem::exists(tile));
        std::ofstream(tile) << std::string(32 * size, 'x');
    };
    add();
    EXPECT_EQ(work(), "");
    damage(1);
    EXPECT_TRUE(verify(bundle())) << "the checkpoint itself is stamped, so no tile is needed";
    add();
    EXPECT_EQ(work(), "");
    damage(2);
    const std::string admin = t_.service.tokens_of(t_.service.make_person(Role::super_admin)).access;
    EXPECT_EQ(t_.service.get("/api/admin/consent/export", bearer(admin)).status, 503U);
    EXPECT_EQ(work(), "");
    const auto verified = verify(bundle());
    ASSERT_TRUE(verified) << verified.error();
    EXPECT_EQ(verified->stamp->size, 1U);
}

// Regression: verifiers refused every bundle and export with a damaged timestamp, and no one learned of a lost one.
TEST_F(StampedBundles, LeaveOutATimestampThatIsLostOrAltered) {
    add();
    EXPECT_EQ(work(), "");
    add();
    EXPECT_EQ(work(), "");
    Services& services = t_.service.app().services();
    const auto file = t_.service.folder() / "data/storage/public/consent-log/timestamps/1.tsr";
    const std::string genuine = text_in(file);
    const auto lost = [&] {
        std::string out;
        for (const std::string& one : run(services.bundles->make({}))->lost_texts)
            if (one.contains("timestamps/")) out += one;
        return out;
    };
    const auto found = [&] { return log_faults(services); };
    const auto exported = [&] {
        const std::string token = t_.service.tokens_of(t_.person).access;
        return t_.service.get("/api/shared/user/export", bearer(token)).json.at("consentLog").at("timestamp");
    };
    const auto expect_left_out = [&](const char* finding) {
        EXPECT_EQ(lost(), "consent-log/timestamps/1.tsr");
        const auto verified = verify(bundle());
        ASSERT_TRUE(verified) << verified.error();
        EXPECT_FALSE(verified->stamp);
        EXPECT_TRUE(exported().is_null());
        EXPECT_THAT(found(), HasSubstr(finding));
    };
    EXPECT_EQ(found() + lost(), "");
    EXPECT_TRUE(exported().is_object());
    std::string altered = genuine;
    altered.back() ^= 1;
    for (const std::string& bytes : {altered, genuine.substr(1), std::string()}) {
        std::ofstream(file, std::ios::binary) << bytes;
        expect_left_out("timestamps/1.tsr is not a timestamp of the first 1 entries: ");
    }
    std::filesystem::remove(file);
    expect_left_out("The object store lacks timestamps/1.tsr.");
    std::ofstream(file, std::ios::binary) << genuine;
    EXPECT_EQ(found() + lost(), "");
    EXPECT_TRUE(verify(bundle())->stamp);
    t_.service.sql("UPDATE logs SET stamped_size = 3 WHERE name = 'consent'");
    EXPECT_THAT(found(), HasSubstr("The database says that the first 3 entries have a timestamp, but the log has 2."));
}

TEST_F(StampedBundles, OutliveTheCertificateOfTheirAuthority) {
    authority_.expire(std::chrono::days{15});
    add();
    EXPECT_EQ(work(), "");
    const auto trusted = verify(bundle(), text_in(authority_.certificate()));
    ASSERT_TRUE(trusted) << trusted.error();
    EXPECT_TRUE(trusted->stamp->is_trusted);
    EXPECT_LT(trusted->stamp->time, std::chrono::system_clock::now() - std::chrono::days{14});
}

TEST_F(StampedBundles, OfACertificateThatHadExpiredAreRefused) {
    for (const int behind : {0, 25}) {  // after it and before it
        authority_.expire(std::chrono::days{behind});
        t_.service.pass(1h);
        add();
        EXPECT_EQ(work(), "");
        EXPECT_THAT(verify(bundle(), text_in(authority_.certificate())).error(), HasSubstr("does not lead to"));
    }
}

TEST_F(StampedBundles, AnotherAuthorityIsRefused) {
    add();
    EXPECT_EQ(work(), "");
    const TimestampAuthority stranger;
    EXPECT_THAT(verify(bundle(), text_in(stranger.certificate())).error(),
                HasSubstr("timestamps/1.tsr: the signer of the timestamp does not lead to one of the given"));
    EXPECT_THAT(verify(bundle(), "no certificate").error(), HasSubstr("authorities: no certificate in PEM"));
}

TEST_F(StampedBundles, NoPartOfAStampCanBeReplaced) {
    add();
    EXPECT_EQ(work(), "");
    add();
    EXPECT_EQ(work(), "");
    const std::string archive = bundle();
    const std::string text = member_of(archive, "timestamps/1.txt");
    const std::string stamp = member_of(archive, "timestamps/1.tsr");
    const std::string consistency = member_of(archive, "timestamps/1.consistency");
    EXPECT_EQ(verdict(archive, {}), "genuine");
    const auto year = stamp.find(
        "\x18\x0f"
        "20");  // GeneralizedTime of 15 characters
    ASSERT_NE(year, std::string::npos);
    std::string earlier = stamp;
    earlier[year + 5] = '1';
    EXPECT_THAT(verdict(archive, {{"timestamps/1.tsr", earlier}}), HasSubstr("was altered"));
    EXPECT_THAT(verdict(archive, {{"timestamps/1.tsr", "x"}}), HasSubstr("timestamps/1.tsr: "));
    EXPECT_THAT(verdict(archive, {{"timestamps/1.tsr", std::nullopt}}), HasSubstr("lacks the other members"));
    EXPECT_THAT(verdict(archive, {{"timestamps/1.txt", std::nullopt}}), HasSubstr("lacks the other members"));
    EXPECT_THAT(verdict(archive, {{"timestamps/1.consistency", std::nullopt}}), HasSubstr("not a former state"));
    EXPECT_THAT(verdict(archive, {{"timestamps/1.consistency", consistency + consistency}}),
                HasSubstr("not a former state"));
    EXPECT_THAT(verdict(archive, {{"timestamps/1.consistency", consistency + "x"}}), HasSubstr("is not terminated"));
    EXPECT_THAT(verdict(archive, {{"timestamps/2.tsr", stamp}}), HasSubstr("no member of this name"));
    EXPECT_THAT(verdict(archive, {{"timestamps/note", "x"}}), HasSubstr("no member of this name"));
    // Of the checkpoint that the bundle has, but with the stamp of the former one.
    EXPECT_THAT(verdict(archive, {{"timestamps/1.txt", std::nullopt},
                                  {"timestamps/1.tsr", std::nullopt},
                                  {"timestamps/1.consistency", std::nullopt},
                                  {"timestamps/2.txt", this->text()},
                                  {"timestamps/2.tsr", stamp}}),
                HasSubstr("timestamps/2.tsr: the timestamp is for another text"));
}

}  // namespace
}  // namespace consentry::tests
