// A service whose log up to three witnesses cosign.
#pragma once

#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test_witness.hpp"
#include "tlog/policy.hpp"

namespace consentry::tests {

inline const std::string key_pem = crypto::PrivateKey::from_ed25519_seed(Bytes(32, 5)).value().pem();
inline const tlog::NoteSigner log_signer =
    tlog::NoteSigner::from_seed("log.example.org/consent", tlog::KeyType::ed25519, Bytes(32, 5)).value();
inline const std::string log_line = "log " + log_signer.verifier().text() + "\n";

class Witnesses : public ::testing::Test {
protected:
    // `rest` follows the line of the log.
    void start(const std::string& rest) {
        policy_ = log_line + rest;
        std::ofstream(folder_ / "witnesses.txt") << policy_;
        t_.emplace(Environment{{"CONSENT_LOG_PRIVATE_KEY", key_pem},
                               {"CONSENT_LOG_ORIGIN", "log.example.org"},
                               {"CONSENT_LOG_WITNESSES", (folder_ / "witnesses.txt").string()}});
        publish(service(), "marketing", 1);
    }
    Service& service() { return t_->service; }
    // For the first time: the log takes in the publication, which start() made beside the service.
    void restart(const Environment& settings) {
        service().restart(settings);
        ++entries_;
    }
    // One more entry.
    std::string add() {
        const Answer answer =
            is_accepted_ ? withdraw(service(), t_->token, "marketing") : accept(service(), t_->token, "marketing");
        is_accepted_ = !is_accepted_;
        ++entries_;
        EXPECT_EQ(answer.status, 200U) << answer.body;
        return value_of(service(), "id FROM term_policy_acceptances ORDER BY sequence DESC LIMIT 1");
    }
    void work() { service().work(); }
    std::string shown() { return service().get("/consent-log/checkpoint").body; }
    std::uint64_t size_shown() {
        const auto opened = tlog::open_checkpoint(shown(), log_signer.verifier());
        EXPECT_TRUE(opened) << opened.error();
        return opened ? opened->checkpoint.size : 0;
    }
    std::size_t cosignatures() {
        const auto note = tlog::parse_note(shown());
        return note ? note->signatures.size() - 1 : 0;
    }
    // The service's own rounds may be under way meanwhile, so a test waits for what they lead to.
    bool comes_to(std::uint64_t size, std::size_t cosigned) {
        return is_soon([&] { return size_shown() == size && cosignatures() == cosigned; });
    }
    bool is_soon(const std::function<bool()>& condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        do {
            work();
            if (condition()) return true;
        } while (std::chrono::steady_clock::now() < deadline);
        return false;
    }
    // Whether verifiers with the policy of the installation accept the text.
    bool is_accepted(const std::string& checkpoint) {
        return tlog::Policy::parse(policy_)->accept(checkpoint).has_value();
    }

    const TempFolder folder_;
    std::vector<tlog::VerifierKey> logs_{log_signer.verifier()};
    TestWitness one_{"one.example.org", 11, logs_};
    TestWitness two_{"two.example.org", 12, logs_};
    TestWitness three_{"three.example.org", 13, logs_};
    std::optional<Signed> t_;
    std::string policy_;
    bool is_accepted_ = false;
    std::uint64_t entries_ = 0;
};

}  // namespace consentry::tests
