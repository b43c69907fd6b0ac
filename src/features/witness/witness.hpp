// A witness as c2sp.org/tlog-witness describes it: cosigns a checkpoint of a log only if it continues the one that it
// cosigned before. Those who trust the witness then know that all others see the same log.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "features/witness/repository.hpp"
#include "tlog/note_keys.hpp"
#include "tlog/witness_protocol.hpp"

namespace consentry {

// Reads the logs that a policy file names. Throws std::runtime_error if it is not one, or names no log.
std::vector<tlog::VerifierKey> read_witnessed_logs(const std::filesystem::path& file);

struct WitnessAnswer {
    unsigned status = 200;
    std::string_view media_type = "text/plain; charset=utf-8";
    std::string body;
};

class Witness {
public:
    // The references must outlive this object. `signer` is of type cosignature.
    Witness(storage::Database& database, const Clock& clock, const tlog::NoteSigner& signer,
            std::vector<tlog::VerifierKey> logs);

    // Answers the body of POST add-checkpoint. A cosignature leaves only after the checkpoint is on disk, and for one
    // size of a log there is never a second root.
    awaitable<WitnessAnswer> add_checkpoint(std::string body);

private:
    static WitnessAnswer conflict(const tlog::Checkpoint& offered, const std::optional<tlog::Checkpoint>& latest);

    WitnessRepository repository_;
    const Clock& clock_;
    const tlog::NoteSigner& signer_;
    const std::vector<tlog::VerifierKey> logs_;
};

}  // namespace consentry
