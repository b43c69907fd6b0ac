// OPS-7: a table names, for each class of vulnerability known from similar services, the requirements that prevent it.
// Each of them has tests. Add a row for every new class.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

struct KnownHole {
    std::string_view what;
    std::vector<std::string_view> kept_out_by;
};

const std::vector<KnownHole>& known_holes() {
    static const std::vector<KnownHole> table{
        {"tokens before the second factor", {"SES_3"}},
        {"a way to log in that asks for no second factor", {"TFA_14"}},
        {"codes guessed without a limit, or past one", {"TFA_5", "TFA_6", "TFA_7", "LIM_3"}},
        {"a count of failures that is lost", {"TFA_7", "LIM_4"}},
        {"a lock that holds on one way only", {"TFA_5"}},
        {"a code that works twice", {"TFA_3"}},
        {"a backup code or link that is spent twice", {"TFA_11", "CHL_2"}},
        {"set-up that shows or replaces a secret in use", {"TFA_12"}},
        {"a refresh token that works again", {"SES_6"}},
        {"a session that outlives its end", {"SES_1", "SES_2", "SES_5"}},
        {"recovery led astray", {"REC_2", "REC_3", "REC_4", "REC_5"}},
        {"an account joined to the wrong identity", {"SOC_1", "SOC_2", "SOC_3", "SOC_4"}},
        {"a forged token", {"TOK_1", "TOK_2", "TOK_3", "TOK_4", "TOK_5", "TOK_6"}},
        {"answers that tell who has an account", {"PWD_1"}},
        {"one name spelled in two ways", {"PWD_6", "INP_7"}},
        {"an address that the client made up", {"LIM_2"}},
        {"a path that guard and router read differently", {"AUT_2"}},
        {"a cursor that the client made up", {"INP_9"}},
        {"memory and control flow in the reader of HTTP", {"WEB_1", "WEB_2", "WEB_8", "INP_2"}},
        {"rights that somebody gives to themselves", {"AUT_5"}},
        {"a password of which only a part counts", {"PWD_2"}},
    };
    return table;
}

TEST(OPS_7, EveryKnownClassOfHoleHasTestsOfItsRequirements) {
    const boost::regex declaration(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
    std::set<std::string> tested;
    for (const std::string folder : {"tests", "src"})
        for (const std::string& path : files_below(folder)) {
            if (!is_unit_test(path)) continue;
            const std::string text = read_file(path);
            for (boost::sregex_iterator found(text.begin(), text.end(), declaration), end; found != end; ++found)
                for (const int part : {1, 2}) {
                    const std::string name = (*found)[part];
                    tested.insert(name.substr(0, name.find('_', 4)));
                }
        }
    EXPECT_GT(tested.size(), 100U) << "nothing was read: is the working directory the project root?";
    for (const auto& [what, requirements] : known_holes()) {
        EXPECT_FALSE(requirements.empty()) << what;
        for (const std::string_view id : requirements)
            EXPECT_TRUE(tested.contains(std::string(id))) << what << ": no test is called " << id;
    }
}

}  // namespace
}  // namespace consentry::rules
