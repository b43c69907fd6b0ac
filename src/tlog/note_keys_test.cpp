#include "tlog/note_keys.hpp"

#include <gtest/gtest.h>

#include "crypto/digest.hpp"

namespace consentry::tlog {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

// golang.org/x/mod/sumdb/note publishes this key.
constexpr std::string_view peter_vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
constexpr std::string_view peter_key = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
constexpr std::string_view peter_text =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";

Bytes seed(std::uint8_t byte) { return Bytes(32, byte); }

// As a key file would have it, with the right key ID.
std::string vkey_of(std::string name, Bytes typed) {
    const auto hash = crypto::sha256(name + "\n" + std::string(as_text(typed)));
    return name + "+" + to_hex(BytesView(hash).first(4)) + "+" + to_base64(typed);
}

TEST(VerifierKey, OfTheSpecificationAndOfItsUsers) {
    struct Case {
        std::string_view text;
        std::string_view name;
        KeyType type;
        std::uint32_t id;
    };
    const Case cases[] = {
        {"example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", "example.com/foo", KeyType::ed25519,
         0x530d903a},
        {peter_vkey, "PeterNeumann", KeyType::ed25519, 0xc74f20a3},
        {"TEST+7997405c+AQcC+FTVKf0jlTdHDY3rbevmnKxxPjigCXlVtGe6RIr6", "TEST", KeyType::ed25519, 0x7997405c},
        {"remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2", "remora.n621.de", KeyType::cosignature,
         0xda77ade7},
    };
    for (const Case& one : cases) {
        const auto key = VerifierKey::parse(one.text);
        ASSERT_TRUE(key) << one.text << ": " << key.error();
        EXPECT_EQ(key->name(), one.name);
        EXPECT_EQ(key->type(), one.type);
        EXPECT_EQ(key->id(), one.id);
        EXPECT_EQ(key->text(), one.text);
        const auto same = VerifierKey::from_ed25519(key->name(), key->type(), key->point());
        ASSERT_TRUE(same) << same.error();
        EXPECT_EQ(same->text(), one.text);
    }
}

TEST(VerifierKey, NoPartAndNoNeighborOfItsTextIsAnotherKey) {
    const std::string text(peter_vkey);
    for (std::size_t begin = 0; begin < text.size(); ++begin)
        for (std::size_t end = begin; end <= text.size(); ++end)
            EXPECT_EQ(VerifierKey::parse(text.substr(begin, end - begin)).has_value(), end - begin == text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string other = text;
        ++other[i];
        EXPECT_FALSE(VerifierKey::parse(other)) << other;
    }
}

TEST(VerifierKey, ASentenceNamesWhatIsWrong) {
    const auto error = [](const std::string& vkey) { return VerifierKey::parse(vkey).error(); };
    const std::string key = "ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    EXPECT_EQ(error("PeterNeumann"), "the key is not of the form name+id+base64");
    EXPECT_EQ(error("PeterNeumann+c74f20a3"), "the key is not of the form name+id+base64");
    EXPECT_EQ(error("PeterNeumann+c74f20a3+"), "the last part of the key is not base64");
    EXPECT_EQ(error("PeterNeumann+c74f20a3+!"), "the last part of the key is not base64");
    EXPECT_EQ(error("PeterNeumann+c74f20a4+" + key), "the key ID does not belong to this name and key");
    EXPECT_EQ(error("PeterNeumann+C74F20A3+" + key), "the key ID does not belong to this name and key");
    EXPECT_EQ(error("PeterNeuman+c74f20a3+" + key), "the key ID does not belong to this name and key");
    EXPECT_EQ(error("+c74f20a3+" + key), "the name of a key has no spaces and no '+', and is not empty");
    EXPECT_EQ(error(vkey_of(std::string(256, 'n'), from_base64(key).value())),
              "the name of a key is longer than 255 bytes");
    EXPECT_EQ(error(vkey_of("name", Bytes(33, 6))), "keys of type 6 are not supported");
    EXPECT_EQ(error(vkey_of("name", Bytes(36, 1))), "the key has 35 bytes instead of 32");
    Bytes small_order(33);
    small_order[0] = 1;
    EXPECT_EQ(error(vkey_of("name", small_order)), "the point is not in the curve's main group");
}

TEST(VerifierKey, NamesHaveNoSpacesAndNoPlus) {
    for (const std::string_view name : {"a", "example.com/foo", "rome.ct.example.com:8080/tevere",
                                        "quasimodo.example/è", "日本", "-", "=", "\x7F", "\u200B"})
        EXPECT_TRUE(is_key_name(name)) << name;
    for (const std::string_view name :
         {"",       " ",      "a b",    "a+b",    "+",        "a\tb",   "a\n",      "a\rb",        "\x0B",
          "\x0C",   "\x01",   "\x1F",   "\u0085", "a\u00A0b", "\u1680", "\u2000",   "\u200A",      "\u2028",
          "\u2029", "\u202F", "\u205F", "\u3000", "\xFF",     "\xC3",   "\xC0\xAB", "\xED\xA0\x80"})
        EXPECT_FALSE(is_key_name(name)) << name;
    EXPECT_FALSE(is_key_name(std::string_view("a\0b", 3)));
}

TEST(NoteSigner, SignsAsTheGoLibrary) {
    const auto signer = NoteSigner::parse(peter_key);
    ASSERT_TRUE(signer) << signer.error();
    EXPECT_EQ(signer->verifier().text(), peter_vkey);
    EXPECT_EQ(signer->text(), peter_key);
    const NoteSignature made = signer->sign(peter_text);
    EXPECT_EQ(made.name, "PeterNeumann");
    EXPECT_EQ(made.key_id, 0xc74f20a3);
    Bytes with_id{0xc7, 0x4f, 0x20, 0xa3};
    with_id.insert(with_id.end(), made.signature.begin(), made.signature.end());
    EXPECT_EQ(to_base64(with_id),
              "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=");
    EXPECT_TRUE(signer->verifier().verify(peter_text, made.signature));
    EXPECT_FALSE(signer->verifier().verify(std::string(peter_text) + "\n", made.signature));
}

TEST(NoteSigner, NoPartOfItsTextIsAnotherKey) {
    const std::string text(peter_key);
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_FALSE(NoteSigner::parse(text.substr(0, size)));
        EXPECT_FALSE(NoteSigner::parse(text.substr(text.size() - size)));
        std::string other = text;
        ++other[size];
        EXPECT_FALSE(NoteSigner::parse(other)) << size;
    }
    EXPECT_EQ(NoteSigner::parse(peter_vkey).error(), "a private key begins with PRIVATE+KEY+");
}

TEST(NoteSigner, ComesFromASeedOrFromChance) {
    for (const KeyType type : {KeyType::ed25519, KeyType::cosignature}) {
        const auto signer = NoteSigner::from_seed("example.com/log", type, seed(7));
        ASSERT_TRUE(signer) << signer.error();
        const auto same = NoteSigner::parse(signer->text());
        ASSERT_TRUE(same) << same.error();
        EXPECT_EQ(same->text(), signer->text());
        const auto other = NoteSigner::generate("example.com/log", type);
        ASSERT_TRUE(other) << other.error();
        EXPECT_NE(other->verifier().id(), signer->verifier().id());
    }
    EXPECT_NE(NoteSigner::from_seed("n", KeyType::ed25519, seed(7))->verifier().id(),
              NoteSigner::from_seed("n", KeyType::cosignature, seed(7))->verifier().id())
        << "one key of two types is two keys";
    EXPECT_FALSE(NoteSigner::from_seed("n", KeyType::ed25519, Bytes(31)));
    EXPECT_FALSE(NoteSigner::from_seed("a b", KeyType::ed25519, seed(7)));
    EXPECT_FALSE(NoteSigner::generate("", KeyType::ed25519));
}

TEST(NoteSigner, ACosignatureBeginsWithItsTime) {
    const auto witness = NoteSigner::from_seed("witness.example.com/w1", KeyType::cosignature, seed(4)).value();
    const sys_seconds time{seconds{1679315147}};
    const NoteSignature made = witness.cosign("text\n", time);
    EXPECT_EQ(made.signature.size(), 72U);
    EXPECT_EQ(to_hex(BytesView(made.signature).first(8)), "00000000641850cb");
    EXPECT_EQ(cosignature_time(made.signature), time);
    EXPECT_TRUE(witness.verifier().verify("text\n", made.signature));
    EXPECT_FALSE(witness.verifier().verify("next\n", made.signature));
    Bytes later = made.signature;
    ++later[7];
    EXPECT_FALSE(witness.verifier().verify("text\n", later)) << "the time is signed";

    // What is signed, written out: tlog-cosignature, "Ed25519 signed message".
    const auto key = crypto::PublicKey::from_ed25519(witness.verifier().point()).value();
    EXPECT_TRUE(key.verify("cosignature/v1\ntime 1679315147\ntext\n", BytesView(made.signature).subspan(8)));
}

TEST(NoteSigner, ACosignatureOfNoPossibleTimeIsFalse) {
    const auto witness = NoteSigner::from_seed("w", KeyType::cosignature, seed(4)).value();
    Bytes made = witness.cosign("text\n", sys_seconds{seconds::max()}).signature;
    EXPECT_TRUE(witness.verifier().verify("text\n", made));
    made[0] |= 0x80;
    EXPECT_EQ(cosignature_time(made), std::nullopt) << "above 2^63 - 1";
    EXPECT_FALSE(witness.verifier().verify("text\n", made));
    for (const std::size_t size : {0U, 7U, 8U, 64U, 71U})
        EXPECT_FALSE(witness.verifier().verify("text\n", BytesView(made).first(size)));
    EXPECT_THROW(witness.cosign("text\n", sys_seconds{seconds{-1}}), std::invalid_argument);
}

TEST(NoteSigner, SignsNothingThatIsNoNote) {
    const auto log = NoteSigner::from_seed("log", KeyType::ed25519, seed(1)).value();
    const auto witness = NoteSigner::from_seed("witness", KeyType::cosignature, seed(2)).value();
    for (const std::string_view text : {"", "no newline", "tab\t\n", "return\r\n", "\x1F\n", "\xFF\n"}) {
        EXPECT_THROW(log.sign(text), std::invalid_argument) << text;
        EXPECT_THROW(witness.cosign(text, {}), std::invalid_argument) << text;
    }
    EXPECT_THROW(log.cosign("text\n", {}), std::logic_error);
    EXPECT_THROW(witness.sign("text\n"), std::logic_error);
}

}  // namespace
}  // namespace consentry::tlog
