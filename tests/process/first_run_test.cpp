// The first minutes with the program: it works in an empty folder, reports what it does, and ends when told to.
#include <chrono>
#include <csignal>
#include <optional>

#include <sys/stat.h>

#include <gmock/gmock.h>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

unsigned mode_of(const fs::path& path) {
    struct stat facts{};
    EXPECT_EQ(::stat(path.c_str(), &facts), 0) << path;
    return facts.st_mode & 07777U;
}

std::vector<fs::path> below(const fs::path& folder) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) out.push_back(entry.path());
    return out;
}

// The settings of a new installation, except that the system chooses the port.
const Settings nothing_set{{"HTTP_PORT", "0"}};

TEST(FirstRun, WorksInAnEmptyFolderWithoutAnySetting) {
    const TempFolder folder;
    ServiceProcess service(folder.path(), nothing_set);
    EXPECT_EQ(service.client().get("/api/health").status, 200U);
    const Person person = make_person(folder.path(), "ada@example.org", "superAdmin", nothing_set);
    EXPECT_EQ(knock(service.client(), tokens_of(service.client(), person).access), 200U);
    EXPECT_EQ(service.stop().code, 0);
}

// An object that an earlier process left behind is already due, so the first clean-up removes it soon after the start.
TEST(CleanUp, ComesSoonAfterTheStart) {
    const TempFolder folder;
    ASSERT_EQ(run_program({"migrate"}, folder.path(), quick_settings()).code, 0);
    const fs::path database = folder / "data" / "consentry.db";
    run_sql(
        database,
        "INSERT INTO loose_objects (area, type, version, language, due_at) VALUES ('private', 'privacy', 1, 'en', 1)");
    const ServiceProcess service(folder.path());
    EXPECT_TRUE(eventually([&] { return run_sql(database, "SELECT area FROM loose_objects").empty(); }));
}

TEST(FirstRun, KeepsItsDataToItself) {
    const TempFolder folder;
    const ServiceProcess service(folder.path(), nothing_set);
    const fs::path data = folder / "data";
    EXPECT_EQ(mode_of(data), 0700U);
    EXPECT_EQ(mode_of(data / "keys"), 0700U);
    EXPECT_EQ(mode_of(data / "keys" / "two-factor.key"), 0600U);
    EXPECT_EQ(mode_of(data / "keys" / "app.key"), 0600U);
    EXPECT_EQ(mode_of(data / "consentry.db"), 0600U);
    std::size_t signing_keys = 0;
    for (const fs::path& path : below(data)) {
        if (fs::is_regular_file(path)) EXPECT_EQ(mode_of(path), 0600U) << path;
        signing_keys += path.extension() == ".pem" ? 1 : 0;
    }
    EXPECT_EQ(signing_keys, 2U) << "one for each kind of token";
}

TEST(FirstRun, WritesTheDocumentThatItServes) {
    const TempFolder folder;
    const ServiceProcess service(folder.path());
    const Answer served = service.client().get("/docs/json?aliases=true");
    EXPECT_EQ(served.status, 200U);
    EXPECT_EQ(served.text("openapi").substr(0, 2), "3.");
    EXPECT_EQ(text_in(folder / "generated" / "swagger.json"), served.body);
}

TEST(FirstRun, SaysWhereItListensWhereTheDataLiesAndWhatComesNext) {
    const TempFolder folder;
    ServiceProcess service(folder.path());
    EXPECT_EQ(service.stop().code, 0);
    const std::string said = service.program().err();
    EXPECT_THAT(said, HasSubstr("listens on http://127.0.0.1:" + std::to_string(service.port())));
    const std::string site = "http://127.0.0.1:" + std::to_string(service.port());
    EXPECT_THAT(said, HasSubstr("Pages: " + site + "/login, " + site + "/account\n"));
    EXPECT_THAT(said, HasSubstr("API documentation: " + site + "/docs\n"));
    EXPECT_THAT(said, HasSubstr("data folder: " + (fs::canonical(folder.path()) / "data").string()));
    EXPECT_THAT(said, HasSubstr("consentry user create --email you@example.org --role superAdmin"));
    EXPECT_EQ(service.program().out(), "") << "what is for people goes to standard error";
}

TEST(FirstRun, AnIpv6AddressIsSaidAsAUrlWantsIt) {
    const TempFolder folder;
    Program program({"serve"}, folder.path(), quick_settings({{"HTTP_HOST", "::1"}}));
    EXPECT_EQ(program.word_after("listens on ").substr(0, 13), "http://[::1]:");
}

TEST(FirstRun, ManyProgramsAtOnceAgreeOnOneSetOfKeys) {
    const TempFolder folder;
    make_data(folder.path());
    std::vector<std::unique_ptr<Program>> programs;
    for (int i = 0; i < 6; ++i)
        programs.push_back(
            std::make_unique<Program>(std::vector<std::string>{"user", "create", "--role", "user", "--email",
                                                               "ada" + std::to_string(i) + "@example.org"},
                                      folder.path(), quick_settings(), right_password + "\n"));
    for (const auto& program : programs) EXPECT_EQ(program->wait().code, 0) << program->err();
    ServiceProcess service(folder.path());
    EXPECT_EQ(log_in(service.client(), {.email = "ada3@example.org"}).status, 200U);
}

TEST(FirstRun, ASecondServiceOnTheSamePortSaysSoAndEnds) {
    const TempFolder folder;
    const TempFolder other;
    const ServiceProcess service(folder.path());
    const std::string port = std::to_string(service.port());
    const Finished second = run_program({"serve"}, other.path(), quick_settings({{"HTTP_PORT", port}}));
    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.err, HasSubstr("HTTP_PORT: cannot listen on 127.0.0.1:" + port +
                                      ": Address already in use. Set another port, or stop the program that uses it"));
    EXPECT_EQ(service.client().get("/api/health").status, 200U) << "the first one serves on";
}

// SQLite takes such a name for a URI: what looks at the file and what opens it would mean two files.
TEST(FirstRun, ADatabaseHasOneName) {
    const TempFolder folder;
    const ServiceProcess service(folder.path());
    const Settings uri = quick_settings({{"DATABASE_URL", "sqlite:file:data/consentry.db"}});
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"serve"}, {"config", "check"}, {"user", "list"}}) {
        const Finished refused = run_program(command, folder.path(), uri);
        EXPECT_EQ(refused.code, 2) << command.front();
        EXPECT_THAT(refused.err, HasSubstr("DATABASE_URL: must be sqlite:PATH with the path of a file, not a URI"));
    }
    // Here it is the name of a folder.
    const Settings odd = quick_settings({{"DATA_DIR", "file:data"}});
    const ServiceProcess other(folder.path(), odd);
    EXPECT_TRUE(std::filesystem::exists(folder / "file:data/consentry.db-wal"));
    EXPECT_THAT(run_program({"serve"}, folder.path(), odd).err, HasSubstr("another service uses"));
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"config", "check", "--running"}, {"user", "list"}, {"backup", "copy"}}) {
        const Finished done = run_program(command, folder.path(), odd);
        EXPECT_EQ(done.code, 0) << command.front() << ": " << done.err;
    }
}

// What the first remembers, such as feature flags, the second would not learn of.
TEST(FirstRun, ASecondServiceOnTheSameDatabaseSaysSoAndEnds) {
    const TempFolder folder;
    std::optional<ServiceProcess> service(std::in_place, folder.path());
    const Finished second = run_program({"serve"}, folder.path(), quick_settings());
    EXPECT_EQ(second.code, 1) << "it may start once the other one has ended";
    EXPECT_THAT(second.err, HasSubstr("DATA_DIR: another service uses " + (folder / "data/consentry.db").string()));
    EXPECT_EQ(service->client().get("/api/health").status, 200U) << "the first one serves on";
    const Finished checked = run_program({"config", "check"}, folder.path(), quick_settings());
    EXPECT_EQ(checked.code, 1);
    EXPECT_THAT(checked.err, HasSubstr("another service uses"));
    EXPECT_THAT(checked.err, HasSubstr("--running"));
    EXPECT_EQ(run_program({"config", "check", "--running"}, folder.path(), quick_settings()).code, 0);
    EXPECT_EQ(run_program({"user", "list"}, folder.path(), quick_settings()).code, 0) << "commands work beside it";
    service->kill();
    service.emplace(folder.path());
    EXPECT_EQ(service->stop().code, 0);
    // Two on a first start, before there is a folder.
    const TempFolder empty;
    Program one({"serve"}, empty.path(), quick_settings());
    Program other({"serve"}, empty.path(), quick_settings());
    EXPECT_TRUE(
        eventually([&] { return one.err().contains("another service") || other.err().contains("another service"); }));
}

TEST(OPS_1, AnIdleServiceEndsAtOnceWhenItIsTold) {
    for (const int signal : {SIGTERM, SIGINT}) {
        const TempFolder folder;
        ServiceProcess service(folder.path());
        // A client that merely keeps its connection open does not delay the end.
        RawClient kept(service.port());
        kept.send("GET /api/hello HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(kept.read_answer().status, 200U);
        service.program().send(signal);
        const ExitStatus ended = service.program().wait(std::chrono::seconds{2});
        EXPECT_EQ(ended.code, 0) << "signal " << signal << ": " << ended.signal;
    }
}

TEST(OPS_1, ARequestThatHasBegunIsAnsweredBeforeTheEnd) {
    const TempFolder folder;
    const Person person = make_person(folder.path(), "ada@example.org");
    ServiceProcess service(folder.path());
    const std::string body =
        R"({"email":")" + person.email + R"(","password":")" + person.password + R"(","from":"website"})";
    RawClient client(service.port());
    client.send("POST /api/public/user/login/credential HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
                ("Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n"));
    ASSERT_EQ(client.read_answer().status, 100U) << "the head has arrived";
    service.program().send(SIGTERM);
    service.program().word_after("waiting for ");
    client.send(body);
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 200U) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr("accessToken"));
    EXPECT_TRUE(client.is_closed()) << "there will be no other request";
    client.close();
    EXPECT_EQ(service.program().wait(std::chrono::seconds{2}).code, 0);

    const ServiceProcess again(folder.path());
    EXPECT_EQ(log_in(again.client(), person).status, 200U);
}

TEST(FirstRun, CarriesOnWhereItEnded) {
    const TempFolder folder;
    const Person person = make_person(folder.path(), "ada@example.org");
    TokenTexts tokens;
    {
        ServiceProcess service(folder.path());
        tokens = tokens_of(service.client(), person);
        EXPECT_EQ(service.stop().code, 0);
    }
    const ServiceProcess service(folder.path());
    EXPECT_EQ(knock(service.client(), tokens.access), 200U);
}

}  // namespace
}  // namespace consentry::tests
