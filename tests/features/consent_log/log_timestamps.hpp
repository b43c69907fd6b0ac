// A service whose log a timestamp authority stamps.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/features/consent_proof/log_calls.hpp"
#include "tests/support/timestamp_authority.hpp"

namespace consentry::tests {

class LogTimestamps : public ::testing::Test {
protected:
    LogTimestamps() {
        const std::string policy = publish(t_.service, "marketing", 1);
        // As if the log had the publication: the positions in these tests count what users do.
        t_.service.sql("INSERT INTO log_entries (id, log, entry) VALUES ('" + policy + "', 'none', " +
                       t_.service.literal(Bytes{}) + ")");
    }
    void add() {
        const std::string token = t_.service.tokens_of(t_.person).access;  // the former one has expired
        const Answer answer =
            is_accepted_ ? withdraw(t_.service, token, "marketing") : accept(t_.service, token, "marketing");
        is_accepted_ = !is_accepted_;
        EXPECT_EQ(answer.status, 200U) << answer.body;
    }
    // Publishes, and has stamped what is due. Returns why it failed.
    std::string work() {
        std::string out;
        for (const TaskTrouble& trouble : run(t_.service.app().services().clean_up())) out += trouble.reason + "\n";
        return out;
    }
    // Why no stamp was kept that was due. The service's own round may be trying just then, so a former reason may come
    // before the one that `says`.
    std::string refusal(std::string_view says) {
        std::string out;
        for (int i = 0; i < 5 && !out.contains(says); ++i) {
            t_.service.pass(std::chrono::hours{1});
            out = work();
        }
        return out;
    }
    Answer stamp(int size) { return t_.service.get("/consent-log/timestamps/" + std::to_string(size) + ".tsr"); }
    // The text of the latest checkpoint.
    std::string text() { return tlog::parse_note(t_.service.get("/consent-log/checkpoint").body)->text; }

    TimestampAuthority authority_;
    Signed t_{Environment{{"CONSENT_LOG_TIMESTAMP_URL", authority_.url()}}};
    bool is_accepted_ = false;
};

}  // namespace consentry::tests
