#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "goals.hpp"
#include "masses.hpp"
#include "side.hpp"

namespace consentry::bench {
namespace {

// The same number at every size, and fewer than those whose signature the service remembers: what is compared is the
// storage.
constexpr std::size_t readers = 5'000;
constexpr std::size_t connections = 48;  // which one to four instances share evenly
constexpr std::size_t instances_max = 4;

// Requests in an order that several generators share. Each only once, or again from the beginning.
class Requests {
public:
    enum class Use : std::uint8_t { once, again };
    Requests(std::vector<std::string> texts, Use use) : texts_(std::move(texts)), use_(use) {}

    std::size_t count() const { return texts_.size(); }
    std::span<const std::string> texts() const { return texts_; }
    // Ends after so many more.
    void allow(std::size_t more) { end_ = next_ + more; }
    std::string_view next() {
        const std::size_t mine = next_.fetch_add(1);
        if (use_ == Use::again) return texts_[mine % texts_.size()];
        return mine < std::min(end_, texts_.size()) ? std::string_view(texts_[mine]) : std::string_view();
    }

private:
    std::vector<std::string> texts_;
    Use use_;
    std::atomic<std::size_t> next_ = 0;
    std::size_t end_ = 0;
};

// Of one request, in microseconds of processor time.
struct Costs {
    std::vector<double> service;
    std::vector<double> database;
};

double cpu_seconds_of(std::span<const Server> instances) {
    double sum = 0;
    for (const Server& one : instances) sum += one.child->cpu_seconds();
    return sum;
}

// The connections spread over the instances. Returns the number of answers.
std::size_t ask(std::span<const Server> instances, Requests& requests, std::chrono::nanoseconds duration) {
    std::atomic<std::size_t> answered = 0;
    std::vector<std::exception_ptr> failures(instances.size());
    {
        std::vector<std::jthread> generators;
        generators.reserve(instances.size());
        for (std::size_t i = 0; i < instances.size(); ++i)
            generators.emplace_back([&, i] {
                try {
                    answered += run({.port = instances[i].port,
                                     .connections = connections / instances.size(),
                                     .duration = duration,
                                     .next = [&](std::size_t) { return requests.next(); }})
                                    .all_well()
                                    .count(200);
                } catch (...) {
                    failures[i] = std::current_exception();
                }
            });
    }
    for (const auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
    return answered;
}

// So that each instance knows the signature of each token, and the cache has its session.
void use_each_token(std::span<const Server> instances, const Requests& requests) {
    for (const Server& one : instances) {
        Requests all({requests.texts().begin(), requests.texts().end()}, Requests::Use::once);
        all.allow(all.count());
        ask({&one, 1}, all, std::chrono::minutes{5});
    }
}

// Returns the number of answers.
std::size_t measure(const Stage& stage, std::span<const Server> instances, Requests& requests, Costs& costs) {
    const double service_before = cpu_seconds_of(instances);
    const double database_before = stage.servers()->database_cpu_seconds();
    const std::size_t answered = ask(instances, requests, stage.length().window);
    const double per_request = 1e6 / static_cast<double>(answered);
    costs.service.push_back((cpu_seconds_of(instances) - service_before) * per_request);
    costs.database.push_back((stage.servers()->database_cpu_seconds() - database_before) * per_request);
    return answered;
}

// A service over a database of a certain size.
class Population {
public:
    Population(const Stage& stage, std::size_t number, const Masses& masses)
        : stage_(stage),
          database_(stage, fmt::format("scale_{}", number), static_cast<int>(number) + 1, masses, 2 * readers),
          reads_(authenticated(status_path, tokens().first(readers)), Requests::Use::again),
          refreshes_(refreshes(), Requests::Use::once) {}

    double users() const { return static_cast<double>(database_.masses().users); }
    const std::string& database_name() const { return database_.name(); }
    Requests& reads() { return reads_; }

    Server serve() const { return stage_.serve(database_.settings()); }
    void start() {
        service_.push_back(serve());
        use_each_token(service_, reads_);
    }
    void stop() { service_.clear(); }
    void measure_round() {
        measure(stage_, service_, reads_, read_costs_);
        refreshes_.allow(refreshes_.count() / static_cast<std::size_t>(stage_.length().rounds));
        measure(stage_, service_, refreshes_, refresh_costs_);
    }
    const Costs& read_costs() const { return read_costs_; }
    const Costs& refresh_costs() const { return refresh_costs_; }

private:
    std::span<const TokenPair> tokens() const { return database_.tokens(); }
    std::vector<std::string> refreshes() const {
        std::vector<std::string> out;
        for (const TokenPair& pair : tokens().subspan(readers))
            out.push_back(post_request("/api/v1/shared/user/refresh", {}, pair.refresh_token));
        return out;
    }

    const Stage& stage_;
    MassDatabase database_;
    Requests reads_;
    Requests refreshes_;
    std::vector<Server> service_;
    Costs read_costs_;
    Costs refresh_costs_;
};

void report_sizes(const std::deque<Population>& populations, Report& report) {
    Curve curve{.title = "Processor time per request by number of accounts, with ten sessions each",
                .x = "accounts",
                .unit = "us",
                .lines = {{"GET 2fa/status: service"},
                          {"GET 2fa/status: PostgreSQL"},
                          {"refresh: service"},
                          {"refresh: PostgreSQL"}}};
    for (const Population& one : populations) {
        const std::array costs{one.read_costs().service, one.read_costs().database, one.refresh_costs().service,
                               one.refresh_costs().database};
        for (std::size_t i = 0; i < costs.size(); ++i) curve.lines[i].points.push_back({one.users(), spread(costs[i])});
    }
    report.add(std::move(curve));
    report.note(
        "scale: refresh tokens are signed with ES256, and the service verifies each, because the database was filled "
        "without the digests by which it knows its own; what grows with the number of accounts is the storage");

    constexpr double limit = 1.18;  // 0.85 of the requests for the same processor time
    const Population& few = populations.front();
    const Population& many = populations.back();
    const Spread reads = ratio(many.read_costs().service, few.read_costs().service);
    const Spread refreshes = ratio(many.refresh_costs().service, few.refresh_costs().service);
    report.add(
        {.goal = fmt::format("scale: processor time of the service per request with {} accounts", count(many.users())),
         .floor = fmt::format("1.18 x with {}", count(few.users())),
         .measured = fmt::format("GET 2fa/status {} x, refresh {} x", text(reads, 2), text(refreshes, 2)),
         .judged = {at_most(reads, limit, "x with few, GET 2fa/status"),
                    at_most(refreshes, limit, "x with few, refresh")}});
}

// All on one database, with the same number of connections altogether.
void report_instances(const Stage& stage, Population& population, Report& report) {
    Curve times{.title = "Processor time per GET 2fa/status by number of instances",
                .x = "instances",
                .unit = "us",
                .lines = {{"all instances"}, {"PostgreSQL"}}};
    Curve statements{.title = "PostgreSQL statements per GET 2fa/status by number of instances",
                     .x = "instances",
                     .unit = "statements",
                     .lines = {{"all instances"}}};
    for (std::size_t number = 1; number <= instances_max; ++number) {
        const auto start = [&] {
            std::vector<Server> instances;
            instances.reserve(number);
            for (std::size_t i = 0; i < number; ++i) instances.push_back(population.serve());
            use_each_token(instances, population.reads());
            return instances;
        };
        Costs costs;
        std::size_t answered = 0;
        // A statement that reads is a transaction of its own. What the starts and the first requests take is left out.
        const std::string& database = population.database_name();
        const std::int64_t before = stage.servers()->committed_during(database, [&] { start(); });
        const std::int64_t with_rounds = stage.servers()->committed_during(database, [&] {
            const std::vector<Server> instances = start();
            for (int round = 0; round < stage.length().rounds; ++round)
                answered += measure(stage, instances, population.reads(), costs);
        });
        const auto done = static_cast<double>(with_rounds - before);
        const auto x = static_cast<double>(number);
        times.lines[0].points.push_back({x, spread(costs.service)});
        times.lines[1].points.push_back({x, spread(costs.database)});
        statements.lines[0].points.push_back({x, only(done / static_cast<double>(answered))});
    }
    report.add(std::move(times));
    report.add(std::move(statements));
}

}  // namespace

void measure_scale(const Stage& stage, Report& report) {
    std::deque<Population> populations;  // which stay where they are
    for (const Masses& masses : stage.length().populations) {
        fmt::print(stderr, "Writing {} sessions...\n", count(static_cast<double>(masses.sessions)));
        populations.emplace_back(stage, populations.size(), masses);
    }
    for (Population& one : populations) one.start();
    for (int round = 0; round < stage.length().rounds; ++round)
        for (Population& one : populations) one.measure_round();
    for (Population& one : populations) one.stop();
    report_sizes(populations, report);
    report_instances(stage, populations.front(), report);
}

}  // namespace consentry::bench
