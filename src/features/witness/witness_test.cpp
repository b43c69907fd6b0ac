#include "features/witness/witness.hpp"

#include <array>
#include <atomic>
#include <fstream>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "storage/sqlite/sqlite_database.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/witnessed_log.hpp"

namespace consentry {
namespace {

using ::testing::HasSubstr;
using tests::WitnessedLog;

constexpr TimePoint noon{std::chrono::sys_days{std::chrono::year{2030} / 1 / 2} + std::chrono::hours{12}};

class AWitness : public ::testing::Test {
protected:
    AWitness() {
        log_.grow(64);
        start();
    }
    void start() {
        witness_.reset();
        database_.emplace(storage::SqliteOptions{.file = folder_ / "witness.db"});
        database_->migrate(witness_migrations());
        witness_.emplace(*database_, clock_, signer_,
                         std::vector{tlog::VerifierKey::parse(log_.vkey()).value(),
                                     tlog::VerifierKey::parse(other_.vkey()).value()});
    }
    WitnessAnswer ask(std::string body) { return tests::run(witness_->add_checkpoint(std::move(body))); }
    WitnessAnswer ask(std::size_t from, std::size_t to) { return ask(log_.body(from, to)); }
    // Whether the answer is one cosignature of the checkpoint, made now.
    bool is_cosigned(const WitnessAnswer& answer, const tlog::Checkpoint& checkpoint) const {
        const auto signatures = tlog::parse_signature_lines(answer.body);
        return answer.status == 200 && signatures && signatures->size() == 1 &&
               signer_.verifier().made(signatures->front()) &&
               signer_.verifier().verify(tlog::format_checkpoint(checkpoint), signatures->front().signature) &&
               tlog::cosignature_time(signatures->front().signature) == std::chrono::floor<seconds>(clock_.now());
    }
    static void expect_size(const WitnessAnswer& answer, std::uint64_t size) {
        EXPECT_EQ(answer.status, 409U);
        EXPECT_EQ(answer.media_type, "text/x.tlog.size");
        EXPECT_EQ(answer.body, std::to_string(size) + "\n");
    }

    const tests::TempFolder folder_;
    ManualClock clock_{noon};
    const tlog::NoteSigner signer_ =
        tlog::NoteSigner::from_seed("witness.example.org", tlog::KeyType::cosignature, Bytes(32, 9)).value();
    WitnessedLog log_;
    WitnessedLog other_{"other.example.org/log", 2};
    std::optional<storage::SqliteDatabase> database_;
    std::optional<Witness> witness_;
};

TEST_F(AWitness, CosignsWhatContinuesTheLog) {
    EXPECT_TRUE(is_cosigned(ask(0, 3), log_.checkpoint(3)));
    clock_.advance(std::chrono::hours{1});
    EXPECT_TRUE(is_cosigned(ask(3, 40), log_.checkpoint(40)));
    EXPECT_TRUE(is_cosigned(ask(40, 40), log_.checkpoint(40))) << "again";
    other_.grow(2);
    EXPECT_TRUE(is_cosigned(ask(other_.body(0, 2)), other_.checkpoint(2))) << "each log has a size of its own";
    EXPECT_TRUE(is_cosigned(ask(40, 64), log_.checkpoint(64)));
}

TEST_F(AWitness, CosignsAnEmptyLog) {
    EXPECT_TRUE(is_cosigned(ask(0, 0), log_.checkpoint(0)));
    EXPECT_TRUE(is_cosigned(ask(0, 0), log_.checkpoint(0)));
    EXPECT_TRUE(is_cosigned(ask(0, 5), log_.checkpoint(5)));
    expect_size(ask(0, 0), 5);
}

TEST_F(AWitness, NamesTheSizeThatItKnows) {
    expect_size(ask(1, 3), 0);
    ask(0, 10);
    expect_size(ask(0, 12), 10);
    expect_size(ask(9, 12), 10);
    expect_size(ask(11, 12), 10);
    expect_size(ask(0, 9), 10);
    EXPECT_TRUE(is_cosigned(ask(10, 12), log_.checkpoint(12)));
}

TEST_F(AWitness, NeverCosignsTwoRootsForOneSize) {
    WitnessedLog forked;
    forked.grow(8);
    forked.grow(8, "forged ");
    ASSERT_TRUE(is_cosigned(ask(0, 16), log_.checkpoint(16)));
    expect_size(ask(forked.body(16, 16)), 16);
    EXPECT_EQ(ask(tlog::format_add_checkpoint({8, forked.proof(8, 16), forked.note(16)})).status, 409U);
    WitnessedLog longer = forked;
    longer.grow(8);
    EXPECT_EQ(ask(longer.body(16, 24)).status, 422U);
    EXPECT_TRUE(is_cosigned(ask(16, 24), log_.checkpoint(24)));
}

TEST_F(AWitness, RefusesProofsThatProveNothing) {
    EXPECT_EQ(ask(tlog::format_add_checkpoint({0, {log_.checkpoint(3).root}, log_.note(3)})).status, 422U);
    ask(0, 7);
    EXPECT_EQ(ask(tlog::format_add_checkpoint({7, {}, log_.note(9)})).status, 422U);
    EXPECT_EQ(ask(tlog::format_add_checkpoint({7, log_.proof(6, 9), log_.note(9)})).status, 422U);
    EXPECT_EQ(ask(tlog::format_add_checkpoint({7, log_.proof(7, 9), log_.note(7)})).status, 422U);
    auto proof = log_.proof(7, 9);
    proof.back()[0] ^= 1;
    EXPECT_EQ(ask(tlog::format_add_checkpoint({7, proof, log_.note(9)})).status, 422U);
    expect_size(ask(0, 9), 7);
}

TEST_F(AWitness, RefusesStrangersAndFalseSignatures) {
    WitnessedLog stranger("stranger.example.org/log", 3);
    stranger.grow(3);
    EXPECT_EQ(ask(stranger.body(0, 3)).status, 404U);
    WitnessedLog impostor("log.example.org/consent", 3);  // the name of a known log, with another key
    impostor.grow(3);
    EXPECT_EQ(ask(impostor.body(0, 3)).status, 403U);
    std::string body = log_.body(0, 3);
    body.replace(body.find("\n3\n"), 3, "\n4\n");
    EXPECT_EQ(ask(body).status, 403U);
    expect_size(ask(1, 3), 0);
}

TEST_F(AWitness, IgnoresSignaturesOfUnknownKeys) {
    auto note = tlog::parse_note(log_.note(3)).value();
    WitnessedLog stranger("stranger.example.org/log", 3);
    note.signatures.insert(note.signatures.begin(), tlog::parse_note(stranger.note(0))->signatures.front());
    EXPECT_TRUE(is_cosigned(ask(tlog::format_add_checkpoint({0, {}, tlog::format_note(note)})), log_.checkpoint(3)));
}

TEST_F(AWitness, RefusesWhatItCannotRead) {
    for (const std::string& body :
         {std::string(), std::string("old 0\n"), std::string("old 0\n\n"), "old 00\n\n" + log_.note(1),
          "old 0\n\n" + log_.checkpoint(1).origin + "\n", log_.note(1), std::string(2'000'000, 'x')})
        EXPECT_EQ(ask(body).status, 400U) << body.substr(0, 100);
    EXPECT_EQ(ask(5, 3).status, 400U) << "the old size is above the new one";
    EXPECT_EQ(ask(tlog::format_add_checkpoint(
                      {0, {}, log_.sign({log_.checkpoint(0).origin, std::uint64_t{1} << 63, tlog::empty_root()})}))
                  .status,
              400U);
    EXPECT_TRUE(is_cosigned(ask(0, 3), log_.checkpoint(3)));
}

TEST_F(AWitness, RemembersAcrossRestarts) {
    ask(0, 20);
    start();
    expect_size(ask(0, 21), 20);
    EXPECT_TRUE(is_cosigned(ask(20, 21), log_.checkpoint(21)));
}

// Clients submit two continuations of one log at the same moments: one request of all is cosigned, each time.
TEST_F(AWitness, CosignsOneContinuationWhoeverIsFirst) {
    WitnessedLog log;
    for (std::size_t size = 0; size < 40; ++size) {
        WitnessedLog forked = log;
        forked.grow(1, "forged ");
        log.grow(1);
        const std::array bodies{log.body(size, size + 1), forked.body(size, size + 1)};
        std::array<std::atomic<int>, 2> cosigned{};
        std::latch go(8);
        {
            std::vector<std::jthread> clients;
            for (std::size_t client = 0; client < 8; ++client)
                clients.emplace_back([&, client] {
                    go.arrive_and_wait();
                    if (ask(bodies[client % 2]).status == 200) ++cosigned[client % 2];
                });
        }
        ASSERT_EQ(cosigned[0] + cosigned[1], 1) << size;
        if (cosigned[1] == 1) log = forked;
    }
}

TEST(WitnessedLogs, ComeFromAPolicyFile) {
    const tests::TempFolder folder;
    const auto read = [&](const std::string& text) -> std::string {
        std::ofstream(folder / "logs.txt") << text;
        try {
            return std::to_string(read_witnessed_logs(folder / "logs.txt").size());
        } catch (const std::runtime_error& refused) {
            return refused.what();
        }
    };
    EXPECT_EQ(read(WitnessedLog().policy()), "1");
    EXPECT_THAT(read("quorum none\n"), HasSubstr("names no log"));
    EXPECT_THAT(read("log nothing\nquorum none\n"), HasSubstr("line 1"));
    EXPECT_THROW(read_witnessed_logs(folder / "missing.txt"), std::runtime_error);
}

}  // namespace
}  // namespace consentry
