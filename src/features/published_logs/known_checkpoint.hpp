// Compares the entries of a log in the database with a checkpoint that others have. An attacker with the database and
// the key can rewrite the whole log, or set it back, but cannot change what others have seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "features/published_logs/repository.hpp"
#include "tlog/note_keys.hpp"
#include "tlog/policy.hpp"

namespace consentry {

// Whether the entries in the database begin with those of the checkpoint. Reads in portions.
awaitable<bool> begins_with(LogRepository& log, tlog::Checkpoint checkpoint);

// What contradicts the signed note of a checkpoint that a reader has kept: a sentence; empty if nothing does. `size`:
// of the log's own checkpoint. `log` must outlive the coroutine.
awaitable<std::string> compare_with_kept(LogRepository& log, std::string note, std::optional<tlog::VerifierKey> key,
                                         std::uint64_t size);

struct WitnessFindings {
    std::optional<tlog::AcceptedCheckpoint> cosigned;  // the newest one that the quorum of the witnesses has cosigned
    std::string fault;                                 // a sentence; empty: none
    bool is_contradicted = false;                      // by what they have cosigned
};
// `lines`: of the policy (WitnessPolicy::lines). `log` must outlive the coroutine.
awaitable<WitnessFindings> check_witnesses(LogRepository& log, tlog::VerifierKey key, std::string lines);

}  // namespace consentry
