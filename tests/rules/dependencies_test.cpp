// docs/reference/dependencies.md lists everything that the build uses (OPS-4).
#include <map>
#include <set>
#include <string>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

constexpr const char* page = "docs/reference/dependencies.md";

std::set<std::string> found_in(const std::string& text, const std::string& pattern) {
    const boost::regex expression(pattern);
    std::set<std::string> out;
    for (boost::sregex_iterator found(text.begin(), text.end(), expression), end; found != end; ++found)
        out.insert((*found)[1]);
    return out;
}

// Maps CMake names to the names on the page. Packages for the build, tests and benchmarks alone are not part of the
// program.
const std::map<std::string, std::string> names_on_the_page{
    {"CURL", "libcurl"},   {"PostgreSQL", "libpq"}, {"SQLite3", "SQLite"}, {"ZLIB", "zlib"},
    {"idn2", "libidn2"},   {"sodium", "libsodium"}, {"cctz", "CCTZ"},      {"prometheus", "prometheus-cpp"},
    {"crypt", "libxcrypt"}};
const std::set<std::string> not_of_the_program{"GTest", "PkgConfig", "argon2"};

TEST(OPS_4, EveryLibraryThatTheBuildTakesIsOnThePage) {
    const std::string text = read_file(page);
    const std::string dependencies = read_file("cmake/Dependencies.cmake");
    std::set<std::string> libraries = found_in(dependencies, R"(find_package\((\w+))");
    libraries.merge(found_in(dependencies, R"(pkg_check_modules\((\w+))"));
    libraries.merge(found_in(dependencies, R"(find_library\(\w+ (\w+))"));
    libraries.insert("crypt");  // linked by name, without find_library
    ASSERT_GT(libraries.size(), 12U) << "found in cmake/Dependencies.cmake";
    for (const std::string& library : libraries) {
        if (not_of_the_program.contains(library)) continue;
        const auto other = names_on_the_page.find(library);
        const std::string name = other == names_on_the_page.end() ? library : other->second;
        EXPECT_TRUE(text.contains("\n| " + name + " ")) << name << " is not in " << page;
    }
}

TEST(OPS_4, EveryPackageThatTheBuildTakesIsOnThePage) {
    const std::string text = read_file(page);
    const std::string bootstrap = read_file("script/bootstrap");
    // script/bootstrap lists the packages for building the program between these two; packages for tests follow.
    const std::size_t from = bootstrap.find("\n    ca-certificates\n");
    const std::size_t to = bootstrap.find("\n    # Only for tests: ");
    ASSERT_NE(from, std::string::npos);
    ASSERT_NE(to, std::string::npos);
    const std::string building = bootstrap.substr(from, to - from);
    std::set<std::string> packages = found_in(building, R"(\b((?:lib[a-z0-9+-]+|prometheus-cpp|zlib1g)-dev)\b)");
    ASSERT_GT(packages.size(), 10U);
    packages.erase("libclang-rt-19-dev");  // the runtime library of the sanitizers and fuzzers
    for (const std::string& package : packages)
        EXPECT_TRUE(text.contains("`" + package + "`")) << package << " is not in " << page;
    for (const std::string& library : {"json", "url"})
        EXPECT_TRUE(bootstrap.contains("\"libboost-" + library + "$boost-dev\""));
}

// The page lists no package that the build no longer uses.
TEST(OPS_4, EveryPackageOnThePageIsTaken) {
    const std::string bootstrap = read_file("script/bootstrap");
    for (std::string package :
         found_in(read_file(page), R"(`((?:lib|python3-|cracklib|prometheus|zlib)[a-z0-9.+-]*)`)")) {
        if (package == "libc6-dev") continue;  // comes with any compiler
        package = boost::regex_replace(package, boost::regex(R"((boost[a-z-]*)1\.8\d)"), "$1$$boost");
        package = boost::regex_replace(package, boost::regex(R"(libstdc\+\+-1\d)"), "libstdc++-$$stdcxx");
        EXPECT_TRUE(bootstrap.contains(package)) << package << " is in " << page << ", and script/bootstrap has it not";
    }
}

}  // namespace
}  // namespace consentry::rules
