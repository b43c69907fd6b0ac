#include "tlog/policy.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

constexpr std::string_view none = "none";
using Words = std::vector<std::string_view>;
using Read = std::expected<void, std::string>;  // of one line; the sentence lacks its number

// Space and tab alone separate; octets above 0x7F are opaque.
Words words_of(std::string_view line) {
    constexpr std::string_view blanks = " \t";
    Words words;
    for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const auto end = std::min(line.find_first_of(blanks, begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return words;
}

bool has_forbidden_octet(std::string_view line) {
    return std::ranges::any_of(line, [](char c) {
        const auto octet = static_cast<unsigned char>(c);
        return (octet < 0x20 && c != '\t') || octet == 0x7F;
    });
}

std::string word_or_nothing(const Words& words, std::size_t place) {
    return place < words.size() ? std::string(words[place]) : std::string();
}

}  // namespace

// Reads a policy line by line.
class PolicyReader {
public:
    Read line(std::string_view line) {
        if (has_forbidden_octet(line)) return std::unexpected("control characters other than tabs are not allowed");
        const Words words = words_of(line);
        if (words.empty() || words.front().starts_with('#')) return {};
        if (++definitions_ > policy_definitions_max) return std::unexpected("the policy is too long");
        if (words.front() == "log") return log(words);
        if (words.front() == "witness") return witness(words);
        if (words.front() == "group") return group(words);
        if (words.front() == "quorum") return quorum(words);
        return std::unexpected("a line begins with log, witness, group, quorum or #");
    }
    std::expected<Policy, std::string> finish() && {
        if (!has_quorum_) return std::unexpected("the policy has no line `quorum`");
        return std::move(policy_);
    }

private:
    Read log(const Words& words) {
        if (words.size() < 2 || words.size() > 3) return std::unexpected("expected: log <key> [<url>]");
        auto key = key_of(words[1], KeyType::ed25519, log_keys_);
        if (!key) return std::unexpected(std::move(key.error()));
        policy_.logs_.push_back({std::move(*key), word_or_nothing(words, 2)});
        return {};
    }

    Read witness(const Words& words) {
        if (words.size() < 3 || words.size() > 4) return std::unexpected("expected: witness <name> <key> [<url>]");
        if (auto defined = define(words[1]); !defined) return defined;
        auto key = key_of(words[2], KeyType::cosignature, witness_keys_);
        if (!key) return std::unexpected(std::move(key.error()));
        policy_.definitions_.emplace_back(policy_.witnesses_.size());
        policy_.witnesses_.push_back({std::string(words[1]), std::move(*key), word_or_nothing(words, 3)});
        return {};
    }

    Read group(const Words& words) {
        if (words.size() < 4) return std::unexpected("expected: group <name> <number>|all|any <name>...");
        const auto names = std::span(words).subspan(3);
        const auto threshold = words[2] == "any"   ? std::optional<std::uint64_t>(1)
                               : words[2] == "all" ? names.size()
                                                   : parse_decimal(words[2]);
        if (!threshold || *threshold == 0 || *threshold > names.size())
            return std::unexpected("a group needs 1 to all of its members, or `all`, or `any`");
        Policy::Group group{static_cast<std::size_t>(*threshold), {}};
        for (const std::string_view name : names) {
            const auto known = places_.find(name);
            if (known == places_.end()) return std::unexpected(undefined(name));
            // Otherwise one witness could count twice.
            if (!members_.insert(known->second).second)
                return std::unexpected(fmt::format("{} is a member of a group already", name));
            group.members.push_back(known->second);
        }
        if (auto defined = define(words[1]); !defined) return defined;
        policy_.definitions_.emplace_back(std::move(group));
        return {};
    }

    Read quorum(const Words& words) {
        if (words.size() != 2) return std::unexpected("expected: quorum <name>");
        if (has_quorum_) return std::unexpected("the policy has a second line `quorum`");
        has_quorum_ = true;
        if (words[1] == none) return {};
        const auto known = places_.find(words[1]);
        if (known == places_.end()) return std::unexpected(undefined(words[1]));
        policy_.quorum_ = known->second;
        return {};
    }

    // Gives the next definition its name.
    Read define(std::string_view name) {
        if (name == none) return std::unexpected("the name `none` is reserved");
        if (!places_.emplace(std::string(name), policy_.definitions_.size()).second)
            return std::unexpected(fmt::format("{} is defined already", name));
        return {};
    }

    // Two keys of one public key are one key, whatever their names.
    static std::expected<VerifierKey, std::string> key_of(std::string_view vkey, KeyType type, std::set<Bytes>& keys) {
        auto key = VerifierKey::parse(vkey);
        if (!key) return key;
        if (key->type() != type)
            return std::unexpected(fmt::format("the key has type {} instead of {}", std::to_underlying(key->type()),
                                               std::to_underlying(type)));
        if (!keys.insert(key->point()).second) return std::unexpected("an earlier line has the same public key");
        return key;
    }

    static std::string undefined(std::string_view name) { return fmt::format("no earlier line defines {}", name); }

    Policy policy_;
    std::map<std::string, std::size_t, std::less<>> places_;  // in definitions_
    std::set<std::size_t> members_;                           // of any group
    std::set<Bytes> log_keys_;
    std::set<Bytes> witness_keys_;
    std::size_t definitions_ = 0;
    bool has_quorum_ = false;
};

std::expected<Policy, std::string> Policy::parse(std::string_view text) {
    if (text.size() > policy_file_bytes_max) return std::unexpected("the policy is too long");
    PolicyReader reader;
    for (std::size_t number = 1; !text.empty(); ++number) {
        if (const auto read = reader.line(take_part(text, '\n')); !read)
            return std::unexpected(fmt::format("line {}: {}", number, read.error()));
    }
    return std::move(reader).finish();
}

std::expected<Policy, std::string> Policy::of_log(VerifierKey log) {
    if (log.type() != KeyType::ed25519) return std::unexpected("the key of a log has type 1");
    Policy policy;
    policy.logs_.push_back({std::move(log), {}});
    return policy;
}

bool Policy::has_quorum(const std::vector<bool>& cosigned) const {
    if (cosigned.size() != witnesses_.size()) throw std::invalid_argument("one value for each witness");
    if (quorum_ == no_quorum) return true;
    std::vector<bool> met;  // of each definition; members come before their group
    for (const Definition& definition : definitions_) {
        if (const auto* witness = std::get_if<std::size_t>(&definition)) {
            met.push_back(cosigned[*witness]);
        } else {
            const auto& group = std::get<Group>(definition);
            const auto count = std::ranges::count_if(group.members, [&](std::size_t place) { return met[place]; });
            met.push_back(static_cast<std::size_t>(count) >= group.threshold);
        }
    }
    return met[quorum_];
}

std::string Policy::why_no_quorum(const std::vector<bool>& cosigned) const {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < cosigned.size(); ++i)
        if (cosigned[i]) names.push_back(witnesses_[i].name);
    if (names.empty()) return "no witness of the policy has cosigned the checkpoint";
    return fmt::format("the quorum of the policy is not reached: only {} cosigned the checkpoint",
                       fmt::join(names, ", "));
}

std::expected<AcceptedCheckpoint, std::string> Policy::accept(std::string_view note) const {
    auto parsed = parse_signed_checkpoint(note);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    const auto log = std::ranges::find(logs_, parsed->checkpoint.origin,
                                       [](const PolicyLog& one) -> const std::string& { return one.key.name(); });
    if (log == logs_.end()) return std::unexpected(fmt::format("the policy has no log {}", parsed->checkpoint.origin));

    std::vector<VerifierKey> known;
    known.reserve(logs_.size() + witnesses_.size());
    for (const PolicyLog& one : logs_) known.push_back(one.key);
    for (const PolicyWitness& one : witnesses_) known.push_back(one.key);
    const auto verified = verify_note(parsed->note, known);
    if (!verified) return std::unexpected(verified.error());

    AcceptedCheckpoint accepted{std::move(parsed->checkpoint), {}};
    std::vector<bool> cosigned(witnesses_.size());
    bool is_signed = false;
    for (const VerifiedSignature& one : *verified) {
        if (one.key < logs_.size()) {
            is_signed |= logs_[one.key].key.name() == accepted.checkpoint.origin;
            continue;
        }
        const std::size_t witness = one.key - logs_.size();
        cosigned[witness] = true;
        accepted.cosignatures.push_back({witnesses_[witness].name, one.time.value()});
    }
    if (!is_signed) return std::unexpected(fmt::format("the log {} has not signed the checkpoint", log->key.name()));
    if (!has_quorum(cosigned)) return std::unexpected(why_no_quorum(cosigned));
    return accepted;
}

std::string verifier_lines(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        Words words = words_of(take_part(text, '\n'));
        if (words.empty() || words.front().starts_with('#') || words.front() == "log") continue;
        if (words.front() == "witness") words.resize(3);
        out += fmt::format("{}\n", fmt::join(words, " "));
    }
    return out;
}

}  // namespace consentry::tlog
