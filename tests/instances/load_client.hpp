// A client that works on one account all the time and checks that everything acknowledged holds.
//
// It sends one request after another, to any instance. If a change is answered 503, the client repeats it until the
// answer is definite. At the end, only unanswered logins leave anything uncertain: sessions whose tokens were never
// received, and backup codes that may be spent.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/instances/fleet.hpp"

namespace consentry::tests {

class LoadClient {
public:
    // Sends request `number` to an instance of its choice and returns the answer. May try another instance if that is
    // safe.
    using Sender = std::function<Answer(std::size_t number, const std::function<Answer(const HttpClient&)>& request)>;
    struct Options {
        // The cache may lose its contents. Challenges are then gone, and their codes are not spent.
        bool cache_forgets = false;
    };

    LoadClient(Sender sender, Person person, TokenTexts tokens, unsigned seed, Options options);

    // Works until stopped or until the test has failed.
    void work(const std::stop_token& stop);
    // Checks that everything acknowledged holds. `number` queries the database.
    void check(const std::function<int(const std::string&)>& number);

    std::size_t acknowledged() const { return acknowledged_; }
    std::size_t unavailable() const { return unavailable_; }

private:
    Answer ask(const std::function<Answer(const HttpClient&)>& request);
    // Repeats the request until the answer is not 503, and counts the answers with 503 in `unsure`.
    Answer ask_until_definite(const std::function<Answer(const HttpClient&)>& request, int& unsure);
    void enter();
    void verify_once(const std::string& challenge);
    void refresh_any();
    void log_out_any();
    void knock_any();
    std::size_t any(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }
    bool has_two_factor() const { return !person_.secret.empty(); }

    const Sender sender_;
    const Options options_;
    Person person_;
    std::mt19937 random_;
    std::stop_token stop_;
    std::vector<TokenTexts> live_;
    std::vector<TokenTexts> dead_;
    std::vector<std::string> spent_;   // spent backup codes
    std::vector<std::string> unsure_;  // backup codes that may be spent
    int unsure_sessions_ = 0;
    std::atomic<std::size_t> acknowledged_ = 0;
    std::atomic<std::size_t> unavailable_ = 0;
};

// Several clients, each with its own thread. Every second one has two-factor on.
class Load {
public:
    // Creates the accounts at `fleet`.
    Load(const LoadClient::Sender& sender, Fleet& fleet, std::size_t clients, unsigned seed,
         LoadClient::Options options = {});

    void begin();
    // Waits until this many more requests have been acknowledged or the test has failed.
    void wait_for(std::size_t more) const;
    void end() { working_.clear(); }
    void check(const std::function<int(const std::string&)>& number);

    std::size_t acknowledged() const;
    std::size_t unavailable() const;

private:
    std::vector<std::unique_ptr<LoadClient>> clients_;
    std::vector<std::jthread> working_;
};

}  // namespace consentry::tests
