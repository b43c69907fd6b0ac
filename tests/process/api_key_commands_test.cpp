// The commands for API keys, next to a running service.
#include <regex>

#include <gmock/gmock.h>

#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ApiKeyCommands : public ::testing::Test {
protected:
    ApiKeyCommands() { make_data(folder_.path()); }
    Finished run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "apikey");
        return run_program(arguments, folder_.path(), quick_settings());
    }
    std::string create(const std::string& type) const {
        const Finished made = run({"create", "--name", "shop", "--type", type});
        EXPECT_EQ(made.code, 0) << made.err;
        return made.out.substr(0, made.out.find('\n'));
    }
    const TempFolder folder_;
};

unsigned ask(const HttpClient& client, const std::string& key) {
    return client.get("/api/system/role/list", {{"x-api-key", key}}).status;
}

TEST_F(ApiKeyCommands, AKeyIsGoodAtTheServiceThatRunsAlreadyUntilItIsDeleted) {
    const ServiceProcess service(folder_.path());
    const Finished made = run({"create", "--name", "shop", "--type", "system"});
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(std::regex_match(made.out, std::regex("local_[A-Za-z0-9]{25}:[A-Za-z0-9]{50}\n")))
        << "the header's value alone on a line";
    const std::string text = made.out.substr(0, made.out.size() - 1);
    const std::string key = text.substr(0, text.find(':'));
    EXPECT_THAT(made.err, Not(HasSubstr(text.substr(text.find(':') + 1))));
    EXPECT_EQ(ask(service.client(), text), 200U);
    EXPECT_EQ(ask(service.client(), text), 200U) << "from the cache";
    EXPECT_EQ(ask(service.client(), create("default")), 403U);

    const Finished listed = run({"list"});
    EXPECT_THAT(listed.out, HasSubstr(key + "\tsystem\ton\tshop\n"));
    EXPECT_THAT(listed.out, Not(HasSubstr(text)));

    EXPECT_EQ(run({"delete", "--key", key}).code, 0);
    EXPECT_EQ(ask(service.client(), text), 403U);
    const Finished again = run({"delete", "--key", key});
    EXPECT_EQ(again.code, 1);
    EXPECT_THAT(again.err, HasSubstr("does not exist"));
}

TEST_F(ApiKeyCommands, WrongUseEndsWithTwo) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"create", "--name", "shop"},
                                               {"create", "--type", "system"},
                                               {"create", "--name", "shop", "--type", "root"},
                                               {"create", "--name", " ", "--type", "system"},
                                               {"create", "--name", std::string(101, 'x'), "--type", "system"},
                                               {"create", "--name", "\xFF", "--type", "system"},
                                               {"create", "--name", "two\nlines", "--type", "system"},
                                               {"create", "--name", "an escape \x1B[31m", "--type", "system"},
                                               {"delete"},
                                               {"list", "all"}}) {
        const Finished refused = run(arguments);
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_EQ(refused.out, "");
        EXPECT_NE(refused.err, "");
    }
}

// Searches everything the program writes: the database with its journal, logs, events and standard error.
TEST_F(ApiKeyCommands, KEY_1_NothingOfTheServiceHoldsASecret) {
    ServiceProcess service(folder_.path(), quick_settings({{"LOGGER_ENABLE", "true"},
                                                           {"LOGGER_LEVEL", "debug"},
                                                           {"LOGGER_AUTO", "true"},
                                                           {"LOGGER_INTO_FILE", "true"}}));
    const std::string text = create("system");
    const std::string key = text.substr(0, text.find(':'));
    const std::string secret = text.substr(text.find(':') + 1);
    const std::string wrong(50, 'x');
    EXPECT_EQ(ask(service.client(), text), 200U);
    EXPECT_EQ(ask(service.client(), key + ":" + wrong), 401U);
    EXPECT_EQ(ask(service.client(), text + "," + text), 401U);
    EXPECT_EQ(service.client().get("/api/user/login/credential?x-api-key=" + text).status, 405U);
    EXPECT_EQ(service.client().get("/api/system/role/list?x-api-key=" + text, {{"x-api-key", text}}).status, 422U);
    EXPECT_EQ(service.client().post("/api/user/login/credential", {{"x-api-key", text}}).status, 422U);
    EXPECT_EQ(service.stop().code, 0);

    std::string kept = service.program().out() + service.program().err();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
        if (entry.is_regular_file()) kept += text_in(entry.path());
    }
    EXPECT_THAT(kept, HasSubstr(key)) << "the database is among what was looked at";
    EXPECT_THAT(kept, HasSubstr("/api/system/role/list")) << "and the log";
    EXPECT_FALSE(kept.contains(secret));
    EXPECT_FALSE(kept.contains(wrong));
}

}  // namespace
}  // namespace consentry::tests
