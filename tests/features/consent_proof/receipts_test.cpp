// Receipts and proofs of the real service, verified with nothing but the verifier key, and everything that is refused.
#include <cstdlib>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>

#include "crypto/jws.hpp"
#include "features/consent_proof/receipt_check.hpp"
#include "tests/features/consent_proof/log_calls.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;

struct Given : Signed {
    Given() : Signed(Environment{}) {
        publish(service, "privacy", 3, {"de", "en"});
        receipt = receipt_of(accept(service, token, "privacy", {{"language", "de"}}));
        publish_log(service);
        note = service.get("/.well-known/consent-log.note").body;
        proof = proof_of(service, token, receipt);
        description = open_description(note, policy).value();
    }
    std::string receipt;
    std::string note;
    std::string proof;
    tlog::Policy policy = policy_of(service);
    Description description;
};

TEST(Receipts, ReceiptAndProofSayTheSame) {
    const Given given;
    const auto receipt = verify_receipt(given.receipt, given.description);
    ASSERT_TRUE(receipt) << receipt.error();
    EXPECT_EQ(receipt->entry.type, PolicyType::privacy);
    EXPECT_EQ(receipt->entry.language, Language::de);
    EXPECT_EQ(to_hex(receipt->entry.content), hash_of("privacy", 3, "de"));
    EXPECT_EQ(receipt->merge_delay, 60);
    const auto proven = verify_receipt_proof(*receipt, given.proof, given.policy);
    ASSERT_TRUE(proven) << proven.error();
    EXPECT_EQ(proven->place.index, 0U);
    EXPECT_THAT(describe(proven->entry),
                HasSubstr("acceptance of privacy 3 (de, text SHA-256 " + hash_of("privacy", 3, "de") + ") at 2"));
}

// With it a user can show who the entry is about, even after the erasure.
TEST(Receipts, TheExportOfTheAccountHasTheAddendumThatAReceiptNames) {
    const Given given;
    const json::object claims = crypto::parse_jws(given.receipt).value().claims;
    const auto record = [&] {
        const Answer exported = given.service.get("/api/shared/user/export", bearer(given.token));
        return exported.json.at("consentLog").at("entries").at(0).as_object();
    };
    const json::object entry = record();
    ASSERT_TRUE(entry.contains("addendum"));
    const std::string addendum(entry.at("addendum").as_string());
    EXPECT_EQ(to_hex(crypto::sha256(addendum)), std::string_view(claims.at("addendumHash").as_string()));
    EXPECT_THAT(addendum, HasSubstr("\"userId\":\"" + given.person.id.text() + "\""));
    given.service.sql("UPDATE term_policy_acceptances SET ip_address = '192.0.2.99'");
    EXPECT_FALSE(record().contains("addendum")) << "it is none that the receipt names";
}

TEST(Receipts, EachCharacterOfAReceiptCounts) {
    const Given given;
    for (std::size_t at = 0; at < given.receipt.size(); ++at)
        for (const char other : {'A', 'B', 'z', '_', '.'}) {
            std::string changed = given.receipt;
            changed[at] = other;
            if (changed != given.receipt) EXPECT_FALSE(verify_receipt(changed, given.description)) << at << other;
        }
    EXPECT_FALSE(verify_receipt(given.receipt + "A", given.description));
    EXPECT_FALSE(verify_receipt(given.receipt.substr(1), given.description));
}

TEST(Receipts, EachByteOfAProofAndOfADescriptionCounts) {
    const Given given;
    const auto facts = verify_entry_proof(given.proof, given.policy);
    ASSERT_TRUE(facts) << facts.error();
    for (std::size_t at = 0; at < given.proof.size(); ++at) {
        std::string changed = given.proof;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        EXPECT_FALSE(verify_entry_proof(changed, given.policy)) << at;
    }
    for (std::size_t at = 0; at < given.note.size(); ++at) {
        std::string changed = given.note;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        EXPECT_FALSE(open_description(changed, given.policy)) << at;
    }
}

// A key of the service that signs other tokens, too, must not vouch for anything but receipts, and claims that
// contradict one another prove nothing even if the service signed them.
TEST(Receipts, AForgerWithTheKeyOfReceiptsIsRefusedWhereTheLogKnowsBetter) {
    const auto key = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256);
    Description description{.origin = "example.com/consent", .receipt_keys = {}, .merge_delay = 60, .verifier_key = {}};
    description.receipt_keys.emplace("k", key.public_key());
    const Given given;
    json::object claims = crypto::parse_jws(given.receipt)->claims;
    claims["log"] = description.origin;
    const auto verdict = [&](const json::object& said, std::string_view type = "consent-receipt+jwt",
                             std::string_view kid = "k") {
        const auto read = verify_receipt(crypto::sign_jws(key, kid, type, json::serialize(said)), description);
        return read ? std::string("genuine") : read.error();
    };
    EXPECT_EQ(verdict(claims), "genuine");
    EXPECT_THAT(verdict(claims, "at+jwt"), HasSubstr("its type"));
    EXPECT_THAT(verdict(claims, "consent-receipt+jwt", "other"), HasSubstr("a key that the log does not know"));
    const auto with = [&](const char* name, const json::value& value) {
        json::object out = claims;
        out[name] = value;
        return verdict(out);
    };
    EXPECT_THAT(with("log", "example.org/consent"), HasSubstr("another log"));
    EXPECT_THAT(with("iat", claims.at("iat").as_int64() + 1), HasSubstr("contradicts itself"));
    EXPECT_THAT(with("action", "withdrawn"), HasSubstr("contradicts itself"));
    EXPECT_THAT(with("late", true), HasSubstr("contradicts itself"));
    EXPECT_THAT(with("late", false), HasSubstr("not readable"));
    EXPECT_THAT(with("iat", -1), HasSubstr("not readable"));
    EXPECT_THAT(with("sub", "0123"), HasSubstr("not readable"));
    EXPECT_THAT(with("policy", nullptr), HasSubstr("not readable"));
    EXPECT_THAT(with("mergeDelay", "60"), HasSubstr("not readable"));
    EXPECT_EQ(with("mergeDelay", 59), "genuine");
    for (const std::int64_t longer : {std::int64_t{61}, std::numeric_limits<std::int64_t>::max()})
        EXPECT_THAT(with("mergeDelay", longer), HasSubstr("but the log adds entries within 60"));
}

TEST(Receipts, TheDescriptionSaysHowLongTheLogMayTake) {
    const Given given;
    EXPECT_EQ(given.description.merge_delay, 60);
    const auto* log = given.service.app().services().consent_log->published().signer();
    const auto with = [&](const std::string& delay) {
        tlog::Note note{.text = tlog::parse_note(given.note)->text, .signatures = {}};
        const std::string member = "\"mergeDelay\":60,";
        note.text.replace(note.text.find(member), member.size(), delay);
        note.signatures.push_back(log->sign(note.text));
        return open_description(tlog::format_note(note), given.policy);
    };
    EXPECT_EQ(with("\"mergeDelay\":30,")->merge_delay, 30);
    for (const char* wrong : {"", "\"mergeDelay\":-1,", "\"mergeDelay\":\"60\",", "\"mergeDelay\":1e2,"})
        EXPECT_THAT(with(wrong).error(), HasSubstr("does not say within which time")) << wrong;
}

TEST(Receipts, AnotherLogIsNotTrusted) {
    const Given given;
    const auto other =
        tlog::Policy::of_log(tlog::NoteSigner::generate("example.com/consent", tlog::KeyType::ed25519)->verifier());
    EXPECT_THAT(open_description(given.note, *other).error(), HasSubstr("a log other than"));
    EXPECT_FALSE(verify_entry_proof(given.proof, *other));
    // Signed by the log, but something else.
    EXPECT_FALSE(open_description(given.service.get("/consent-log/checkpoint").body, given.policy));
}

TEST(Receipts, TheProofOfAnotherEntryProvesNothing) {
    Given given;
    publish(given.service, "cookies", 1);
    const std::string second = receipt_of(accept(given.service, given.token, "cookies"));
    publish_log(given.service);
    const auto receipt = verify_receipt(second, given.description);
    ASSERT_TRUE(receipt) << receipt.error();
    EXPECT_EQ(verify_receipt_proof(*receipt, given.proof, given.policy).error(), "the proof is that of another entry");
    EXPECT_TRUE(verify_receipt_proof(*receipt, proof_of(given.service, given.token, second), given.policy));
}

// The line of the entry is optional in a proof (c2sp.org/tlog-proof). Its receipt determines the entry.
TEST(Receipts, AProofWithoutItsEntryProvesItsReceiptOnly) {
    Given given;
    publish(given.service, "cookies", 1);
    const std::string second = receipt_of(accept(given.service, given.token, "cookies"));
    publish_log(given.service);
    const auto receipt = verify_receipt(given.receipt, given.description);
    const auto other = verify_receipt(second, given.description);
    ASSERT_TRUE(receipt && other);
    std::string proof = given.proof;
    const std::size_t line = proof.find("\nextra ") + 1;
    proof.erase(line, proof.find('\n', line) + 1 - line);
    const auto proven = verify_receipt_proof(*receipt, proof, given.policy);
    ASSERT_TRUE(proven) << proven.error();
    EXPECT_EQ(proven->entry, LogEntry(receipt->entry));
    EXPECT_THAT(verify_receipt_proof(*other, proof, given.policy).error(), HasSubstr("the proof is invalid"));
    EXPECT_EQ(verify_entry_proof(proof, given.policy).error(), "the proof does not contain the entry that it proves");
}

// DER of an ECDSA signature, from r || s of a token.
std::string der_of(BytesView raw) {
    const auto integer = [](BytesView number) {
        while (number.size() > 1 && number[0] == 0 && number[1] < 0x80) number = number.subspan(1);
        std::string out = number[0] < 0x80 ? std::string() : std::string(1, '\0');
        out += as_text(number);
        return std::string("\x02") + static_cast<char>(out.size()) + out;
    };
    const std::string both = integer(raw.first(raw.size() / 2)) + integer(raw.subspan(raw.size() / 2));
    return std::string("\x30") + static_cast<char>(both.size()) + both;
}

// A program that knows nothing of ours comes to the same verdict.
TEST(Receipts, OpensslVerifiesReceiptAndCheckpoint) {
    const Given given;
    const TempFolder folder;
    const auto write = [&](const char* name, std::string_view bytes) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
    };
    const auto openssl = [&](const std::string& arguments) {
        return std::system(("cd " + folder.path().string() + " && openssl " + arguments + " > out 2>&1").c_str()) == 0;
    };
    const auto jws = crypto::parse_jws(given.receipt).value();
    const json::value facts = json::parse(given.service.get("/.well-known/consent-log").body);
    const auto key = crypto::PublicKey::from_jwk(facts.at("receiptKeys").at("keys").at(0).as_object()).value();
    write("receipt.der", as_text(key.spki_der()));
    write("receipt.sig", der_of(jws.signature));
    write("receipt.txt", jws.signing_input);
    const std::string receipt = "dgst -sha256 -keyform DER -verify receipt.der -signature receipt.sig receipt.txt";
    EXPECT_TRUE(openssl(receipt));
    write("receipt.txt", std::string(jws.signing_input) + "A");
    EXPECT_FALSE(openssl(receipt));

    const auto note = tlog::parse_note(given.service.get("/consent-log/checkpoint").body).value();
    const auto log = crypto::PublicKey::from_ed25519(given.policy.logs().front().key.point()).value();
    write("log.der", as_text(log.spki_der()));
    write("log.sig", as_text(note.signatures.front().signature));
    write("log.txt", note.text);
    const std::string checkpoint =
        "pkeyutl -verify -rawin -pubin -keyform DER -inkey log.der -sigfile log.sig -in log.txt";
    EXPECT_TRUE(openssl(checkpoint));
    write("log.txt", note.text + "\n");
    EXPECT_FALSE(openssl(checkpoint));
}

}  // namespace
}  // namespace consentry::tests
