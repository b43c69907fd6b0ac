// The owner of one account who works without a pause, and knows what must hold of what was acknowledged.
//
// One request after the other, at any instance. Where one is answered 503 the same is asked again until the answer is
// definite, as a client would; so at the end only logins whose answers never came leave anything open: sessions that
// nobody has the tokens of, and backup codes that may be spent.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "instances/fleet.hpp"

namespace consentry::tests {

class LoadClient {
public:
    // Where to send request `number`, and the answer; may try another instance where that is fit.
    using Sender = std::function<Answer(std::size_t number, const std::function<Answer(const HttpClient&)>& request)>;
    struct Options {
        // The cache may lose what it holds: challenges are gone then, and their codes are not spent.
        bool cache_forgets = false;
    };

    LoadClient(Sender sender, Account account, Tokens tokens, unsigned seed, Options options);

    // Until it is stopped, or the test has failed.
    void work(const std::stop_token& stop);
    // Everything stands that was acknowledged. `number` asks the database.
    void check(const std::function<int(const std::string&)>& number);

    std::size_t acknowledged() const { return acknowledged_; }
    std::size_t unavailable() const { return unavailable_; }

private:
    Answer ask(const std::function<Answer(const HttpClient&)>& request);
    // Until the answer is another than 503; `unsure` tells how often it was not.
    Answer ask_until_definite(const std::function<Answer(const HttpClient&)>& request, int& unsure);
    void enter();
    void verify_once(const std::string& challenge);
    void refresh_any();
    void log_out_any();
    void knock_any();
    std::size_t any(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }
    bool has_two_factor() const { return !account_.secret.empty(); }

    const Sender sender_;
    const Options options_;
    Account account_;
    std::mt19937 random_;
    std::stop_token stop_;
    std::vector<Tokens> live_;
    std::vector<Tokens> dead_;
    std::vector<std::string> spent_;   // backup codes
    std::vector<std::string> unsure_;  // that may be spent
    int unsure_sessions_ = 0;
    std::atomic<std::size_t> acknowledged_ = 0;
    std::atomic<std::size_t> unavailable_ = 0;
};

// Some of them, each on a thread of its own; every second one with two-factor on.
class Load {
public:
    // The accounts are made at `fleet`.
    Load(const LoadClient::Sender& sender, Fleet& fleet, std::size_t clients, unsigned seed,
         LoadClient::Options options = {});

    void begin();
    // Until so many more requests were acknowledged, or the test has failed.
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
