// `consentry verify`: offline, in an empty folder, with what a real service has given out.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include <sys/stat.h>

#include <gmock/gmock.h>

#include "crypto/key_set.hpp"
#include "tests/features/consent_proof/forged_bundle.hpp"
#include "tests/features/consent_proof/log_calls.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/timestamp_authority.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class VerifyCommand : public ::testing::Test {
protected:
    VerifyCommand() {
        publish(given_.service, "privacy", 1);
        receipt_ = receipt_of(accept(given_.service, given_.token, "privacy"));
        publish_log(given_.service);
        key_ = verifier_key_of(given_.service);
        write("receipt.jwt", receipt_ + "\n");
        write("log.note", given_.service.get("/.well-known/consent-log.note").body);
        write("privacy.tlog-proof", proof_of(given_.service, given_.token, receipt_));
    }
    void write(const char* name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    // With settings that no other command would accept.
    Finished verify(std::vector<std::string> arguments, const std::string& input = {}) const {
        arguments.insert(arguments.begin(), "verify");
        return run_program(arguments, folder_.path(), {{"APP_ENV", "nonsense"}}, input);
    }

    // What another reader was shown: signed by the log, with another first entry.
    std::string other_state() const {
        const auto* log = given_.service.app().services().consent_log->published().signer();
        tlog::Note note{
            .text = tlog::format_checkpoint(
                {.origin = log->verifier().name(), .size = 1, .root = tlog::leaf_hash(as_bytes("another entry"))}),
            .signatures = {}};
        note.signatures.push_back(log->sign(note.text));
        return tlog::format_note(note);
    }

    Signed given_{Environment{}};
    TempFolder folder_;
    std::string receipt_;
    std::string key_;
};

TEST_F(VerifyCommand, ReceiptAndProofWithTheVerifierKeyAlone) {
    const Finished receipt = verify({"receipt", "receipt.jwt", "--key", key_, "--description", "log.note"});
    EXPECT_EQ(receipt.code, 0) << receipt.err;
    EXPECT_THAT(receipt.out, HasSubstr("The receipt is genuine: acceptance of privacy 1 (en, text SHA-256 "));
    const Finished proof = verify({"proof", "privacy.tlog-proof", "--key", key_});
    EXPECT_EQ(proof.code, 0) << proof.err;
    EXPECT_THAT(proof.out, HasSubstr("entry 0 of the 1 in "));
    write("policy", "log " + key_ + "\nquorum none\n");
    EXPECT_EQ(verify({"proof", "privacy.tlog-proof", "--policy", "policy"}).code, 0);
    EXPECT_EQ(verify({"receipt", "-", "--key", key_, "--description", "log.note"}, receipt_).code, 0);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "log.note"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 4) << "creates nothing";
}

TEST_F(VerifyCommand, ManyReceiptsAndAnAnswer) {
    std::string many;
    for (int i = 0; i < 3'000; ++i) many += receipt_ + "\n";
    const Finished all = verify({"receipt", "-", "--key", key_, "--description", "log.note"}, many);
    EXPECT_EQ(all.code, 0) << all.err;
    EXPECT_THAT(all.out, HasSubstr("All 3000 receipts"));
    std::string altered = receipt_;
    altered[altered.size() / 2] = altered[altered.size() / 2] == 'A' ? 'B' : 'A';
    const Finished one =
        verify({"receipt", "-", "--key", key_, "--description", "log.note"}, many + altered + "\n" + many + altered);
    EXPECT_EQ(one.code, 1);
    EXPECT_THAT(one.err, HasSubstr("standard input: line 3001: the signature of the receipt is invalid"));
    EXPECT_EQ(one.out, "");
    const Finished answer = verify({"receipt", "-", "--key", key_, "--description", "log.note"},
                                   json::serialize(json::object{{"data", json::object{{"receipt", receipt_}}}}));
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(verify({"receipt", "-", "--key", key_, "--description", "log.note"}, "{}").code, 1);
    EXPECT_EQ(verify({"receipt", "-", "--key", key_, "--description", "log.note"}, "\n").code, 1);
}

TEST_F(VerifyCommand, TheExportOfAnAccountVerifiesByItself) {
    const std::string own = given_.service.get("/api/shared/user/export", bearer(given_.token)).body;
    const json::value exported = json::parse(own);
    const json::object& log = exported.at("consentLog").as_object();
    ASSERT_EQ(log.at("entries").as_array().size(), 1U);
    EXPECT_TRUE(log.at("entries").at(0).as_object().contains("proof"));
    EXPECT_EQ(log.at("policy"), ("log " + key_ + "\nquorum none\n").c_str());
    write("account.json", own);
    const Finished verified = verify({"receipt", "account.json", "--key", key_});
    EXPECT_EQ(verified.code, 0) << verified.err;
    EXPECT_THAT(verified.out, AllOf(HasSubstr("acceptance of privacy 1"), HasSubstr("entry 0 of the 1")));
    std::string other = own;
    const std::string mark = "index 0";
    other.replace(other.find(mark), mark.size(), "index 1");
    EXPECT_EQ(verify({"receipt", "-", "--key", key_}, other).code, 1);
}

// Receipts and proofs are genuine, but the file says something else about them.
TEST_F(VerifyCommand, AnExportThatContradictsItsReceiptsIsRefused) {
    publish(given_.service, "cookies", 1);
    receipt_of(accept(given_.service, given_.token, "cookies"));
    publish_log(given_.service);
    const std::string own = given_.service.get("/api/shared/user/export", bearer(given_.token)).body;
    const auto verdict = [&](const auto& change) {
        json::value altered = json::parse(own);
        json::array& entries = altered.at("consentLog").at("entries").as_array();
        change(entries[0].as_object(), entries[1].as_object());
        return verify({"receipt", "-", "--key", key_}, json::serialize(altered));
    };
    const auto refusal = [&](const auto& change) {
        const Finished finished = verdict(change);
        EXPECT_EQ(finished.code, 1) << finished.out;
        return finished.err;
    };
    const Finished whole = verdict([](json::object&, json::object&) {});
    EXPECT_EQ(whole.code, 0) << whole.err;
    EXPECT_THAT(whole.out, HasSubstr("All 2 receipts"));
    const Finished pending = verdict([](json::object& one, json::object&) { one.erase("proof"); });
    EXPECT_THAT(pending.out, HasSubstr("and 1 of them are proven")) << pending.err;

    EXPECT_THAT(
        refusal([](json::object& one, json::object& other) { one["acceptanceId"].swap(other["acceptanceId"]); }),
        HasSubstr("consentLog.entries[0]: the receipt is for a different acceptance than the file says"));
    EXPECT_THAT(refusal([](json::object& one, json::object&) { one["proof"] = json::array{one.at("proof")}; }),
                HasSubstr("entries[0]: `proof` is not a string"));
    for (const json::value& id : {json::value(1), json::value(nullptr), json::value(json::array{})})
        EXPECT_THAT(refusal([&](json::object&, json::object& other) { other["acceptanceId"] = id; }),
                    HasSubstr("entries[1]: `acceptanceId` is not a string"));
}

TEST_F(VerifyCommand, TheRowsOfAnExportAgreeWithTheirReceipts) {
    const std::string own = given_.service.get("/api/shared/user/export", bearer(given_.token)).body;
    const auto verdict = [&](const auto& change) {
        json::value altered = json::parse(own);
        change(altered.as_object(), altered.at("acceptances").at(0).as_object());
        return verify({"receipt", "-", "--key", key_}, json::serialize(altered));
    };
    const Finished whole = verdict([](json::object&, json::object&) {});
    EXPECT_EQ(whole.code, 0) << whole.err;
    EXPECT_THAT(whole.out, AllOf(HasSubstr("Each row of `acceptances` that has a receipt agrees with it."),
                                 HasSubstr("Nothing else in the file is signed.")));
    const std::pair<const char*, json::value> changes[] = {{"type", "cookies"},
                                                           {"version", 2},
                                                           {"version", "1"},
                                                           {"action", "withdrawn"},
                                                           {"language", "de"},
                                                           {"contentHashes", json::array{}},
                                                           {"acceptedAt", "2020-01-01T00:00:00.000Z"},
                                                           {"acceptedAt", nullptr},
                                                           {"ipAddress", "192.0.2.99"},
                                                           {"ipAddress", nullptr},
                                                           {"userAgent", "another program"},
                                                           {"sessionId", json::string(given_.person.id.text())},
                                                           {"shownDiffHash", json::string(64, 'f')}};
    for (const auto& [member, value] : changes) {
        const Finished changed = verdict([&](json::object&, json::object& row) { row[member] = value; });
        EXPECT_EQ(changed.code, 1) << changed.out;
        EXPECT_THAT(changed.err, HasSubstr("acceptances[0]: `" + std::string(member) + "` differs"));
    }
    const Finished twice = verdict([](json::object&, json::object& row) {
        json::array& hashes = row.at("contentHashes").as_array();
        hashes.push_back(json::object{{"language", "en"}, {"contentHash", std::string(64, 'f')}});
    });
    EXPECT_THAT(twice.err, HasSubstr("acceptances[0]: `contentHashes` differs"));
    const Finished more = verdict([](json::object& all, json::object&) {
        json::object row = all.at("acceptances").at(0).as_object();
        row["id"] = "unknown";
        all.at("acceptances").as_array().push_back(row);
    });
    EXPECT_THAT(more.out, HasSubstr("Rows of `acceptances` without a receipt, which nothing proves: 1."));
    const Finished none = verdict([](json::object& all, json::object&) {
        all.at("consentLog").at("entries").at(0).as_object()["receipt"] = nullptr;
    });
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.err, HasSubstr("entries[0]: `receipt` is not a string"));
}

// An addendum names the account. Without one, nothing in the export proves where the acceptance came from.
TEST_F(VerifyCommand, AnExportSaysWhatItsAddendaDoNotProve) {
    const std::string own = given_.service.get("/api/shared/user/export", bearer(given_.token)).body;
    const auto verdict = [&](const auto& change) {
        json::value altered = json::parse(own);
        change(altered.as_object());
        return verify({"receipt", "-", "--key", key_}, json::serialize(altered));
    };
    const auto without_addendum = [](json::object& all) {
        all.at("consentLog").at("entries").at(0).as_object().erase("addendum");
    };
    const auto of_other = [](json::object& all) { all.at("profile").as_object()["id"] = Uuid{}.text(); };
    const Finished whole = verdict([](json::object&) {});
    EXPECT_THAT(whole.out, AllOf(Not(HasSubstr("without an addendum")), Not(HasSubstr("in other languages"))));
    const Finished other = verdict(of_other);
    EXPECT_EQ(other.code, 1) << other.out;
    EXPECT_THAT(other.err, HasSubstr("entries[0]: `addendum` names an account other than `profile`"));
    const Finished moved = verdict([&](json::object& all) {  // the receipt is not below the other profile
        json::object inner{{"profile", all.at("profile")}, {"acceptances", all.at("acceptances")}};
        of_other(inner);
        all.erase("acceptances");
        all["more"] = inner;
    });
    EXPECT_EQ(moved.code, 1) << moved.out;
    EXPECT_THAT(moved.err, HasSubstr("more.acceptances[0]: the addendum of this acceptance names an account other"));
    const Finished bare = verdict([&](json::object& all) {
        without_addendum(all);
        json::object& row = all.at("acceptances").at(0).as_object();
        row["ipAddress"] = "192.0.2.99";
        row.at("contentHashes").as_array().push_back(json::object{{"language", "de"}, {"contentHash", "any"}});
    });
    EXPECT_EQ(bare.code, 0) << bare.err;
    EXPECT_THAT(bare.out, HasSubstr("\nRows of `acceptances` without an addendum, whose address, program, session and "
                                    "comparison nothing proves: 1.\nHashes of texts in other languages than those that "
                                    "were accepted, which nothing proves: 1.\n"));
}

TEST_F(VerifyCommand, AnAddendumIsTheOneThatItsReceiptNames) {
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    const std::string bundle = given_.service.get("/api/admin/consent/export", bearer(admin)).body;
    const std::string line = member_of(bundle, bundle::addenda);
    const auto begin = bundle::addendum_start(0).size();
    const std::string addendum = line.substr(begin, line.size() - begin - bundle::addendum_end.size());
    ASSERT_THAT(addendum, HasSubstr("\"userId\":\"" + given_.person.id.text() + "\""));
    const std::string own = given_.service.get("/api/shared/user/export", bearer(given_.token)).body;
    const auto verdict = [&](const json::value& with) {
        json::value altered = json::parse(own);
        altered.at("consentLog").at("entries").at(0).as_object()["addendum"] = with;
        return verify({"receipt", "-", "--key", key_}, json::serialize(altered));
    };
    const Finished right = verdict(json::string(addendum));
    EXPECT_EQ(right.code, 0) << right.err;
    EXPECT_THAT(right.out, HasSubstr("Addenda that match their receipts: 1."));
    const Finished wrong = verdict(json::string(addendum + " "));
    EXPECT_EQ(wrong.code, 1);
    EXPECT_THAT(wrong.err, HasSubstr("entries[0]: `addendum` is not the one that the receipt names"));
    for (const json::value& damaged : {json::value(nullptr), json::value(json::object{}), json::value(1)})
        EXPECT_THAT(verdict(damaged).err, HasSubstr("entries[0]: `addendum` is not a string"));
}

TEST_F(VerifyCommand, ABundleAndTheDescriptionInIt) {
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    write("log.zip", given_.service.get("/api/admin/consent/export", bearer(admin)).body);
    const Finished bundle = verify({"bundle", "log.zip", "--key", key_});
    EXPECT_EQ(bundle.code, 0) << bundle.err;
    EXPECT_THAT(bundle.out, HasSubstr("it has all 1 entries of "));
    EXPECT_EQ(verify({"receipt", "receipt.jwt", "--key", key_, "--description", "log.zip"}).code, 0);
    const Finished broken = verify({"bundle", "receipt.jwt", "--key", key_});
    EXPECT_EQ(broken.code, 1);
    EXPECT_THAT(broken.err, HasSubstr("receipt.jwt: this is not a ZIP archive"));
}

TEST_F(VerifyCommand, SaysWhenTheWitnessesOfABundleHaveSigned) {
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    const std::string archive = given_.service.get("/api/admin/consent/export", bearer(admin)).body;
    const auto* log = given_.service.app().services().consent_log->published().signer();
    tlog::Note note = tlog::parse_note(member_of(archive, "checkpoint")).value();
    std::string policy = "log " + key_ + "\n";
    for (const auto number : {std::uint8_t{1}, std::uint8_t{2}}) {
        const std::string name = "witness" + std::to_string(number);
        const auto witness =
            tlog::NoteSigner::from_seed(name + ".example.org", tlog::KeyType::cosignature, Bytes(32, number)).value();
        note.signatures.push_back(
            witness.cosign(note.text, std::chrono::sys_seconds{std::chrono::seconds{1'772'000'000 + number}}));
        policy += "witness " + name + " " + witness.verifier().text() + "\n";
    }
    write("log.zip", forged(archive, {{"checkpoint", tlog::format_note(note)}}, log));
    write("policy", policy + "group both all witness1 witness2\nquorum both\n");
    const Finished cosigned = verify({"bundle", "log.zip", "--policy", "policy"});
    EXPECT_EQ(cosigned.code, 0) << cosigned.err;
    EXPECT_THAT(cosigned.out, HasSubstr("\nWitnesses that have signed this state of the log: witness1 at "
                                        "2026-02-25T06:13:21.000Z, witness2 at 2026-02-25T06:13:22.000Z.\n"));
    EXPECT_THAT(verify({"bundle", "log.zip", "--key", key_}).out, Not(HasSubstr("Witnesses")));
}

// A log that signs another tree does not ask witnesses about it, and readers kept states before there were any.
TEST_F(VerifyCommand, AnEarlierStateNeedsNoWitness) {
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    const std::string archive = given_.service.get("/api/admin/consent/export", bearer(admin)).body;
    const auto* log = given_.service.app().services().consent_log->published().signer();
    const auto witness =
        tlog::NoteSigner::from_seed("one.example.org", tlog::KeyType::cosignature, Bytes(32, 1)).value();
    tlog::Note note = tlog::parse_note(member_of(archive, "checkpoint")).value();
    note.signatures.push_back(witness.cosign(note.text, std::chrono::sys_seconds{std::chrono::seconds{1'772'000'000}}));
    write("log.zip", forged(archive, {{"checkpoint", tlog::format_note(note)}}, log));
    write("early.zip", archive);
    write("kept", member_of(archive, "checkpoint"));
    write("other", other_state());
    write("account.json", given_.service.get("/api/shared/user/export", bearer(given_.token)).body);
    write("policy", "log " + key_ + "\nwitness one " + witness.verifier().text() + "\nquorum one\n");
    for (const char* earlier : {"kept", "early.zip", "privacy.tlog-proof", "account.json"}) {
        const Finished kept = verify({"bundle", "log.zip", "--policy", "policy", "--earlier", earlier});
        EXPECT_EQ(kept.code, 0) << kept.err;
        EXPECT_THAT(kept.out, HasSubstr("Earlier states that the log continues: 1.")) << earlier;
    }
    const Finished fork = verify({"bundle", "log.zip", "--policy", "policy", "--earlier", "other"});
    EXPECT_EQ(fork.code, 1);
    EXPECT_THAT(fork.err, HasSubstr("other: the log has signed another tree of 1 entries"));
    const Finished uncosigned = verify({"bundle", "early.zip", "--policy", "policy", "--earlier", "kept"});
    EXPECT_EQ(uncosigned.code, 1);
    EXPECT_THAT(uncosigned.err, HasSubstr("no witness of the policy has cosigned the checkpoint"));
}

// The publication of the version is in the database alone.
TEST_F(VerifyCommand, NamesWhatABundleNeedsToExplain) {
    publish(given_.service, "cookies", 1);
    receipt_of(accept(given_.service, given_.token, "cookies"));
    publish_log(given_.service);
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    write("log.zip", given_.service.get("/api/admin/consent/export", bearer(admin)).body);
    const Finished bundle = verify({"bundle", "log.zip", "--key", key_});
    EXPECT_EQ(bundle.code, 0) << bundle.err;
    EXPECT_THAT(bundle.out,
                HasSubstr("\nAcceptances and withdrawals of versions whose publication is not in the log: "));
}

TEST_F(VerifyCommand, ABundleContinuesWhatItsReaderHasKept) {
    write("kept", given_.service.get("/consent-log/checkpoint").body);
    publish(given_.service, "cookies", 1);
    publish(given_.service, "marketing", 1);
    const std::string denied = receipt_of(accept(given_.service, given_.token, "cookies"));
    write("denied.jwt", denied);
    // The operator removes an entry before a reader has seen it.
    given_.service.sql("DELETE FROM log_entries WHERE log = 'consent' AND position IS NULL");
    const auto bundle_of = [&](const char* name) {
        const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
        publish_log(given_.service);
        write(name, given_.service.get("/api/admin/consent/export", bearer(admin)).body);
    };
    const auto refusal = [&](const char* bundle, const char* earlier) {
        const Finished finished = verify({"bundle", bundle, "--key", key_, "--earlier", earlier});
        EXPECT_EQ(finished.code, 1) << finished.out;
        return finished.err;
    };
    bundle_of("early.zip");
    const Finished early = verify({"bundle", "early.zip", "--key", key_, "--earlier", "denied.jwt"});
    EXPECT_EQ(early.code, 0) << early.err;
    EXPECT_THAT(early.out,
                HasSubstr("Receipts whose entries it has: 0 of 1. None of the others is due by the times of the "
                          "log's entries."));

    given_.service.pass(std::chrono::minutes{5});
    receipt_of(accept(given_.service, given_.token, "marketing"));
    bundle_of("log.zip");
    write("account.json", given_.service.get("/api/shared/user/export", bearer(given_.token)).body);
    const Finished kept = verify({"bundle", "log.zip", "--key", key_, "--earlier", "kept", "--earlier", "receipt.jwt",
                                  "--earlier", "privacy.tlog-proof", "--earlier", "early.zip"});
    EXPECT_EQ(kept.code, 0) << kept.err;
    EXPECT_THAT(kept.out, AllOf(HasSubstr("Earlier states that the log continues: 1."),
                                HasSubstr("Receipts whose entries it has: 1 of 1.")));
    EXPECT_EQ(verify({"bundle", "log.zip", "--key", key_, "--earlier", "account.json"}).code, 0);
    EXPECT_THAT(refusal("log.zip", "denied.jwt"),
                HasSubstr("denied.jwt: line 1: the service has promised to add the entry of the receipt"));
    EXPECT_THAT(refusal("early.zip", "log.zip"), HasSubstr("and the bundle only 1"));

    write("other", other_state());
    EXPECT_THAT(refusal("log.zip", "other"), HasSubstr("other: the log has signed another tree of 1 entries"));
    EXPECT_THAT(refusal("early.zip", "other"), HasSubstr("other: the log has signed another tree"));
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    write("part.zip", given_.service.get("/api/admin/consent/export?type=privacy", bearer(admin)).body);
    EXPECT_THAT(refusal("part.zip", "kept"), HasSubstr("only with a bundle of the whole log"));
    EXPECT_EQ(verify({"bundle", "log.zip", "--key", key_, "--earlier", "none"}).code, 2);
}

// A log's receipt keys are those of all of its descriptions.
TEST_F(VerifyCommand, NoDescriptionDisplacesAnother) {
    const auto* log = given_.service.app().services().consent_log->published().signer();
    const std::string own = given_.service.get("/.well-known/consent-log.note").body;
    const auto described = [&](const std::function<void(json::array&)>& change) {
        const std::string text = tlog::parse_note(own)->text;
        const auto start = text.find('\n') + 1;
        json::value facts = json::parse(text.substr(start));
        change(facts.at("receiptKeys").at("keys").as_array());
        tlog::Note note{.text = text.substr(0, start) + json::serialize(facts) + "\n", .signatures = {}};
        note.signatures.push_back(log->sign(note.text));
        return tlog::format_note(note);
    };
    const std::string without_keys = described([](json::array& keys) { keys.clear(); });
    const std::string with_another = described([](json::array& keys) {
        const json::value kid = keys.at(0).at("kid");
        const auto other = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256).public_key();
        crypto::KeySet set;
        set.add(other, std::string(kid.as_string()));
        keys = set.jwks().at("keys").as_array();
    });
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    const std::string archive = given_.service.get("/api/admin/consent/export", bearer(admin)).body;
    write("whole.zip", archive);
    write("bare.zip", forged(archive, {{"description.note", without_keys}}, log));
    write("other.zip", forged(archive, {{"description.note", with_another}}, log));
    write("account.json", given_.service.get("/api/shared/user/export", bearer(given_.token)).body);
    write("bare.note", without_keys);
    write("other.note", with_another);
    const auto bundle = [&](const char* name, std::vector<std::string> earlier) {
        std::vector<std::string> arguments{"bundle", name, "--key", key_};
        for (std::string& one : earlier) arguments.insert(arguments.end(), {"--earlier", std::move(one)});
        return verify(std::move(arguments));
    };
    const Finished alone = bundle("bare.zip", {"receipt.jwt"});
    EXPECT_THAT(alone.err, HasSubstr("a key that the log does not know"));
    for (const char* known : {"account.json", "whole.zip"}) {
        const Finished kept = bundle("bare.zip", {"receipt.jwt", known});
        EXPECT_EQ(kept.code, 0) << kept.err;
        EXPECT_THAT(kept.out, HasSubstr("Receipts whose entries it has: "));
    }
    const char* contradiction = "the log has signed two descriptions that name different receipt keys with the ID ";
    EXPECT_THAT(bundle("other.zip", {"account.json"}).err, HasSubstr(contradiction));
    const auto receipt = [&](const char* description) {
        return verify({"receipt", "account.json", "--key", key_, "--description", description});
    };
    const Finished both = receipt("bare.note");
    EXPECT_EQ(both.code, 0) << both.err;
    EXPECT_THAT(receipt("other.note").err, HasSubstr(contradiction));
}

// What the reader gives by mistake says nothing about the log.
TEST_F(VerifyCommand, AGivenFileOfAnotherFormatIsNoFalseRecord) {
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    write("log.zip", given_.service.get("/api/admin/consent/export", bearer(admin)).body);
    write("empty", "");
    write("cut", given_.service.get("/consent-log/checkpoint").body.substr(0, 40));
    write("cut.json", R"({"consentLog":)");
    write("other.json", "{}");
    write("cut.zip", "PK");
    write("cut.jwt", "eyJ0");
    write("cut.tlog-proof", "c2sp.org/tlog-proof@v1\n");
    write("damaged.json", json::serialize(json::object{{"receipt", receipt_}, {"proof", 1}}));
    for (const std::string file : {"empty", "cut", "log.note", "cut.json", "other.json", "cut.zip", "cut.jwt",
                                   "cut.tlog-proof", "damaged.json"}) {
        const Finished refused = verify({"bundle", "log.zip", "--key", key_, "--earlier", file});
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_THAT(refused.err, HasSubstr("consentry: --earlier: " + file));
    }
    for (const std::string file :
         {"empty", "cut", "receipt.jwt", "cut.json", "other.json", "cut.zip", "privacy.tlog-proof"}) {
        const Finished refused = verify({"receipt", "receipt.jwt", "--key", key_, "--description", file});
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_THAT(refused.err, HasSubstr("consentry: --description: " + file));
    }
}

// The records have no timestamp.
TEST_F(VerifyCommand, AuthoritiesAreReadEvenIfThereIsNothingToVerify) {
    const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
    write("log.zip", given_.service.get("/api/admin/consent/export", bearer(admin)).body);
    write("account.json", given_.service.get("/api/shared/user/export", bearer(given_.token)).body);
    write("empty.pem", "");
    write("verifier.key", key_ + "\n");
    const TimestampAuthority authority;
    std::filesystem::copy_file(authority.certificate(), folder_ / "tsa.pem");
    const std::string pem = text_in(folder_ / "tsa.pem");
    write("half.pem", pem + pem.substr(0, pem.size() / 2));
    const std::pair<std::vector<std::string>, const char*> records[] = {
        {{"bundle", "log.zip"}, "\nThe bundle has no timestamp; --tsa-ca was not used."},
        {{"receipt", "account.json"}, "\nThe file has no timestamp; --tsa-ca was not used."},
        {{"receipt", "receipt.jwt", "--description", "log.note"},
         "\nThe file has no timestamp; --tsa-ca was not used."}};
    for (const auto& [record, unused] : records) {
        const auto with = [&](const char* file) {
            auto arguments = record;
            arguments.insert(arguments.end(), {"--key", key_, "--tsa-ca", file});
            return verify(std::move(arguments));
        };
        for (const std::string file : {"empty.pem", "verifier.key", "log.zip"}) {
            const Finished refused = with(file.c_str());
            EXPECT_EQ(refused.code, 2) << refused.out;
            EXPECT_EQ(refused.err, "consentry: --tsa-ca: " + file + ": no certificate in PEM\n");
        }
        const Finished cut_off = with("half.pem");
        EXPECT_EQ(cut_off.code, 2) << cut_off.out;
        EXPECT_EQ(cut_off.err, "consentry: --tsa-ca: half.pem: certificate 2 is damaged\n");
        const Finished accepted = with("tsa.pem");
        EXPECT_EQ(accepted.code, 0) << accepted.err;
        EXPECT_THAT(accepted.out, HasSubstr(unused));
        auto without = record;
        without.insert(without.end(), {"--key", key_});
        EXPECT_THAT(verify(std::move(without)).out, Not(HasSubstr("--tsa-ca")));
    }
}

TEST_F(VerifyCommand, TheVerdictInJson) {
    const auto verdict = [&](std::vector<std::string> arguments, int code, const std::string& input = {}) {
        arguments.insert(arguments.end(), {"--key", key_, "--json"});
        const Finished done = verify(std::move(arguments), input);
        EXPECT_EQ(done.code, code) << done.err;
        return json::parse(done.out);
    };
    const auto valid = verdict({"proof", "privacy.tlog-proof"}, 0);
    EXPECT_EQ(valid.at("valid"), true);
    EXPECT_THAT(std::string(valid.at("text").as_string()), HasSubstr("entry 0 of the 1 in "));
    EXPECT_EQ(verdict({"receipt", "receipt.jwt", "--description", "log.note"}, 0).at("valid"), true);
    const auto invalid = verdict({"bundle", "-"}, 1, "no archive");
    EXPECT_EQ(invalid.at("valid"), false);
    EXPECT_EQ(invalid.at("text"), "this is not a ZIP archive with members");
}

class StampedRecords : public ::testing::Test {
protected:
    StampedRecords() {
        publish(given_.service, "privacy", 1);
        receipt_of(accept(given_.service, given_.token, "privacy"));
        given_.service.work();
        key_ = verifier_key_of(given_.service);
        std::filesystem::copy_file(authority_.certificate(), folder_ / "tsa.pem");
        const std::string admin = given_.service.tokens_of(given_.service.make_person(Role::super_admin)).access;
        std::ofstream(folder_ / "log.zip", std::ios::binary)
            << given_.service.get("/api/admin/consent/export", bearer(admin)).body;
        own_ = given_.service.get("/api/shared/user/export", bearer(given_.token)).body;
        std::ofstream(folder_ / "account.json", std::ios::binary) << own_;
    }
    Finished verify(std::vector<std::string> arguments, const std::string& input = {}) const {
        arguments.insert(arguments.begin(), "verify");
        arguments.insert(arguments.end(), {"--key", key_});
        return run_program(arguments, folder_.path(), {}, input);
    }

    TimestampAuthority authority_;
    Signed given_{Environment{{"CONSENT_LOG_TIMESTAMP_URL", authority_.url()}}};
    TempFolder folder_;
    std::string key_;
    std::string own_;
};

TEST_F(StampedRecords, SayWhenTheLogExisted) {
    for (const std::vector<std::string>& record :
         {std::vector<std::string>{"bundle", "log.zip"}, std::vector<std::string>{"receipt", "account.json"}}) {
        const Finished anybody = verify(record);
        EXPECT_EQ(anybody.code, 0) << anybody.err;
        EXPECT_THAT(anybody.out, AllOf(HasSubstr("its first 1 entries existed at 20"),
                                       HasSubstr("says CN=tsa (not verified against a CA)")));
        auto with_authority = record;
        with_authority.insert(with_authority.end(), {"--tsa-ca", "tsa.pem"});
        const Finished trusted = verify(with_authority);
        EXPECT_EQ(trusted.code, 0) << trusted.err;
        EXPECT_THAT(trusted.out, AllOf(HasSubstr("says CN=tsa"), ::testing::Not(HasSubstr("not verified"))));
    }
    EXPECT_EQ(verify({"bundle", "log.zip", "--tsa-ca", "none.pem"}).code, 2);
    EXPECT_EQ(verify({"bundle", "log.zip", "--tsa-ca", "log.zip"}).code, 2);
}

TEST_F(StampedRecords, ThatWereAlteredAreRefused) {
    const auto refusal = [&](const auto& change) {
        json::value altered = json::parse(own_);
        change(altered.at("consentLog").as_object());
        const Finished finished = verify({"receipt", "-"}, json::serialize(altered));
        EXPECT_EQ(finished.code, 1) << finished.out;
        return finished.err;
    };
    const auto stamp = [](json::object& log) -> json::object& { return log.at("timestamp").as_object(); };
    EXPECT_THAT(refusal([&](json::object& log) { stamp(log)["answer"] = "AAAA"; }), HasSubstr("timestamp: "));
    EXPECT_THAT(refusal([&](json::object& log) { stamp(log)["answer"] = "?"; }), HasSubstr("timestamp: it is damaged"));
    EXPECT_THAT(refusal([&](json::object& log) { stamp(log).erase("text"); }), HasSubstr("timestamp: "));
    EXPECT_THAT(refusal([&](json::object& log) { log.erase("checkpoint"); }), HasSubstr("checkpoint: "));
}

// The commands that work on the data, beside a running service.
TEST(ConsentCommands, ExportAndCompareBesideTheService) {
    const TempFolder folder;
    make_data(folder.path());
    const ServiceProcess service(folder.path());
    const auto run = [&](std::vector<std::string> arguments) {
        return run_program(arguments, folder.path(), quick_settings());
    };
    const Finished compared = run({"verify", "database"});
    EXPECT_EQ(compared.code, 0) << compared.out << compared.err;
    EXPECT_THAT(compared.out, HasSubstr("The database matches the consent log: 0 entries"));
    const Finished exported =
        run({"consent", "export", "--out", "log.zip", "--from", "2026-01-01", "--to", "2026-01-31"});
    EXPECT_EQ(exported.code, 0) << exported.err;
    EXPECT_TRUE(std::filesystem::exists(folder / "log.zip"));
    EXPECT_EQ(std::ranges::count_if(
                  std::filesystem::directory_iterator(folder.path()),
                  [](const auto& entry) { return entry.path().filename().string().starts_with("log.zip"); }),
              1);
    EXPECT_EQ(run({"consent", "export", "--out", "x.zip", "--from", "yesterday"}).code, 2);
    std::filesystem::create_directory(folder / "folder");
    for (const char* unfit : {"no/folder/x.zip", "log.zip/x.zip", "folder", "folder/"}) {
        const Finished refused = run({"consent", "export", "--out", unfit});
        EXPECT_EQ(refused.code, 2) << unfit;
        EXPECT_THAT(refused.err, HasSubstr(unfit));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder / "folder"));
    for (const auto& [from, to] :
         {std::pair("2026-02-01", "2026-01-31"), std::pair("2026-01-01T12:00:00Z", "2026-01-01T11:00:00Z")}) {
        const Finished refused = run({"consent", "export", "--out", "x.zip", "--from", from, "--to", to});
        EXPECT_EQ(refused.code, 2);
        EXPECT_THAT(refused.err, AllOf(HasSubstr("--from"), HasSubstr("--to")));
        EXPECT_FALSE(std::filesystem::exists(folder / "x.zip"));
    }
    EXPECT_EQ(run({"consent", "export", "--out", "x.zip", "--from", "2026-01-31", "--to", "2026-01-31"}).code, 0)
        << "a whole day";
    EXPECT_EQ(run({"verify", "database", "--key", "x"}).code, 2);
    EXPECT_EQ(run({"verify", "database", "--checkpoint", "nowhere"}).code, 2);
    for (const char* text : {"", "no checkpoint\n"}) {
        std::ofstream(folder / "kept") << text;
        const Finished refused = run({"verify", "database", "--checkpoint", "kept"});
        EXPECT_EQ(refused.code, 2) << refused.out;
        EXPECT_THAT(refused.err, HasSubstr("consentry: --checkpoint: kept is not a checkpoint: "));
    }
    tlog::Note note{.text = tlog::format_checkpoint({.origin = "log.example", .size = 1, .root = tlog::Hash{}}),
                    .signatures = {}};
    note.signatures.push_back(tlog::NoteSigner::generate("log.example", tlog::KeyType::ed25519)->sign(note.text));
    std::ofstream(folder / "kept") << tlog::format_note(note);
    const Finished kept = run({"verify", "database", "--checkpoint", "kept"});
    EXPECT_EQ(kept.code, 1) << kept.err;
    EXPECT_THAT(kept.out, HasSubstr("The checkpoint that was kept is not one of the log: "));
    const Finished of_acts = run({"log", "verify", "admin", "--checkpoint", "kept"});
    EXPECT_EQ(of_acts.code, 1) << of_acts.err;
    EXPECT_THAT(of_acts.out, HasSubstr("The checkpoint that was kept is not one of the log: "));
    EXPECT_EQ(run({"log", "verify", "admin"}).code, 0);
    const Finished unread = run({"log", "verify", "admin", "--checkpoint", "nowhere"});
    EXPECT_EQ(unread.code, 2);
    EXPECT_THAT(unread.err, HasSubstr("consentry: --checkpoint: nowhere cannot be read: "));
}

// Regression: verifiers with the policy of the installation refused the bundle, and its maker did not learn of it.
TEST(ConsentCommands, AnExportSaysThatWitnessesLagBehind) {
    const TempFolder folder;
    make_data(folder.path());
    const auto witness =
        tlog::NoteSigner::from_seed("one.example.org", tlog::KeyType::cosignature, Bytes(32, 1)).value();
    const auto exported = [&](const std::string& quorum, std::vector<std::string> more) {
        std::ofstream(folder / "witnesses") << "witness one " << witness.verifier().text() << " http://127.0.0.1:1\n"
                                            << "quorum " << quorum << "\n";
        Settings settings = quick_settings();
        settings["CONSENT_LOG_WITNESSES"] = (folder / "witnesses").string();
        more.insert(more.begin(), {"consent", "export", "--out", "log.zip"});
        Finished done = run_program(more, folder.path(), settings);
        EXPECT_EQ(done.code, 0) << done.err;
        return done;
    };
    const char* warning = "consentry: warning: the witnesses have not cosigned the checkpoint of the bundle yet";
    for (const bool is_needed : {true, false}) {
        const std::string quorum = is_needed ? "one" : "none";
        EXPECT_EQ(exported(quorum, {}).err.contains(warning), is_needed);
        const Finished told = exported(quorum, {"--json"});
        EXPECT_EQ(told.err.contains(warning), is_needed);
        EXPECT_EQ(json::parse(told.out).at("cosigned"), !is_needed);
    }
    const Finished without = run_program({"consent", "export", "--out", "log.zip"}, folder.path(), quick_settings());
    EXPECT_THAT(without.err, Not(HasSubstr("warning")));
}

// As root, the command could otherwise replace a device of the machine.
TEST(ConsentCommands, AnExportReplacesNothingButFiles) {
    namespace fs = std::filesystem;
    const TempFolder folder;
    make_data(folder.path());
    const auto export_to = [&](const char* file) {
        return run_program({"consent", "export", "--out", file}, folder.path(), quick_settings());
    };
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_symlink("pipe", folder / "to-pipe");
    fs::create_symlink("missing", folder / "to-nothing");
    for (const auto& [name, trouble] : {std::pair("pipe", "pipe is not a regular file"),
                                        {"to-pipe", "to-pipe is not a regular file"},
                                        {"to-nothing", "to-nothing: No such file or directory"}}) {
        const Finished refused = export_to(name);
        EXPECT_EQ(refused.code, 2) << name;
        EXPECT_THAT(refused.err, HasSubstr(trouble));
    }
    EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
    EXPECT_EQ(fs::read_symlink(folder / "to-pipe"), "pipe");
    EXPECT_EQ(fs::read_symlink(folder / "to-nothing"), "missing");

    fs::create_directory(folder / "volume");
    std::ofstream(folder / "volume/log.zip") << "a former bundle";
    fs::create_symlink("volume/log.zip", folder / "log.zip");
    EXPECT_EQ(export_to("log.zip").code, 0);
    EXPECT_EQ(fs::read_symlink(folder / "log.zip"), "volume/log.zip") << "the link stays";
    EXPECT_EQ(text_in(folder / "volume/log.zip").substr(0, 2), "PK");
}

// A file that the command opens would otherwise take the place of standard error, and the messages with it.
TEST(ConsentCommands, AnExportWithoutStandardErrorIsWhole) {
    const TempFolder folder;
    make_data(folder.path());
    std::vector<std::string> words{"env", "-i", "-C", folder.path().string(), "AUTH_PASSWORD_ATTEMPT=false"};
    for (const auto& [name, value] : quick_settings()) words.push_back(name + "=" + value);
    for (const char* word : {"/bin/sh", "-c", "\"$0\" consent export --out log.zip 2>&-", CONSENTRY_PROGRAM})
        words.emplace_back(word);
    EXPECT_EQ(run_command(words).code, 0);
    EXPECT_EQ(text_in(folder / "log.zip").substr(0, 2), "PK");
    words.end()[-2] = "\"$0\" consent export --out log.zip --json >&-";
    const CommandResult unwritten = run_command(words);
    EXPECT_EQ(unwritten.code, 1);
    EXPECT_THAT(unwritten.err, HasSubstr("the results could not be written to standard output"));
}

TEST_F(VerifyCommand, WrongUseIsDistinguishedFromAFalseRecord) {
    const std::string other = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
    const Finished untrusted = verify({"receipt", "receipt.jwt", "--key", other, "--description", "log.note"});
    EXPECT_EQ(untrusted.code, 1);
    EXPECT_THAT(untrusted.err, HasSubstr("a log other than"));
    EXPECT_EQ(verify({"proof", "privacy.tlog-proof", "--key", other}).code, 1);
    const struct {
        std::vector<std::string> arguments;
        const char* says;
    } cases[] = {
        {{"receipt", "receipt.jwt", "--key", key_}, "--description"},
        {{"receipt", "receipt.jwt"}, "--key"},
        {{"receipt", "none.jwt", "--key", key_}, "none.jwt cannot be read: No such file"},
        {{"proof", ".", "--key", key_}, "cannot be read"},
        {{"proof", "privacy.tlog-proof", "--key", key_, "--policy", "log.note"}, "excludes"},
        {{"proof", "privacy.tlog-proof", "--policy", "log.note"}, "log.note: "},
        {{"proof", "privacy.tlog-proof", "--key", "x"}, "--key: "},
        {{"proof"}, "file"},
        {{}, "consentry verify --help"},
    };
    for (const auto& [arguments, says] : cases) {
        const Finished refused = verify(arguments);
        EXPECT_EQ(refused.code, 2) << says;
        EXPECT_THAT(refused.err, HasSubstr(says));
    }
}

}  // namespace
}  // namespace consentry::tests
