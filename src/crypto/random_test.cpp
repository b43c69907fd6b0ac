#include "crypto/random.hpp"

#include <array>
#include <unordered_set>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace consentry::crypto {
namespace {

double chi_square(std::string_view text, std::string_view alphabet) {
    std::array<std::size_t, 256> counts{};
    for (const char c : text) ++counts[static_cast<std::uint8_t>(c)];
    const double expected = static_cast<double>(text.size()) / static_cast<double>(alphabet.size());
    double sum = 0;
    for (const char c : alphabet) {
        const double distance = static_cast<double>(counts[static_cast<std::uint8_t>(c)]) - expected;
        sum += distance * distance / expected;
    }
    return sum;
}

TEST(CRY_1, TextIsDrawnEvenly) {
    // 10^6 symbols. With 61 and 35 degrees of freedom, a uniform source exceeds 150 and 110 about once in 10^9 runs.
    // Bytes modulo the size of the alphabet would yield about 10^4.
    EXPECT_LT(chi_square(random_text(1'000'000, alphanumerics), alphanumerics), 150);
    EXPECT_LT(chi_square(random_text(1'000'000, upper_alphanumerics), upper_alphanumerics), 110);
}

TEST(CRY_1, TextUsesTheAlphabetAndNothingElse) {
    for (const std::string_view alphabet : {alphanumerics, upper_alphanumerics, std::string_view("ab")}) {
        const std::string text = random_text(10'000, alphabet);
        EXPECT_EQ(text.size(), 10'000U);
        EXPECT_EQ(text.find_first_not_of(alphabet), std::string::npos);
        for (const char c : alphabet) EXPECT_TRUE(text.contains(c)) << c;
    }
    EXPECT_EQ(random_text(3, "x"), "xxx");
    EXPECT_EQ(random_text(0, "x"), "");
    EXPECT_THROW(random_text(1, ""), std::invalid_argument);
}

TEST(TFA_10, BackupCodesAreEvenInEachPosition) {
    std::array<std::string, 10> columns;
    for (int i = 0; i < 100'000; ++i) {
        const std::string code = random_text(10, upper_alphanumerics);
        for (std::size_t at = 0; at < 10; ++at) columns[at].push_back(code[at]);
    }
    for (const std::string& column : columns) EXPECT_LT(chi_square(column, upper_alphanumerics), 110);
}

TEST(SES_4, AMillionIdentifiersAreAllDifferent) {
    std::unordered_set<std::string> seen;
    seen.reserve(1'000'000);
    for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(seen.insert(random_text(22, alphanumerics)).second);
}

TEST(CRY_1, AChildProcessDrawsItsOwnBytes) {
    random_bytes(32);
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        const Bytes own = random_bytes(32);
        _exit(write(ends[1], own.data(), own.size()) == 32 ? 0 : 1);
    }
    const Bytes own = random_bytes(32);
    Bytes of_child(32);
    EXPECT_EQ(read(ends[0], of_child.data(), of_child.size()), 32);
    EXPECT_NE(own, of_child);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
}

TEST(Random, FillsLargeBuffers) {
    const Bytes bytes = random_bytes(3'000'000);  // more than a single system call returns
    EXPECT_LT(chi_square(as_text(bytes),
                         [] {
                             static std::string all;
                             if (all.empty())
                                 for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
                             return std::string_view(all);
                         }()),
              420);  // 255 degrees of freedom
}

}  // namespace
}  // namespace consentry::crypto
