// Consent with several instances: what one instance publishes or records, the others know at their next request (DOC-5,
// DOC-6, DOC-8).
#include <gmock/gmock.h>

#include "base/uuid.hpp"
#include "tests/instances/fleet.hpp"

namespace consentry::tests {
namespace {

constexpr const char* accept_path = "/api/shared/user/term-policy/accept";
constexpr const char* profile_path = "/api/shared/user/profile";

void publish(const SharedFleet& fleet, const std::string& type, int version) {
    const std::string id = "'" + Uuid::v7(SystemClock().now()).text() + "'";
    fleet.sql(
        "INSERT INTO term_policies (id, type, version, status, content_hashes, published_at, created_at, "
        "updated_at) VALUES (" +
        id + ", '" + type + "', " + std::to_string(version) + ", 'published', '{\"en\":\"" + std::string(64, 'a') +
        "\"}', 1, 1, 1)");
}

Answer accept(const HttpClient& client, const TokenTexts& tokens, const std::string& type) {
    return client.post(accept_path, {{"type", type}}, bearer(tokens.access));
}

TEST(DOC_8, EveryInstanceSeesAPublicationAtItsNextRequest) {
    SharedFleet fleet(2);
    const TokenTexts tokens = tokens_of(fleet->client(0), fleet->make_person());
    const auto read = [&](std::size_t instance) {
        return fleet->client(instance).get(profile_path, bearer(tokens.access)).status;
    };
    for (int version = 1; version <= 20; ++version) {
        for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(read(i), 200U);
        publish(fleet, "termsOfService", version);
        for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(read(i), 403U) << version;
        EXPECT_EQ(accept(fleet->client(static_cast<std::size_t>(version)), tokens, "termsOfService").status, 200U);
        for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(read(i), 200U) << version;
    }
    EXPECT_EQ(fleet.number("SELECT count(*) FROM term_policy_acceptances"), 20);
}

TEST(DOC_6, AcceptancesAtAllInstancesAtOnceAreEachRecordedOnce) {
    SharedFleet fleet(2);
    const std::vector<std::string> types{"termsOfService", "privacy", "marketing", "cookies"};
    for (const std::string& type : types) publish(fleet, type, 1);
    for (int round = 0; round < 5; ++round) {
        const TokenTexts tokens = tokens_of(fleet->client(0), fleet->make_person());
        const auto answers =
            at_once(24, [&](std::size_t i) { return accept(fleet->client(i / 4), tokens, types[i % types.size()]); });
        EXPECT_EQ(count(answers, 200), 4U);
        EXPECT_EQ(count(answers, 409, "alreadyAccepted"), 20U);
        EXPECT_EQ(fleet.number("SELECT count(*) FROM term_policy_acceptances"), 4 * (round + 1));
        EXPECT_EQ(fleet->client(1).get(profile_path, bearer(tokens.access)).status, 200U);
    }
}

}  // namespace
}  // namespace consentry::tests
