#include <span>

#include <fmt/format.h>

#include "crypto/password_engine.hpp"
#include "crypto/password_hash.hpp"
#include "crypto/signature_keys.hpp"
#include "crypto/totp.hpp"
#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {
namespace {

constexpr std::size_t login_connections = 32;
constexpr std::size_t factor_connections = 64;

// How the service signs tokens. ES512, the default of refresh tokens, is the larger part of the work of both goals.
struct TokenKeys {
    std::string_view name;
    crypto::SignatureAlgorithm refresh;
    Environment settings = {};
};
std::vector<TokenKeys> token_keys() {
    using enum crypto::SignatureAlgorithm;
    return {{"", es512},
            {", ES256 for both tokens",
             es256,
             {{"AUTH_JWT_REFRESH_TOKEN_ALGORITHM", "ES256"}, {"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", new_key(es256)}}}};
}

// Signing a pair of tokens and nothing else: the most that verifications and refreshes can reach.
class PairSigner {
public:
    explicit PairSigner(const TokenKeys& keys) : refresh_(crypto::PrivateKey::generate(keys.refresh)) {}

    Pace pace(const Stage& stage) const {
        return pace_of(stage.threads(), stage.length().window / 2, [this](std::size_t) {
            access_.sign(input_);
            refresh_.sign(input_);
        });
    }

private:
    crypto::PrivateKey access_ = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256);
    crypto::PrivateKey refresh_;
    std::string input_ = std::string(500, 'x');
};

// What the service is compared with, round by round.
struct Limit {
    std::vector<double> per_second = {};
    std::vector<double> per_cpu_second = {};

    void add(const Pace& pace) {
        per_second.push_back(pace.per_second);
        per_cpu_second.push_back(pace.per_cpu_second);
    }
    std::string text() const {
        return fmt::format("{}/s, {}/cpu-s", count(spread(per_second).median), count(spread(per_cpu_second).median));
    }
};

struct Figures {
    std::vector<double> per_second = {};
    std::vector<double> per_cpu_second = {};
    std::vector<double> p50_ms = {};
    std::vector<double> p99_ms = {};

    // Runs the load and keeps what it came to.
    void measure(const Server& server, const Load& load) {
        const double before = server.child->cpu_seconds();
        const Outcome outcome = run(load);
        outcome.all_well();
        per_second.push_back(outcome.per_second());
        per_cpu_second.push_back(static_cast<double>(outcome.count(200)) / (server.child->cpu_seconds() - before));
        p50_ms.push_back(outcome.latencies(200).milliseconds(0.5));
        p99_ms.push_back(outcome.latencies(200).milliseconds(0.99));
    }
    std::string text() const {
        return fmt::format("{}/s, {}/cpu-s, p50 {:.1f} ms, p99 {:.1f} ms", count(spread(per_second).median),
                           count(spread(per_cpu_second).median), spread(p50_ms).median, spread(p99_ms).median);
    }
};

std::string ratios(const Figures& ours, const Limit& limit) {
    return fmt::format("{}; per cpu-s {}", text(ratio(ours.per_second, limit.per_second), 2),
                       text(ratio(ours.per_cpu_second, limit.per_cpu_second), 2));
}

// Logs all of them in up to the challenge; in the order of `people`.
std::vector<std::string> challenges_of(const Server& server, std::span<const Guarded> people) {
    std::vector<std::string> requests;
    for (const Guarded& one : people) requests.push_back(login_request(one.email));
    std::vector<std::string> challenges(people.size());
    std::vector<std::size_t> asked(login_connections);  // by connection: for whom
    std::size_t next = 0;
    run({.port = server.port,
         .connections = login_connections,
         .duration = std::chrono::minutes{4},
         .next = [&](std::size_t connection) -> std::string_view {
             if (next == requests.size()) return {};
             asked[connection] = next;
             return requests[next++];
         },
         .answered =
             [&](std::size_t connection, const Answer& answer) {
                 if (answer.status == 200) challenges[asked[connection]] = member(answer.body, "challengeToken");
             }})
        .all_well();
    return challenges;
}

}  // namespace

std::string login_request(const std::string& email) {
    return post_request("/api/v1/public/user/login/credential",
                        fmt::format(R"({{"email":"{}","password":"{}","from":"website"}})", email, password));
}

std::string verification_request(const std::string& challenge, const Guarded& person) {
    const auto step = static_cast<std::uint64_t>(crypto::totp_step(SystemClock().now(), {}));
    return post_request(
        "/api/v1/public/user/login/2fa/verify",
        fmt::format(R"({{"challengeToken":"{}","code":"{}"}})", challenge, crypto::hotp(person.secret, step, 6)));
}

LoginRequests::LoginRequests(const Stage& stage, std::string_view address) {
    for (const std::string& email : stage.people().logins) {
        std::string& request = requests_.emplace_back(login_request(email));
        if (!address.empty()) request.insert(request.find("\r\n") + 2, fmt::format("X-Forwarded-For: {}\r\n", address));
    }
}

void measure_logins(const Stage& stage, Report& report) {
    constexpr double floor = 0.90;
    const crypto::Argon2Settings settings;
    const std::string hash = crypto::hash_password(password, settings);
    const Server service = stage.serve();
    LoginRequests logins(stage);
    Limit hashes;
    Figures figures;
    for (int round = 0; round < stage.length().rounds; ++round) {
        hashes.add(pace_of(stage.threads(), stage.length().window, [&](std::size_t) {
            crypto::keep_password_memory(settings.memory_kib);  // as the service's threads do
            crypto::verify_password(password, hash, settings);
        }));
        figures.measure(service, {.port = service.port,
                                  .connections = login_connections,
                                  .duration = stage.length().window,
                                  .next = [&](std::size_t) { return logins.next(); }});
    }
    report.add({.goal = fmt::format("4 Login with password, {} connections", login_connections),
                .floor = "0.90 x hashing alone, per second and per cpu-s",
                .measured = figures.text(),
                .ratio = ratios(figures, hashes),
                .judged = {at_least(ratio(figures.per_second, hashes.per_second), floor, "x hashing alone, per second"),
                           at_least(ratio(figures.per_cpu_second, hashes.per_cpu_second), floor,
                                    "x hashing alone, per cpu-s")}});
    report.note(fmt::format("Argon2id (m={} KiB, t={}) alone on {} threads: {}", settings.memory_kib, settings.passes,
                            stage.threads(), hashes.text()));
}

namespace {

// Each code works once: no account in `left` may have used its code.
void measure_verifications_with(const TokenKeys& keys, std::span<const Guarded> left, const Stage& stage,
                                Report& report) {
    constexpr double floor = 1'525;  // 1,500/s, and five times the 305/s of the best rival known
    // The challenges come from logins, which here only get ready what is measured: with the cheapest hash allowed.
    Environment settings{{"APP_ENV", "staging"},
                         {"DOC_ENABLE", "false"},
                         {"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "8192"},
                         {"AUTH_PASSWORD_ARGON2_PASSES", "1"}};
    settings.insert(keys.settings.begin(), keys.settings.end());
    const Server service = stage.serve(settings);
    const PairSigner signer(keys);
    Limit pairs;
    Figures figures;
    while (figures.per_second.size() < static_cast<std::size_t>(stage.length().rounds) &&
           left.size() >= stage.length().verifications) {
        const auto people = left.first(stage.length().verifications);
        left = left.subspan(people.size());
        const auto challenges = challenges_of(service, people);
        pairs.add(signer.pace(stage));
        std::vector<std::string> sending(factor_connections);
        std::size_t next = 0;
        figures.measure(service, {.port = service.port,
                                  .connections = factor_connections,
                                  .duration = std::chrono::minutes{1},
                                  .next = [&](std::size_t connection) -> std::string_view {
                                      if (next == people.size()) return {};
                                      sending[connection] = verification_request(challenges[next], people[next]);
                                      ++next;
                                      return sending[connection];
                                  }});
    }
    report.add({.goal = fmt::format("5 Second-factor verification, durable, {} connections, {}{}", factor_connections,
                                    stage.engines(), keys.name),
                .floor = "1,525/s",
                .measured = figures.text(),
                .ratio = "relative to signing alone: " + ratios(figures, pairs),
                .judged = {at_least(spread(figures.per_second), floor, "per second")}});
    report.note(fmt::format("goal 5, {}{}: signing pairs alone on {} threads: {}", stage.engines(), keys.name,
                            stage.threads(), pairs.text()));
}

void measure_refreshes_with(const TokenKeys& keys, const Stage& stage, Report& report) {
    constexpr double floor = 2'000;
    const Server service = stage.serve(keys.settings);
    const PairSigner signer(keys);
    Limit pairs;
    Figures figures;
    std::vector<std::string> sending;  // by connection: a chain, each link the answer to the one before
    const auto refresh = [](std::string_view body) {
        return post_request("/api/v1/shared/user/refresh", {}, member(body, "refreshToken"));
    };
    for (const std::string& email : std::span(stage.people().logins).first(refresh_chains))
        sending.push_back(refresh(once(service.port, login_request(email))));
    for (int round = 0; round < stage.length().rounds; ++round) {
        pairs.add(signer.pace(stage));
        figures.measure(service, {.port = service.port,
                                  .connections = sending.size(),
                                  .duration = stage.length().window,
                                  .next = [&](std::size_t chain) { return std::string_view(sending[chain]); },
                                  .answered =
                                      [&](std::size_t chain, const Answer& answer) {
                                          if (answer.status == 200) sending[chain] = refresh(answer.body);
                                      }});
    }
    report.add({.goal = fmt::format("6 Refresh, durable, {} chains, {}{}", refresh_chains, stage.engines(), keys.name),
                .floor = "2,000/s",
                .measured = figures.text(),
                .ratio = "relative to signing alone: " + ratios(figures, pairs),
                .judged = {at_least(spread(figures.per_second), floor, "per second")}});
}

}  // namespace

void measure_verifications(const Stage& stage, Report& report) {
    const auto all_keys = token_keys();
    std::span<const Guarded> left = stage.people().guarded;
    const std::size_t share = left.size() / all_keys.size();
    for (const TokenKeys& keys : all_keys) {
        measure_verifications_with(keys, left.first(share), stage, report);
        left = left.subspan(share);
    }
}

void measure_refreshes(const Stage& stage, Report& report) {
    for (const TokenKeys& keys : token_keys()) measure_refreshes_with(keys, stage, report);
}

}  // namespace consentry::bench
