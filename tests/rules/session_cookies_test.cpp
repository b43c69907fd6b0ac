// TFA-14: which functions of the pages give a browser a session. A function that is missing here needs tests that it
// asks for the second factor and looks at the state of the account (login_pages_test.cpp, provider_login_test.cpp).
#include <set>
#include <string>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Returns the functions of the pages, as Class::name, whose code matches.
std::set<std::string> functions_with(const boost::regex& code) {
    static const boost::regex head(R"(^[\w<>:]+ (?:[\w<>]+ )*(\w+::\w+)\()");
    std::set<std::string> out;
    for (const std::string& path : files_below("src/pages")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        std::string function = path;  // of no function
        std::string rest;             // of the line before, because a call may go over two
        for (const std::string& line : lines_of(read_file(path))) {
            boost::smatch found;
            if (boost::regex_search(line, found, head)) {
                function = found[1];
                rest.clear();
                continue;
            }
            const std::string text(code_of(line));
            if (boost::regex_search(rest + text, code)) out.insert(function);
            rest = text.ends_with('(') ? text : "";
        }
    }
    return out;
}

TEST(TFA_14, ThePagesThatGiveASessionAreThese) {
    EXPECT_EQ(functions_with(boost::regex(R"(\bset\(\s*PageCookie::session\b)")),
              (std::set<std::string>{"LoginPages::after", "RecoveryPages::confirm"}))
        << "the second only replaces the cookie of a session that is still good";
    EXPECT_EQ(functions_with(boost::regex(R"((?:return |\.)after\()")),
              (std::set<std::string>{"LoginPages::log_in", "LoginPages::verify", "ProviderPages::log_in"}));
}

}  // namespace
}  // namespace consentry::rules
