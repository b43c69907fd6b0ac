#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "app/doctor/checks.hpp"
#include "app/engines.hpp"
#include "base/error.hpp"
#include "base/run_to_end.hpp"
#include "base/strict_json.hpp"
#include "crypto/key_set.hpp"
#include "net/http_client.hpp"

namespace consentry {
namespace {

using std::chrono::steady_clock;

constexpr int tries = 5;
constexpr double slow_database_ms = 20;
constexpr double slow_cache_ms = 20;
constexpr double slow_store_ms = 500;
constexpr double slow_provider_ms = 2'000;
constexpr milliseconds clock_apart{1'000};
constexpr milliseconds clock_far_apart{10'000};
constexpr milliseconds patience{5'000};

double time_of(const std::function<void()>& work) {
    const auto begun = steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(steady_clock::now() - begun).count();
}

// The median: the first call also connects.
double usual_time_of(const std::function<void()>& work) {
    std::vector<double> times;
    times.reserve(tries);
    for (int i = 0; i < tries; ++i) times.push_back(time_of(work));
    std::ranges::sort(times);
    return times[tries / 2];
}

void tell_speed(const std::string& subject, double ms, double slow_ms, std::string advice, Findings& findings) {
    const std::string text = fmt::format("answers in {:.1f} ms", ms);
    if (ms > slow_ms)
        findings.warn(subject, text, std::move(advice));
    else
        findings.ok(subject, text);
}

// Runs an examination; a server that fails meanwhile is a finding.
void guarded(const std::string& subject, Findings& findings, const std::function<void()>& examine) {
    try {
        examine();
    } catch (const std::exception& error) {
        findings.error(subject, error.what(), "Check that the server runs, and that this machine can reach it.");
    }
}

void examine_provider(const char* name, const SocialProviderConfig& provider, const std::string& ca_file,
                      Findings& findings) {
    if (provider.client_ids.empty()) return;
    const std::string subject = fmt::format("login with {}", name);
    try {
        net::HttpClient client({.ca_file = ca_file});
        net::HttpResponse answer;
        const double ms = time_of([&] { answer = client.fetch({.url = provider.jwks_uri, .timeout = patience}); });
        const auto keys = parse_strict_json(answer.body);
        if (answer.status != 200 || !keys || !keys->is_object() || !crypto::KeySet::from_jwks(keys->as_object()))
            return findings.error(subject,
                                  fmt::format("{} does not return keys (status {})", provider.jwks_uri, answer.status),
                                  "Check the address of the provider's keys.");
        tell_speed(subject, ms, slow_provider_ms,
                   "Logins wait for this server when its keys change; check your connection to it.", findings);
    } catch (const Unavailable& outage) {
        findings.error(subject, fmt::format("{}: {}", provider.jwks_uri, outage.what()),
                       "Allow the service to reach this address, or remove the provider from the settings.");
    }
}

}  // namespace

void examine_database(storage::Database& database, asio::io_context& context, const Clock& clock, Findings& findings) {
    guarded("database", findings, [&] {
        const double ms = usual_time_of([&] { run_to_end(context, database.ping()); });
        tell_speed("database", ms, slow_database_ms,
                   "Every request uses the database: move it closer, or find out what slows it down.", findings);
        const TimePoint asked_at = clock.now();
        const auto server = run_to_end(context, database.server_time());
        if (!server) return;
        const auto apart = clock.now() - *server - (clock.now() - asked_at) / 2;
        const std::string text = fmt::format("differs by {} ms from that of the database", std::abs(apart.count()));
        const char* advice = "Synchronize the clocks of all machines, for example with chrony.";
        if (std::chrono::abs(apart) > clock_far_apart)
            findings.error("clock", text, advice);
        else if (std::chrono::abs(apart) > clock_apart)
            findings.warn("clock", text, advice);
        else
            findings.ok("clock", text);
    });
}

void examine_other_servers(const Config& config, asio::io_context& context, Findings& findings) {
    if (!config.cache.url.empty())
        guarded("cache", findings, [&] {
            const auto cache = connect_cache(config);
            const double ms = usual_time_of([&] { run_to_end(context, cache->ping()); });
            tell_speed("cache", ms, slow_cache_ms, "Every request uses the cache: move it closer.", findings);
        });
    if (!object_folder(config))
        guarded("object store", findings, [&] {
            const auto store = connect_object_store(config);
            const double ms = usual_time_of([&] { run_to_end(context, store->ping(storage::Area::public_area)); });
            tell_speed("object store", ms, slow_store_ms, "Texts of policies are slow to load; choose a region nearby.",
                       findings);
        });
    examine_provider("Google", config.social.google, config.social.ca_file, findings);
    examine_provider("Apple", config.social.apple, config.social.ca_file, findings);
}

std::string local_url(const Config& config) {
    std::string host = config.http.host;
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    if (host.contains(':')) host = "[" + host + "]";
    return fmt::format("http://{}:{}", host, config.http.port);
}

void examine_service(const Config& config, Findings& findings) {
    const std::string url = local_url(config) + config.http.global_prefix + "/health/ready";
    try {
        net::HttpClient client({.plain_http = true, .is_direct = true});
        net::HttpResponse answer;
        const double ms = time_of([&] { answer = client.fetch({.url = url, .timeout = patience}); });
        if (answer.status == 200)
            findings.ok("service", fmt::format("{} answers in {:.1f} ms", url, ms));
        else
            findings.error("service", fmt::format("{} answers {}", url, answer.status),
                           "Read its log: it names the part that fails.");
    } catch (const Unavailable&) {
        findings.warn("service", fmt::format("does not answer at {}", url),
                      "Start it if it should run on this machine.");
    }
}

}  // namespace consentry
