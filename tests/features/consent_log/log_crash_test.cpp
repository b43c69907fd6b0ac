// Tests kill -9 at every call to the database and the store while a log is sequenced and published. Whatever is left
// behind, no size has two roots, and the next process completes it.
#include <csignal>

#include <gmock/gmock.h>

#include "tests/features/consent_log/log_bench.hpp"
#include "tests/support/process.hpp"

namespace consentry::tests {
namespace {

TEST(LogCrash, KilledAtAnyCallTheLogGoesOn) {
    LogBench bench;
    const std::string key = bench.folder() / "log.pem";
    std::ofstream(key) << bench.key().pem();
    PublishedLog log = bench.make_log(bench.services().database, bench.services().object_store);
    int kills = 0;
    // A single entry; enough to replace partial tiles.
    for (const int entries : {1, 150})
        for (int call = 0;; ++call) {
            SCOPED_TRACE(std::to_string(entries) + " entries, call " + std::to_string(call));
            bench.add(entries);
            Program program(CONSENTRY_INTERRUPTED_SEQUENCER, {key, std::to_string(call)}, bench.folder(),
                            quick_settings());
            const ExitStatus ended = program.wait();
            ASSERT_TRUE(bench.observe());
            if (ended.signal != SIGKILL) {
                EXPECT_EQ(ended.code, 0) << program.err();
                ASSERT_THAT(bench.complaints(), ::testing::IsEmpty());
                break;
            }
            ++kills;
            run(log.work());
            ASSERT_TRUE(bench.observe());
            ASSERT_THAT(bench.complaints(), ::testing::IsEmpty());
        }
    EXPECT_GT(kills, 40);
}

}  // namespace
}  // namespace consentry::tests
