// Tests what the health checks tell a monitor with a system key about the parts of a deployment.
#include <filesystem>

#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

// Limits that pass on any test machine, however full its memory and disk are.
const Environment any_machine{{"HEALTH_MEMORY_MAX_IN_MB", "1000000"}, {"HEALTH_DISK_MAX_IN_PERCENT", "100"}};

class Monitor {
public:
    explicit Monitor(Environment settings = {}) : keys_(with_any_machine(std::move(settings))) {
        headers_ = with_key(keys_.make("system").text());
    }
    Answer look(const std::string& parts) const { return service().get("/api/system/health/" + parts, headers_); }
    bool is_well(const std::string& parts) const { return look(parts).status == 200U; }
    const Service& service() const { return keys_.service; }
    Service& service() { return keys_.service; }

private:
    static Environment with_any_machine(Environment settings) {
        settings.insert(any_machine.begin(), any_machine.end());
        return settings;
    }
    Keys keys_;
    Headers headers_;
};

void expect_nothing_told(const Answer& answer) {
    expect_refused(answer, errors::service_unavailable);
    for (const char* detail : {"down", "redis", "127.0.0.1", "MiB", "bucket"})
        EXPECT_FALSE(answer.body.contains(detail)) << answer.body;
}

TEST(Health, EveryPartIsNamedWhereAllAreWell) {
    const Monitor monitor;
    const struct {
        std::string parts;
        std::vector<std::string> names;
    } cases[] = {{"database", {"database", "redis"}},
                 {"aws", {"s3PublicBucket", "s3PrivateBucket", "ses"}},
                 {"third-party", {"sentry"}},
                 {"instance", {"memoryRss", "memoryHeap", "storage"}}};
    for (const auto& [parts, names] : cases) {
        const Answer answer = monitor.look(parts);
        ASSERT_EQ(answer.status, 200U) << answer.body;
        EXPECT_EQ(answer.text("data.status"), "ok");
        for (const std::string& name : names) {
            EXPECT_EQ(answer.text("data.info." + name + ".status"), "up") << name;
            EXPECT_EQ(answer.text("data.details." + name + ".status"), "up") << name;
        }
        EXPECT_EQ(answer.json.at("data").at("details").as_object().size(), names.size());
        EXPECT_TRUE(answer.json.at("data").at("error").as_object().empty()) << answer.body;
    }
}

TEST(Health, NobodyHearsWithoutASystemKeyAndNoVersionIsNeeded) {
    const Keys keys(any_machine);
    const std::string any_key = keys.make("default").text();
    const std::string system_key = keys.make("system").text();
    for (const std::string parts : {"database", "aws", "third-party", "instance"}) {
        const std::string path = "/api/system/health/" + parts;
        expect_refused(keys.service.get(path), errors::api_key_required, parts);
        EXPECT_EQ(keys.service.get(path, with_key(any_key)).status, 403U) << parts;
        EXPECT_EQ(keys.service.get(path, with_key(system_key)).status, 200U) << parts;
    }
}

TEST(Health, AnInstanceAboveItsLimitsIsNotWell) {
    const Monitor monitor({{"HEALTH_MEMORY_MAX_IN_MB", "1"}});
    expect_nothing_told(monitor.look("instance"));
    EXPECT_TRUE(monitor.is_well("database"));
    EXPECT_EQ(monitor.service().get("/api/health").status, 200U) << "it can do its work";
}

TEST(Health, AStoreThatIsGoneIsSeen) {
    const Monitor monitor;
    ASSERT_TRUE(monitor.is_well("aws"));
    const auto data = monitor.service().folder() / "data";
    std::filesystem::rename(data / "storage", data / "elsewhere");
    expect_nothing_told(monitor.look("aws"));
    std::filesystem::rename(data / "elsewhere", data / "storage");
    EXPECT_TRUE(monitor.is_well("aws"));
}

TEST(Health, AMailServerThatTakesNothingIsSeen) {
    Monitor monitor({{"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}});
    ASSERT_TRUE(monitor.is_well("aws")) << "nothing was tried";
    const Person ada = monitor.service().make_person();
    monitor.service().post("/api/public/user/password/forgot", {{"email", ada.email}});
    EXPECT_TRUE(eventually([&] { return !monitor.is_well("aws"); }));
    expect_nothing_told(monitor.look("aws"));
}

TEST(Health, TheLogSaysWhyTheLastEmailAndReportFailed) {
    const WorkingFolder folder;
    {
        Monitor monitor(everything_logged(
            {{"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}, {"SENTRY_DSN", "http://k3y@127.0.0.1:1/7"}}));
        const Person ada = monitor.service().make_person();
        monitor.service().post("/api/public/user/password/forgot", {{"email", ada.email}});
        ASSERT_TRUE(eventually([&] { return !monitor.is_well("aws"); }));
        ASSERT_TRUE(eventually([&] { return !monitor.is_well("third-party"); }));
    }
    const std::string log = text_in(folder / "logs/api.log");
    for (const char* reason : {"\"ses: Failed to connect to 127.0.0.1", "\"sentry: Failed to connect to 127.0.0.1"})
        EXPECT_TRUE(log.contains(reason)) << reason;
}

TEST(Health, ReportsOfErrorsThatDoNotArriveAreSeen) {
    const Monitor monitor({{"SENTRY_DSN", "http://k3y@127.0.0.1:1/7"}, {"HEALTH_MEMORY_MAX_IN_MB", "1"}});
    ASSERT_TRUE(monitor.is_well("third-party")) << "nothing was reported";
    ASSERT_FALSE(monitor.is_well("instance")) << "what is reported now";
    EXPECT_TRUE(eventually([&] { return !monitor.is_well("third-party"); }));
    expect_nothing_told(monitor.look("third-party"));
}

TEST(Health, ACacheThatDoesNotAnswerIsSeen) {
    if (!on_shared_engines()) GTEST_SKIP() << "the cache in the process always answers";
    TcpProxy link(port_of(shared_redis_url()));
    const Monitor monitor({{"CACHE_URL", with_port(shared_redis_url(), link.port())}});
    ASSERT_TRUE(monitor.is_well("database"));
    link.refuse();
    expect_nothing_told(monitor.look("database"));
    link.pass();
    EXPECT_TRUE(eventually([&] { return monitor.is_well("database"); }));
}

}  // namespace
}  // namespace consentry::tests
