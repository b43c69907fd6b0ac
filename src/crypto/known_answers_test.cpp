#include "crypto/known_answers.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace consentry::crypto {
namespace {

TEST(CRY_6, EveryPrimitiveGivesItsKnownAnswer) {
    EXPECT_NO_THROW(run_known_answer_tests());
    const auto start = std::chrono::steady_clock::now();
    run_known_answer_tests();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    RecordProperty("milliseconds", std::to_string(taken.count()));
    EXPECT_LT(taken.count(), 1000);  // about 5 on an idle machine; sanitizers and other load take their share
}

}  // namespace
}  // namespace consentry::crypto
