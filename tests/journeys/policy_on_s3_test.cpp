// The life of a document whose files are on a real S3 server, and the service without that server.
#include <atomic>
#include <functional>
#include <thread>

#include <gmock/gmock.h>

#include "app/commands/start_check.hpp"
#include "app/config/read_config.hpp"
#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "tests/contracts/s3_calls.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class PolicyOnS3 : public ::testing::TestWithParam<S3Kind> {
protected:
    PolicyOnS3() {
        // S3 servers check the time of requests against their own clock.
        service.clock().set(SystemClock().now());
    }
    static Environment settings(S3Kind kind, std::uint16_t port, const std::string& drafts,
                                const std::string& published) {
        Environment out;
        for (const auto& [name, value] : shared_s3(kind).settings()) out[name] = value;
        out["STORAGE_URL"] = "s3://127.0.0.1:" + std::to_string(port) + "?tls=none";
        out["AWS_S3_PRIVATE_BUCKET"] = drafts;
        out["AWS_S3_PUBLIC_BUCKET"] = published;
        out["AWS_S3_TIMEOUT_IN_MS"] = "20000";
        return out;
    }
    json::object upload(const PolicyDesk& desk, int version, const std::string& language, const std::string& text) {
        const Answer address = desk.presign("privacy", version, language, text.size());
        last_address = address.text("data.presignUrl");
        const std::string mime = address.text("data.mime");
        EXPECT_EQ(ask("PUT", last_address, text + "!", {{"content-type", mime}}).status, 403U) << "larger";
        EXPECT_EQ(ask("PUT", last_address, text, {{"content-type", mime}}).status, 200U);
        return {{"language", language}, {"key", address.text("data.key")}, {"size", text.size()}};
    }
    // Except those of the consent log, which grows on its own.
    std::vector<std::string> keys(const std::string& bucket) const {
        auto out = keys_in(shared_s3(GetParam()).options(), bucket);
        std::erase_if(out, [](const std::string& key) { return key.starts_with("consent-log/"); });
        return out;
    }

    TcpProxy link{shared_s3(GetParam()).port};
    const std::string drafts = make_bucket(GetParam());
    const std::string published = make_bucket(GetParam(), Strangers::may_read);
    Service service{settings(GetParam(), link.port(), drafts, published)};
    std::string last_address;
};
INSTANTIATE_TEST_SUITE_P(Servers, PolicyOnS3, ::testing::Values(S3Kind::rgw, S3Kind::swift),
                         ::testing::PrintToStringParamName());

TEST_P(PolicyOnS3, FromTheFirstDraftToTheAcceptance) {
    const PolicyDesk desk(service);
    const std::string english = "<p>We keep {your name}.</p>";
    const std::string german = "<p>Wir speichern {Ihren Namen}, äöü.</p>";
    const Answer created =
        desk.create("privacy", 1, {upload(desk, 1, "en", "<p>Draft.</p>"), upload(desk, 1, "de", german)});
    ASSERT_EQ(created.status, 201U) << created.body;
    const std::string id = created.text("data.id");
    EXPECT_EQ(desk.update(id, upload(desk, 1, "en", english)).status, 200U);
    const std::string english_address = last_address;

    const std::string shown = desk.content(id, "de").text("data.presignUrl");
    EXPECT_EQ(ask("GET", shown).body, german);
    EXPECT_GE(ask("GET", shown.substr(0, shown.find('?'))).status, 400U) << "a draft, to a stranger";

    // The upload address is still valid, and publishing detects that the file changed after its check.
    const std::string mime = "text/x-handlebars-template";
    EXPECT_EQ(ask("PUT", english_address, std::string(english.size(), 'x'), {{"content-type", mime}}).status, 200U);
    EXPECT_EQ(complaints_of(desk.publish(id)), "en changed");
    EXPECT_THAT(keys(published), IsEmpty());
    EXPECT_EQ(ask("PUT", english_address, english, {{"content-type", mime}}).status, 200U);
    ASSERT_EQ(desk.publish(id).status, 200U);

    const Answer listed = service.get("/api/term-policy/list");
    EXPECT_EQ(listed.text("data.0.contents.0.language"), "en");
    const auto terms = ask("GET", listed.text("data.0.contents.0.cdnUrl"));
    EXPECT_EQ(terms.status, 200U);
    EXPECT_EQ(terms.body, english);
    EXPECT_EQ(listed.text("data.0.contents.0.contentHash"), to_hex(crypto::sha256(english)));

    const Person person = service.make_person();
    const std::string token = service.tokens_of(person).access;
    EXPECT_FALSE(has_accepted(service, token, "privacy"));
    EXPECT_EQ(accept(service, token, "privacy", {{"contentHash", to_hex(crypto::sha256(english))}}).status, 200U);
    EXPECT_TRUE(has_accepted(service, token, "privacy"));

    EXPECT_EQ(ask("PUT", english_address, std::string(english.size(), 'x'), {{"content-type", mime}}).status, 200U);
    EXPECT_EQ(ask("GET", listed.text("data.0.contents.0.cdnUrl")).body, english);
    service.pass(2h);
    desk.sweep();
    EXPECT_THAT(keys(drafts), Each(AnyOf(StartsWith("administration-log/"), StartsWith("receipt-keys/"))))
        << "no draft";
    EXPECT_THAT(keys(published), UnorderedElementsAre(draft_key("privacy", 1, "de"), draft_key("privacy", 1, "en")));
}

TEST_P(PolicyOnS3, FLT_3_WithoutTheServerOnlyDocumentsWait) {
    const PolicyDesk desk(service);
    const Answer created = desk.create("privacy", 1, {upload(desk, 1, "en", "<p>Text</p>")});
    ASSERT_EQ(created.status, 201U) << created.body;
    const std::string id = created.text("data.id");
    service.restart({{"AWS_S3_TIMEOUT_IN_MS", "1000"}, {"AWS_S3_MAX_ATTEMPTS", "1"}});
    const std::string token = service.tokens_of(desk.admin).access;
    const Person bob = service.make_person();  // bob's many logins end no session of the administrator
    const auto late = [](TcpProxy& proxy) { proxy.delay(5s); };
    for (const std::function<void(TcpProxy&)>& fail :
         {std::function<void(TcpProxy&)>(&TcpProxy::refuse), std::function<void(TcpProxy&)>(&TcpProxy::hang),
          std::function<void(TcpProxy&)>(late)}) {
        fail(link);
        std::atomic<bool> answered = false;
        Answer refused;
        std::jthread publisher([&] {
            refused = desk.publish(id);
            answered = true;
        });
        // Sends requests until the publication is answered, and at least once.
        do {
            EXPECT_EQ(service.get("/api/shared/user/session/list", bearer(token)).status, 200U);
            EXPECT_EQ(service.log_in(bob).status, 200U);
        } while (!answered);
        publisher.join();
        EXPECT_EQ(refused.status, 503U) << refused.body;
        EXPECT_EQ(refused.body.find("S3"), std::string::npos) << "for the log only";
        service.restart();
        EXPECT_EQ(service.log_in(desk.admin).status, 200U);
        EXPECT_EQ(desk.status(id), "draft");
    }
    link.pass();
    // Other tests may slow the server down to more than the short timeout.
    EXPECT_TRUE(eventually([&] { return desk.publish(id).status == 200U; }));
    EXPECT_THAT(keys(published), UnorderedElementsAre(draft_key("privacy", 1, "en")));
}

TEST_P(PolicyOnS3, OPS_2_ACheckFindsADatabaseOlderThanThePublishedLog) {
    const PolicyDesk desk(service);
    const Answer created = desk.create("privacy", 1, {upload(desk, 1, "en", "<p>Text</p>")});
    ASSERT_EQ(desk.publish(created.text("data.id")).status, 200U);
    const Config config =
        read_config(test_settings(service.folder(), settings(GetParam(), link.port(), drafts, published))).value();
    Config older = config;
    older.database.url.clear();
    older.database.file = service.folder() / "lost.db";
    const auto problems = [](const Config& checked) {
        std::string out;
        for (const ConfigProblem& one : check_start(checked, SystemClock(), ServiceRuns::maybe).problems)
            out += one.setting + ": " + one.text + "\n";
        return out;
    };
    EXPECT_TRUE(eventually([&] { return problems(older).starts_with("DATABASE_URL: The published log has "); }))
        << problems(older);
    EXPECT_EQ(problems(config), "");
    link.refuse();
    const StartCheck without = check_start(older, SystemClock(), ServiceRuns::maybe);
    EXPECT_THAT(without.problems, IsEmpty());
    ASSERT_EQ(without.warnings.size(), 1U);
    EXPECT_EQ(without.warnings.front().setting, "STORAGE_URL");
    EXPECT_THAT(without.warnings.front().text, HasSubstr("the published logs were not checked"));
}

}  // namespace
}  // namespace consentry::tests
