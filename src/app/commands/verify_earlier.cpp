#include "app/commands/verify_earlier.hpp"

#include <algorithm>
#include <list>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "app/commands/verify_input.hpp"
#include "base/text.hpp"
#include "features/consent_proof/bundle_names.hpp"

namespace consentry {
namespace {

class EarlierReader {
public:
    EarlierReader(std::string_view bundle, const tlog::Policy& policy, Description description)
        : bundle_(member_in(bundle, bundle::checkpoint)),
          policy_(policy.without_quorum()),
          description_(std::move(description)) {}

    // Of all files before read(): a receipt may be signed with a key that only a description in another file names.
    void learn_keys(const std::string& path, std::string_view text) {
        place_ = path;
        if (is_json(text)) {
            const auto found = find_receipts(text);
            if (found && found->description_note) add_keys(*found->description_note);
        } else if (text.starts_with("PK")) {
            const std::string_view note = member_in(text, bundle::description);
            if (!note.empty()) add_keys(note);
        }
    }

    void read(const std::string& path, std::string_view text) {
        place_ = path;
        if (is_json(text)) return add_export(text);
        if (text.starts_with("PK")) return add_bundle(text);
        if (text.starts_with("c2sp.org/")) return add_proof(text);
        if (text.starts_with("eyJ")) return add_lines(text);
        add_state(text);
    }

    EarlierRecords take() && { return std::move(out_); }

private:
    [[noreturn]] void refuse(std::string_view why) const {
        throw std::runtime_error(fmt::format("{}: {}", place_, why));
    }

    // The file has another format than its reader thinks, which says nothing about the log.
    [[noreturn]] void refuse_use(std::string_view why) const {
        throw WrongUse(fmt::format("--earlier: {}: {}", place_, why));
    }

    void add_keys(std::string_view note) {
        if (const auto is_one = check_is_description(note); !is_one) refuse_use(is_one.error());
        const auto more = open_description(note, policy_);
        if (!more) refuse(more.error());
        if (more->verifier_key != description_.verifier_key) return;  // another log of the policy
        if (const auto added = add_description(description_, *more); !added) refuse(added.error());
    }

    // Two logs may have one origin.
    bool is_of_the_log(std::string_view note) const {
        return std::ranges::any_of(policy_.logs(), [&](const tlog::PolicyLog& log) {
            return tlog::open_checkpoint(note, log.key) && tlog::open_checkpoint(bundle_, log.key);
        });
    }

    void add_state(std::string_view note) {
        if (const auto parsed = tlog::parse_signed_checkpoint(note); !parsed)
            refuse_use("this is not a checkpoint: " + parsed.error());
        const auto accepted = policy_.accept(note);
        if (!accepted) refuse(accepted.error());
        if (!is_of_the_log(note)) refuse("the checkpoint is that of a log other than the bundle");
        const bool is_known = std::ranges::any_of(out_.states, [&](const EarlierState& state) {
            return state.checkpoint.size == accepted->checkpoint.size &&
                   state.checkpoint.root == accepted->checkpoint.root;
        });
        if (!is_known) out_.states.push_back({place_, accepted->checkpoint});
    }

    void add_bundle(std::string_view text) {
        const std::string_view note = member_in(text, bundle::checkpoint);
        if (note.empty()) refuse_use("the archive is not a bundle: it has no checkpoint");
        add_state(note);
    }

    void add_proof(std::string_view text) {
        const auto proof = tlog::parse_proof_file(text);
        if (!proof) refuse_use("this is not a proof: " + proof.error());
        if (const auto proven = tlog::verify_proof(proof->extra, *proof, policy_); !proof->extra.empty() && !proven)
            refuse(proven.error());
        add_state(proof->checkpoint);
    }

    void add_receipt(std::string_view token) {
        if (const auto is_one = check_is_receipt(token); !is_one) refuse_use(is_one.error());
        auto receipt = verify_receipt(token, description_);
        if (!receipt) refuse(receipt.error());
        out_.receipts.push_back({place_, std::move(*receipt)});
    }

    void add_lines(std::string_view text) {
        const std::string path = place_;
        for (std::uint64_t number = 1; !text.empty(); ++number) {
            std::string_view line = take_part(text, '\n');
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (line.empty()) continue;
            place_ = fmt::format("{}: line {}", path, number);
            add_receipt(line);
        }
    }

    void add_export(std::string_view text) {
        const std::string path = place_;
        const auto found = find_receipts(text);
        if (!found) refuse_use(found.error());
        for (const FoundReceipt& one : found->receipts) {
            place_ = fmt::format("{}: {}", path, one.place);
            if (!one.damage.empty()) refuse_use(one.damage);
            add_receipt(one.receipt);
            if (one.proof) add_proof(*one.proof);
        }
        place_ = path;
        if (found->checkpoint) add_state(*found->checkpoint);
        if (found->receipts.empty()) refuse_use("the file contains no receipt");
    }

    const std::string_view bundle_;  // its checkpoint
    // Asks no witness: what the log has signed accuses it, and there may have been no witnesses yet.
    const tlog::Policy policy_;
    Description description_;
    std::string place_;
    EarlierRecords out_;
};

}  // namespace

EarlierRecords read_earlier(const std::vector<std::string>& files, std::string_view bundle,
                            const tlog::Policy& policy) {
    if (files.empty()) return {};
    auto description = open_description(member_in(bundle, bundle::description), policy);
    if (!description) return {};
    EarlierReader reader(bundle, policy, std::move(*description));
    std::list<InputFile> opened;  // once, because one may be standard input
    for (const std::string& file : files) reader.learn_keys(file, opened.emplace_back(file).text());
    for (auto file = opened.begin(); const std::string& path : files) reader.read(path, (file++)->text());
    return std::move(reader).take();
}

}  // namespace consentry
