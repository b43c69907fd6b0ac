#include "app/commands/verify_commands.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/commands/verify_earlier.hpp"
#include "app/commands/verify_input.hpp"
#include "app/commands/verify_rows.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/results.hpp"
#include "base/standard_error.hpp"
#include "base/text.hpp"
#include "crypto/timestamp.hpp"
#include "features/consent_proof/bundle_check.hpp"
#include "features/consent_proof/receipt_check.hpp"

namespace consentry {
namespace {

constexpr std::size_t receipts_at_once = 500;

tlog::Policy trusted_policy(const VerifyOptions& options) {
    if (options.key.empty() == options.policy.empty())
        throw WrongUse("give either --key with the verifier key of the log, or --policy with a policy file");
    if (!options.policy.empty()) {
        auto policy = tlog::Policy::parse(InputFile(options.policy).text());
        if (!policy) throw WrongUse(fmt::format("{}: {}", options.policy, policy.error()));
        return std::move(*policy);
    }
    const auto key = tlog::VerifierKey::parse(options.key);
    auto policy = key ? tlog::Policy::of_log(*key) : std::unexpected(key.error());
    if (!policy) throw WrongUse("--key: " + policy.error());
    return std::move(*policy);
}

int refuse(const VerifyOptions& options, std::string_view why) {
    say("consentry: {}: {}\n", options.file == "-" ? "standard input" : options.file, why);
    if (options.json) print_json(boost::json::object{{"valid", false}, {"text", why}});
    return failed;
}

int accept(const VerifyOptions& options, std::string_view sentence) {
    print_valid(sentence, options.json);
    return 0;
}

std::string describe(const tlog::AcceptedCheckpoint::Cosignature& cosignature) {
    return fmt::format("{} at {}", cosignature.witness, to_iso8601(time_point_cast<milliseconds>(cosignature.time)));
}

std::string place_of(const tlog::ProvenEntry& place) {
    std::string out = fmt::format("entry {} of the {} in {}", place.index, place.accepted.checkpoint.size,
                                  place.accepted.checkpoint.origin);
    for (const auto& cosignature : place.accepted.cosignatures) out += ", witnessed by " + describe(cosignature);
    return out;
}

std::string witnesses_of(const VerifiedBundle& bundle) {
    std::string out;
    for (const auto& cosignature : bundle.accepted.cosignatures)
        out += (out.empty() ? "\nWitnesses that have signed this state of the log: " : ", ") + describe(cosignature);
    return out.empty() ? out : out + ".";
}

// What a bundle lacks, although its entries name it.
std::string absences_in(const VerifiedBundle& bundle) {
    std::string out;
    if (bundle.absent_documents > 0)
        out += fmt::format("\nTexts that entries name, but that are not in the bundle: {}. Ask the operator for them.",
                           bundle.absent_documents);
    if (bundle.withheld > 0)
        out += fmt::format("\nMissing addenda that no erasure in the log explains: {}. Ask the operator why.",
                           bundle.withheld);
    return out;
}

std::string comparison_with(const EarlierRecords& earlier, std::uint64_t kept) {
    std::string out;
    if (!earlier.states.empty())
        out += fmt::format("\nEarlier states that the log continues: {}.", earlier.states.size());
    if (!earlier.receipts.empty())
        out += fmt::format(
            "\nReceipts whose entries it has: {} of {}.{}", kept, earlier.receipts.size(),
            kept < earlier.receipts.size() ? " None of the others is due by the times of the log's entries." : "");
    return out;
}

// Takes lines off a text; several threads may take at once.
class ReceiptLines {
public:
    explicit ReceiptLines(std::string_view text) : rest_(text) {}

    struct Line {
        std::uint64_t number;
        std::string_view text;
    };
    // Empty lines are left out. Returns false if nothing is left.
    bool take(std::vector<Line>& out) {
        out.clear();
        const std::scoped_lock lock(mutex_);
        while (!rest_.empty() && out.size() < receipts_at_once) {
            std::string_view line = take_part(rest_, '\n');
            ++number_;
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (!line.empty()) out.push_back({number_, line});
        }
        return !out.empty();
    }

    std::size_t bytes_left() {
        const std::scoped_lock lock(mutex_);
        return rest_.size();
    }

private:
    std::mutex mutex_;
    std::string_view rest_;
    std::uint64_t number_ = 0;
};

struct LineResult {
    std::uint64_t genuine = 0;
    std::optional<Receipt> last;
    std::uint64_t bad_line = UINT64_MAX;
    std::string why;
};

// All lines before a bad one are checked, so the first one is reported however many threads there are.
LineResult verify_lines(std::string_view text, const Description& description) {
    ReceiptLines lines(text);
    LineResult out;
    std::mutex mutex;
    std::atomic<bool> stop = false;
    const auto work = [&](ProgressBar* bar) {
        std::vector<ReceiptLines::Line> taken;
        while (!stop && lines.take(taken)) {
            std::uint64_t genuine = 0;
            std::optional<Receipt> last;
            for (const auto& [number, line] : taken) {
                auto receipt = verify_receipt(line, description);
                if (!receipt) {
                    stop = true;
                    const std::scoped_lock lock(mutex);
                    if (number < out.bad_line) {
                        out.bad_line = number;
                        out.why = receipt.error();
                    }
                    break;
                }
                last = std::move(*receipt);
                ++genuine;
            }
            const std::scoped_lock lock(mutex);
            out.genuine += genuine;
            if (last) out.last = std::move(last);
            if (bar != nullptr)
                bar->show(fmt::format("{} receipts", out.genuine), text.size() - lines.bytes_left(), text.size());
        }
    };
    ProgressBar bar;
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back(work, nullptr);
    work(&bar);
    threads.clear();  // joins
    return out;
}

Description opened(const std::string& note, const tlog::Policy& policy) {
    auto description = open_description(note, policy);
    if (!description) throw std::runtime_error(description.error());
    return std::move(*description);
}

std::string given_description(const VerifyOptions& options) {
    auto found = find_description(InputFile(options.description).text());
    if (!found) throw WrongUse(fmt::format("--description: {} contains no description of a log", options.description));
    if (const auto is_one = check_is_description(*found); !is_one)
        throw WrongUse(fmt::format("--description: {}: {}", options.description, is_one.error()));
    return std::move(*found);
}

// `own`: the note in the file itself. Its keys count beside those of --description, which may be an older state.
Description trusted_description(const VerifyOptions& options, const std::optional<std::string>& own,
                                const tlog::Policy& policy) {
    const auto given = options.description.empty() ? own : given_description(options);
    if (!given)
        throw WrongUse(
            "a receipt is signed by a key that the log certifies: give --description with the log's description, as "
            "/.well-known/consent-log.note returns it");
    Description out = opened(*given, policy);
    if (!own || *own == *given) return out;
    const Description more = opened(*own, policy);
    if (more.verifier_key != out.verifier_key) return out;  // another log of the policy
    if (const auto added = add_description(out, more); !added) throw std::runtime_error(added.error());
    return out;
}

// The file of --tsa-ca, as long as the object exists. Wrong use is reported even if no timestamp needs the file.
class Authorities {
public:
    explicit Authorities(const VerifyOptions& options) {
        if (options.authorities.empty()) return;
        file_.emplace(options.authorities);
        if (const auto fit = crypto::check_certificates(file_->text()); !fit)
            throw WrongUse(fmt::format("--tsa-ca: {}: {}", options.authorities, fit.error()));
    }
    std::optional<std::string_view> text() const { return file_ ? std::optional(file_->text()) : std::nullopt; }
    // `what`: "bundle". Otherwise readers could take the verdict for one about a timestamp.
    std::string unused_by(std::string_view what) const {
        return file_ ? fmt::format("\nThe {} has no timestamp; --tsa-ca was not used.", what) : std::string();
    }

private:
    std::optional<InputFile> file_;
};

// What the stamp of an export says of the entries that the file proves: all of them are in its one checkpoint.
std::expected<std::string, std::string> verify_found_stamp(const FoundReceipts& found, const tlog::Policy& policy,
                                                           std::optional<std::string_view> authorities) {
    const auto accepted = policy.accept(found.checkpoint.value_or(""));
    if (!accepted) return std::unexpected("checkpoint: " + accepted.error());
    for (const FoundReceipt& one : found.receipts) {
        const auto proof = one.proof ? tlog::parse_proof_file(*one.proof) : std::unexpected(std::string());
        if (proof && proof->checkpoint != *found.checkpoint)
            return std::unexpected(one.place + ": the checkpoint of the proof differs from that of the file");
    }
    const auto answer = from_base64(found.stamp->answer);
    const auto consistency = parse_consistency(found.stamp->consistency);
    if (!answer || !consistency) return std::unexpected("timestamp: it is damaged");
    const auto stamp = verify_stamp({.text = found.stamp->text, .answer = *answer, .consistency = *consistency},
                                    accepted->checkpoint, authorities);
    if (!stamp) return std::unexpected("timestamp: " + stamp.error());
    return fmt::format("\nThe log has a timestamp: {}.", describe(*stamp));
}

int verify_found(const VerifyOptions& options, const FoundReceipts& found, const Description& description,
                 const tlog::Policy& policy, const Authorities& authorities) {
    std::uint64_t proofs = 0;
    std::uint64_t addenda = 0;
    std::string only;
    ReadReceipts receipts;
    for (const FoundReceipt& one : found.receipts) {
        if (!one.damage.empty()) return refuse(options, one.place + ": " + one.damage);
        const auto receipt = verify_receipt(one.receipt, description);
        if (!receipt) return refuse(options, one.place + ": " + receipt.error());
        if (one.acceptance_id && *one.acceptance_id != receipt->id.text())
            return refuse(options, one.place + ": the receipt is for a different acceptance than the file says");
        if (one.addendum && !(crypto::sha256(*one.addendum) == receipt->entry.addendum))
            return refuse(options, one.place + ": `addendum` is not the one that the receipt names");
        auto addendum = one.addendum ? read_addendum(*one.addendum) : std::nullopt;
        if (one.addendum && !addendum) return refuse(options, one.place + ": `addendum` is not in JSON");
        if (addendum && one.user && *one.user != addendum->user)
            return refuse(options, one.place + ": `addendum` names an account other than `profile`");
        if (addendum) ++addenda;
        receipts.emplace(receipt->id.text(), ReadReceipt{.entry = receipt->entry, .addendum = std::move(addendum)});
        only = describe(LogEntry(receipt->entry));
        if (!one.proof) continue;
        const auto proven = verify_receipt_proof(*receipt, *one.proof, policy);
        if (!proven) return refuse(options, one.place + ": " + proven.error());
        only += "; " + place_of(proven->place);
        ++proofs;
    }
    if (found.receipts.empty()) return refuse(options, "the file contains no receipt");
    std::string stamped = authorities.unused_by("file");
    if (found.stamp) {
        auto verified = verify_found_stamp(found, policy, authorities.text());
        if (!verified) return refuse(options, verified.error());
        stamped = std::move(*verified);
    }
    auto rows = verify_rows(found.acceptances, receipts);
    if (!rows) return refuse(options, rows.error());
    if (addenda > 0) rows->insert(0, fmt::format("\nAddenda that match their receipts: {}.", addenda));
    if (found.receipts.size() == 1)
        return accept(options, fmt::format("The receipt is genuine: {}.{}{}", only, stamped, *rows));
    return accept(options,
                  fmt::format("All {} receipts of {} are genuine, and {} of them are proven to be in the log.{}{}",
                              found.receipts.size(), description.origin, proofs, stamped, *rows));
}

// Carries out a command, and tells how it was called wrongly.
template <class Work>
int guarded(const VerifyOptions& options, Work work) {
    try {
        return work();
    } catch (const WrongUse& error) {
        say("consentry: {}\n", error.what());
        return wrong_use;
    } catch (const std::runtime_error& error) {
        return refuse(options, error.what());
    }
}

}  // namespace

int verify_receipts(const VerifyOptions& options) {
    return guarded(options, [&] {
        const tlog::Policy policy = trusted_policy(options);
        const InputFile file(options.file);
        const Authorities authorities(options);
        auto found = is_json(file.text()) ? find_receipts(file.text()) : FoundReceipts{};
        if (!found) return refuse(options, found.error());
        const Description description = trusted_description(options, found->description_note, policy);
        if (is_json(file.text())) return verify_found(options, *found, description, policy, authorities);
        const LineResult result = verify_lines(file.text(), description);
        if (!result.why.empty()) return refuse(options, fmt::format("line {}: {}", result.bad_line, result.why));
        if (!result.last) return refuse(options, "the file contains no receipt");
        if (result.genuine == 1)
            return accept(options, fmt::format("The receipt is genuine: {}.{}", describe(LogEntry(result.last->entry)),
                                               authorities.unused_by("file")));
        return accept(options, fmt::format("All {} receipts of {} are genuine.{}", result.genuine, description.origin,
                                           authorities.unused_by("file")));
    });
}

int verify_proof_file(const VerifyOptions& options) {
    return guarded(options, [&] {
        const tlog::Policy policy = trusted_policy(options);
        const auto proven = verify_entry_proof(InputFile(options.file).text(), policy);
        if (!proven) return refuse(options, proven.error());
        return accept(options,
                      fmt::format("The log contains this: {}; {}.", describe(proven->entry), place_of(proven->place)));
    });
}

int verify_bundle_file(const VerifyOptions& options) {
    return guarded(options, [&] {
        const tlog::Policy policy = trusted_policy(options);
        const InputFile file(options.file);
        const Authorities authorities(options);
        const EarlierRecords earlier = read_earlier(options.earlier, file.text(), policy);
        std::optional<ProgressBar> bar;  // begins with the entries, so that the time left is that of entries
        const auto show = [&bar](std::uint64_t done, std::uint64_t entries) {
            if (!bar) bar.emplace();
            bar->show(fmt::format("{} entries", done), done, entries);
        };
        const auto verified = verify_bundle(as_bytes(file.text()), policy, authorities.text(), show, earlier);
        bar.reset();
        if (!verified) return refuse(options, verified.error());
        const tlog::Checkpoint& checkpoint = verified->accepted.checkpoint;
        return accept(
            options, fmt::format("The bundle is genuine: it has {} {} entries of {}{}; addenda: {}, documents: {}{}.{}",
                                 verified->is_whole() ? "all" : fmt::format("{} of the", verified->entries),
                                 checkpoint.size, checkpoint.origin,
                                 verified->is_whole() ? "" : " (" + describe(verified->filter) + ")", verified->addenda,
                                 verified->documents, verified->stamp ? "; " + describe(*verified->stamp) : "",
                                 (verified->stamp ? "" : authorities.unused_by("bundle")) + witnesses_of(*verified) +
                                     absences_in(*verified) + describe(verified->doubts) +
                                     comparison_with(earlier, verified->kept_promises)));
    });
}

}  // namespace consentry
