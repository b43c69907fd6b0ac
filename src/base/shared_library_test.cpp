#include "base/shared_library.hpp"

#include <stdexcept>

#include <gmock/gmock.h>

namespace consentry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Of the C library, so every machine has it.
constexpr const char* mathematics = "libm.so.6";

TEST(SharedLibraries, CallsAFunction) {
    const SharedLibrary library(mathematics, "libc6");
    double (*const rounded)(double) = library["floor"];
    EXPECT_EQ(rounded(2.5), 2);
}

TEST(SharedLibraries, AMissingLibraryIsNamedWithItsPackage) {
    EXPECT_THAT([] { SharedLibrary("libconsentry-absent.so.1", "libabsent1"); },
                ThrowsMessage<std::runtime_error>(
                    AllOf(HasSubstr("the library libconsentry-absent.so.1 cannot be loaded"), HasSubstr("No such file"),
                          HasSubstr("install the Debian package libabsent1"))));
}

TEST(SharedLibraries, AMissingFunctionIsNamedWithItsLibraryAndPackage) {
    const SharedLibrary library(mathematics, "libc6");
    EXPECT_THAT(
        [&] { return library["consentry_absent"]; },
        ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("the library libm.so.6 lacks consentry_absent"),
                                                HasSubstr("install a newer version of the Debian package libc6"))));
}

}  // namespace
}  // namespace consentry
