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

}  // namespace
}  // namespace consentry
