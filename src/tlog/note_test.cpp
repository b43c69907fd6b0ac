#include "tlog/note.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace consentry::tlog {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::string_view text =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
// golang.org/x/mod/sumdb/note publishes these two.
constexpr std::string_view peter_line =
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
constexpr std::string_view enoch_line =
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";

VerifierKey peter() {
    return VerifierKey::parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW").value();
}
VerifierKey enoch() {
    return VerifierKey::parse("EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop").value();
}

std::string note_of(std::initializer_list<std::string_view> lines) {
    std::string note = std::string(text) + "\n";
    for (const std::string_view line : lines) note += line;
    return note;
}

std::expected<std::vector<VerifiedSignature>, std::string> verified(std::string_view note,
                                                                    const std::vector<VerifierKey>& known) {
    const auto parsed = parse_note(note);
    if (!parsed) return std::unexpected("parsing: " + parsed.error());
    EXPECT_EQ(format_note(*parsed), note);
    return verify_note(*parsed, known);
}

std::string error_of(std::string_view note) { return parse_note(note).error(); }

TEST(Note, OfTheSpecificationIsGenuine) {
    const std::string note =
        "This is an example message.\n\n"
        "— example.com/foo "
        "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
    const auto key =
        VerifierKey::parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k").value();
    const auto signatures = verified(note, {key});
    ASSERT_TRUE(signatures) << signatures.error();
    ASSERT_EQ(signatures->size(), 1U);
    EXPECT_EQ(signatures->front().key, 0U);
    EXPECT_EQ(signatures->front().time, std::nullopt);

    std::string altered = note;
    altered.replace(altered.find("example"), 7, "Example");
    EXPECT_EQ(verified(altered, {key}).error(), "the signature of example.com/foo is invalid");
}

// The first example of the specification, whose key it does not tell.
TEST(Note, TheLastEmptyLineEndsTheText) {
    const std::string poem =
        "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n";
    const std::string note =
        poem +
        "\n— quasimodo.example/salvatore "
        "NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";
    const auto parsed = parse_note(note);
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_EQ(parsed->text, poem);
    ASSERT_EQ(parsed->signatures.size(), 1U);
    EXPECT_EQ(parsed->signatures[0].name, "quasimodo.example/salvatore");
    EXPECT_EQ(parsed->signatures[0].key_id, 0x367ba04bU);
    EXPECT_EQ(parsed->signatures[0].signature.size(), 64U);
    EXPECT_EQ(format_note(*parsed), note);
}

// A checkpoint of a public log, with the lines of its witnesses as they were served. The first line is of another type.
TEST(Note, OfAPublicLogAndItsWitnessesIsGenuine) {
    const std::string note =
        "arche2025h1.staging.ct.transparency.dev\n1432088532\nU7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=\n\n"
        "— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkp"
        "tQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=\n"
        "— arche2025h1.staging.ct.transparency.dev "
        "ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=\n"
        "— transparency.dev/DEV:witness-little-garden "
        "2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==\n"
        "— witness1.smartit.nu/witness1 "
        "pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==\n"
        "— remora.n621.de "
        "2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==\n"
        "— witness.stagemole.eu "
        "Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==\n";
    std::vector<VerifierKey> known;
    for (const std::string_view vkey :
         {"arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f",
          "transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM",
          "witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO",
          "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
          "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv"})
        known.push_back(VerifierKey::parse(vkey).value());
    const auto signatures = verified(note, known);
    ASSERT_TRUE(signatures) << signatures.error();
    ASSERT_EQ(signatures->size(), 5U);
    for (std::size_t i = 0; i < signatures->size(); ++i) {
        EXPECT_EQ((*signatures)[i].key, i);
        if (i > 0) {
            EXPECT_EQ((*signatures)[i].time, sys_seconds{seconds{0x6a122120}});
        }
    }
}

TEST(Note, SignaturesOfUnknownKeysAreIgnored) {
    const std::string both = note_of({peter_line, enoch_line});
    EXPECT_EQ(verified(both, {peter(), enoch()})->size(), 2U);
    const auto one = verified(both, {enoch()});
    ASSERT_TRUE(one) << one.error();
    EXPECT_EQ(one->size(), 1U);
    EXPECT_EQ(verified(note_of({enoch_line}), {peter()}).error(), "none of the known keys has signed the note");
    EXPECT_EQ(verified(both, {}).error(), "none of the known keys has signed the note");
    // One with the name but not the ID, and one with the ID but not the name.
    const NoteSignature other_id{"PeterNeumann", 0xc74f20a4, Bytes(64)};
    const NoteSignature other_name{"Peter", 0xc74f20a3, Bytes(64)};
    const std::string others = format_signature_lines(std::vector{other_id, other_name});
    EXPECT_EQ(verified(note_of({others, peter_line}), {peter()})->size(), 1U);
}

TEST(Note, AFalseSignatureOfAKnownKeyRefusesTheNote) {
    Note note = parse_note(note_of({peter_line, enoch_line})).value();
    note.signatures[1].signature[63] ^= 1;
    const std::vector known{peter(), enoch()};
    EXPECT_EQ(verify_note(note, known).error(), "the signature of EnochRoot is invalid");
    EXPECT_TRUE(verify_note(note, std::vector{peter()})) << "who does not know Enoch cannot tell";
    note.signatures.push_back(parse_note(note_of({enoch_line})).value().signatures[0]);
    EXPECT_FALSE(verify_note(note, known)) << "a genuine one beside it does not help";
    for (const std::size_t size : {1U, 63U, 65U}) {
        note.signatures = {{"PeterNeumann", 0xc74f20a3, Bytes(size)}};
        EXPECT_EQ(verify_note(note, known).error(), "the signature of PeterNeumann is invalid") << size;
    }
}

TEST(Note, NoBitOfTextOrSignatureCanChange) {
    const Note note = parse_note(note_of({peter_line})).value();
    const std::vector known{peter()};
    for (std::size_t i = 0; i < note.text.size(); ++i) {
        Note altered = note;
        altered.text[i] ^= 1;
        EXPECT_FALSE(verify_note(altered, known)) << i;
    }
    for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
        Note altered = note;
        altered.signatures[0].signature[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        EXPECT_FALSE(verify_note(altered, known)) << bit;
    }
}

TEST(Note, TwoKnownKeysOfOneNameAndIdAreAmbiguous) {
    EXPECT_EQ(verified(note_of({peter_line}), {peter(), enoch(), peter()}).error(),
              "two of the known keys have the name PeterNeumann and one key ID");
    EXPECT_TRUE(verified(note_of({peter_line}), {peter(), enoch(), enoch()}));
}

TEST(Note, TakesAsManySignaturesAsItsLimit) {
    std::string lines;
    for (std::size_t i = 0; i < note_signatures_max; ++i) lines += fmt::format("— witness{} AAAAAAA=\n", i);
    EXPECT_GE(note_signatures_max, 16U);
    EXPECT_TRUE(parse_note(note_of({lines})));
    EXPECT_EQ(error_of(note_of({lines, peter_line})), "there are more than 100 signatures");
    EXPECT_EQ(error_of(std::string(note_bytes_max, 'x') + note_of({peter_line})), "the note is too long");
}

TEST(Note, IsReadStrictly) {
    const std::string note = note_of({peter_line});
    EXPECT_TRUE(parse_note(note));
    EXPECT_TRUE(parse_note("\n\n" + std::string(peter_line))) << "a text of one empty line";
    EXPECT_EQ(error_of(""), "no empty line separates text and signatures");
    EXPECT_EQ(error_of(text), "no empty line separates text and signatures");
    EXPECT_EQ(error_of("\n" + std::string(peter_line)), "no empty line separates text and signatures");
    EXPECT_EQ(error_of(note_of({})), "the note has no signature");
    for (const std::string_view bad : {"\x01", "\xFF", "\t", "\r", "\xC0\x80", "\xED\xA0\x80"}) {
        EXPECT_EQ(error_of(std::string(bad) + note), "the text of the note is not printable UTF-8");
        EXPECT_FALSE(parse_note(note_of({peter_line, "— a", bad, " AAAAAAA=\n"})));
    }
    EXPECT_EQ(error_of(note.substr(0, note.size() - 1)), "the signatures are not lines of printable UTF-8")
        << "the last newline is missing";
    EXPECT_EQ(error_of(note + "A line.\n"), "signature line 2 does not begin with an em dash and a space");
    EXPECT_EQ(error_of(note + "\n" + note.substr(note.find("—"), 3) + "\n"),
              "signature line 1 does not begin with an em dash and a space");
}

TEST(Note, ASignatureLineIsReadStrictly) {
    const auto error = [](std::string_view line) { return error_of(note_of({line})); };
    EXPECT_TRUE(parse_note(note_of({"— name AAAAAAA=\n"})));
    EXPECT_EQ(error("- name AAAAAAA=\n"), "signature line 1 does not begin with an em dash and a space");
    EXPECT_EQ(error("—name AAAAAAA=\n"), "signature line 1 does not begin with an em dash and a space");
    EXPECT_EQ(error(" — name AAAAAAA=\n"), "signature line 1 does not begin with an em dash and a space");
    EXPECT_EQ(error("— name\n"), "signature line 1 has no space behind the name of the key");
    EXPECT_EQ(error("—  AAAAAAA=\n"), "signature line 1 has no proper name of a key");
    EXPECT_EQ(error("— na+me AAAAAAA=\n"), "signature line 1 has no proper name of a key");
    EXPECT_EQ(error("— na\u00A0me AAAAAAA=\n"), "signature line 1 has no proper name of a key");
    EXPECT_EQ(error("— na me AAAAAAA=\n"), "signature line 1 is not in base64");
    EXPECT_EQ(error("— name AAAAAAA= \n"), "signature line 1 is not in base64");
    EXPECT_EQ(error("— name AAAAAAA\n"), "signature line 1 is not in base64");
    EXPECT_EQ(error("— name AAAAAAB=\n"), "signature line 1 is not in base64") << "unused bits";
    EXPECT_EQ(error("— name AAAAAA==\n"), "signature line 1 is too short");
    EXPECT_EQ(error("— name \n"), "signature line 1 is too short");
}

TEST(Note, TheLinesOfAWitnessAreThoseOfANote) {
    const std::string lines = std::string(peter_line) + std::string(enoch_line);
    const auto read = parse_signature_lines(lines);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->size(), 2U);
    EXPECT_EQ(format_signature_lines(*read), lines);
    EXPECT_FALSE(parse_signature_lines(""));
    EXPECT_FALSE(parse_signature_lines("\n"));
    EXPECT_FALSE(parse_signature_lines(lines + "\n"));
    EXPECT_FALSE(parse_signature_lines(lines.substr(0, lines.size() - 1)));
}

TEST(Note, OfALogWithItsWitnesses) {
    const auto log = NoteSigner::from_seed("example.com/log", KeyType::ed25519, Bytes(32, 1)).value();
    const auto witness = NoteSigner::from_seed("witness.example.com", KeyType::cosignature, Bytes(32, 2)).value();
    Note note{"a text\n", {}};
    note.signatures.push_back(log.sign(note.text));
    note.signatures.push_back(witness.cosign(note.text, sys_seconds{seconds{100}}));
    note.signatures.push_back(witness.cosign(note.text, sys_seconds{seconds{200}}));
    const auto signatures = verified(format_note(note), {log.verifier(), witness.verifier()});
    ASSERT_TRUE(signatures) << signatures.error();
    ASSERT_EQ(signatures->size(), 3U);
    EXPECT_EQ((*signatures)[1].time, sys_seconds{seconds{100}});
    EXPECT_EQ((*signatures)[2].time, sys_seconds{seconds{200}});
    EXPECT_EQ((*signatures)[2].key, 1U);
}

}  // namespace
}  // namespace consentry::tlog
