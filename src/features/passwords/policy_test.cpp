#include "features/passwords/policy.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

TEST(PWD_4, TheServiceAndTheOwnerAreNoPasswords) {
    const PasswordPolicy policy{"Consentry"};
    const auto broken = [&](std::string_view password) {
        Report report;
        policy.check(password, "ada.lovelace@example.org", "newPassword", report);
        return report.take();
    };
    EXPECT_EQ(broken("My-cONSENTRY-77").at(0).key, "isNotContext");
    EXPECT_EQ(broken("Ada.Lovelace-1815").at(0).property, "newPassword");
    EXPECT_TRUE(broken("Velvet-Harbor-42").empty());
}

TEST(PWD_4, AnAddressWithAShortNameIsNoPassword) {
    const PasswordPolicy policy{"Consentry"};
    const auto is_refused = [&](std::string_view password, std::string_view email) {
        Report report;
        policy.check(password, email, "password", report);
        return !report.empty();
    };
    EXPECT_TRUE(is_refused("Kim@example.org7", "kim@example.org"));
    EXPECT_TRUE(is_refused("77-q2@EXAMPLE.org", "q2@example.org"));
    EXPECT_FALSE(is_refused("Kimono-Harbor-42", "kim@example.org")) << "three letters occur by chance";
    EXPECT_FALSE(is_refused("Velvet@Harbor-42", "")) << "the address is unknown";
    EXPECT_FALSE(is_refused("Velvet@Harbor-42", "@")) << "no address";
}

}  // namespace
}  // namespace consentry
