#include "tlog/policy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace consentry::tlog {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::string_view origin = "example.com/log";

NoteSigner signer(std::string_view name, KeyType type, std::uint8_t seed) {
    return NoteSigner::from_seed(std::string(name), type, Bytes(32, seed)).value();
}
NoteSigner log_signer() { return signer(origin, KeyType::ed25519, 100); }
NoteSigner witness_signer(std::uint8_t number) {
    return signer(fmt::format("witness.example/{}", number), KeyType::cosignature, number);
}
std::string vkey(std::uint8_t witness) { return witness_signer(witness).verifier().text(); }
std::string witness_line(std::string_view name, std::uint8_t number) {
    return fmt::format("witness {} {}\n", name, vkey(number));
}
std::string log_line() { return fmt::format("log {}\n", log_signer().verifier().text()); }

// The example of the specification: two of the X, and one of the Y. The witnesses have the numbers 1 to 6.
std::string example() {
    return log_line() + "\n" + witness_line("X1", 1) + witness_line("X2", 2) + witness_line("X3", 3) +
           "group X-witnesses 2 X1 X2 X3\n\n" + witness_line("Y1", 4) + witness_line("Y2", 5) + witness_line("Y3", 6) +
           "group Y-witnesses any Y1 Y2 Y3\n\ngroup X-and-Y all X-witnesses Y-witnesses\nquorum X-and-Y\n";
}

Policy policy_of(const std::string& text) {
    auto policy = Policy::parse(text);
    EXPECT_TRUE(policy) << policy.error();
    return policy.value();
}
std::string policy_error(const std::string& text) { return Policy::parse(text).error(); }

// A checkpoint with the signature of its log, and the cosignatures of these witnesses.
Note checkpoint_of(const std::vector<std::uint8_t>& witnesses) {
    Note note{format_checkpoint({std::string(origin), 5, leaf_hash({})}), {}};
    note.signatures.push_back(log_signer().sign(note.text));
    for (const std::uint8_t one : witnesses)
        note.signatures.push_back(witness_signer(one).cosign(note.text, sys_seconds{seconds{one}}));
    return note;
}

TEST(Policy, OfTheSpecificationIsRead) {
    const Policy policy = policy_of(example());
    ASSERT_EQ(policy.logs().size(), 1U);
    EXPECT_EQ(policy.logs()[0].key.name(), origin);
    EXPECT_EQ(policy.logs()[0].url, "");
    ASSERT_EQ(policy.witnesses().size(), 6U);
    EXPECT_EQ(policy.witnesses()[3].name, "Y1");
    EXPECT_EQ(policy.witnesses()[3].key.name(), "witness.example/4");
}

TEST(Policy, EverySetOfWitnessesIsJudgedAsTheSpecificationSays) {
    const Policy policy = policy_of(example());
    for (unsigned set = 0; set < 64; ++set) {
        std::vector<bool> cosigned(6);
        for (unsigned i = 0; i < 6; ++i) cosigned[i] = (set >> i & 1) != 0;
        const bool two_of_x = cosigned[0] + cosigned[1] + cosigned[2] >= 2;
        const bool one_of_y = cosigned[3] || cosigned[4] || cosigned[5];
        EXPECT_EQ(policy.has_quorum(cosigned), two_of_x && one_of_y) << set;
    }
    EXPECT_THROW(policy.has_quorum({true}), std::invalid_argument);
}

TEST(Policy, AQuorumMayBeNoneOrOneWitness) {
    EXPECT_TRUE(policy_of("quorum none\n").has_quorum({}));
    const std::string witnesses = witness_line("w1", 1) + witness_line("w2", 2);
    EXPECT_TRUE(policy_of(witnesses + "quorum none\n").has_quorum({false, false}));
    const Policy second = policy_of(witnesses + "quorum w2\n");
    EXPECT_FALSE(second.has_quorum({true, false}));
    EXPECT_TRUE(second.has_quorum({false, true}));
}

TEST(Policy, ItsLinesMayHaveSpacesCommentsAndAddresses) {
    const Policy policy = policy_of("# a comment\n\t # another, with \xFF\n\n \t\n\twitness \t K\xE2\x84\xAA\x80  " +
                                    vkey(1) + "   https://w1.example/  \n" + "log " + log_signer().verifier().text() +
                                    " https://example.com/log\n  quorum\tK\xE2\x84\xAA\x80");
    EXPECT_EQ(policy.witnesses()[0].name, "K\xE2\x84\xAA\x80") << "names are octets";
    EXPECT_EQ(policy.witnesses()[0].url, "https://w1.example/");
    EXPECT_EQ(policy.logs()[0].url, "https://example.com/log");
    EXPECT_FALSE(policy.has_quorum({false}));
    EXPECT_TRUE(policy_of(witness_line("all", 1) + witness_line("any", 2) + "group group 2 all any\nquorum group\n")
                    .has_quorum({true, true}))
        << "any name but none";
}

TEST(Policy, TakesMoreDefinitionsThanTheSpecificationRecommends) {
    std::string text;
    for (std::uint8_t i = 1; i <= 99; ++i) text += witness_line(fmt::format("w{}", i), i);
    for (std::uint8_t i = 1; i <= 99; ++i)
        text += fmt::format("group g{} all w{}{}\n", i, i, i == 1 ? "" : fmt::format(" g{}", i - 1));
    const Policy policy = policy_of(text + "quorum g99\n");
    std::vector<bool> cosigned(99, true);
    EXPECT_TRUE(policy.has_quorum(cosigned));
    cosigned[0] = false;
    EXPECT_FALSE(policy.has_quorum(cosigned)) << "through 99 groups";
    std::string too_many;
    for (std::size_t i = 0; i <= policy_definitions_max; ++i) too_many += "quorum none\n";
    EXPECT_FALSE(Policy::parse(too_many));
    EXPECT_EQ(policy_error(std::string(policy_file_bytes_max + 1, '\n')), "the policy is too long");
}

TEST(Policy, ALineThatIsWrongIsNamed) {
    const std::string w1 = witness_line("w1", 1);
    const std::string w2 = witness_line("w2", 2);
    const std::string log = log_line();
    const std::string none = "quorum none\n";
    const std::string log_vkey = log_signer().verifier().text();
    const std::string impostor = signer("impostor", KeyType::cosignature, 1).verifier().text();
    const std::pair<std::string, std::string> cases[] = {
        {"", "the policy has no line `quorum`"},
        {w1, "the policy has no line `quorum`"},
        {none + none, "line 2: the policy has a second line `quorum`"},
        {none + "\x01", "line 2: control characters other than tabs are not allowed"},
        {"quorum none\r\n", "line 1: control characters other than tabs are not allowed"},
        {"# \x7F\n" + none, "line 1: control characters other than tabs are not allowed"},
        {"\nquibble w1\n", "line 2: a line begins with log, witness, group, quorum or #"},
        {"Quorum none\n", "line 1: a line begins with log, witness, group, quorum or #"},
        {"quorum\n", "line 1: expected: quorum <name>"},
        {"quorum none none\n", "line 1: expected: quorum <name>"},
        {"quorum w1\n" + w1, "line 1: no earlier line defines w1"},
        {"log\n", "line 1: expected: log <key> [<url>]"},
        {"log " + log_vkey + " url # more\n", "line 1: expected: log <key> [<url>]"},
        {"log nonsense\n", "line 1: the key is not of the form name+id+base64"},
        {"log " + vkey(1) + "\n", "line 1: the key has type 4 instead of 1"},
        {log + log, "line 2: an earlier line has the same public key"},
        {"witness w1\n", "line 1: expected: witness <name> <key> [<url>]"},
        {"witness w1 " + vkey(1) + " url # more\n", "line 1: expected: witness <name> <key> [<url>]"},
        {"witness w1 " + log_vkey + "\n", "line 1: the key has type 1 instead of 4"},
        {"witness none " + vkey(1) + "\n", "line 1: the name `none` is reserved"},
        {w1 + witness_line("w1", 2), "line 2: w1 is defined already"},
        {w1 + "witness w2 " + impostor + "\n", "line 2: an earlier line has the same public key"},
        {w1 + "group g any\n", "line 2: expected: group <name> <number>|all|any <name>..."},
        {w1 + "group none any w1\n", "line 2: the name `none` is reserved"},
        {w1 + "group w1 any w1\n", "line 2: w1 is defined already"},
        {w1 + "group g 0 w1\n", "line 2: a group needs 1 to all of its members, or `all`, or `any`"},
        {w1 + "group g 2 w1\n", "line 2: a group needs 1 to all of its members, or `all`, or `any`"},
        {w1 + "group g 01 w1\n", "line 2: a group needs 1 to all of its members, or `all`, or `any`"},
        {w1 + "group g -1 w1\n", "line 2: a group needs 1 to all of its members, or `all`, or `any`"},
        {w1 + "group g any w2\n" + w2, "line 2: no earlier line defines w2"},
        {w1 + "group g any g\n", "line 2: no earlier line defines g"},
        {w1 + "group g any none w1\n", "line 2: no earlier line defines none"},
        {w1 + "group g all w1 w1\n", "line 2: w1 is a member of a group already"},
        {w1 + w2 + "group g any w1 w2\ngroup h any w1\n", "line 4: w1 is a member of a group already"},
    };
    for (const auto& [text, error] : cases) EXPECT_EQ(policy_error(text), error) << text;
}

TEST(Policy, AcceptsWhatLogAndQuorumHaveSigned) {
    const Policy policy = policy_of(example());
    const auto accepted = policy.accept(format_note(checkpoint_of({1, 3, 5, 9})));
    ASSERT_TRUE(accepted) << accepted.error();
    EXPECT_EQ(accepted->checkpoint.size, 5U);
    ASSERT_EQ(accepted->cosignatures.size(), 3U) << "the policy does not know number 9";
    EXPECT_EQ(accepted->cosignatures[1].witness, "X3");
    EXPECT_EQ(accepted->cosignatures[1].time, sys_seconds{seconds{3}});
    EXPECT_EQ(policy.accept(format_note(checkpoint_of({1, 2, 3}))).error(),
              "the quorum of the policy is not reached: only X1, X2, X3 cosigned the checkpoint");
    EXPECT_EQ(policy.accept(format_note(checkpoint_of({9}))).error(),
              "no witness of the policy has cosigned the checkpoint");
    Note twice = checkpoint_of({1, 1, 4});
    EXPECT_FALSE(policy.accept(format_note(twice))) << "a witness counts once";
}

TEST(Policy, RefusesAFalseSignatureThatItCouldDoWithout) {
    const Policy policy = policy_of(example());
    Note note = checkpoint_of({1, 2, 3, 4});
    ASSERT_TRUE(policy.accept(format_note(note)));
    note.signatures[3].signature[20] ^= 1;
    EXPECT_EQ(policy.accept(format_note(note)).error(), "the signature of witness.example/3 is invalid");
}

TEST(Policy, RefusesOtherLogs) {
    const Policy policy = policy_of(example());
    Note note = checkpoint_of({1, 2, 4});
    note.signatures.erase(note.signatures.begin());
    EXPECT_EQ(policy.accept(format_note(note)).error(), "the log example.com/log has not signed the checkpoint");

    // A known log signs a checkpoint that names another known log.
    const auto other = signer("example.com/other", KeyType::ed25519, 101);
    const Policy two = policy_of(example() + "log " + other.verifier().text() + "\n");
    note.signatures.push_back(other.sign(note.text));
    EXPECT_EQ(two.accept(format_note(note)).error(), "the log example.com/log has not signed the checkpoint");
    note.text = format_checkpoint({"example.com/third", 5, leaf_hash({})});
    EXPECT_EQ(two.accept(format_note(note)).error(), "the policy has no log example.com/third");
    EXPECT_FALSE(two.accept("nothing"));
}

TEST(Policy, OneVerifierKeyIsAPolicy) {
    const auto policy = Policy::of_log(log_signer().verifier());
    ASSERT_TRUE(policy) << policy.error();
    EXPECT_TRUE(policy->accept(format_note(checkpoint_of({}))));
    Note note = checkpoint_of({});
    note.signatures[0].signature[0] ^= 1;
    EXPECT_EQ(policy->accept(format_note(note)).error(), "the signature of example.com/log is invalid");
    EXPECT_EQ(Policy::of_log(witness_signer(1).verifier()).error(), "the key of a log has type 1");
}

TEST(Policy, ALogMayHaveTwoKeys) {
    const auto successor = signer(origin, KeyType::ed25519, 102);
    const Policy policy = policy_of(log_line() + "log " + successor.verifier().text() + "\nquorum none\n");
    Note note = checkpoint_of({});
    EXPECT_TRUE(policy.accept(format_note(note)));
    note.signatures = {successor.sign(note.text)};
    EXPECT_TRUE(policy.accept(format_note(note)));
}

}  // namespace
}  // namespace consentry::tlog
