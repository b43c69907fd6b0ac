#include "features/system/health.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/process.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

constexpr std::int64_t mebibyte = 1024 * 1024;

// Checks parts one after another. Details of failures are for the operator; the client learns only that something
// failed.
class Checkup {
public:
    storage::awaitable<HealthCheck> reach(std::string_view part, storage::awaitable<void> ping) {
        std::string why;
        try {
            co_await std::move(ping);
            co_return HealthCheck{};
        } catch (const Unavailable& outage) {
            why = outage.what();
        }
        co_return note(part, false, std::move(why));
    }
    HealthCheck note(std::string_view part, bool is_well, std::string message) {
        if (!is_well) troubles_ += fmt::format("{}{}: {}", troubles_.empty() ? "" : "; ", part, message);
        return {.status = is_well ? HealthState::up : HealthState::down, .message = std::move(message)};
    }
    HealthCheck note(std::string_view part, std::string trouble) {
        if (trouble.empty()) return {};
        return note(part, false, std::move(trouble));
    }

    template <class Checks>
    HealthReport<Checks> report(const Checks& checks) const {
        if (!troubles_.empty()) throw Unavailable(troubles_);
        return {.info = checks, .details = checks};
    }

private:
    std::string troubles_;
};

}  // namespace

storage::awaitable<Result<HealthReport<DatabaseChecks>>> Health::database() {
    Checkup checkup;
    DatabaseChecks checks;
    checks.database = co_await checkup.reach("database", parts_.database.ping());
    checks.redis = co_await checkup.reach("redis", parts_.cache.ping());
    co_return checkup.report(checks);
}

storage::awaitable<Result<HealthReport<AwsChecks>>> Health::aws() {
    using enum storage::Area;
    Checkup checkup;
    AwsChecks checks;
    checks.s3_public_bucket = co_await checkup.reach("s3PublicBucket", parts_.object_store.ping(public_area));
    checks.s3_private_bucket = co_await checkup.reach("s3PrivateBucket", parts_.object_store.ping(private_area));
    checks.ses = checkup.note("ses", parts_.mail_trouble());
    co_return checkup.report(checks);
}

storage::awaitable<Result<HealthReport<ThirdPartyChecks>>> Health::third_party() {
    Checkup checkup;
    co_return checkup.report(ThirdPartyChecks{.sentry = checkup.note("sentry", parts_.error_report_trouble())});
}

storage::awaitable<Result<HealthReport<InstanceChecks>>> Health::instance() {
    // Run on a worker, because the folder may be on a network file system.
    const auto [resident, heap, disk] = co_await parts_.workers.run(
        [this] { return std::array{resident_bytes(), heap_bytes(), disk_percent_used(folder_)}; });
    Checkup checkup;
    const auto memory = [&](std::string_view part, std::int64_t bytes) {
        return checkup.note(part, bytes <= limits_.memory_bytes_max,
                            fmt::format("{} of {} MiB", bytes / mebibyte, limits_.memory_bytes_max / mebibyte));
    };
    InstanceChecks checks;
    checks.memory_rss = memory("memoryRss", resident);
    checks.memory_heap = memory("memoryHeap", heap);
    checks.storage = checkup.note("storage", disk <= limits_.disk_percent_max,
                                  fmt::format("{} % used, limit {} %", disk, limits_.disk_percent_max));
    co_return checkup.report(checks);
}

void add_health_endpoints(http::Router& router, Health& health) {
    router.get("/system/health/database")
        .unversioned()
        .id("checkDatabaseHealth")
        .tag("system")
        .says("Check database and cache")
        .describes("Returns 503 if either does not respond; the log (`LOGGER_ENABLE=true`) names it.")
        .message("health.checkDatabase")
        .with_system_key()
        .handled_by([&health] { return health.database(); });

    router.get("/system/health/aws")
        .unversioned()
        .id("checkAwsHealth")
        .tag("system")
        .says("Check file storage and mail")
        .describes(
            "The names are those of Amazon's services, but the check covers whatever `STORAGE_URL` and `MAIL_URL` "
            "name. Answers 503 if a store does not respond or no mail server accepted the last mail; the log "
            "(`LOGGER_ENABLE=true`) names the failure.")
        .message("health.checkAws")
        .with_system_key()
        .handled_by([&health] { return health.aws(); });

    router.get("/system/health/third-party")
        .unversioned()
        .id("checkThirdPartyHealth")
        .tag("system")
        .says("Check error tracking")
        .describes(
            "Answers 503 if the last report did not reach `SENTRY_DSN`. Without that setting the check always "
            "succeeds.")
        .message("health.checkThirdParty")
        .with_system_key()
        .handled_by([&health] { return health.third_party(); });

    router.get("/system/health/instance")
        .unversioned()
        .id("checkInstanceHealth")
        .tag("system")
        .says("Check memory and disk of this instance")
        .describes(
            "Returns 503 above `HEALTH_MEMORY_MAX_IN_MB` or `HEALTH_DISK_MAX_IN_PERCENT`; the log "
            "(`LOGGER_ENABLE=true`) names which.")
        .message("health.checkInstance")
        .with_system_key()
        .handled_by([&health] { return health.instance(); });
}

}  // namespace consentry
