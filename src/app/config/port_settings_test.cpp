// The ports in the URLs of all settings.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/config_problems.hpp"

namespace consentry {
namespace {

using ::testing::Contains;
using ::testing::Not;
using tests::problem_names;

// Regression: MAIL_URL took 99999 for 34463, and the others were found out when they were used.
TEST(PortSettings, APortThatDoesNotExistIsRefusedInEveryAddress) {
    for (const auto& [name, before, after] :
         std::vector<std::array<std::string, 3>>{{"PUBLIC_URL", "https://example.com:", "/auth"},
                                                 {"HOME_URL", "https://example.com:", ""},
                                                 {"FORGOT_PASSWORD_LINK_BASE_URL", "https://example.com:", "/reset"},
                                                 {"AWS_S3_PUBLIC_CDN", "files.example.com:", ""},
                                                 {"MAIL_URL", "smtp://mail.example.com:", ""},
                                                 {"STORAGE_URL", "s3://files.example.com:", "?style=path"},
                                                 {"CACHE_URL", "redis://cache.example.com:", "/1"},
                                                 {"SENTRY_DSN", "https://k3y@errors.example.com:", "/42"},
                                                 {"CONSENT_LOG_TIMESTAMP_URL", "https://tsa.example.com:", "/tsr"},
                                                 {"CONSENT_CONTROLLER_URL", "https://example.com:", ""},
                                                 {"AUTH_SOCIAL_GOOGLE_JWKS_URI", "https://example.com:", "/keys"}}) {
        for (const char* port : {"0", "65536", "99999"})
            EXPECT_THAT(problem_names({{name, before + port + after}}), Contains(name)) << port;
        EXPECT_THAT(problem_names({{name, before + "65535" + after}}), Not(Contains(name)));
    }
}

}  // namespace
}  // namespace consentry
