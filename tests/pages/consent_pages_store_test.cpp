// /accept, where the database decides: an acceptance counts once.
#include <gmock/gmock.h>

#include "tests/pages/consent_visitor.hpp"

namespace consentry::tests {
namespace {

TEST(ConsentPages, SentTwiceItIsAcceptedOnce) {
    ConsentVisitor it;
    it.desk.published("termsOfService", 1, {{"en", "First."}});
    const Browser::Fields fields = shown_policy(it.browser.open("/accept").body);
    EXPECT_EQ(it.browser.send("/accept", fields).status, 303);
    EXPECT_EQ(it.browser.send("/accept", fields).status, 303);
    EXPECT_EQ(it.service.sql("SELECT count(*) FROM term_policy_acceptances")[0][0], "1");
}

}  // namespace
}  // namespace consentry::tests
