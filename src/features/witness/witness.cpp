#include "features/witness/witness.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/whole_file.hpp"
#include "base/wrong_settings.hpp"
#include "tlog/policy.hpp"

namespace consentry {
namespace {

constexpr auto size_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

WitnessAnswer refusal(unsigned status, std::string_view why) {
    return {.status = status, .body = std::string(why) + "\n"};
}

// nullopt if the proof shows that the checkpoint continues the latest one, otherwise why not.
std::optional<std::string> doubt_in(const tlog::AddCheckpoint& call, const std::optional<tlog::Checkpoint>& latest,
                                    const tlog::Checkpoint& next) {
    if (call.old_size == 0)
        return call.proof.empty() ? std::nullopt : std::optional<std::string>("the proof for old size 0 is not empty");
    auto verified = tlog::verify_consistency(latest->size, latest->root, next.size, next.root, call.proof);
    return verified ? std::nullopt : std::optional(std::move(verified.error()));
}

}  // namespace

std::vector<tlog::VerifierKey> read_witnessed_logs(const std::filesystem::path& file) {
    const auto text = read_whole_file(file);
    if (!text) throw WrongSettings(fmt::format("cannot read {}", file.string()));
    const auto policy = tlog::Policy::parse(*text);
    if (!policy) throw WrongSettings(fmt::format("{}: {}", file.string(), policy.error()));
    std::vector<tlog::VerifierKey> out;
    for (const tlog::PolicyLog& log : policy->logs()) out.push_back(log.key);
    if (out.empty()) throw WrongSettings(fmt::format("{} names no log; add a line: log KEY", file.string()));
    return out;
}

Witness::Witness(storage::Database& database, const Clock& clock, const tlog::NoteSigner& signer,
                 std::vector<tlog::VerifierKey> logs)
    : repository_(database), clock_(clock), signer_(signer), logs_(std::move(logs)) {}

// The size that the client should have named. Two roots for one size are worth a line, whichever size the client named:
// the log was rewritten.
WitnessAnswer Witness::conflict(const tlog::Checkpoint& offered, const std::optional<tlog::Checkpoint>& latest) {
    const std::uint64_t size = latest ? latest->size : 0;
    if (latest && offered.size == size && offered.root != latest->root)
        spdlog::error("{} has signed two different logs of {} entries; the one cosigned first is kept", offered.origin,
                      size);
    return {.status = 409, .media_type = tlog::tree_size_media_type, .body = tlog::format_tree_size(size)};
}

awaitable<WitnessAnswer> Witness::add_checkpoint(std::string body) {
    const auto call = tlog::parse_add_checkpoint(body);
    if (!call) co_return refusal(400, call.error());
    auto offered = tlog::parse_signed_checkpoint(call->checkpoint);
    if (!offered) co_return refusal(400, offered.error());
    const tlog::Checkpoint next = offered->checkpoint;
    std::vector<tlog::VerifierKey> keys;
    std::ranges::copy_if(logs_, std::back_inserter(keys), [&](const auto& key) { return key.name() == next.origin; });
    if (keys.empty()) co_return refusal(404, "this witness does not know the log");
    if (const auto verified = tlog::verify_note(offered->note, keys); !verified)
        co_return refusal(403, verified.error());
    if (call->old_size > next.size) co_return refusal(400, "the old size is above that of the checkpoint");
    if (next.size > size_max) co_return refusal(400, "the log is larger than this witness can record");

    const auto latest = co_await repository_.find(next.origin);
    const std::uint64_t latest_size = latest ? latest->size : 0;
    if (call->old_size != latest_size) co_return conflict(next, latest);
    if (latest && next.size == latest->size && next.root != latest->root) co_return conflict(next, latest);
    if (const auto doubt = doubt_in(*call, latest, next)) co_return refusal(422, *doubt);

    const TimePoint now = clock_.now();
    const bool recorded =
        co_await repository_.advance(static_cast<std::int64_t>(call->old_size), next, call->checkpoint, now);
    if (!recorded) {  // another request was faster
        const auto newer = co_await repository_.find(next.origin);
        co_return conflict(next, newer);
    }
    const tlog::NoteSignature signature =
        signer_.cosign(offered->note.text, std::chrono::floor<std::chrono::seconds>(now));
    co_return WitnessAnswer{.body = tlog::format_signature_lines({&signature, 1})};
}

}  // namespace consentry
