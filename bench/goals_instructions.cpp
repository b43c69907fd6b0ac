// Instructions per request. Unlike times they are the same on a busy machine, so that a test can guard them.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "callgrind.hpp"
#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {
namespace {

constexpr bool is_dev_build = std::string_view(CONSENTRY_BENCH_BUILD) == "debug";
constexpr double tolerance = 0.03;
// The table says whether a round of a dev build is enough.
constexpr std::size_t rounds_min = is_dev_build ? 1 : 2;
constexpr std::size_t rounds_max = 9;
constexpr std::size_t reads = 60;  // counted requests in a round, of an operation that only reads
constexpr std::size_t writes = 5;  // of one that signs tokens
// Before them, tokens become known and caches warm: not counted.
constexpr std::size_t warm_up_reads = 20;
constexpr std::size_t warm_up_writes = 8;
constexpr double listed_share = 0.01;

struct Operation {
    std::string name;
    std::size_t requests;
    unsigned status;
    std::function<std::string()> next;
    std::function<void(const Answer&)> answered = [](const Answer&) {};
    std::function<void(std::size_t)> prepare = [](std::size_t) {};  // so many requests; not counted
};

// One request after the other on one connection, so that none shares a turn of the loop or a commit with another.
void send_in_turn(const CountedService& service, const Operation& operation, std::size_t requests) {
    std::string sending;
    std::size_t sent = 0;
    const Outcome outcome = run({.port = service.port(),
                                 .connections = 1,
                                 .duration = std::chrono::minutes{5},
                                 .next = [&](std::size_t) -> std::string_view {
                                     if (sent++ == requests) return {};
                                     sending = operation.next();
                                     return sending;
                                 },
                                 .answered = [&](std::size_t, const Answer& answer) { operation.answered(answer); }});
    if (outcome.count(operation.status) != requests)
        throw std::runtime_error(fmt::format("instructions: {}: {} of {} answers have status {}; {}", operation.name,
                                             outcome.count(operation.status), requests, operation.status,
                                             outcome.first_refusal));
}

class Operations {
public:
    Operations(const Stage& stage, const CountedService& service)
        : people_(stage.people()), service_(service), refresh_token_(people_.refreshers.front().refresh_token) {}

    std::vector<Operation> all() {
        const std::string& known = people_.readers.front().access_token;
        const auto get = [&](std::string name, std::string_view path, std::string_view token, unsigned status = 200) {
            return Operation{std::move(name), reads, status, [=] { return get_request(path, token); }};
        };
        return {
            {"POST refresh", writes, 200,
             [this] { return post_request("/api/v1/shared/user/refresh", {}, refresh_token_); },
             [this](const Answer& answer) { refresh_token_ = member(answer.body, "refreshToken"); }},
            get("GET hello", hello_path, {}),
            get("GET 2fa/status", status_path, known),
            {"GET 2fa/status, new token", reads, 200,
             [this] { return get_request(status_path, people_.strangers[stranger_++].access_token); }},
            get("GET session/list", list_path, known),
            get("GET profile", "/api/v1/shared/user/profile", known),
            get("GET forward-auth", "/api/v1/forward-auth", known),
            get("GET without a token", status_path, {}, 401),
            {"POST login, invalid", reads, 422,
             [] { return post_request("/api/v1/public/user/login/credential", R"({"email":"nobody"})"); }},
            {"POST 2fa/verify", writes, 200,
             [this] {
                 const std::size_t i = verified_++;
                 return verification_request(challenges_[i], people_.guarded[i]);
             },
             [](const Answer&) {},
             // Logs them in one after the other, just before, because a challenge lives five minutes.
             [this](std::size_t count) {
                 for (; count > 0; --count)
                     challenges_.emplace_back(
                         member(once(service_.port(), login_request(people_.guarded[challenges_.size()].email)),
                                "challengeToken"));
             }},
        };
    }

private:
    const People& people_;
    const CountedService& service_;
    std::vector<std::string> challenges_;
    std::string refresh_token_;
    std::size_t stranger_ = 0;
    std::size_t verified_ = 0;
};

// Lines of "<operation> | <instructions>"; '#' begins a comment. They were counted in a dev build, as CI makes it.
std::map<std::string, double> expected() {
    std::ifstream in(CONSENTRY_BENCH_INSTRUCTIONS);
    std::map<std::string, double> out;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        const auto bar = line.find(" | ");
        if (bar == std::string::npos) throw std::runtime_error("instructions.txt: cannot read: " + line);
        out[line.substr(0, bar)] = std::stod(line.substr(bar + 3));
    }
    return out;
}

std::string places(const Instructions& cost, double requests) {
    std::vector<std::pair<std::uint64_t, std::string>> sorted;
    sorted.reserve(cost.by_place.size());
    for (const auto& [place, count] : cost.by_place) sorted.emplace_back(count, place);
    std::ranges::sort(sorted, std::greater{});
    std::string out;
    for (const auto& [count_of_place, place] : sorted) {
        if (static_cast<double>(count_of_place) < listed_share * static_cast<double>(cost.all)) break;
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", place,
                           count(static_cast<double>(count_of_place) / requests));
    }
    return out;
}

// What the service does in the background only adds, and on a busy machine, where a round takes longer, it adds more.
// So rounds follow until one costs at most `enough` per request.
Instructions least(CountedService& service, const Operation& operation, double enough) {
    Instructions out{.all = std::numeric_limits<std::uint64_t>::max()};
    const auto is_enough = [&] {
        return static_cast<double>(out.all) <= enough * static_cast<double>(operation.requests);
    };
    for (std::size_t round = 0; round < rounds_min || (round < rounds_max && !is_enough()); ++round) {
        operation.prepare(operation.requests);
        Instructions cost = service.count([&] { send_in_turn(service, operation, operation.requests); });
        if (cost.all < out.all) out = std::move(cost);
    }
    return out;
}

}  // namespace

Crowd instructions_crowd() {
    constexpr std::size_t first_uses = warm_up_reads + rounds_max * reads;
    return {.readers = 1,
            .refreshers = 1,
            .strangers = (first_uses + sessions_per_stranger - 1) / sessions_per_stranger,
            .logins = 0,
            .guarded = warm_up_writes + rounds_max * writes};
}

void measure_instructions(const Stage& stage, Report& report) {
    CountedService service(stage, {{"APP_ENV", "staging"},
                                   {"DOC_ENABLE", "false"},
                                   {"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "8192"},
                                   {"AUTH_PASSWORD_ARGON2_PASSES", "1"}});
    Operations operations(stage, service);
    const auto table = expected();
    for (const Operation& operation : operations.all()) {
        const std::size_t warm_up = operation.requests == writes ? warm_up_writes : warm_up_reads;
        operation.prepare(warm_up);
        send_in_turn(service, operation, warm_up);
        const auto known = table.find(operation.name);
        if (known == table.end()) throw std::runtime_error("instructions.txt lacks " + operation.name);
        const Instructions cost = least(service, operation, known->second * (1 + tolerance));
        const auto requests = static_cast<double>(operation.requests);
        const double each = static_cast<double>(cost.all) / requests;
        const double ratio = each / known->second;
        std::vector<Judged> judged;
        if (is_dev_build)
            judged.push_back(at_most(only(100 * std::abs(ratio - 1)), 100 * tolerance, "% off the table"));
        report.add({.goal = "instructions: " + operation.name,
                    .floor = is_dev_build ? "within 3 % of bench/instructions.txt" : "",
                    .measured = fmt::format("{:.0f}", each),
                    .ratio = is_dev_build ? fmt::format("{:.3f}", ratio) : "",
                    .judged = std::move(judged)});
        report.note(fmt::format("instructions of {}: {}", operation.name, places(cost, requests)));
    }
}

}  // namespace consentry::bench
