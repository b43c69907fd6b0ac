// Bundles of logs whose owner has backdated entries, or named versions and texts that were never published. The owner
// can sign them, so nothing but what the entries say shows it.
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "features/consent_proof/bundle_check.hpp"
#include "tests/features/consent_proof/forged_bundle.hpp"
#include "tests/features/consent_proof/log_calls.hpp"

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

    // An acceptance of somebody else, so much later than the one in the log.
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

// An outage may put a publication before acceptances of earlier times: its position follows that of its draft.
TEST(BackdatedEntries, AreNotThoseBehindAPublication) {
    const Owner given;
    ConsentEntry waiting = given.after(0s);
    waiting.subject[1] ^= 1;
    const Receipt receipt{
        .id = AcceptanceId{}, .entry = waiting, .log = given.key().verifier().name(), .merge_delay = 60};
    PublicationEntry published{.type = PolicyType::privacy};
    published.version = 1;
    published.time = given.accepted.time + 10min;
    const auto verified = given.verify({format_entry(published), format_entry(given.after(0s))},
                                       {.states = {}, .receipts = {{"ada.jwt", receipt}}});
    EXPECT_TRUE(verified) << verified.error();
}

}  // namespace
}  // namespace consentry::tests
