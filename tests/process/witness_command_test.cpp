// `consentry witness`, as a person runs it who has nothing else of Consentry.
#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <sys/resource.h>

#include <boost/system/system_error.hpp>
#include <gmock/gmock.h>

#include "tests/process/core_dump.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/witnessed_log.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class WitnessCommand : public ::testing::Test {
protected:
    WitnessCommand() {
        log_.grow(400);
        std::ofstream(folder_ / "logs.txt") << log_.policy();
        const Finished made = run({"key", "--name", "witness.example.org", "--out", "witness.key"});
        EXPECT_EQ(made.code, 0) << made.err;
        vkey_ = made.out.substr(0, made.out.find('\n'));
    }
    Finished run(std::vector<std::string> arguments, const Settings& environment = {}) const {
        arguments.insert(arguments.begin(), "witness");
        return run_program(arguments, folder_.path(), environment);
    }
    // Listens once the constructor has returned.
    // The shell runs `limits` before.
    struct Running {
        explicit Running(const fs::path& folder, const std::string& limits = ":")
            : program("/bin/sh",
                      {"-c", limits + "; exec \"$0\" \"$@\"", CONSENTRY_PROGRAM, "witness", "--logs", "logs.txt",
                       "--key", "witness.key", "--listen", "127.0.0.1:0"},
                      folder, {}),
              client(static_cast<std::uint16_t>(std::stoul(program.word_after("http://127.0.0.1:")))) {}
        Answer ask(const std::string& body) const { return client.call("POST", "/add-checkpoint", body); }

        Program program;
        HttpClient client;
    };

    const TempFolder folder_;
    WitnessedLog log_;
    std::string vkey_;
};

TEST_F(WitnessCommand, StartsInABareFolderAndCosigns) {
    Running witness(folder_.path());
    const Answer answer = witness.ask(log_.body(0, 3));
    EXPECT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain; charset=utf-8");
    const auto signatures = tlog::parse_signature_lines(answer.body);
    ASSERT_TRUE(signatures) << answer.body;
    const auto key = tlog::VerifierKey::parse(vkey_);
    ASSERT_TRUE(key) << vkey_;
    EXPECT_EQ(key->type(), tlog::KeyType::cosignature);
    EXPECT_TRUE(key->verify(tlog::format_checkpoint(log_.checkpoint(3)), signatures->front().signature));

    const Answer conflict = witness.ask(log_.body(0, 5));
    EXPECT_EQ(conflict.status, 409U);
    EXPECT_EQ(conflict.headers.at("content-type"), "text/x.tlog.size");
    EXPECT_EQ(conflict.body, "3\n");
    EXPECT_EQ(witness.client.get("/add-checkpoint").status, 405U);
    EXPECT_EQ(witness.client.get("/").status, 404U);
    EXPECT_EQ(witness.ask(std::string(tlog::add_checkpoint_bytes_max + 1, 'x')).status, 413U);
    EXPECT_EQ(witness.ask(std::string(tlog::add_checkpoint_bytes_max, 'x')).status, 400U);

    witness.program.send(SIGTERM);
    EXPECT_EQ(witness.program.wait().code, 0) << witness.program.err();
    EXPECT_THAT(witness.program.err(), HasSubstr(vkey_));
    EXPECT_EQ(fs::status(folder_ / "witness.db").permissions() & fs::perms::others_all, fs::perms::none);
}

// Two signed trees of one size prove that the log was rewritten.
TEST_F(WitnessCommand, ReportsASecondTreeOfOneSizeWhateverSizeTheClientNames) {
    WitnessedLog forked;
    forked.grow(8);
    forked.grow(8, "forged ");
    Running witness(folder_.path());
    ASSERT_EQ(witness.ask(log_.body(0, 16)).status, 200U);
    for (const std::size_t to : {16U, 24U}) EXPECT_EQ(witness.ask(log_.body(0, to)).status, 409U);
    const std::string line = "has signed two different logs of 16 entries";
    EXPECT_THAT(witness.program.err(), Not(HasSubstr(line)));
    for (const std::size_t old_size : {0U, 8U, 16U}) EXPECT_EQ(witness.ask(forked.body(old_size, 16)).status, 409U);
    witness.program.send(SIGTERM);
    EXPECT_EQ(witness.program.wait().code, 0);
    const std::string said = witness.program.err();
    std::size_t lines = 0;
    for (auto at = said.find(line); at != std::string::npos; at = said.find(line, at + 1)) ++lines;
    EXPECT_EQ(lines, 3U) << said;
}

TEST_F(WitnessCommand, MayOpenAsManyFilesAsTheSystemAllows) {
    const Running witness(folder_.path(), "ulimit -S -n 200");
    rlimit limit{};
    ASSERT_EQ(::prlimit(witness.program.pid(), RLIMIT_NOFILE, nullptr, &limit), 0);
    EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
}

// Each connection occupies a file. Without a file for another one, the witness could not even refuse it.
TEST_F(WitnessCommand, HoldsFewerConnectionsThanItMayOpenFiles) {
    const Running witness(folder_.path(), "ulimit -n 400");
    std::deque<RawClient> clients;
    const auto status_of_another = [&] {
        clients.emplace_back(witness.client.port());
        clients.back().send(
            "POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n");
        return clients.back().read_answer().status;
    };
    for (int i = 0; i < 350; ++i) ASSERT_EQ(status_of_another(), 100U) << i;
    EXPECT_EQ(status_of_another(), 503U);
}

TEST_F(WitnessCommand, ACrashLeavesNoCore) {
    const CoresAllowed allowed;
    const TempFolder local;
    ServiceProcess service(local.path());  // of which a core may be written, because it is no production
    if (!dumps_core(service.program())) GTEST_SKIP() << "this machine or build writes no cores at all";
    Running witness(folder_.path());
    EXPECT_FALSE(dumps_core(witness.program));
    EXPECT_FALSE(fs::exists(folder_ / "core"));
}

TEST_F(WitnessCommand, TheKeyIsWrittenOnceAndNeverShown) {
    const std::string key = text_in(folder_ / "witness.key");
    EXPECT_TRUE(key.starts_with("PRIVATE+KEY+witness.example.org+"));
    EXPECT_EQ(fs::status(folder_ / "witness.key").permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const Finished again = run({"key", "--name", "witness.example.org", "--out", "witness.key"});
    EXPECT_EQ(again.code, 2);
    EXPECT_THAT(again.err, HasSubstr("witness.key"));
    EXPECT_EQ(run({"key", "--name", "witness.example.org", "--out", "no/folder/witness.key"}).code, 2);
    EXPECT_EQ(text_in(folder_ / "witness.key"), key);
    // The file ends with 44 characters in base64, among them perhaps more '+', and a line end.
    const std::string secret = key.substr(key.size() - 45, 20);
    for (const Finished& finished :
         {again, run({"--logs", "logs.txt", "--key", "logs.txt"}), run({"--logs", "logs.txt"}),
          run({"--logs", "logs.txt"}, {{"CONSENTRY_WITNESS_KEY", key.substr(0, key.size() - 5)}})}) {
        EXPECT_NE(finished.code, 0);
        EXPECT_THAT(finished.out + finished.err, Not(HasSubstr(secret)));
    }
    EXPECT_EQ(run({"key", "--name", "two words", "--out", "other.key"}).code, 2);
    EXPECT_FALSE(fs::exists(folder_ / "other.key"));
}

// A witness that begins without its memory cosigns a second root of a size that it has cosigned.
TEST_F(WitnessCommand, StartsOnlyWithTheDatabaseThatCameWithItsKey) {
    {
        const Running witness(folder_.path());
        EXPECT_EQ(witness.ask(log_.body(0, 3)).status, 200U);
        const std::string database = "Database: " + (folder_ / "witness.db").string();
        EXPECT_TRUE(eventually([&] { return witness.program.err().contains(database); })) << witness.program.err();
    }
    fs::create_directory(folder_ / "elsewhere");
    const auto start_elsewhere = [&] {
        return run_program({"witness", "--logs", "../logs.txt", "--key", "../witness.key", "--listen", "127.0.0.1:0"},
                           folder_ / "elsewhere", {});
    };
    const std::string missing = (folder_ / "elsewhere" / "witness.db").string();
    const Finished refused = start_elsewhere();
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr(missing), HasSubstr("--database"), HasSubstr("another key")));
    EXPECT_FALSE(fs::exists(missing));
    std::ofstream{missing};  // as a truncated one
    EXPECT_EQ(start_elsewhere().code, 2);

    // A key that is not created creates no database either: it would replace the lost one.
    fs::remove(missing);
    EXPECT_EQ(
        run({"key", "--name", "a.example.org", "--out", "witness.key", "--database", "elsewhere/witness.db"}).code, 2);
    EXPECT_FALSE(fs::exists(missing));
    // And a database that cannot be created leaves no key that has none.
    EXPECT_EQ(run({"key", "--name", "a.example.org", "--out", "a.key", "--database", "logs.txt/witness.db"}).code, 2);
    EXPECT_FALSE(fs::exists(folder_ / "a.key"));
    const Finished made =
        run({"key", "--name", "a.example.org", "--out", "a.key", "--database", "elsewhere/witness.db"});
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr(missing));
    EXPECT_TRUE(fs::exists(missing));

    // The new database knows nothing of what the former key has cosigned.
    const Finished mistaken = start_elsewhere();
    EXPECT_EQ(mistaken.code, 2);
    EXPECT_THAT(mistaken.err,
                AllOf(HasSubstr(missing), HasSubstr("a key other than"), HasSubstr("witness.example.org")));

    // A new key may use an old database: what it remembers holds for every key.
    EXPECT_EQ(run({"key", "--name", "b.example.org", "--out", "b.key"}).code, 0);
    {
        Program fresh({"witness", "--logs", "logs.txt", "--key", "b.key", "--listen", "127.0.0.1:0"}, folder_.path(),
                      {});
        EXPECT_FALSE(fresh.word_after("http://127.0.0.1:").empty());
    }
    const Running again(folder_.path());
    EXPECT_EQ(again.ask(log_.body(0, 5)).body, "3\n");
}

TEST_F(WitnessCommand, SaysWhatItLacks) {
    EXPECT_EQ(run({}).code, 2);
    EXPECT_THAT(run({}).err, HasSubstr("--logs"));
    std::ofstream(folder_ / "empty.txt") << "";
    const struct {
        std::vector<std::string> arguments;
        const char* words;
    } cases[] = {{{"--logs", "none.txt", "--key", "witness.key"}, "none.txt"},
                 {{"--logs", "empty.txt", "--key", "witness.key"}, "empty.txt: "},
                 {{"--logs", "logs.txt"}, "CONSENTRY_WITNESS_KEY"},
                 {{"--logs", "logs.txt", "--key", "none.key"}, "cannot read the key file none.key"},
                 {{"--logs", "logs.txt", "--key", "logs.txt"}, "logs.txt: "}};
    for (const auto& [arguments, words] : cases) {
        const Finished refused = run(arguments);
        EXPECT_EQ(refused.code, 2) << words;
        EXPECT_THAT(refused.err, HasSubstr(words));
    }
    for (const char* listen : {"localhost", "localhost:", ":80", "localhost:http", "localhost:70000", "::1:80"}) {
        const Finished refused = run({"--logs", "logs.txt", "--key", "witness.key", "--listen", listen});
        EXPECT_EQ(refused.code, 2) << listen;
        EXPECT_THAT(refused.err, HasSubstr("HOST:PORT")) << listen;
    }
    std::ofstream(folder_ / "log.key") << tlog::NoteSigner::generate("log.example.org", tlog::KeyType::ed25519)->text()
                                       << "\n";
    EXPECT_THAT(run({"--logs", "logs.txt", "--key", "log.key"}).err, HasSubstr("the key of a log"));
}

TEST_F(WitnessCommand, NamesTheOptionOfAnAddressInUse) {
    const Running first(folder_.path());
    const std::string address = "127.0.0.1:" + std::to_string(first.client.port());
    const Finished second = run({"--logs", "logs.txt", "--key", "witness.key", "--listen", address});
    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.err, HasSubstr("--listen: cannot listen on " + address +
                                      ": Address already in use. Set another port, or stop the program that uses it"));
}

// What the witness has answered is on disk: after a kill at any moment it knows at least that size.
TEST_F(WitnessCommand, AKillForgetsNoCosignature) {
    std::size_t known = 0;  // cosigned, as the client has read it
    std::mt19937 random(7);
    for (int round = 0; round < 10; ++round) {
        Running witness(folder_.path());
        const Answer told = witness.ask(tlog::format_add_checkpoint({400, {}, log_.note(400)}));
        if (told.status == 409) {
            const auto size = tlog::parse_tree_size(told.body).value();
            EXPECT_GE(size, known);
            EXPECT_LE(size, known + 1) << "one request was under way";
            known = size;
        }
        std::atomic<bool> has_ended = false;
        std::atomic<std::size_t> answers = 0;
        std::jthread client([&] {
            try {
                while (known < 399 && witness.ask(log_.body(known, known + 1)).status == 200) ++known, ++answers;
            } catch (const boost::system::system_error&) {
            }
            has_ended = true;
        });
        for (const std::size_t wanted = random() % 30; answers < wanted && !has_ended;) std::this_thread::yield();
        witness.program.send(SIGKILL);
        witness.program.wait();
    }
    EXPECT_GT(known, 0U);
}

}  // namespace
}  // namespace consentry::tests
