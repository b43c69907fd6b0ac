// RAC-5: the sanitizers check everything that is built and tested, and the first report is a failure.
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

bool contains_any(const std::string& text, const std::vector<std::string>& names, std::string& found) {
    for (const std::string& name : names)
        if (text.contains(name)) return found = name, true;
    return false;
}

TEST(RAC_5, NothingIsExemptFromTheSanitizers) {
    const std::vector<std::string> exemptions{"no_sanitize",         "disable_sanitizer_instrumentation",
                                              "suppressions=",       "default_suppressions",
                                              "san_default_options", "__lsan_disable",
                                              "halt_on_error=0",     "detect_leaks=0",
                                              "fsanitize-ignorelist"};
    std::size_t read = 0;
    for (const std::string& path : project_files()) {
        const bool builds_or_runs = is_source(path) || path.ends_with("CMakeLists.txt") || path.ends_with(".cmake") ||
                                    path.starts_with("script/") || path.starts_with(".ci/") ||
                                    path == "CMakePresets.json";
        if (!builds_or_runs || path == "tests/rules/sanitizers_test.cpp") continue;
        ++read;
        std::string found;
        EXPECT_FALSE(contains_any(read_file(path), exemptions, found)) << path << " has " << found;
    }
    EXPECT_GT(read, 300U);
}

TEST(RAC_5, BothBuildsExistAndStopAtTheFirstReport) {
    const std::string flags = read_file("cmake/Sanitizers.cmake");
    EXPECT_TRUE(flags.contains("-fsanitize=address,undefined -fno-sanitize-recover=all"));
    EXPECT_TRUE(flags.contains("-fsanitize=thread"));
    const std::string presets = read_file("CMakePresets.json");
    for (const std::string name : {"asan", "tsan"}) {
        EXPECT_TRUE(presets.contains(R"({ "name": ")" + name + R"(", "inherits": "base", "configurePreset": ")" + name))
            << "no test preset " << name;
    }
    EXPECT_TRUE(presets.contains(R"("CONSENTRY_SANITIZE": "address")"));
    EXPECT_TRUE(presets.contains(R"("CONSENTRY_SANITIZE": "thread")"));
    // ThreadSanitizer does not stop by default: a program that a test kills would lose its report.
    EXPECT_TRUE(read_file("script/test").contains("TSAN_OPTIONS:-halt_on_error=1"));
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// All variables are volatile, so the compiler cannot foresee the fault.
TEST(RAC_5, AReportEndsTheProgram) {
    const auto read_what_was_freed = [] {
        char* volatile bytes = new char[8]{};
        delete[] bytes;
        [[maybe_unused]] const char volatile read = bytes[3];
    };
    EXPECT_DEATH(read_what_was_freed(), "heap-use-after-free");
    int volatile largest = std::numeric_limits<int>::max();
    EXPECT_DEATH(largest = largest + 1, "signed integer overflow");
}
#endif
#endif

}  // namespace
}  // namespace consentry::rules
