#include "features/published_logs/known_checkpoint.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tlog/compact_range.hpp"

namespace consentry {
namespace {

constexpr std::int64_t entries_read_at_once = 1'024;

}  // namespace

awaitable<bool> begins_with(LogRepository& log, tlog::Checkpoint checkpoint) {
    tlog::CompactRange tree;
    for (std::int64_t from = 0; tree.size() < checkpoint.size; from += entries_read_at_once) {
        const auto to = static_cast<std::int64_t>(
            std::min(static_cast<std::uint64_t>(from + entries_read_at_once), checkpoint.size));
        const auto stored = co_await log.existing(from, to);
        if (std::ssize(stored) != to - from) co_return false;
        for (const StoredEntry& one : stored) tree.append(tlog::leaf_hash(one.entry));
    }
    co_return tree.root() == checkpoint.root;
}

awaitable<std::string> compare_with_kept(LogRepository& log, std::string note, std::optional<tlog::VerifierKey> key,
                                         std::uint64_t size) {
    if (!key) co_return "The database names no log of which the checkpoint that was kept could be one.";
    const auto kept = tlog::open_checkpoint(note, *key);
    if (!kept) co_return fmt::format("The checkpoint that was kept is not one of the log: {}.", kept.error());
    if (size < kept->checkpoint.size)
        co_return fmt::format("The log has {} entries, but the checkpoint that was kept has {}: it was set back.", size,
                              kept->checkpoint.size);
    const bool is_beginning = co_await begins_with(log, kept->checkpoint);
    if (is_beginning) co_return std::string();
    co_return fmt::format("The first {} entries in the database are not those of the checkpoint that was kept.",
                          kept->checkpoint.size);
}

awaitable<WitnessFindings> check_witnesses(LogRepository& log, tlog::VerifierKey key, std::string lines) {
    WitnessFindings out;
    const auto state = co_await log.find_state();
    if (!state) co_return out;
    if (state->cosigned_checkpoint.empty()) {
        out.fault =
            "The quorum of the witnesses has not cosigned the log yet. If it ever had, the log was written anew.";
        co_return out;
    }
    const auto policy = tlog::Policy::parse("log " + key.text() + "\n" + lines).value();
    auto accepted = policy.accept(state->cosigned_checkpoint);
    if (!accepted) {
        out.fault =
            "The database has no checkpoint that the quorum of the witnesses has cosigned: " + accepted.error() + ".";
        co_return out;
    }
    const bool is_beginning = co_await begins_with(log, accepted->checkpoint);
    out.is_contradicted = !is_beginning;
    if (is_beginning)
        out.cosigned = std::move(*accepted);
    else
        out.fault = fmt::format("The first {} entries in the database are not those that the witnesses have cosigned.",
                                accepted->checkpoint.size);
    co_return out;
}

}  // namespace consentry
