// Argon2 hashes are the same whichever engine computes them.
#include "crypto/password_engine.hpp"

#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "crypto/argon2/arena.hpp"
#include "crypto/password_hash.hpp"
#include "tests/support/little_memory.hpp"

namespace consentry::crypto {
namespace {

using enum PasswordVerdict;

constexpr Argon2Settings small{.memory_kib = 64, .passes = 2};

class PasswordEngines : public testing::TestWithParam<PasswordEngine> {
protected:
    PasswordEngines() { EXPECT_EQ(choose_password_engine(GetParam()), std::nullopt); }
    ~PasswordEngines() override { EXPECT_EQ(choose_password_engine(PasswordEngine::builtin), std::nullopt); }
};
INSTANTIATE_TEST_SUITE_P(Both, PasswordEngines, testing::Values(PasswordEngine::builtin, PasswordEngine::libsodium));

TEST_P(PasswordEngines, IsTheOneThatWasChosen) { EXPECT_EQ(password_engine(), GetParam()); }

TEST_P(PasswordEngines, VerifiesWhatTheOtherOneHashed) {
    const std::string hash = hash_password("correct horse", small);
    const PasswordEngine other =
        GetParam() == PasswordEngine::builtin ? PasswordEngine::libsodium : PasswordEngine::builtin;
    ASSERT_EQ(choose_password_engine(other), std::nullopt);
    EXPECT_EQ(verify_password("correct horse", hash, small), match);
    EXPECT_EQ(verify_password("correct horsf", hash, small), mismatch);
    EXPECT_EQ(verify_password("", hash_password("", small), small), match);
}

TEST_P(PasswordEngines, VerifiesImportedHashes) {
    // From the reference implementation: four lanes; the independent variant; a tag of 16 bytes (Django).
    for (const std::string stored :
         {"$argon2id$v=19$m=64,t=1,p=4$c29tZXNhbHRzb21lc2FsdA$nrbVveCyOJGsLPFme+VHTcq3tyr7ER9/kJoJsVK6sUo",
          "$argon2i$v=19$m=64,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$p78s61wd8/p+fCQD4IvROZ47yMfZ3LT2XpCts/ezyG4"}) {
        EXPECT_EQ(verify_password("password", stored, small), match_needs_rehash) << stored;
        EXPECT_EQ(verify_password("Password", stored, small), mismatch) << stored;
    }
    EXPECT_EQ(verify_password("correct horse",
                              "argon2$argon2id$v=19$m=64,t=1,p=2$c2Vhc2FsdHNlYXNhbHQ$"
                              "f6YHHegMgKi2S0re0kYj/g",
                              small),
              match_needs_rehash);
    EXPECT_EQ(verify_password("password",
                              "argon2$argon2d$v=19$m=64,t=1,p=2$c2Vhc2FsdHNlYXNhbHQ$"
                              "f6YHHegMgKi2S0re0kYj/g",
                              small),
              mismatch)
        << "argon2d leaks the password through the cache, and libsodium does not have it";
}

TEST_P(PasswordEngines, TakeLackOfMemoryForNoMismatch) {
    const tests::LittleMemory little;
    // One of our own, and two of the other shapes that an import may bring.
    for (const std::string huge :
         {"$argon2id$v=19$m=1048576,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$nrbVveCyOJGsLPFme+VHTcq3tyr7ER9/kJoJsVK6sUo",
          "$argon2id$v=19$m=1048576,t=1,p=4$c29tZXNhbHRzb21lc2FsdA$nrbVveCyOJGsLPFme+VHTcq3tyr7ER9/kJoJsVK6sUo",
          "$argon2i$v=19$m=1048576,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$p78s61wd8/p+fCQD4IvROZ47yMfZ3LT2XpCts/ezyG4"}) {
        ASSERT_TRUE(is_supported_password_hash(huge)) << huge;
        EXPECT_THROW(verify_password("password", huge, small), std::runtime_error) << huge;
    }
    EXPECT_THROW(hash_password("password", {.memory_kib = 1'048'576, .passes = 1}), std::runtime_error);
}

TEST(CRY_6, AnEngineThatComputesWrongIsReplaced) {
    const argon2::FillImplementation damaged{.name = "damaged", .fill = [](const argon2::FillJob& job) {
                                                 argon2::fill_portable(job);
                                                 ++job.memory[job.lane_blocks - 1].words[0];
                                             }};
    const auto warning = choose_password_engine(PasswordEngine::builtin, damaged);
    ASSERT_TRUE(warning);
    EXPECT_TRUE(warning->contains("damaged")) << *warning;
    EXPECT_TRUE(warning->contains("libsodium")) << *warning;
    EXPECT_EQ(password_engine(), PasswordEngine::libsodium);
    EXPECT_EQ(verify_password("correct horse", hash_password("correct horse", small), small), match);
    EXPECT_FALSE(choose_password_engine(PasswordEngine::builtin));
}

TEST(PasswordMemory, StaysOnThreadsThatKeepItUntilItIsWiped) {
    std::thread([] {
        keep_password_memory(64);
        const std::string hash = hash_password("correct horse", small);
        const auto first_word = [] { return argon2::Lease(64).blocks().front().words[0]; };
        EXPECT_NE(first_word(), 0U);
        wipe_password_memory();
        EXPECT_EQ(first_word(), 0U);
        EXPECT_EQ(verify_password("correct horse", hash, small), match);
    }).join();
}

}  // namespace
}  // namespace consentry::crypto
