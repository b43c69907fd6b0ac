// Bundles of logs whose owner has backdated entries, or named versions and texts that were never published. The owner
// can sign them, so nothing but what the entries say shows it.
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "features/consent_proof/bundle_check.hpp"
#include "tests/features/consent_proof/forged_bundle.hpp"
#include "tests/features/consent_proof/log_calls.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct Owner : Signed {
    Owner() : Signed(Environment{}) {
        publish_with_texts(service, "marketing", 1);  // entry 0
        receipt_of(accept(service, token, "marketing"));
        publish_log(service);
        const std::string admin = service.tokens_of(service.make_person(Role::super_admin)).access;
        archive = service.get("/api/admin/consent/export?withoutAddenda=true", bearer(admin)).body;
        entries = entries_in(archive);
        accepted = parse_entry(entries.at(1)).value();
    }
    const tlog::NoteSigner& key() const { return *service.app().services().consent_log->published().signer(); }

    // An acceptance of another account, so much later than the one in the log.
    ConsentEntry after(std::chrono::seconds time) const {
        ConsentEntry out = accepted;
        out.time += time;
        out.subject[0] ^= 1;
        return out;
    }
    std::expected<VerifiedBundle, std::string> verify(const std::vector<Bytes>& more,
                                                      const EarlierRecords& earlier = {}) const {
        std::vector<Bytes> all = entries;
        all.insert(all.end(), more.begin(), more.end());
        return verify_bundle(as_bytes(rebuilt(archive, all, key())), policy_of(service), {}, {}, earlier);
    }

    std::string archive;
    std::vector<Bytes> entries;
    ConsentEntry accepted;
};

// A backdated entry at the end must not hide it.
TEST(BackdatedEntries, DoNotHideABrokenPromise) {
    const Owner given;
    ConsentEntry denied = given.after(0s);
    denied.subject[1] ^= 1;
    const Receipt receipt{
        .id = AcceptanceId{}, .entry = denied, .log = given.key().verifier().name(), .merge_delay = 60};
    const auto verdict = [&](std::initializer_list<std::chrono::seconds> times, bool is_late = false) {
        std::vector<Bytes> more;
        for (const auto time : times) {
            ConsentEntry entry = given.after(time);
            entry.is_late = is_late;
            more.push_back(format_entry(entry));
        }
        const auto verified = given.verify(more, {.states = {}, .receipts = {{"ada.jwt", receipt}}});
        return verified ? "genuine" : verified.error();
    };
    constexpr const char* broken = "but the log goes on after that time without it";
    constexpr const char* hidden = "later than that time, but its last one is not";
    EXPECT_EQ(verdict({0s, 60s}), "genuine") << "not due";
    EXPECT_THAT(verdict({61s}), HasSubstr(broken));
    EXPECT_THAT(verdict({1h, 61s}), HasSubstr(broken));
    EXPECT_THAT(verdict({1h, 0s}), HasSubstr(hidden));
    EXPECT_THAT(verdict({1h, 0s}), HasSubstr("ada.jwt: "));
    EXPECT_THAT(verdict({121s, 60s}), HasSubstr(hidden));
    EXPECT_EQ(verdict({120s, 60s}), "genuine") << "clocks of instances may differ so much";
    EXPECT_EQ(verdict({1h, 2h}, true), "genuine") << "recorded late";
}

// The operator gives entries their times, but not the signatures of others.
TEST(BackdatedEntries, DoNotHideAPromiseFromAWitness) {
    const Owner given;
    ConsentEntry denied = given.after(0s);
    denied.subject[1] ^= 1;
    const Receipt receipt{
        .id = AcceptanceId{}, .entry = denied, .log = given.key().verifier().name(), .merge_delay = 60};
    const auto witness =
        tlog::NoteSigner::from_seed("witness.example.org", tlog::KeyType::cosignature, Bytes(32, 9)).value();
    const std::string policy =
        "log " + given.key().verifier().text() + "\nwitness one " + witness.verifier().text() + "\nquorum one\n";
    const auto verdict = [&](std::chrono::seconds time, bool is_late = false) {
        tlog::Note note = tlog::parse_note(member_of(given.archive, bundle::checkpoint)).value();
        note.signatures.push_back(witness.cosign(note.text, given.accepted.time + time));
        const std::string archive = forged(given.archive, {{"checkpoint", tlog::format_note(note)}}, &given.key());
        EarlierRecords earlier{.states = {}, .receipts = {{"ada.jwt", receipt}}};
        earlier.receipts.front().receipt.entry.is_late = is_late;
        const auto verified = verify_bundle(as_bytes(archive), tlog::Policy::parse(policy).value(), {}, {}, earlier);
        return verified ? "genuine" : verified.error();
    };
    EXPECT_EQ(verdict(0s), "genuine");
    EXPECT_EQ(verdict(120s), "genuine") << "clocks may differ so much";
    EXPECT_THAT(verdict(121s), HasSubstr("ada.jwt: the service has promised"));
    EXPECT_THAT(verdict(121s), HasSubstr("although the witness one has signed this state of the log at 20"));
    EXPECT_EQ(verdict(1h, true), "genuine") << "promised without a time";
}

TEST(BackdatedEntries, DoNotHideAPromiseFromATimestampAuthority) {
    const Owner given;
    const Receipt receipt{
        .id = AcceptanceId{}, .entry = given.after(0s), .log = given.key().verifier().name(), .merge_delay = 60};
    const EarlierRecords earlier{.states = {}, .receipts = {{"ada.jwt", receipt}}};
    const auto verdict = [&](std::chrono::seconds time, std::uint64_t size, bool is_trusted) {
        const VerifiedStamp stamp{
            .size = size, .time = given.accepted.time + time, .authority = "CN=tsa", .is_trusted = is_trusted};
        const tlog::AcceptedCheckpoint bundle{.checkpoint = {.origin = receipt.log, .size = 2, .root = {}},
                                              .cosignatures = {}};
        const auto finished = EarlierCheck(earlier).finish(bundle, stamp);
        return finished ? "genuine" : finished.error();
    };
    EXPECT_THAT(verdict(121s, 2, true), HasSubstr("although CN=tsa has signed this state of the log at 20"));
    EXPECT_EQ(verdict(120s, 2, true), "genuine");
    EXPECT_EQ(verdict(1h, 1, true), "genuine") << "on a state before this one";
    EXPECT_EQ(verdict(1h, 2, false), "genuine") << "anybody may have signed it";
}

using Times = std::initializer_list<std::chrono::seconds>;

TEST(BackdatedEntries, AreOlderThanEntriesBeforeThem) {
    const Owner given;
    const auto doubts = [&](Times times, bool is_late = false) {
        std::vector<Bytes> more;
        for (const auto time : times) {
            ConsentEntry entry = given.after(time);
            entry.is_late = is_late;
            more.push_back(format_entry(entry));
        }
        const auto verified = given.verify(more);
        return verified ? describe(verified->doubts) : verified.error();
    };
    const std::string begin = "\nEntries that are more than 60 seconds older than one before them: ";
    const std::string end = ". They were backdated, or a clock of the service was wrong. Ask the operator.";
    EXPECT_EQ(doubts({}), "") << "an honest log";
    EXPECT_EQ(doubts({1h, 59min, 2h}), "") << "clocks of instances may differ so much";
    EXPECT_EQ(doubts({1h, 1h - 61s}), begin + "1 (entry 3)" + end);
    EXPECT_EQ(doubts({2h, 1h, 1h + 1min, 3h, 2h}), begin + "3 (entries 3, 4, 6)" + end);
    EXPECT_EQ(doubts({2h, 1h, 1h, 1h, 1h, 1h, 1h, 1h, 1h, 1h, 1h, 1h}),
              begin + "11 (entries 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, and so on)" + end);
    EXPECT_EQ(doubts({2h, 1h}, true), "") << "recorded late";

    const auto verdict = [&](const std::vector<Bytes>& more) { return describe(given.verify(more).value().doubts); };
    const ErasureEntry erasure{.time = given.accepted.time, .subject = {}};
    EXPECT_EQ(verdict({format_entry(given.after(1h)), format_entry(erasure)}), begin + "1 (entry 3)" + end);
    EXPECT_EQ(verdict({format_entry(ErasureEntry{.time = given.accepted.time + 1h, .subject = {}}),
                       format_entry(given.after(0s))}),
              begin + "1 (entry 3)" + end);
}

PublicationEntry publication(const Owner& given, PolicyType type, std::uint32_t version, std::chrono::seconds time) {
    PublicationEntry out{.type = type};
    out.version = version;
    out.time = given.accepted.time + time;
    return out;
}

TEST(BackdatedEntries, AreOlderThanThePublicationOfTheirVersion) {
    const Owner given;
    const auto acceptance = [&](std::chrono::seconds time, bool is_late = false) {
        ConsentEntry out = given.after(time);
        out.version = 2;
        out.is_late = is_late;
        out.content = {};
        return format_entry(out);
    };
    const auto published = format_entry(publication(given, PolicyType::marketing, 2, 1h));
    const auto doubts = [&](const std::vector<Bytes>& more) {
        const auto verified = given.verify(more);
        return verified ? describe(verified->doubts) : verified.error();
    };
    const std::string begin =
        "\nAcceptances and withdrawals that are more than 60 seconds older than the publication of their version: ";
    EXPECT_EQ(doubts({published, acceptance(1h)}), "");
    EXPECT_EQ(doubts({published, acceptance(59min)}), "") << "clocks of instances may differ so much";
    EXPECT_EQ(doubts({published, format_entry(given.after(0s))}), "") << "of another version";
    EXPECT_EQ(doubts({published, acceptance(30min, true)}), "") << "taken over from a former system";
    EXPECT_THAT(doubts({published, acceptance(59min - 1s)}), HasSubstr(begin + "1 (entry 3). They were backdated"));
    EXPECT_THAT(doubts({acceptance(30min), published, acceptance(31min), acceptance(2h)}),
                HasSubstr(begin + "2 (entries 2, 4). "));
    EXPECT_EQ(doubts({acceptance(1h), published}), "") << "an outage, and a draft of somebody else";
    // The first one counts: a version cannot be published again.
    const auto again = format_entry(publication(given, PolicyType::marketing, 2, 0s));
    EXPECT_THAT(doubts({published, again, acceptance(30min)}), HasSubstr(begin + "1 (entry 4)"));
}

// An outage may put a publication before acceptances of earlier times: its position follows that of its draft.
TEST(BackdatedEntries, AreNotThoseBehindAPublication) {
    const Owner given;
    ConsentEntry waiting = given.after(0s);
    waiting.subject[1] ^= 1;
    const Receipt receipt{
        .id = AcceptanceId{}, .entry = waiting, .log = given.key().verifier().name(), .merge_delay = 60};
    const auto published = format_entry(publication(given, PolicyType::privacy, 1, 10min));
    const auto verified =
        given.verify({published, format_entry(given.after(0s))}, {.states = {}, .receipts = {{"ada.jwt", receipt}}});
    ASSERT_TRUE(verified) << verified.error();
    EXPECT_EQ(describe(verified->doubts), "");
}

// Entries of what was never published.
struct Publisher : Owner {
    std::string doubts(const std::vector<Bytes>& more,
                       const std::map<std::string, std::optional<std::string>>& changes = {}) const {
        std::vector<Bytes> all = entries;
        all.insert(all.end(), more.begin(), more.end());
        const auto verified = verify_bundle(as_bytes(rebuilt(archive, all, key(), changes)), policy_of(service));
        return verified ? describe(verified->doubts) : verified.error();
    }
    Bytes of(std::uint32_t version, bool is_late = false) const {
        ConsentEntry out = after(0s);
        out.version = version;
        out.is_late = is_late;
        return format_entry(out);
    }
    Bytes of_text(const crypto::Sha256& content, Language language = Language::en) const {
        ConsentEntry out = after(0s);
        out.content = content;
        out.language = language;
        return format_entry(out);
    }
    std::string record_name() const {
        return bundle::document_name(std::get<PublicationEntry>(parse_log_entry(entries.at(0)).value()).record);
    }
};

TEST(UnpublishedVersions, AreNamed) {
    const Publisher given;
    const std::string begin = "\nAcceptances and withdrawals of versions whose publication is not in the log: ";
    const std::string end = ". Consentry publishes a version before users can accept it. Ask the operator.";
    EXPECT_EQ(given.doubts({given.of(1)}), "");
    EXPECT_EQ(given.doubts({given.of(2)}), begin + "1 (entry 2)" + end);
    EXPECT_EQ(given.doubts({given.of(3), given.of(1), given.of(2, true), given.of(3)}),
              begin + "3 (entries 2, 4, 5)" + end)
        << "recorded late or not";
    ConsentEntry other_type = given.after(0s);
    other_type.type = PolicyType::cookies;
    EXPECT_EQ(given.doubts({format_entry(other_type)}), begin + "1 (entry 2)" + end);
}

// The version is in the database alone, as if the log had dropped its publication.
TEST(UnpublishedVersions, AreFoundWhereTheirPublicationWouldBe) {
    const Owner given;
    publish(given.service, "cookies", 1);
    receipt_of(accept(given.service, given.token, "cookies"));
    publish_log(given.service);
    const std::string admin = given.service.tokens_of(given.service.make_person(Role::super_admin)).access;
    const auto doubts = [&](const std::string& query) {
        const std::string part = given.service.get("/api/admin/consent/export" + query, bearer(admin)).body;
        const auto verified = verify_bundle(as_bytes(part), policy_of(given.service));
        return verified ? describe(verified->doubts) : verified.error();
    };
    const TimePoint now = given.service.clock().now();
    for (const char* query : {"", "?type=cookies"}) EXPECT_THAT(doubts(query), HasSubstr("1 (entry 2). ")) << query;
    EXPECT_EQ(doubts("?type=marketing"), "");
    for (const std::string& query : {"?user=" + given.person.id.text(), "?from=" + to_iso8601(now - 1h),
                                     "?type=cookies&to=" + to_iso8601(now + 1h)})
        EXPECT_EQ(doubts(query), "") << query << ": it may be in another part";
}

TEST(UnpublishedTexts, AreNamed) {
    const Publisher given;
    const std::string begin =
        "\nAcceptances and withdrawals of another text than the one that was published as their version: ";
    const std::string end = ". Consentry records no other text. Ask the operator.";
    EXPECT_EQ(given.doubts({given.of_text({})}), "") << "nobody knows which text it was";
    EXPECT_EQ(given.doubts({given.of_text(crypto::sha256("another text"))}), begin + "1 (entry 2)" + end);
    EXPECT_EQ(given.doubts({given.of_text(given.accepted.content, Language::de)}), begin + "1 (entry 2)" + end)
        << "in another language";

    // No second publication, and no other record, makes it right.
    const std::string other_hash = to_hex(crypto::sha256("another text"));
    const std::string record = R"({"contentHashes":{"en":")" + other_hash + R"("}})";
    PublicationEntry again = publication(given, PolicyType::marketing, 1, 0s);
    again.record = crypto::sha256(record);
    const std::string name = bundle::document_name(again.record);
    EXPECT_EQ(given.doubts({format_entry(again), given.of_text(crypto::sha256("another text"))}, {{name, record}}),
              begin + "1 (entry 3)" + end);
    PublicationEntry third = publication(given, PolicyType::marketing, 3, 0s);
    third.record = crypto::sha256("no record");
    EXPECT_EQ(given.doubts({format_entry(third), given.of(3)}, {{bundle::document_name(third.record), "no record"}}),
              begin + "1 (entry 3)" + end)
        << "a record that names nothing";
}

TEST(UnpublishedTexts, CannotBeFoundWithoutTheRecord) {
    const Publisher given;
    EXPECT_EQ(given.doubts({given.of_text(crypto::sha256("another text"))}, {{given.record_name(), std::nullopt}}),
              "\nAcceptances and withdrawals whose text cannot be compared with the published one, because the bundle "
              "lacks the record of the publication: 2 (entries 1, 2). Ask the operator for the record.");
}

// What was recorded without the log, what waited for it during an outage, and an erasure that it did not see at once.
TEST(BackdatedEntries, AreNoneInAnHonestLog) {
    Signed t{Environment{{"CONSENT_LOG_ENABLE", "false"}}};
    const PolicyDesk desk(t.service);
    const auto accept_as = [&](const Person& person, const std::string& type) {
        const Answer answer = accept(t.service, t.service.tokens_of(person).access, type);
        EXPECT_EQ(answer.status, 200U) << answer.body;
    };
    const Person other = t.service.make_person();
    desk.published("privacy", 1, texts_in({"en", "de"}));
    accept_as(t.person, "privacy");
    t.service.pass(1h);
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.work();

    const std::string draft = desk.draft("marketing", 1, texts_in({"en"}));
    t.service.pass(1h);
    t.service.break_writes("UPDATE ON logs");
    accept_as(other, "privacy");
    t.service.pass(10min);
    EXPECT_EQ(desk.publish(draft).status, 200U);
    accept_as(t.person, "marketing");
    t.service.pass(10min);
    EXPECT_EQ(withdraw(t.service, t.service.tokens_of(t.person).access, "marketing").status, 200U);
    t.service.mend_writes();
    t.service.work();

    t.service.restart({{"CONSENT_LOG_ENABLE", "false"}});
    accept_as(t.person, "marketing");
    t.service.sql("UPDATE users SET deleted_at = 1 WHERE id = '" + other.id.text() + "'");
    settle_mails(t.service);
    run(t.service.app().services().accounts.erase_deleted());
    t.service.pass(1h);
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.work();

    const std::string admin = t.service.tokens_of(t.service.make_person(Role::super_admin)).access;
    const std::string archive = t.service.get("/api/admin/consent/export", bearer(admin)).body;
    const auto verified = verify_bundle(as_bytes(archive), policy_of(t.service));
    ASSERT_TRUE(verified) << verified.error();
    EXPECT_EQ(verified->entries, 2U + 4U + 2U);
    EXPECT_EQ(verified->withheld, 0U) << "the log has the erasure";
    EXPECT_EQ(describe(verified->doubts), "");
}

}  // namespace
}  // namespace consentry::tests
