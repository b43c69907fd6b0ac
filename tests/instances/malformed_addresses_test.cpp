// Malformed server addresses: the program reports them immediately, with exit code 2 and the name of the setting, and
// reveals no password.
#include <gtest/gtest.h>

#include "tests/support/process.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

struct Malformed {
    const char* setting;
    const char* value;
};

constexpr const char* password = "Pass-phrase-77";

const std::vector<Malformed> malformed{
    {"DATABASE_URL", "postgresql:/app:Pass-phrase-77@127.0.0.1/app"},
    {"DATABASE_URL", "postgresql:app:Pass-phrase-77@127.0.0.1"},
    {"DATABASE_URL", "postgres+tls://app:Pass-phrase-77@127.0.0.1/app"},
    {"DATABASE_URL", "mysql://app:Pass-phrase-77@127.0.0.1/app"},
    {"DATABASE_URL", "postgresql://app:Pass-phrase-77@[::1/app"},
    {"DATABASE_URL", "postgresql://app:Pass-phrase-77%zz@127.0.0.1/app"},
    {"DATABASE_URL", "postgresql://app:Pass-phrase-77%00@127.0.0.1/app"},
    {"DATABASE_URL", "postgresql://app:Pass-phrase-77@127.0.0.1/app?no_such_parameter=1"},
    {"DATABASE_URL", "postgresql://app:Pass-phrase-77@127.0.0.1/app?sslmode"},
    {"DATABASE_URL", "postgresql://app:Pass-phrase-77@127.0.0.1/app?sslmode=verify-full=1"},
    {"CACHE_URL", "redis:/:Pass-phrase-77@127.0.0.1"},
    {"CACHE_URL", "redis"},
    {"CACHE_URL", "memcached://Pass-phrase-77@127.0.0.1"},
    {"CACHE_URL", "redis://"},
    {"CACHE_URL", "redis://:Pass-phrase-77@"},
    {"CACHE_URL", "redis://:Pass-phrase-77@127.0.0.1:0"},
    {"CACHE_URL", "redis://:Pass-phrase-77@127.0.0.1:65536"},
    {"CACHE_URL", "redis://:Pass-phrase-77@127.0.0.1:port"},
    {"CACHE_URL", "redis://:Pass-phrase-77@127.0.0.1/zero"},
    {"CACHE_URL", "redis://:Pass-phrase-77@127.0.0.1,127.0.0.2"},
    {"CACHE_URL", "redis://:Pass-phrase-77%zz@127.0.0.1"},
    {"CACHE_URL", "redis://:Pass#phrase-77@127.0.0.1"},
    {"CACHE_URL", "redis://:Pass/phrase-77@127.0.0.1"},
    {"CACHE_URL", "redis://[::1"},
    {"CACHE_URL", "redis://[127.0.0.1]:6379"},
    {"CACHE_URL", "redis://127.0.0.1?ca_file=ca.crt"},
    {"CACHE_URL", "rediss://:Pass-phrase-77@127.0.0.1?no_such_parameter=1"},
    {"CACHE_URL", "rediss://:Pass-phrase-77@127.0.0.1?cert_file=client.crt"},
    {"CACHE_URL", "redis+sentinel://:Pass-phrase-77@127.0.0.1"},
    {"CACHE_URL", "redis+cluster://:Pass-phrase-77@127.0.0.1/app"},
    {"CACHE_URL", "redis+sentinel+cluster://:Pass-phrase-77@127.0.0.1/app"},
};

TEST(OPS_2, AMalformedAddressIsToldAndNothingStarts) {
    const TempFolder folder;
    for (const auto& [setting, value] : malformed) {
        SCOPED_TRACE(value);
        const Finished ended = run_program({"serve"}, folder.path(), quick_settings({{setting, value}}));
        EXPECT_EQ(ended.code, 2) << ended.err;
        EXPECT_TRUE(ended.err.contains(setting)) << ended.err;
        for (const std::string secret : {password, "phrase-77"})
            EXPECT_FALSE((ended.out + ended.err).contains(secret)) << ended.err;
    }
}

}  // namespace
}  // namespace consentry::tests
