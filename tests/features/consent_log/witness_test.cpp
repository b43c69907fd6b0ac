// Checkpoints and their witnesses: cosignatures are gathered, and a witness that fails, lies or is away stops nothing.
#include <fstream>
#include <functional>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "app/commands/start_check.hpp"
#include "app/config/read_config.hpp"
#include "features/consent_proof/database_check.hpp"
#include "features/consent_proof/zip_reader.hpp"
#include "tests/features/consent_log/log_faults.hpp"
#include "tests/features/consent_log/witnesses.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/files.hpp"
#include "tests/support/run.hpp"
#include "tests/support/tls_front.hpp"
#include "tests/support/witnessed_log.hpp"
#include "tlog/policy.hpp"
#include "tlog/proof_file.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST_F(Witnesses, CosignEveryCheckpoint) {
    start(one_.line() + two_.line() + three_.line() +
          "group all all one.example.org two.example.org three.example.org\nquorum all\n");
    for (int round = 0; round < 3; ++round) {
        const std::string id = add();
        ASSERT_TRUE(comes_to(entries_, 3)) << shown();
        EXPECT_TRUE(is_accepted(shown()));
        EXPECT_EQ(text_in(service().folder() / "data" / "storage" / "public" / "consent-log" / "checkpoint"), shown());
        const Answer file = service().get("/api/shared/user/term-policy/receipt/" + id + "/proof", bearer(t_->token));
        const auto proof = tlog::parse_proof_file(file.body);
        ASSERT_TRUE(proof) << file.body;
        EXPECT_TRUE(tlog::verify_proof(proof->extra, *proof, tlog::Policy::parse(policy_).value()));
    }
    EXPECT_EQ(value_of(service(), "uncosigned_since FROM logs WHERE name = 'consent'"), "");
}

// The recipient of a bundle or an export learns whom the operator suggests to trust, and no address of theirs.
TEST_F(Witnesses, AreNamedInBundlesAndExports) {
    start(one_.line() + two_.line() + "# comment\ngroup both all one.example.org two.example.org\nquorum both\n");
    add();
    ASSERT_TRUE(comes_to(entries_, 2)) << shown();
    const std::string expected =
        log_line + one_.line("") + two_.line("") + "group both all one.example.org two.example.org\nquorum both\n";
    const std::string admin = service().tokens_of(service().make_person(Role::super_admin)).access;
    const std::string bundle = service().get("/api/admin/consent/export", bearer(admin)).body;
    const auto members = read_zip(as_bytes(bundle));
    ASSERT_TRUE(members) << members.error();
    EXPECT_EQ(as_text(find_member(*members, "policy.txt")->bytes), expected);
    const auto suggested = tlog::Policy::parse(expected);
    ASSERT_TRUE(suggested) << suggested.error();
    EXPECT_EQ(suggested->accept(as_text(find_member(*members, "checkpoint")->bytes))->cosignatures.size(), 2U);
    EXPECT_TRUE(run(service().app().services().bundles->make({}))->is_cosigned);
    const json::value own = json::parse(service().get("/api/shared/user/export", bearer(t_->token)).body);
    EXPECT_EQ(own.at("consentLog").at("policy"), expected.c_str());
    EXPECT_EQ(own.at("consentLog").at("checkpoint"), shown().c_str());
}

TEST_F(Witnesses, AreAskedAgainFromTheSizeThatTheyName) {
    start(one_.line() + "quorum one.example.org\n");
    add();
    ASSERT_TRUE(comes_to(1, 1));
    const int before = one_.conflicts();
    restart({});                          // and has forgotten what the witness knows
    for (int i = 0; i < 300; ++i) add();  // a full tile has replaced the partial one that the witness saw
    ASSERT_TRUE(comes_to(entries_, 1)) << shown();
    EXPECT_GT(one_.conflicts(), before);
}

// The entry is in the public log within the promise of its receipt, whatever the witness does.
TEST_F(Witnesses, ThatAreAwayDelayTheLogByHalfAMinuteAtMost) {
    start(one_.line("http://127.0.0.1:1") + "quorum one.example.org\n");
    const std::string id = add();
    work();
    EXPECT_EQ(size_shown(), 0U);
    service().pass(29s);
    work();
    EXPECT_EQ(size_shown(), 0U);
    service().pass(2s);
    work();
    EXPECT_EQ(size_shown(), 1U);
    EXPECT_EQ(cosignatures(), 0U);
    add();
    work();
    EXPECT_EQ(size_shown(), 2U) << "no further wait while they are away";
    EXPECT_FALSE(run(service().app().services().bundles->make({}))->is_cosigned);
    const Answer file = service().get("/api/shared/user/term-policy/receipt/" + id + "/proof", bearer(t_->token));
    EXPECT_EQ(file.status, 200U) << file.body;
}

TEST_F(Witnesses, ThatFailLeaveNoTraceAndComeBack) {
    start(one_.line() + "quorum one.example.org\n");
    const auto signature_by = [&](std::uint8_t seed, const std::string& text) {
        const auto signer =
            tlog::NoteSigner::from_seed("one.example.org", tlog::KeyType::cosignature, Bytes(32, seed)).value();
        const auto signature = signer.cosign(text, std::chrono::sys_seconds{1s});
        return tlog::format_signature_lines({&signature, 1});
    };
    const std::vector<TestWitness::Fault> faults{
        {.status = 400},
        {.status = 403},
        {.status = 404},
        {.status = 422},
        {.status = 429},
        {.status = 500},
        {.status = 200, .body = "garbage"},
        {.status = 200},
        {.status = 200, .body = signature_by(99, "another text\n")},  // of another key
        {.status = 200, .body = signature_by(11, "another text\n")},  // false
        {.status = 200, .body = std::string(1'000'000, 'x')},
        {.status = 409, .type = "text/x.tlog.size", .body = "many\n"},
        {.status = 409, .type = "text/x.tlog.size", .body = "1000000\n"},
        {.status = 409, .type = "text/x.tlog.size", .body = "0\n"},
        {.status = 409, .type = "text/html", .body = "0\n"},
    };
    for (const TestWitness::Fault& fault : faults) {
        SCOPED_TRACE(fault.status);
        one_.fail_with(fault);
        add();
        work();
        service().pass(61s);  // beyond the patience, and until the witness is asked again
        work();
        EXPECT_EQ(size_shown(), entries_);
        EXPECT_EQ(cosignatures(), 0U) << shown();
    }
    one_.fail_with({});
    service().pass(61s);
    ASSERT_TRUE(comes_to(entries_, 1)) << "the same checkpoint, cosigned later";
    EXPECT_TRUE(is_accepted(shown()));
    add();
    EXPECT_TRUE(comes_to(entries_, 1));
}

TEST_F(Witnesses, ThatAreSilentHoldNobodyUp) {
    start(one_.line() + two_.line() + "quorum two.example.org\n");
    one_.fail_with(TestWitness::Fault{.is_silent = true});
    add();
    const auto begin = std::chrono::steady_clock::now();
    while (cosignatures() == 0 && std::chrono::steady_clock::now() < begin + 20s) {
    }
    EXPECT_EQ(size_shown(), 1U);
    EXPECT_TRUE(is_accepted(shown()));
    add();
    while (size_shown() == 1 && std::chrono::steady_clock::now() < begin + 20s) {
    }
    EXPECT_EQ(cosignatures(), 1U);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << "the silent one is given up after that";
}

TEST_F(Witnesses, ReachTheQuorumWithoutOneOfThem) {
    start(one_.line() + two_.line("http://127.0.0.1:1") + three_.line() +
          "group most 2 one.example.org two.example.org three.example.org\nquorum most\n");
    add();
    ASSERT_TRUE(comes_to(1, 2));
    EXPECT_TRUE(is_accepted(shown()));
    three_.fail_with(TestWitness::Fault{});
    add();
    work();
    EXPECT_EQ(size_shown(), 1U) << "one of three is no quorum";
    three_.fail_with({});
    service().pass(61s);
    EXPECT_TRUE(comes_to(2, 2));
}

TEST_F(Witnesses, WithoutAQuorumGiveWhatTheyHave) {
    start(one_.line() + two_.line("http://127.0.0.1:1") + "quorum none\n");
    add();
    ASSERT_TRUE(comes_to(1, 1));
    one_.fail_with(TestWitness::Fault{});
    add();
    EXPECT_TRUE(comes_to(2, 0)) << "nobody is waited for";
}

TEST_F(Witnesses, AReplacedOneIsMissedByNobody) {
    start(one_.line() + "quorum one.example.org\n");
    restart({});
    add();
    ASSERT_TRUE(comes_to(2, 1));
    const std::string former = shown();
    policy_ = log_line + two_.line() + "quorum two.example.org\n";
    EXPECT_FALSE(is_accepted(former));
    std::ofstream(folder_ / "witnesses.txt") << policy_;
    service().restart();
    EXPECT_TRUE(comes_to(2, 2)) << "the checkpoint that exists gets the cosignature of the new one";
    EXPECT_TRUE(is_accepted(shown()));
}

TEST_F(Witnesses, ThePublicCheckpointNeverGoesBack) {
    start(one_.line() + "quorum one.example.org\n");
    one_.fail_with(TestWitness::Fault{});
    std::uint64_t before = 0;
    for (int round = 0; round < 12; ++round) {
        add();
        work();
        service().pass(std::chrono::seconds{round * 5});
        one_.fail_with(round % 3 == 2 ? std::nullopt : std::optional(TestWitness::Fault{}));
        work();
        const std::uint64_t now = size_shown();
        EXPECT_GE(now, before);
        before = now;
    }
    one_.fail_with({});
    service().pass(61s);
    ASSERT_TRUE(comes_to(entries_, 1));
    // Nor when the witnesses are taken out of the settings, and put in again while they are away.
    restart({{"CONSENT_LOG_WITNESSES", ""}});
    add();
    work();
    EXPECT_EQ(size_shown(), entries_);
    one_.fail_with(TestWitness::Fault{});
    service().restart({{"CONSENT_LOG_WITNESSES", (folder_ / "witnesses.txt").string()}});
    work();
    EXPECT_EQ(size_shown(), entries_);
}

TEST_F(Witnesses, ThatAnswerLateTakeNothingBack) {
    start(one_.line() + "quorum one.example.org\n");
    one_.fail_with(TestWitness::Fault{});
    const std::string first = add();
    work();
    service().pass(31s);
    work();
    const std::string note = shown();
    const std::string second = add();
    work();
    ASSERT_EQ(size_shown(), 2U);
    auto cosigned = tlog::parse_note(note).value();
    cosigned.signatures.push_back(one_.signer().cosign(cosigned.text, std::chrono::sys_seconds{1s}));
    PublishedLog& log = service().app().services().consent_log->published();
    CosignedCheckpoint late{.size = 1, .cosignatures = 1, .note = tlog::format_note(cosigned), .latest_at = {}};
    run(log.keep_cosigned(late));
    EXPECT_EQ(size_shown(), 2U);
    // But the entry that it covers has a proof with a cosignature.
    const auto proof_of = [&](const std::string& id) {
        return tlog::parse_proof_file(
                   service().get("/api/shared/user/term-policy/receipt/" + id + "/proof", bearer(t_->token)).body)
            .value();
    };
    const auto policy = tlog::Policy::parse(policy_).value();
    EXPECT_TRUE(tlog::verify_proof(proof_of(first).extra, proof_of(first), policy));
    EXPECT_FALSE(tlog::verify_proof(proof_of(second).extra, proof_of(second), policy));
    EXPECT_EQ(tlog::parse_signed_checkpoint(proof_of(second).checkpoint)->checkpoint.size, 2U);
    // A cosigned checkpoint gives way to none with fewer cosignatures.
    run(log.keep_cosigned({.size = 1, .cosignatures = 0, .note = note, .latest_at = {}}));
    EXPECT_TRUE(tlog::verify_proof(proof_of(first).extra, proof_of(first), policy));
}

TEST_F(Witnesses, GetNoProofOfDamagedTiles) {
    start(one_.line() + "quorum one.example.org\n");
    add();
    ASSERT_TRUE(comes_to(1, 1));
    one_.fail_with(TestWitness::Fault{});
    add();
    work();
    std::ofstream(service().folder() / "data/storage/public/consent-log/tile/0/000.p/2") << std::string(64, 'x');
    one_.fail_with({});
    service().pass(61s);
    for (int i = 0; i < 3; ++i) run(service().app().services().clean_up());  // meets the damage, and mends it
    EXPECT_TRUE(comes_to(2, 1)) << shown();
}

// An attacker with the database and the key writes the log anew, and deletes what the witnesses have cosigned.
TEST_F(Witnesses, MustHaveCosignedWhatTheDatabaseIsComparedWith) {
    start(one_.line() + "quorum one.example.org\n");
    for (int i = 0; i < 3; ++i) add();
    ASSERT_TRUE(comes_to(3, 1));
    const auto found = [&] {
        Services& services = service().app().services();
        DatabaseCheck check(services.database, services.object_store, services.term_policies.paths(),
                            service().clock().now(), {.witness_lines = services.consent_log->witness_lines()});
        std::string out;
        for (const std::string& one : run(check.run()).found)
            if (one.starts_with("log_entries: ")) out += one + "\n";
        return out;
    };
    EXPECT_EQ(found(), "");
    const std::string cosigned = value_of(service(), "cosigned_checkpoint FROM logs WHERE name = 'consent'");
    service().sql("DELETE FROM log_entries WHERE log = 'consent'");
    service().sql("DELETE FROM logs WHERE name = 'consent'");
    std::filesystem::remove_all(service().folder() / "data" / "storage" / "public" / "consent-log");
    restart({});
    work();
    EXPECT_THAT(found(), HasSubstr("The quorum of the witnesses has not cosigned the log yet"));
    service().sql("UPDATE logs SET cosigned_size = 3, cosigned_checkpoint = '" + cosigned + "' WHERE name = 'consent'");
    EXPECT_THAT(found(),
                HasSubstr("The first 3 entries in the database are not those that the witnesses have cosigned"));
}

// Regression: one number in the database kept later entries from everybody, and the comparison found nothing; a text
// there replaced the published checkpoint.
TEST_F(Witnesses, WhatEverybodyIsShownIsComparedWithTheLog) {
    start(one_.line() + "quorum one.example.org\n");
    add();
    ASSERT_TRUE(comes_to(1, 1));
    const std::string first = shown();
    add();
    ASSERT_TRUE(comes_to(2, 1));
    const std::string second = shown();
    const auto object = service().folder() / "data/storage/public/consent-log/checkpoint";
    ASSERT_TRUE(is_soon([&] { return text_in(object) == second; }));
    Services& services = service().app().services();
    const auto found = [&] { return log_faults(services); };
    const auto set = [&](const std::string& size, const std::string& checkpoint) {
        service().sql("UPDATE logs SET public_size = " + size + ", public_checkpoint = '" + checkpoint +
                      "' WHERE name = 'consent'");
        run(services.clean_up());
        EXPECT_EQ(text_in(object), second);
    };
    EXPECT_EQ(found(), "");
    set("1000000", second);
    EXPECT_THAT(found(),
                HasSubstr("The public checkpoint in the database has 2 entries, but the database says 1000000"));
    EXPECT_EQ(shown(), second);
    set("2", "garbage");
    EXPECT_THAT(found(), HasSubstr("The checkpoint in the database that everybody is shown is not one of the log"));
    EXPECT_EQ(service().get("/consent-log/checkpoint").status, 503U);
    // With an older one in its place, the database could go back unnoticed.
    set("1, uncosigned_since = " + std::to_string(epoch_ms(service().clock().now())), first);
    EXPECT_THAT(found(),
                HasSubstr("The public checkpoint in the database has 1 entries, but that in the object store 2"));
    set("1000000, uncosigned_since = NULL", second);
    add();
    const auto troubles = run(services.clean_up());
    EXPECT_TRUE(std::ranges::any_of(troubles, [](const TaskTrouble& trouble) {
        return trouble.reason.contains("columns public_checkpoint and public_size of table logs have been changed");
    }));
    service().sql("UPDATE logs SET public_size = 2 WHERE name = 'consent'");
    ASSERT_TRUE(comes_to(3, 1));
    EXPECT_EQ(found(), "");
}

// What the owner of a log cannot hide: entries that were cut off or replaced after a witness saw them.
TEST_F(Witnesses, NeverCosignALogThatWasRewritten) {
    start(one_.line() + "quorum one.example.org\n");
    for (int i = 0; i < 3; ++i) add();
    ASSERT_TRUE(comes_to(3, 1));
    service().sql("DELETE FROM log_entries WHERE log = 'consent'");
    service().sql("DELETE FROM logs WHERE name = 'consent'");
    std::filesystem::remove_all(service().folder() / "data" / "storage" / "public" / "consent-log");
    restart({});  // takes the rows in again, in entries with other tags and times
    work();
    service().pass(61s);
    work();
    EXPECT_EQ(size_shown(), entries_);
    EXPECT_EQ(cosignatures(), 0U);
    add();
    work();
    service().pass(61s);
    work();
    EXPECT_EQ(cosignatures(), 0U);
}

TEST_F(Witnesses, OfAPrivateAuthorityAreBelievedIfTheSettingsNameIt) {
    const TlsFront front(one_.port());
    start(one_.line(front.url()) + "quorum one.example.org\n");
    add();
    work();
    EXPECT_EQ(one_.requests(), 0) << "the system does not trust the certificate";
    restart({{"CONSENT_LOG_CA_FILE", front.certificate().string()}});
    EXPECT_TRUE(comes_to(entries_, 1)) << shown();
}

TEST_F(Witnesses, TheirFileIsCheckedAtTheStart) {
    const auto refusal = [&](const std::string& text) -> std::string {
        std::ofstream(folder_ / "witnesses.txt") << text;
        try {
            t_.emplace(Environment{{"CONSENT_LOG_PRIVATE_KEY", key_pem},
                                   {"CONSENT_LOG_ORIGIN", "log.example.org"},
                                   {"CONSENT_LOG_WITNESSES", (folder_ / "witnesses.txt").string()}});
        } catch (const std::runtime_error& refused) {
            return refused.what();
        }
        return {};
    };
    EXPECT_THAT(refusal("garbage\nquorum none\n"), HasSubstr("CONSENT_LOG_WITNESSES"));
    EXPECT_THAT(refusal("quorum none\n"), HasSubstr("names no witness"));
    EXPECT_THAT(refusal(one_.line("") + "quorum one.example.org\n"), HasSubstr("must end with its URL"));
    EXPECT_THAT(refusal(one_.line("ftp://a") + "quorum one.example.org\n"), HasSubstr("must end with its URL"));
    EXPECT_THAT(refusal(one_.line("https://a:66123") + "quorum one.example.org\n"), HasSubstr("from 1 to 65535"));
    EXPECT_THAT(refusal(WitnessedLog().policy() + one_.line()), HasSubstr("Add the line: " + log_line.substr(0, 20)));
    EXPECT_EQ(refusal(one_.line() + "quorum one.example.org\n"), "") << "without a line of the log";
}

TEST_F(Witnesses, TheirFileIsCheckedByConfigCheck) {
    const SystemClock clock;
    const auto problem = [&](const std::string& file, const std::string& text) -> std::string {
        std::ofstream(folder_ / "witnesses.txt") << text;
        const auto config = read_config({{"CONSENT_LOG_WITNESSES", (folder_ / file).string()},
                                         {"CONSENT_LOG_PRIVATE_KEY", key_pem},
                                         {"DATA_DIR", folder_.path().string()},
                                         {"HTTP_PORT", "0"}});
        for (const ConfigProblem& one : check_start(config.value(), clock, ServiceRuns::no).problems)
            if (one.setting == "CONSENT_LOG_WITNESSES") return one.text;
        return {};
    };
    EXPECT_THAT(problem("missing.txt", ""), HasSubstr("missing.txt"));
    EXPECT_THAT(problem("witnesses.txt", "quorum\n"), HasSubstr("line 1"));
    EXPECT_THAT(problem("witnesses.txt", WitnessedLog().policy() + one_.line()), HasSubstr("no `log` line"));
    EXPECT_EQ(problem("witnesses.txt", log_line + one_.line() + "quorum none\n"), "");
}

}  // namespace
}  // namespace consentry::tests
