#include "features/passwords/policy.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

TEST(PWD_4, CommonPasswordsAreRefusedInEverySpelling) {
    EXPECT_GE(common_password_count(), 3'000U);
    for (const auto* password : {"Password1!", "P@ssw0rd123", "Qwerty123456", "Welcome2026!", "Letmein1", "Admin12345",
                                 "Elephant1!", "Sunflower42", "Zebra123", "Abcd1234", "Changeme1", "12345678"})
        EXPECT_TRUE(is_common_password(password)) << password;
    for (const auto* password : {"Velvet-Harbor-42", "Corr3ct-Horse-Battery", "uT7k-91qL-xx", "Sunflower-8842x"})
        EXPECT_FALSE(is_common_password(password)) << password;
}

TEST(PWD_4, TheServiceAndTheOwnerAreNoPasswords) {
    const PasswordPolicy policy{"Consentry"};
    const auto broken = [&](std::string_view password) {
        http::Report report;
        policy.check(password, "ada.lovelace@example.org", "newPassword", report);
        return report.take();
    };
    EXPECT_EQ(broken("My-cONSENTRY-77").at(0).key, "isNotContext");
    EXPECT_EQ(broken("Ada.Lovelace-1815").at(0).property, "newPassword");
    EXPECT_TRUE(broken("Velvet-Harbor-42").empty());
}

}  // namespace
}  // namespace consentry
