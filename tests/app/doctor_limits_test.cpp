#include <gtest/gtest.h>

#include "app/doctor/checks.hpp"

namespace consentry {
namespace {

TEST(DoctorOfMachines, ADiskIsNamedBeforeItIsFull) {
    EXPECT_EQ(severity_of_disk(0, 75), Severity::ok);
    EXPECT_EQ(severity_of_disk(65, 75), Severity::ok);
    EXPECT_EQ(severity_of_disk(66, 75), Severity::warning);
    EXPECT_EQ(severity_of_disk(75, 75), Severity::warning);
    EXPECT_EQ(severity_of_disk(76, 75), Severity::error);
    EXPECT_EQ(severity_of_disk(100, 75), Severity::error);
    EXPECT_EQ(severity_of_disk(100, 100), Severity::warning);
}

}  // namespace
}  // namespace consentry
